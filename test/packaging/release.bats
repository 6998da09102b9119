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
    sed --quiet "\|^    cat >$1 |,/^    END/s/^    //p" "$work/clone/docs/install.md" |
        sed --expression "s|https://SERVER|file://${3-}/srv/release|" --expression "s|cat >|&$2|" >"$BATS_TEST_TMPDIR/commands"
    [[ -s $BATS_TEST_TMPDIR/commands ]]
    mkdir --parents "$2${1%/*}"
    sh -eux "$BATS_TEST_TMPDIR/commands"
}

@test "make release requires a commit" {
    cd "$work/clone"
    echo '# a change' >>Makefile
    run make release
    [[ $status -ne 0 && $output == *'not committed'* && ! -e dist ]]
    git checkout --quiet Makefile
}

@test "make release makes the files that it lists, without a signature" {
    cd "$work/clone"
    make release
    cd dist/release
    diff <(find . -type f | LC_ALL=C sort) - <<END
./SHA256SUMS
./apt/Packages
./apt/Packages.gz
./apt/Release
./apt/sm4-fast-dkms_${version}_all.deb
./apt/sm4-fast_${version}_all.deb
./rpm/repodata/filelists.xml.gz
./rpm/repodata/other.xml.gz
./rpm/repodata/primary.xml.gz
./rpm/repodata/repomd.xml
./rpm/sm4-fast-$version-1.noarch.rpm
./rpm/sm4-fast-dkms-$version-1.noarch.rpm
./sm4-fast-$version.tar.gz
END
    sha256sum --check --strict SHA256SUMS
    [[ $(wc --lines <SHA256SUMS) -eq 12 ]]
}

@test "the same commit gives the same bytes, in another folder, later, with another umask and locale" {
    umask 077
    git clone --quiet "$work/clone" "$work/a/deeper/folder"
    cd "$work/a/deeper/folder"
    # With other file times
    find . -exec touch --date='1 year ago' {} +
    env LC_ALL=C.UTF-8 LANGUAGE=de TZ=Asia/Shanghai HOME=/nonexistent SOURCE_DATE_EPOCH=1 make release
    diff --recursive "$work/clone/dist/release" dist/release
}

@test "so does its tarball, with any other files there, even inside another clone" {
    cd "$work/clone"
    tar --extract --no-same-permissions --file "dist/release/sm4-fast-$version.tar.gz"
    cd "sm4-fast-$version"
    touch stray-key
    make release
    diff --recursive "$work/clone/dist/release" dist/release
    rm -r "$PWD"
}

@test "another commit gives other bytes" {
    cd "$work/a/deeper/folder"
    cp dist/release/SHA256SUMS before
    git -c user.name=test -c user.email=test@localhost commit --quiet --allow-empty --message=later --date=now
    sleep 1
    env GIT_COMMITTER_DATE="$(date --date='1 hour')" \
        git -c user.name=test -c user.email=test@localhost commit --quiet --allow-empty --message=later
    make release
    # All files except for the list of other.xml, which has no times and no checksums of contents
    [[ $(diff before dist/release/SHA256SUMS | grep --count '^>') -ge 12 ]]
    rm -rf "$work/a"
}

@test "GPG_KEY signs the repositories and the checksums, and changes nothing else" {
    cd "$work/clone"
    cp --recursive dist/release "$work/unsigned"
    make release GPG_KEY='a throwaway key'
    cd dist/release
    gpg --verify apt/InRelease
    gpg --verify rpm/repodata/repomd.xml.asc rpm/repodata/repomd.xml
    gpg --verify SHA256SUMS.asc SHA256SUMS
    sha256sum --check --strict SHA256SUMS
    diff --recursive "$work/unsigned" . >differences || true
    run grep --invert-match -e '^Only in \.' -e SHA256SUMS -e '^[0-9,]*[acd][0-9,]*$' -e '^[<>] ' differences
    rm differences
    [[ -z $output ]]
    cp --recursive . "$tree/srv/release"
}

@test "$KERNEL: apt installs the package from it, and DKMS builds the modules" {
    configure /etc/apt/sources.list.d/sm4-fast.sources "$tree"
    cat "$tree/etc/apt/sources.list.d/sm4-fast.sources"
    : >"$tree/etc/apt/sources.list"
    # Without the key, apt refuses the repository.
    run in_tree apt-get update --option APT::Update::Error-Mode=any
    [[ $status -ne 0 ]]
    install -D --mode=644 "$tree/srv/release/sm4-fast.asc" "$tree/etc/apt/keyrings/sm4-fast.asc"
    in_tree apt-get update --option APT::Update::Error-Mode=any
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
    make_rpm needed 1 1 'Provides: dkms diffutils kmod /bin/sh /bin/bash /usr/bin/python3'
    createrepo_c --quiet "$work/repository"
    configure /etc/yum.repos.d/sm4-fast.repo "$work/root" "$tree"
    printf '[needed]\nname=needed\nbaseurl=file://%s/repository\ngpgcheck=0\n' "$work" >"$work/root/etc/yum.repos.d/needed.repo"
    dnf_in_root install sm4-fast-dkms
    [[ -x $work/root/usr/bin/sm4-fast-info && -f $work/root/usr/src/sm4-fast-$version/dkms.conf ]]
    [[ $(rpm --root "$work/root" --query sm4-fast-dkms) == "sm4-fast-dkms-$version-1.noarch" ]]
    dnf_in_root remove sm4-fast
    sed --in-place 's/<revision>/&1/' "$tree/srv/release/rpm/repodata/repomd.xml"
    rm -rf "$work/root/var/cache/dnf"
    run dnf_in_root install sm4-fast-dkms
    [[ $status -ne 0 && ! -e $work/root/usr/bin/sm4-fast-info ]]
}
