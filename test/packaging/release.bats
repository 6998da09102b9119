#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/release.bats
#
# The results of "make release": the same bytes from the same commit, and repositories from which apt and dnf install, by the
# commands of docs/install.md. apt is that of the suite that has KERNEL, in a layer above that suite's root tree; dnf is
# Debian's, for an empty root. Nothing is downloaded: the server is a folder.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" --root git make gpg gpg-agent createrepo-c apt-utils dnf rpm
    mount_above_kernel
    fresh_clone "$work/clone"
    git -C "$work/clone" add --all
    git -C "$work/clone" -c user.name=test -c user.email=test@localhost commit --quiet --allow-empty --message=test
    export GNUPGHOME=$work/gnupg
    mkdir --mode=700 "$GNUPGHOME"
    gpg --batch --quiet --passphrase '' --quick-generate-key 'a throwaway key' ed25519 sign 1d
}

teardown_file() {
    gpgconf --kill gpg-agent
    unmount_above
}

# Runs the lines of docs/install.md that write the file $1, with a folder as the server and root's files in $2.
configure() {
    sed --quiet "\|^ *cat >$1 |,/^ *END/s/^ *//p" "$work/clone/docs/install.md" |
        sed --expression "s|https://SERVER|file://${3-}/srv/release|" --expression "s|cat >|&$2|" >"$BATS_TEST_TMPDIR/commands"
    [[ -s $BATS_TEST_TMPDIR/commands ]]
    mkdir --parents "$2${1%/*}"
    sh -eux "$BATS_TEST_TMPDIR/commands"
}

