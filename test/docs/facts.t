#!/usr/bin/perl
# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# test/docs/facts.t
#
# TAP: facts in the documents that can be checked without a virtual machine.
# test/docs/pages.t runs the commands of the pages; this checks that it runs all
# of them, and statements of README.md, docs/tiers.md and others about other files.
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

# ---- the first things that a reader sees ----

my ($packages) = text('packaging/packages.mk') =~ /^deb: .*?^\ttest\/need (.*?)$/ms;

for my $page (qw(README.md README.zh-CN.md)) {
	my $text = text($page);
	my $begin = join '', ($text =~ /(.*\n)/g)[0 .. 24];

	like($begin, qr/^!\[.*^    git clone .*^    make demo\n    make test\n.*INTEGRITY AEAD ERROR/ms,
	     "$page: a picture, what shows and tests the module, and what one sees, in 25 lines");
	like($text, qr/^    sudo apt install git \Q$packages\E .*^    git clone .*\n    make deb$/ms,
	     "$page: all that a clone and make deb need");
}

# ---- commands after "$" are run ----

my @promised = sort $readme =~ /^\| \[(docs\/[a-z0-9-]+\.md)\]/mg;
my ($played) = text('test/suites') =~ /^long test\/docs\/pages\.t (.*)/m;
my @played = sort split ' ', $played;

is_deeply(\@played, \@promised, 'the pages of the table in README.md are run');
# That program plays another page.
push @played, text('test/lab/kunit.t') =~ m{docs/play (\S+)};
for my $page (glob '*.md docs/*.md docs/zh-CN/*.md') {
	my $text = text($page);
	my $english = $page =~ s/zh-CN\///r;

	# Only a page that test/docs/play runs may contain such blocks. translations.t
	# checks that a translation has the same ones.
	$text =~ s/^```console\n.*?^```$//msg if grep { $_ eq $english } @played;
	is(join("\n", $text =~ /^(\s*(?:west|east|)\$ .*)/mg), '',
	   "$page: no command that is not run");
}

# ---- the version ----

# As in the names of files, packages and DKMS. A reader who copies another version names a file that does not exist.
my ($version) = text('sm4-fast-glue.c') =~ /^MODULE_VERSION\("(.*)"\);$/m;

for my $page (glob '*.md docs/*.md docs/zh-CN/*.md') {
	next if $page eq 'CHANGELOG.md';
	my @others = grep { !/[-_\/]\Q$version\E\z/ }
		text($page) =~ /(\bsm4-fast(?:-xfrm)?(?:-dkms)?[-_\/]\d+(?:\.\d+)+)/g;

	is("@others", '', "$page: no other version of sm4-fast than $version");
}

# Both changelogs have the same versions. Those before the present one are closed, on the same day.
my @headings = text('CHANGELOG.md') =~ /^## (.*)/mg;
my @released = map { [/^(\S+)(?: \(([0-9-]+)(?:, commit [0-9a-f]{7})?\))?$/] } @headings;
my @of_debian = map { [/^(\S+)\)/, Time::Piece->strptime(/^ -- .*, (\d+ \w+ \d+)/m, '%d %b %Y')->ymd] }
	grep { /\S/ } split /^sm4-fast \(/m, text('debian/changelog');

$released[0][1] //= $of_debian[0][1];
is($released[0][0], $version, 'CHANGELOG.md begins with the version of the module');
is_deeply(\@released, \@of_debian, 'CHANGELOG.md and debian/changelog have the same releases, with their days');
is(join(', ', grep { !/commit/ } @headings[1 .. $#headings]), '', 'CHANGELOG.md says from which commit each earlier version is');

# ---- commands that a reader copies ----

# A reader may stop in the middle of a page: after a restart, nothing may block modules or hide files.
my %harmful = (
	'a file of /etc that blocks a module' => qr/>\/etc\/modprobe\.d\/no-.*/,
	'a file system over one of the machine' => qr/^\$ mount -t tmpfs .*/m,
	'a page of an error in the place of a key' => qr/\bcurl (?!-f ).*/,
	'a weak key derivation' => qr/-force-iterations.*/,
	'what DKMS does not do for a module that is missing' => qr/^ *(?:sudo )?dkms (?:autoinstall|install (?!--force)).*/m,
);
# On Linux 7.3, cryptsetup before 2.8.7 cannot open a key slot with SM4. Two pages show what fails, and the way to AES.
my %sm4_slots = ('docs/compatibility.md' => 1, 'docs/trouble.md' => 4);

for my $page (glob 'README*.md docs/*.md docs/zh-CN/*.md') {
	my $commands = text($page) =~ s/\\\n\s*//gr;

	is(join("\n", $commands =~ /$harmful{$_}/g), '', "$page: $_: nowhere") for sort keys %harmful;
	# With GCM, CCM and other MACs, and for names that begin with "capi:", they use AES in any case.
	my @slots = grep { !/--keyslot-cipher aes|--integrity / }
		$commands =~ /^ *(?:\$|sudo) (cryptsetup luks(?:Format (?=.*sm4-xts)|AddKey|ChangeKey).*)/mg;

	is(@slots, $sm4_slots{$page =~ s/zh-CN\///r} // 0, "$page: key slots with SM4") or diag(join "\n", @slots);
}

# ---- secrets ----

# Passphrases and keys of the examples: only root can read them, and they are removed in the end.
for my $page (@played) {
	my $text = text($page);

	for my $file ($text =~ /^\$ .*(?:urandom >|>(?=passphrase$|second$|wrong$))(\S+)$/mg) {
		like($text, qr/^\$ umask 077\n.*>\Q$file\E\n.*^\$ rm (?:.* )?\Q$file\E\b/ms, "$page: the secret $file");
	}
}

for my $page (glob '*.md docs/*.md docs/zh-CN/*.md') {
	my $text = text($page);
	my @open = grep { /\b(?:secret|passphrase|password) *=/ && !/^install -m 600 / }
		$text =~ /\$ ([^\n]*<<'END'\n.*?)^END$/msg;

	push @open, $text =~ /(-keyout (?!\S*\/private\/|\/root\/)\S+)/g;
	is("@open", '', "$page: no file with a secret that others can read at any time");
}

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

# ---- algorithms ----

my ($algorithms) = text('docs/tiers.md') =~ /^## Algorithms\n(.*?)^## /ms;
my @described = map { /`([^`]*)`/g } map { /^\| (`.*?) \|/ } split /\n/, $algorithms;
my @tested = text('test/requests/modes.c') =~ /^\t\{ "([^"]*)"/mg;

is_deeply([sort @described], [sort @tested],
	  'docs/tiers.md describes the modes that the tests have');

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

# ---- contact for vulnerabilities ----

like(text('SECURITY.md'), qr/^    Report-To in packaging\/owner$/m,
     'SECURITY.md has the place that packaging/fill-in fills in');
for my $file ('packaging/owner', 'debian/control', 'debian/changelog',
	      'packaging/sm4-fast.spec', glob('*.md integration/xfrm/*.patch')) {
	unlike(text($file), qr/\.example\b/, "$file has no false address");
}

# ---- MAINTAINERS ----

# The lines for files, as patterns of paths, those of one area apart; in the kernel's format, a folder means all that is below it.
my @areas = map { [map { $_ eq '*/' ? '.*' : quotemeta =~ s/\\\*/[^\/]*/gr =~ s/\/$/\/.*/r } /^F:\t(\S+)$/mg] }
	split /\n\n/, text('MAINTAINERS') =~ s/.*?\n(?=ARITH)//sr;
my @tracked = split /\n/, `git ls-files --cached --others --exclude-standard`;

for my $pattern (map { @$_ } @areas) {
	ok(scalar grep(/^$pattern$/, @tracked), "MAINTAINERS: there are files $pattern");
}
pop @areas;
is(join(' ', sort grep { my $file = $_; !grep { grep { $file =~ /^$_$/ } @$_ } @areas } @tracked),
   '.gitignore COPYING MAINTAINERS Makefile', 'MAINTAINERS: the rest has these files');

# ---- the map in CONTRIBUTING.md ----

# From the objects that make check builds; the picture is drawn anew by the same command.
is(`tools/draw-house test/host/build/plain/module`, text('docs/house.svg'),
   'docs/house.svg shows who calls whom: tools/draw-house test/host/build/plain/module');

# ---- keys of IPsec ----

# A key that is not in a command could be used for both directions. Each direction has keys of its own.
my $ipsec = text('docs/ipsec.md');
my %directions;

unlike($ipsec =~ s/^```.*?^```$//msgr, qr/0x[0-9a-f]{32}/, 'docs/ipsec.md: no keys outside of commands');
for my $state (split /xfrm state add/, $ipsec) {
	my ($from) = $state =~ /^ src (\S+)/ or next;

	$directions{$_}{$from} = 1 for $state =~ /0x[0-9a-f]{32,}/g;
}
cmp_ok(keys %directions, '>', 5, 'docs/ipsec.md: keys for GCM, SM4-CBC and HMAC-SM3');
is(join(' ', grep { keys %{$directions{$_}} != 1 } sort keys %directions), '',
   'docs/ipsec.md: no key is for both directions');

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
my ($pictured) = text('bench/Makefile') =~ /^KERNEL_FIGURES = (.*)/m;
my $speed = text('docs/speed.md') . text('docs/tcrypt.md');

sub words {
	return ' ' . join(' ', split ' ', $_[0]) . ' ';
}

for my $results (glob 'bench/figures/*.json') {
	my @blocks = split /\n\n/, `bench/tables $results`;
	my @of_readme = $results =~ /-kernel\.json$/ ? splice @blocks, 0, 2 : ();

	cmp_ok(scalar @blocks, '>', 2, "$results: bench/tables prints tables");
	is(join("\n\n", grep { index(words($speed), words($_)) < 0 } @blocks), '',
	   "docs/speed.md and docs/tcrypt.md have the figures of $results");
	next unless $results =~ /^bench\/figures\/\Q$pictured\E-kernel/;
	is(join("\n\n", grep { index(words($readme), words($_)) < 0 } @of_readme), '', "README.md has the figures of $results");
	my %machine = text($results) =~ /"(\w+)": "?([\w-]+)/g;

	like(words($readme), qr/\(commit $machine{commit}, on $machine{date}\).*, family $machine{family}, model $machine{model}\)/,
	     "README.md says of which machine and commit the figures are");
}
is(`bench/bars bench/figures/$pictured-kernel.json /dev/stdout 2>/dev/null`, text('docs/users.svg'),
   'docs/users.svg shows the figures of README.md');
like($readme, qr/\A# .*?^!\[[^\]]*\]\(docs\/users\.svg\)$/ms, 'README.md begins with that picture');

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
