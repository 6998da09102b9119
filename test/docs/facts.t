#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
#
# test/docs/facts.t
#
# TAP: names, figures and headings in the documents that other files have, too.
# test/docs/pages.t runs the commands of the pages; this checks that it runs all
# of them.
use strict;
use warnings;
use FindBin;
use Test::More;
use Time::Piece;

chdir "$FindBin::Bin/../.." or die "$!\n";

sub text {
	my ($file) = @_;

	open my $handle, '<', $file or die "$file: $!\n";
	local $/;
	return scalar <$handle>;
}

my $readme = text('README.md');

# ---- packages to install ----

my ($packages) = text('packaging/packages.mk') =~ /^deb: .*?^\ttest\/need (.*?)$/ms;

# translations.t checks that a translation has the same commands.
for my $page (qw(README.md docs/install.md)) {
	my $text = text($page);

	like($text, qr/^    sudo apt update\n.*^    sudo apt install git \Q$packages\E\n.*^    git clone URL sm4-fast
    cd sm4-fast\n    make deb\n/ms,
	     "$page: all that a clone and make deb need, from lists that are up to date, and then the clone");

	# The package of headers for later kernels, by the names of Debian 12 and 13, backports and Ubuntu
	my ($headers) = $text =~ /^    sudo apt install linux-headers-\$\(uname -r\) (.*)/m;
	my %kinds = ('6.1.0-47-amd64' => 'amd64', '6.12.57+deb13-cloud-amd64' => 'cloud-amd64', '6.1.0-50-rt-amd64' => 'rt-amd64',
		     '7.3.1+deb13+1~bpo13-amd64' => 'amd64', '6.12.9+bpo-amd64' => 'amd64', '6.8.0-151-generic' => 'generic',
		     '6.8.0-1009-aws' => 'aws', '5.15.0-204-lowlatency' => 'lowlatency');

	is(join(' ', map { `uname() { echo '$_'; }; echo -n $headers` } sort keys %kinds),
	   join(' ', map { "linux-headers-$kinds{$_}" } sort keys %kinds), "$page: the package of headers for later kernels");
}

# ---- commands after "$" are run ----

my @promised = sort $readme =~ /^\| \[(docs\/[a-z0-9-]+\.md)\]/mg;
my ($played) = text('test/suites') =~ /^long test\/docs\/pages\.t (.*)/m;
my @played = sort split ' ', $played;

is_deeply(\@played, \@promised, 'the pages of the table in README.md are run');
for my $page (glob '*.md docs/*.md') {
	my $text = text($page);

	# Only a page that test/docs/play runs may contain such blocks.
	$text =~ s/^```console\n.*?^```$//msg if grep { $_ eq $page } @played;
	is(join("\n", $text =~ /^(\s*(?:west|east|)\$ .*)/mg), '',
	   "$page: no command that is not run");
}

# ---- the version ----

# As in the names of files, packages and DKMS. A reader who copies another version names a file that does not exist.
my ($version) = text('sm4-fast-main.c') =~ /^MODULE_VERSION\("(.*)"\);$/m;

for my $page (glob '*.md docs/*.md docs/zh-CN/*.md') {
	next if $page eq 'CHANGELOG.md';
	my @others = grep { !/[-_\/]\Q$version\E\z/ }
		text($page) =~ /(\bsm4-fast(?:-xfrm)?(?:-dkms)?[-_\/]\d+(?:\.\d+)+)/g;

	is("@others", '', "$page: no other version of sm4-fast than $version");
}

# Both changelogs have the same versions. Those before the present one are closed, on the same day.
my @released = map { [/^(\S+)(?: \((.*)\))?$/] } text('CHANGELOG.md') =~ /^## (.*)/mg;
my @of_debian = map { [/^(\S+)\)/, Time::Piece->strptime(/^ -- .*, (\d+ \w+ \d+)/m, '%d %b %Y')->ymd] }
	grep { /\S/ } split /^sm4-fast \(/m, text('debian/changelog');

$released[0][1] //= $of_debian[0][1];
is_deeply(\@released, \@of_debian, 'CHANGELOG.md and debian/changelog have the same releases, with their days');

# ---- examples in test/README.md ----

# In a fresh clone, these files exist, or the target before them makes them. Tests that need a kernel get one.
my $makefile = text('Makefile');

for my $example (map { /.*\| `([^`]*)`/ } text('test/README.md') =~ /^(\| `.*)/mg) {
	my ($targets, $variables, $bats, $program) = $example =~
		/^(?:make ([\w-]+); )?((?:\w+=\S+ )*)(bats )?(\S+)/;
	my $good = $program =~ /\/build\// ? defined $targets : -x $program;

	$good &&= $makefile =~ /^\Q$targets\E:/m if defined $targets;
	$good &&= $variables =~ /^KERNEL=/ if $bats && text($program) =~ /^# KERNEL=/m;
	ok($good, "test/README.md: $example");
}