# The release as it would be at another moment: what tells when it was published
without_dates() {
    cp --recursive "$1" "$2"
    (cd "$2" && rm SHA256SUMS* && sed --in-place '/^Date:/d' apt/Release && rm -f apt/InRelease rpm/repodata/repomd.xml* &&
        gunzip rpm/repodata/*.gz && sed --in-place 's/<time [^>]*>//' rpm/repodata/primary.xml)
}

@test "make release requires a commit, and a key that can sign, or to be told that nobody signs" {
    cd "$work/clone"
    echo '# a change' >>Makefile
    run make release UNSIGNED=yes
    [[ $status -ne 0 && $output == *'not committed'* ]]
    git checkout --quiet Makefile
    for key in '' 'nobody'; do
        run make release GPG_KEY="$key"
        [[ $status -ne 0 && $output != *dpkg-buildpackage* ]]
        [[ $output == *'Who signs the repositories?'* || $output == *'There is no release: gpg cannot sign with nobody.'* ]]
    done
    [[ ! -e dist ]]
}

@test "make release makes the files that it lists, without a signature" {
    cd "$work/clone"
    make release UNSIGNED=yes
    cd dist/release
    diff <(find . -type f | LC_ALL=C sort) - <<END
./SHA256SUMS
./apt/Packages
./apt/Packages.gz
./apt/Release
./apt/sm4-fast-dkms_${version}_all.deb
./apt/sm4-fast-ipsec_${version}_all.deb
./apt/sm4-fast_${version}_all.deb
./rpm/repodata/filelists.xml.gz
./rpm/repodata/other.xml.gz
./rpm/repodata/primary.xml.gz
./rpm/repodata/repomd.xml
./rpm/sm4-fast-$version-1.noarch.rpm
./rpm/sm4-fast-dkms-$version-1.noarch.rpm
./rpm/sm4-fast-ipsec-$version-1.noarch.rpm
./sm4-fast-$version.tar.gz
END
    sha256sum --check --strict SHA256SUMS
    [[ $(wc --lines <SHA256SUMS) -eq 14 ]]
    without_dates . "$work/unsigned"
    # When it was published, not when its commit was made
    [[ $(date --date="$(sed --quiet 's/^Date: //p' apt/Release)" +%s) -ge $(($(date +%s) - 600)) ]]
}

@test "the same commit gives the same bytes, in another folder, later, with another umask and locale" {
    umask 077
    git clone --quiet "$work/clone" "$work/a/deeper/folder"
    cd "$work/a/deeper/folder"
    # With other file times
    find . -exec touch --date='1 year ago' {} +
    env LC_ALL=C.UTF-8 LANGUAGE=de TZ=Asia/Shanghai HOME=/nonexistent SOURCE_DATE_EPOCH=1 make release UNSIGNED=yes
    without_dates dist/release "$work/later"
    diff --recursive "$work/unsigned" "$work/later"
    rm -rf "$work/a" "$work/later"
}

@test "so does its tarball, with any other files there, even inside another clone" {
    cd "$work/clone"
    tar --extract --no-same-permissions --file "dist/release/sm4-fast-$version.tar.gz"
    cd "sm4-fast-$version"
    touch stray-key
    make release UNSIGNED=yes
    without_dates dist/release "$work/later"
    diff --recursive "$work/unsigned" "$work/later"
    rm -r "$PWD" "$work/later"
}

@test "GPG_KEY signs the repositories and the checksums, and changes nothing else" {
    cd "$work/clone"
    make release GPG_KEY='a throwaway key'
    cd dist/release
    gpg --verify apt/InRelease
    gpg --verify rpm/repodata/repomd.xml.asc rpm/repodata/repomd.xml
    gpg --verify SHA256SUMS.asc SHA256SUMS
    sha256sum --check --strict SHA256SUMS
    without_dates . "$work/signed"
    rm "$work/signed/sm4-fast.asc"
    diff --recursive "$work/unsigned" "$work/signed"
}

@test "earlier versions stay; a published version never has other contents, and the release then stays as it is" {
    cd "$work/clone"
    cp --recursive dist/release "$work/before"
    echo '# a change' >>Makefile
    git -c user.name=test -c user.email=test@localhost commit --quiet --all --message=change
    run make release GPG_KEY='a throwaway key'
    [[ $status -ne 0 && $output == *"sm4-fast-$version.tar.gz has been published with other contents. Raise its version: REVISION=2 or more"* ]]
    diff --recursive "$work/before" dist/release
    # With a revision, it is another version.
    make release GPG_KEY='a throwaway key' REVISION=2
    [[ -e dist/release/apt/sm4-fast_$version+2_all.deb && -e dist/release/rpm/sm4-fast-$version-2.noarch.rpm ]]
    git -c user.name=test -c user.email=test@localhost revert --no-edit HEAD
    make_later .
    git -c user.name=test -c user.email=test@localhost commit --quiet --all --message=later
    # Packages that were made elsewhere
    mkdir modules
    make_deb modules sm4-fast-modules-6.1 "$version.1"
    make release GPG_KEY='a throwaway key' PACKAGES='modules/*.deb'
    for number in "$version" "$version.1"; do
        grep --line-regexp "Filename: ./sm4-fast-dkms_${number}_all.deb" dist/release/apt/Packages
        [[ -e dist/release/rpm/sm4-fast-$number-1.noarch.rpm ]]
    done
    grep --line-regexp "Filename: ./sm4-fast-modules-6.1_$version.1_amd64.deb" dist/release/apt/Packages
    rm -r dist/release
    cp --recursive "$work/before" dist/release
    cp --recursive dist/release "$tree/srv/release"
}

@test "$KERNEL: apt installs the package from it, and DKMS builds the modules" {
    configure /etc/apt/sources.list.d/sm4-fast.sources "$tree"
    cat "$tree/etc/apt/sources.list.d/sm4-fast.sources"
    : >"$tree/etc/apt/sources.list"
    # Without the key, apt refuses the repository.
    run in_tree apt-get update --option APT::Update::Error-Mode=any
    [[ $status -ne 0 ]]
    install -D --mode=644 "$tree/srv/release/sm4-fast.asc" "$tree/etc/apt/keyrings/sm4-fast.asc"
    run -0 in_tree apt-get update --option APT::Update::Error-Mode=any
    [[ $output != *W:* ]]
    in_tree unshare --net env DEBIAN_FRONTEND=noninteractive apt-get --yes --no-install-recommends install \
        sm4-fast-dkms
    in_tree dkms status
    [[ $(in_tree dkms status | grep --count "/$version, $release, x86_64: installed") -eq 1 ]]
}

# Makes an empty root, in which Debian's dnf installs: a package without files provides the dependencies of our package.
dnf_in_root() {
    dnf --assumeyes --installroot="$work/root" --releasever=1 --setopt=install_weak_deps=False --setopt=tsflags=noscripts "$@"
}

@test "dnf installs the package from it, and refuses a repository that was altered" {
    make_rpm needed 1 1 'Provides: dkms kmod /bin/sh /bin/bash /usr/bin/python3'
    createrepo_c --quiet "$work/repository"
    configure /etc/yum.repos.d/sm4-fast.repo "$work/root" "$tree"
    printf '[needed]\nname=needed\nbaseurl=file://%s/repository\ngpgcheck=0\n' "$work" >"$work/root/etc/yum.repos.d/needed.repo"
    dnf_in_root install sm4-fast-dkms
    [[ -x $work/root/usr/bin/sm4-fast-info && -f $work/root/usr/share/sm4-fast/dkms/dkms.conf ]]
    [[ $(rpm --root "$work/root" --query sm4-fast-dkms) == "sm4-fast-dkms-$version-1.noarch" ]]
    dnf_in_root remove sm4-fast
    sed --in-place 's/<revision>/&1/' "$tree/srv/release/rpm/repodata/repomd.xml"
    rm -rf "$work/root/var/cache/dnf"
    run dnf_in_root install sm4-fast-dkms
    [[ $status -ne 0 && ! -e $work/root/usr/bin/sm4-fast-info ]]
}
