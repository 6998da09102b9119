#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# test/docs/facts.t
#
# TAP: what the documents say that can be looked up without a virtual machine.
# test/docs/pages.t does what the pages of docs tell to do; here is whether it
# gets all of them, and what README.md and CONTRIBUTING.md say of other files.
use strict;
use warnings;
use FindBin;
use Test::More;

chdir "$FindBin::Bin/../.." or die "$!\n";

sub text {
	my ($file) = @_;

	open my $handle, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$handle>;
}

my $readme = text('README.md');

# ---- what begins with "$" is run ----

my @promised = sort $readme =~ /^\| \[(docs\/[a-z-]+\.md)\]/mg;
my ($played) = text('Makefile') =~
	/pages\.t \$\(addprefix docs\/,([^)]*)\)/;
my @played = map { "docs/$_" } sort grep { $_ ne '\\' } split ' ', $played;

is_deeply(\@played, \@promised, 'the pages of the table in README.md are run');
for my $page (glob '*.md docs/*.md') {
	my $text = text($page);

	# What test/docs/play runs, and which the page may have if it is played
	$text =~ s/^```console\n.*?^```$//msg if grep { $_ eq $page } @played;
	is(join("\n", $text =~ /^(\s*\$ .*)/mg), '',
	   "$page: no command that is not run");
}

# ---- /proc/crypto ----

# Of any algorithm, since SM4 need not be here
my ($command) = $readme =~ /^    (grep .* \/proc\/crypto)$/m;
my ($name) = text('/proc/crypto') =~ /^name +: (.*)/m;
my ($names) = $readme =~ /^(`driver` is an algorithm.*?)\n\n/ms;

$command =~ s/'.*'/'$name'/;
my $output = `$command`;
for my $field ($names =~ /`(\w+)`/g) {
	like($output, qr/^$field +:/m, "$command shows $field");
}

# ---- who to tell of mistakes that matter ----

my $has_address = text('debian/control') !~ /^Maintainer: .*\.example>$/m;
my $says_none = text('CONTRIBUTING.md') =~ /`\.example`/;

ok($has_address != $says_none,
   'CONTRIBUTING.md says whether the maintainers have an address');
done_testing();
