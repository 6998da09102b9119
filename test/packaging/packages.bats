#!/usr/bin/env bats
# bats --formatter tap test/packaging/packages.bats
#
# What needs no virtual machine of installing: the version, the packages and what checkers say of them, installation into
# a folder, and signing. Leaves the machine's own modules alone.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    "$repository/test/need" git make gcc kmod openssl linux-headers-amd64 lintian rpmlint
    fresh_clone "$BATS_FILE_TMPDIR/clone"
    # The newest headers, for a kernel that need not be the running one
    KDIR=$(printf '%s\n' /lib/modules/*/build | sort --reverse --version-sort | head --lines=1)
    export KDIR
}

setup() {
    cd "$BATS_FILE_TMPDIR/clone" || exit
    destination=$BATS_FILE_TMPDIR/destination
}

@test "the changelogs begin with the version of the module" {
    [[ -n $version ]]
    [[ $(sed -n 's/^## //p' CHANGELOG.md | head --lines=1) == "$version" ]]
    [[ $(dpkg-parsechangelog --show-field Version) == "$version" ]]
}

@test "docs/install.md names the version of the module everywhere" {
    grep --only-matching --extended-regexp -e 'sm4-fast(-dkms)?[-_/][0-9.]*[0-9]' -e '^ +[0-9][0-9.]*$' docs/install.md \
        >versions
    [[ $(grep --count . versions) -gt 5 ]]
    [[ $(sed 's/.*[-_/ ]//' versions | sort --unique) == "$version" ]]
}

@test "docs/install.md names only targets of the Makefile, and all for installing" {
    # shellcheck disable=SC2016  # a backtick of Markdown
    grep --only-matching --extended-regexp '^    (sudo )?make\b.*|`make[^`]*`' docs/install.md | tr --delete '`' |
        tr ' ' '\n' | grep --extended-regexp --line-regexp '[a-z-]+' | grep --invert-match -e sudo -e '^make$' |
        sort --unique >named
    sed --quiet 's/^\.PHONY: //p' packaging/install.mk | tr ' ' '\n' |
        grep --invert-match -e files -e sources -e package -e remove | sort >targets
    diff named targets
}

@test "make deb makes a package from a fresh clone, out of git's sight, without a key that lies there" {
    touch module-key.pem stray-key
    make deb
    rm module-key.pem stray-key
    run ! grep key.pem <(tar --list --file "dist/sm4-fast-$version.tar.gz")
    run ! grep stray-key <(tar --list --file "dist/sm4-fast-$version.tar.gz")
    [[ -f dist/sm4-fast-dkms_${version}_all.deb ]]
    git status --short
    [[ -z $(git status --short dist) ]]
}

@test "lintian has nothing to say of the Debian packages" {
    run lintian --allow-root --pedantic --display-info "dist/sm4-fast_${version}_amd64.changes"
    echo "$output"
    [[ $status -eq 0 && -z $output ]]
}

@test "the Debian package has the sources, and what packaging/files lists" {
    mkdir unpacked
    dpkg-deb --extract "dist/sm4-fast-dkms_${version}_all.deb" unpacked
    make --silent DESTDIR=expected install-dkms-sources install-files
    rm -r unpacked/usr/share/doc
    # Manual pages are compressed in the package.
    find unpacked -name '*.gz' -exec gunzip {} +
    find unpacked -type d -empty -delete
    diff --recursive expected unpacked
    grep "^PACKAGE_VERSION=\"$version\"$" "unpacked/usr/src/sm4-fast-$version/dkms.conf"
}

@test "make rpm makes a package, out of git's sight" {
    make rpm
    rpm --query --package --list "dist/sm4-fast-dkms-$version-1.noarch.rpm" >list
    for file in unpacked/usr/src/*/*; do
        grep --line-regexp --fixed-strings "${file#unpacked}" list
    done
    [[ -z $(git status --short dist) ]]
}

@test "rpmlint has nothing to say of the RPM packages" {
    run rpmlint --config packaging/rpmlint.toml dist/*.rpm
    echo "$output"
    [[ $status -eq 0 && $output == *' 0 errors, 0 warnings'* ]]
}

@test "DKMS leaves kernels alone that it is not for" {
    BUILD_EXCLUSIVE_KERNEL=$(sed --quiet 's/^BUILD_EXCLUSIVE_KERNEL="\(.*\)"$/\1/p' packaging/dkms.conf)
    for release in 6.1.0-47-amd64 6.6.0-72.0.0.76.oe2403.x86_64 6.12.94+deb13-amd64 7.3.4+deb13-amd64 10.1.0; do
        [[ $release =~ $BUILD_EXCLUSIVE_KERNEL ]]
    done
    for release in 5.10.0-216.0.0.115.oe2203.x86_64 5.15.0-91-generic 6.0.1; do
        [[ ! $release =~ $BUILD_EXCLUSIVE_KERNEL ]]
    done
}

@test "make install wants to be told the kernel, if the running one has no headers" {
    if [[ -e /lib/modules/$(uname --kernel-release)/build ]]; then
        skip "the running kernel has its headers here"
    fi
    run env --unset KDIR make DESTDIR="$destination" install
    echo "$output"
    [[ $status -ne 0 && $output == *"linux-headers-"*"KDIR="* && ! -e $destination ]]
}

@test "make install installs the module, with its version" {
    make DESTDIR="$destination" install
    module=$(echo "$destination"/lib/modules/*/updates/sm4-fast.ko)
    [[ $(modinfo --field version "$module") == "$version" ]]
    grep 'sm4_fast$' "$destination"/lib/modules/*/modules.alias
}

@test "make uninstall leaves the rest where another kernel has the module" {
    other=$destination/lib/modules/other/updates
    install -D --mode=644 sm4-fast.ko "$other/sm4-fast.ko"
    make DESTDIR="$destination" uninstall
    [[ $(find "$destination" -name sm4-fast.ko) == "$other/sm4-fast.ko" && -x $destination/usr/bin/sm4-fast-info ]]
    rm -r "$other"
    make DESTDIR="$destination" install
}

@test "make uninstall leaves nothing of it" {
    make DESTDIR="$destination" uninstall
    [[ -z $(find "$destination" -name '*sm4*') && ! -e $destination/usr ]]
    # Nor does it mind when there is nothing.
    make DESTDIR="$destination" uninstall
    run ! grep --recursive sm4_fast "$destination"
}

@test "make help tells of all targets for installing" {
    run make help
    [[ $status -eq 0 ]]
    while read -r target; do
        grep --word-regexp "make $target" <<<"$output"
    done <targets
}

@test "make sign says what it needs" {
    run make sign
    echo "$output"
    [[ $status -ne 0 && $output == *KEY=FILE* ]]
}

@test "make sign signs, and make install leaves it so" {
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj '/CN=a throwaway key/' -keyout key.pem \
        -outform DER -out certificate.der
    make sign KEY=key.pem CERT=certificate.der
    make sign KEY=key.pem CERT=certificate.der
    make DESTDIR="$destination" install
    module=$(echo "$destination"/lib/modules/*/updates/sm4-fast.ko)
    [[ $(modinfo --field signer "$module") == 'a throwaway key' ]]
    # One signature, though it was signed twice
    [[ $(grep --text --count 'Module signature appended' "$module") -eq 1 ]]
}

@test "make sign fails with a key that is none" {
    echo nonsense >key.pem
    run ! make sign KEY=key.pem CERT=certificate.der
}
