#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# test/docs/translations.t
#
# TAP: README.zh-CN.md has what README.md has: the same headings by their levels,
# and below each the same commands, links, names in code, and rows of tables with
# the same numbers. What the words say, a reader has to compare.
use strict;
use warnings;
use utf8;
use open qw(:std :encoding(UTF-8));
use FindBin;
use Test::More;

my $top = "$FindBin::Bin/../..";

# A page's sections: for each its level, and what no translation changes
sub sections {
	my ($page) = @_;
	my @sections;

	open my $file, '<', "$top/$page" or die "$page: $!\n";
	while (my $line = <$file>) {
		if ($line =~ /^(#+) /) {
			push @sections, { level => length $1 };
		} elsif ($line =~ /^    (.*)/) {
			push @{$sections[-1]{commands}}, $1;
		} elsif ($line =~ /^\|/) {
			# The number of cells, and the numbers in them
			push @{$sections[-1]{rows}}, join ' ',
				$line =~ tr/|//, $line =~ /(\d[\d.]*)/g;
		}
		next if $line =~ /^    /;
		$sections[-1]{names}{$_}++ for $line =~ /`([^`]+)`/g;
		$sections[-1]{links}{$_}++
			for grep { !/^README/ } $line =~ /\]\(([^)]+)\)/g;
	}
	return @sections;
}

my @english = sections('README.md');
my @chinese = sections('README.zh-CN.md');

is(scalar @chinese, scalar @english, 'the number of headings');
for my $i (0 .. $#english) {
	for my $what (qw(level commands rows names links)) {
		is_deeply($chinese[$i]{$what}, $english[$i]{$what},
			"section $i: $what");
	}
}

# A page shows the end of a line as a space, which Chinese does not have.
open my $file, '<', "$top/README.zh-CN.md" or die "$!\n";
local $/;
my @broken = <$file> =~ /(.*[\p{Han}\p{InCJKSymbolsAndPunctuation}，。：；、（]\n\p{Han}.*)/g;

is(join("\n", @broken), '', 'no line ends within Chinese text');
done_testing();