# ---- /proc/crypto ----

# Of any algorithm, because this kernel may lack SM4
my $tiers = text('docs/tiers.md');
my ($command) = $tiers =~ /^    (grep .* \/proc\/crypto)$/m;
my ($name) = text('/proc/crypto') =~ /^name +: (.*)/m;
my ($names) = $tiers =~ /^(`driver` is an algorithm.*?)\n\n/ms;

$command =~ s/'.*'/'$name'/;
my $output = `$command`;
for my $field ($names =~ /`(\w+)`/g) {
	like($output, qr/^$field +:/m, "$command shows $field");
}

# ---- a heading that a program names ----

my ($page, $heading) = text('test/vm/check-tree') =~ /(docs\/\S+\.md).*?"(.*)\\"/;

like(text($page), qr/^## \Q$heading\E$/m, "check-tree names a section of $page");

# ---- links ----

# The headings of a page, as links name them, and the anchors that the page sets
sub anchors {
	my ($text) = @_;

	$text =~ s/^```.*?^```$//msg;
	my @headings = $text =~ /^#+ (.*)/mg;

	return map { $_ => 1 } $text =~ /<a id="(.*?)">/g,
		map { lc =~ s/[^\w -]//gr =~ tr/ /-/r } @headings;
}

for my $page (glob '*.md docs/*.md docs/zh-CN/*.md') {
	my ($folder) = $page =~ /(.*\/|)/;
	my @dead;

	for my $link (text($page) =~ /\]\(([^):\s]+)\)/g) {
		my ($file, $anchor) = $link =~ /([^#]*)#?(.*)/;
		my $path = $file eq '' ? $page : $folder . $file;

		push @dead, $link unless -e $path &&
			($anchor eq '' || {anchors(text($path))}->{$anchor});
	}
	is("@dead", '', "$page: no link that leads nowhere");
}

# ---- figures ----

# All that bench/tables prints of the results in bench/figures, which the pictures also show; headline and table of README for the
# processor of the pictures only
my ($pictured) = $makefile =~ /^FIGURES = (.*)/m;
my $speed = text('docs/speed.md');

sub words {
	return ' ' . join(' ', split ' ', $_[0]) . ' ';
}

for my $results (glob 'bench/figures/*.json') {
	my @blocks = split /\n\n/, `bench/tables $results`;
	my @of_readme = $results =~ /-kernel\.json$/ ? splice @blocks, 0, 2 : ();

	cmp_ok(scalar @blocks, '>', 2, "$results: bench/tables prints tables");
	is(join("\n\n", grep { index(words($speed), words($_)) < 0 } @blocks), '', "docs/speed.md has the figures of $results");
	next unless $results =~ /^bench\/figures\/\Q$pictured\E-kernel/;
	is(join("\n\n", grep { index(words($readme), words($_)) < 0 } @of_readme), '', "README.md has the figures of $results");
	my %machine = text($results) =~ /"(\w+)": "?([\w-]+)/g;

	like(words($readme), qr/\(commit $machine{commit}, on $machine{date}\).*, family $machine{family}, model $machine{model}\)/,
	     "README.md says of which machine and commit the figures are");
}
is(`bench/bars bench/figures/$pictured-kernel.json /dev/stdout 2>/dev/null`, text('docs/users.svg'),
   'docs/users.svg shows the figures of README.md');

# XTS of 4096 bytes by the best tier of each processor
my ($sentence) = $readme =~ /^(In user space, XTS of 4096 bytes is .*?)\n\n/ms;

for my $figure ($sentence =~ /\d\.\d on an? [A-Z]\w+(?: \w+)?/g) {
	my ($speedup, $name) = $figure =~ /^(\S+) on an? (.*)/;
	my ($table) = $speed =~ /^### [^\n]*\Q$name\E.*?\n\n(\|.*?)\n\n/ms;
	my ($head, undef, @rows) = map { [split /\s*\|\s*/] } split /\n/, $table // '';
	my ($column) = grep { $head->[$_] =~ /^(?:xts|4096)$/ } 0 .. $#$head;
	my ($row) = grep { $head->[$column] eq 'xts' || $_->[1] =~ /^`xts`/ } @rows;

	like($row->[$column], qr/\(\Q$speedup\E\)$/, "README.md: $figure");
}

done_testing();
