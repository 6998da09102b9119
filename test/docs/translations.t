#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# test/docs/translations.t
#
# TAP: each Chinese page matches its English page: the same headings, by level
# and by anchor, and below each the same paragraphs, lists, rows of tables, and
# in these the same code, links and figures. The wording itself is not compared.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "$!\n";

my %translation = (
	'README.md' => 'README.zh-CN.md',
	map { ("docs/$_.md" => "docs/zh-CN/$_.md") }
		qw(compatibility disk ike install ipsec kernels tiers
		   tls trouble),
);

sub text {
	my ($file) = @_;

	open my $handle, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$handle>;
}

# The target of a page's link, relative to the top of the repository
sub target {
	my ($page, $link) = @_;

	return $link if $link =~ /^\w+:/;
	my ($file, $anchor) = $link =~ /([^#]*)(.*)/;
	my $path = $file eq '' ? $page : ($page =~ s/[^\/]*$//r) . $file;

	1 while $path =~ s/[^\/]+\/\.\.\///;
	return $path . $anchor;
}

# The anchor of a heading
sub anchor {
	my ($heading) = @_;

	return lc($heading) =~ s/[^\w -]//gr =~ tr/ /-/r;
}

# The figures in a text, except those in names such as SM4 or x86-64, and the numbers of
# months, for which English has words
sub figures {
	my ($text) = @_;

	return $text =~ s/\d+ 月//gr =~
		/(?<![A-Za-z0-9.,-])(\d+(?:[.,]\d+)*)(?![A-Za-z])/g;
}

# A page's blocks, between empty lines: for each [kind, lines]. Indented text below an
# item of a numbered list belongs to the item.
sub blocks {
	my ($text) = @_;
	my ($in_list, @blocks);

	for my $block ($text =~ /\G\n*(```(?s:.*?)^```\n|(?:.+\n)+)/mgc) {
		$in_list = $block =~ /^\d+\. / if $block =~ /^\S/;
		$block =~ s/^    //mg if $in_list && $block =~ /^ /;
		my $kind = $block =~ /^(?:```|    )/ ? 'code' :
			   $block =~ /^#/ ? 'heading' :
			   $block =~ /^<a id/ ? 'anchored heading' :
			   $block =~ /^\|/ ? 'table' :
			   $block =~ /^(?:- |\d+\. )/ ? 'list' : 'text';
		push @blocks, [$kind, $block];
	}
	die "no block: ", substr $text, pos $text
		if (pos $text // 0) < length $text;
	return @blocks;
}

# A page's sections: for each, the parts that a translation does not change
sub sections {
	my ($page) = @_;
	my @sections;

	for (blocks(text($page))) {
		my ($kind, $block) = @$_;
		my $section = $sections[-1];

		if ($kind =~ /heading/) {
			my ($anchor, $level, $words) = $block =~
				/^(?:<a id="(.*?)"><\/a>\n)?(#+) (.*)\n\z/ or
				die "$page: no heading by itself: $block";

			push @sections, { level => length $level,
				heading => $anchor // anchor($words) };
			next;
		}
		if ($kind eq 'code') {
			push @{$section->{structure}}, $kind;
			push @{$section->{code}}, $block;
			next;
		}
		my $items = () = $block =~ /^(?:- |\d+\. |\|)/mg;

		push @{$section->{structure}}, "$kind $items";
		$section->{names}{s/\s+/ /gr}++ for $block =~ /`([^`]+)`/g;
		$block =~ s/`[^`]+`//g;
		push @{$section->{links}}, target($page, $_)
			for $block =~ /\]\(([^)]+)\)/g;
		$block =~ s/\]\([^)]+\)/]/g;
		# The number of cells, and the figures in them
		push @{$section->{rows}}, map { join ' ', tr/|//, figures($_) }
			$block =~ /^\|.*/mg;
		$section->{figures}{$_}++ for figures($block);
	}
	return @sections;
}

# A block of code, with Chinese comments replaced by the English ones
sub untranslated {
	my ($chinese, $english) = @_;
	my @english = split /^/, $english;

	return join '', map {
		my ($comment) = (shift @english // '') =~ /(# .*\n)/;

		defined $comment && /# .*\p{sc=Han}/ ? s/# .*\n/$comment/r : $_;
	} split /^/, $chinese;
}

# Typographical mistakes in Chinese text. A line break is shown as a space.
my %mistakes = (
	'a line ends within Chinese text' =>
		qr/[\p{sc=Han}，。：；、（）]\n(?!- |\d+\. )[\p{sc=Han}`（A-Za-z0-9]/,
	'a comma, a colon or a parenthesis of Latin text' =>
		qr/[\p{sc=Han}）] ?[,;:?!(]|[,;:?!)] ?\p{sc=Han}/,
	'a space between Chinese characters' =>
		qr/[\p{sc=Han}，。：；、（）] +[\p{sc=Han}，。：；、（）]/,
	'no space between Chinese and Latin text' =>
		qr/\p{sc=Han}[A-Za-z0-9`]|[A-Za-z0-9`%]\p{sc=Han}/,
);

is_deeply([sort glob 'docs/zh-CN/*.md'],
	  [sort grep { /^docs/ } values %translation],
	  'the pages of docs/zh-CN are those that are compared');
for my $page (sort keys %translation) {
	my $translated = $translation{$page};
	my @english = sections($page);
	my @chinese = sections($translated);

	# Each page begins with a link to the other.
	is(shift @{$english[0]{links}}, $translated, "$page has a link");
	is(shift @{$chinese[0]{links}}, $page, "$translated has a link");

	is(join("\n", map { $_->{heading} } @chinese),
	   join("\n", map { $_->{heading} } @english),
	   "$translated: the headings, by the names that links call them");
	for my $i (0 .. $#english) {
		# Links lead to the Chinese page if there is one.
		$english[$i]{links} = [map { s/^([^#]*)/$translation{$1} \/\/ $1/er }
			@{$english[$i]{links} // []}];
		for my $what (qw(level structure code rows names links figures)) {
			my $of_english = $english[$i]{$what};
			my $of_chinese = $chinese[$i]{$what};

			if ($what eq 'code') {
				my @code = @{$of_english // []};

				$of_chinese &&= [map { untranslated($_, shift @code // '') } @$of_chinese];
			}
			if ($what eq 'links') {
				$_ = [sort @{$_ // []}]
					for $of_english, $of_chinese;
			}
			is_deeply($of_chinese, $of_english,
				"$translated, $english[$i]{heading}: $what");
		}
	}

	my @code = map { $_->[1] } grep { $_->[0] eq 'code' } blocks(text($translated));

	is(join("\n", map { /^.*\S +# [A-Z]?[a-z]+,? [\/a-z][ \w'\/-]*$/mg } @code), '',
	   "$translated: no command with an English comment");

	my $words = join "\n",
		map { $_->[1] =~ s/`[^`]+`/`code`/gr =~ s/\]\([^)]+\)/]/gr }
		grep { $_->[0] ne 'code' } blocks(text($translated));

	for my $mistake (sort keys %mistakes) {
		is(join(' ... ', $words =~ /(.{0,20}$mistakes{$mistake}.{0,20})/g),
		   '', "$translated: $mistake: nowhere");
	}
}
done_testing();
