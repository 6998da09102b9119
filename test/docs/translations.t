#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# test/docs/translations.t
#
# TAP: each Chinese page matches its English page: the same headings, by level and by anchor, and
# below each the same code, names, links and figures. The wording itself is not compared.
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

# A page's blocks, between empty lines: for each whether it is code, and its lines. Indented text
# below an item of a numbered list belongs to the item.
sub blocks {
	my ($text) = @_;
	my ($in_list, @blocks);

	for my $block ($text =~ /(```(?s:.*?)^```\n|(?:.+\n?)+)/mg) {
		$in_list = $block =~ /^\d+\. / if $block =~ /^\S/;
		$block =~ s/^    //mg if $in_list;
		push @blocks, [scalar $block =~ /^(?:```|    )/, $block];
	}
	return @blocks;
}

# A page's sections: for each, the parts that a translation does not change
sub sections {
	my ($page) = @_;
	my @sections;

	for (blocks(text($page))) {
		my ($is_code, $block) = @$_;
		my $section = $sections[-1];

		if ($block =~ /^(?:<a id="(.*?)"><\/a>\n)?(#+) (.*)\n\z/ && !$is_code) {
			push @sections, { heading => "$2 " . ($1 // anchor($3)) };
		} elsif ($is_code) {
			# Comments are translated.
			push @{$section->{code}}, $block =~ s/(?:^|  +)# .*//gmr;
		} else {
			$section->{names}{s/\s+/ /gr}++ for $block =~ /`([^`]+)`/g;
			$block =~ s/`[^`]+`//g;
			push @{$section->{links}}, target($page, $_) for $block =~ /\]\(([^)]+)\)/g;
			$block =~ s/\]\([^)]+\)/]/g;
			# The figures in the cells
			push @{$section->{rows}}, map { join ' ', tr/|//, figures($_) } $block =~ /^\|.*/mg;
			$section->{figures}{$_}++ for figures($block);
		}
	}
	return @sections;
}

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
		s/^([^#]*)/$translation{$1} \/\/ $1/e for @{$english[$i]{links}};
		$_->{links} = [sort @{$_->{links} // []}] for $english[$i], $chinese[$i];
		for my $what (qw(code rows names links figures)) {
			is_deeply($chinese[$i]{$what}, $english[$i]{$what}, "$translated, $english[$i]{heading}: $what");
		}
	}
}
done_testing();
