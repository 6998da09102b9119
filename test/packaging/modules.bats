#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/modules.bats
#
# The packages that have the modules for one kernel: made in a root tree of the suite that has KERNEL, with its compiler and its
# debhelper, which apt fetches; installed beside those for DKMS first, then on a machine without a compiler, make, DKMS and headers:
# the layer above that tree, from which a test removes these. apt installs from a repository in a folder; the initramfs is made by
# initramfs-tools. (test/vm/modules.t boots a system with such packages.) Does not change the machine's own packages.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" --root git make kmod openssl apt-utils rpm dnf createrepo-c
    mount_above_kernel
    pretend_to_run_its_kernel
    apt_in_tree update
    apt_in_tree --no-install-recommends install debhelper cpio
    # udev is not needed; a root tree has only parts of it. The initramfs is small, with only the modules that are needed.
    rm -rf "$tree/usr/share/initramfs-tools/hooks/udev"
    echo MODULES=list >"$tree/etc/initramfs-tools/conf.d/modules"
    in_tree update-initramfs -c -k "$release"
    fresh_clone "$work/clone"
    cd "$work/clone" || exit
    export packages=$tree/srv/repository first=$tree/srv/first later=$tree/srv/later
    mkdir "$packages" "$first" "$later"
    make deb
    unpack "$tree/srv/one"
    cp dist/*.deb "$first"
    make_later .
    make deb
    unpack "$tree/srv/two"
    cp dist/*"_$version".1_*.deb "$later"
    pack one "$version"
    cp "$tree/srv/one/sm4-fast-$version/dist"/*.deb "$first"
    : >"$tree/etc/apt/sources.list"
    echo 'deb [trusted=yes] file:///srv/repository ./' >"$tree/etc/apt/sources.list.d/sm4-fast.list"
    echo 'Acquire::Languages "none";' >"$tree/etc/apt/apt.conf.d/languages"
}

teardown_file() {
    unmount_above
}

# What a test has kept from its output
teardown() {
    cat "$BATS_TEST_TMPDIR/output" 2>/dev/null || :
}

# Unpacks the sources as make has packed them, in the folder $1.
unpack() {
    mkdir --parents "$1"
    tar --extract --gzip --directory "$1" --file dist/sm4-fast-"$(sed --quiet '1s/.*(\(.*\)).*/\1/p' debian/changelog)".tar.gz
}

# Makes the packages of the modules in the tree, from the sources in /srv/$1 of the version $2: pack FOLDER VERSION [VARIABLE=...]
pack() {
    in_tree make --directory="/srv/$1/sm4-fast-$2" modules-deb KDIR="/lib/modules/$release/build" "${@:3}"
}

apt_in_tree() {
    in_tree env DEBIAN_FRONTEND=noninteractive apt-get --yes --option Dpkg::Options::=--force-unsafe-io "$@"
}

# Publishes these packages, and no others of ours; those of kernels stay.
publish() {
    rm -f "$packages"/sm4-fast*.deb
    [[ $# -eq 0 ]] || cp "$@" "$packages"
    (cd "$packages" && apt-ftparchive packages . >Packages)
    apt_in_tree update --option APT::Update::Error-Mode=any
}

# Makes the package of a kernel $1, with the version $2: as Debian's, its removal is refused if it is running.
make_kernel() {
    local folder=$work/linux-image-$1
    mkdir --parents "$folder"/{boot,lib/modules/"$1"/kernel,DEBIAN}
    echo kernel >"$folder/boot/vmlinuz-$1"
    cp "$tree/boot/config-$release" "$folder/boot/config-$1"
    cp "$tree/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$folder/lib/modules/$1"
    # shellcheck disable=SC2016  # the script expands it
    printf '#!/bin/sh\nset -e\ndepmod %s\n[ -e /boot/initrd.img-%s ] || update-initramfs -c -k %s\n' "$1" "$1" "$1" \
        >"$folder/DEBIAN/postinst"
    printf '#!/bin/sh\nrm -f /boot/initrd.img-%s /lib/modules/%s/modules.[^bo]*\n' "$1" "$1" >"$folder/DEBIAN/postrm"
    chmod 755 "$folder"/DEBIAN/post*
    make_deb "$packages" "linux-image-$1" "$2"
}

# Makes, of the packages for the kernel of the tree in the folder $1, those for the kernel $2, which is version $3 of its kind.
repack() {
    local package=$1 folder=$work/repacked
    for package in "$1"/sm4-fast-modules-*.deb; do
        rm -rf "$folder"
        dpkg-deb --raw-extract "$package" "$folder"
        if [[ -e $folder/lib ]]; then
            mv "$folder/lib/modules/$release" "$folder/lib/modules/$2"
            mv "$folder/usr/share/doc/sm4-fast-modules-$release" "$folder/usr/share/doc/sm4-fast-modules-$2"
        fi
        sed --in-place "s|${release//./\\.}|$2|g; s|^\(Version: [0-9.]*+\)${KERNEL}[^ ]*|\1$3|; s|(>> .*)|(>> $3)|" "$folder"/DEBIAN/[!m]*
        (cd "$folder" && find . -path ./DEBIAN -prune -o -type f -printf '%P\0' | xargs --null md5sum >DEBIAN/md5sums)
        dpkg-deb --build "$folder" "$packages"
    done
}

# Whether the kernel $1 has the whole module of version $2 in a file that matches $3, and its initramfs, too
has_in() {
    [[ $(modinfo --basedir "$tree" --set-version "$1" --field filename sm4_fast) == */updates/$3 ]]
    [[ $(modinfo --basedir "$tree" --set-version "$1" --field version sm4_fast) == "$2" ]]
    modinfo --basedir "$tree" --set-version "$1" sm4_fast_esp
    initramfs_has "$1" "$2"
}

has_packaged() {
    has_in "$1" "$2" sm4-fast/sm4_fast.ko
}

has_by_dkms() {
    has_in "$release" "$1" 'dkms/sm4-fast.ko*'
}

initramfs_has() {
    rm -rf "$tree/tmp/initramfs"
    in_tree unmkinitramfs "/boot/initrd.img-$1" /tmp/initramfs
    [[ $(modinfo --field version "$(find "$tree/tmp/initramfs" -name 'sm4[-_]fast.ko*')") == "$2" ]]
}

needs_sm4() {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
}

needs_no_sm4() {
    rm -f "$tree/etc/crypttab"
}

@test "$KERNEL: another build, in another folder, at another time, gives the same bytes" {
    mkdir "$tree/srv/deeper"
    cp --archive "$tree/srv/one" "$tree/srv/deeper/folder"
    rm -r "$tree/srv/deeper/folder/sm4-fast-$version/dist"
    # The list of files has the commit's time.
    find "$tree/srv/deeper/folder" -type f ! -name MANIFEST -exec touch --date='1 year ago' {} +
    (umask 077 && pack deeper/folder "$version")
    for package in "$tree/srv/deeper/folder/sm4-fast-$version"/dist/sm4-fast-modules-*.deb; do
        cmp "$package" "$first/${package##*/}"
    done
    [[ $(compgen -G "$first/*" | wc --lines) -eq 5 ]]
    rm -r "$tree/srv/deeper"
}

@test "$KERNEL: SIGN signs the modules before they are packed, and REVISION raises the version" {
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj '/CN=ours/' -keyout "$tree/srv/key.pem" -outform DER \
        -out "$tree/srv/certificate.der"
    pack two "$version.1" REVISION=2 SIGN="/lib/modules/$release/build/scripts/sign-file sha256 /srv/key.pem /srv/certificate.der"
    cp "$tree/srv/two/sm4-fast-$version.1/dist"/*.deb "$later"
    dpkg-deb --extract "$later/sm4-fast-modules-${release}_$version.1+2_amd64.deb" "$work/signed"
    for module in sm4_fast sm4_fast_esp; do
        [[ $(modinfo --field signer "$work/signed/lib/modules/$release/updates/sm4-fast/$module.ko") == ours ]]
    done
    rm -r "$work/signed" "$tree/srv/key.pem"
    # A command that fails makes no package.
    rm "$tree/srv/two/sm4-fast-$version.1"/dist/*.deb
    run ! pack two "$version.1" SIGN=false
    run ! compgen -G "$tree/srv/two/sm4-fast-$version.1/dist/*.deb"
}

@test "$KERNEL: from DKMS to the package and back while devices need it, each kernel has whole modules, and its initramfs" {
    needs_sm4
    publish "$first"/*.deb
    {
        apt_in_tree install sm4-fast-dkms
        has_by_dkms "$version"
        apt_in_tree install "sm4-fast-modules-$release"
        has_packaged "$release" "$version"
        in_tree dpkg --verify "sm4-fast-modules-$release"
        # DKMS leaves it alone, when it builds, and when it goes.
        in_tree dkms install --force -m sm4-fast -v "$version" -k "$release"
        has_packaged "$release" "$version"
        in_tree dpkg --verify "sm4-fast-modules-$release"
        apt_in_tree purge sm4-fast-dkms
        has_packaged "$release" "$version"
        in_tree dpkg --verify "sm4-fast-modules-$release"
        [[ ! -e $tree/lib/modules/$release/updates/dkms ]]
        apt_in_tree install sm4-fast-dkms
        apt_in_tree purge "sm4-fast-modules-$release"
        has_by_dkms "$version"
    } >"$BATS_TEST_TMPDIR/output" 2>&1
    run -1 grep -e 'W: sm4-fast' -e 'NOT REMOVED' "$BATS_TEST_TMPDIR/output"
    needs_no_sm4
    apt_in_tree purge sm4-fast-dkms sm4-fast
}

@test "$KERNEL: without a compiler, make, DKMS and headers, one command of apt installs the modules, also in the initramfs" {
    remove_compiler
    publish "$first"/*.deb
    run -0 apt_in_tree install sm4-fast-modules-amd64
    [[ $output != *'W: sm4-fast'* ]]
    run ! in_tree dpkg-query --status dkms sm4-fast-dkms sm4-fast-ipsec
    has_packaged "$release" "$version"
    in_tree dpkg --verify sm4-fast "sm4-fast-modules-$release"
    # unattended-upgrades takes our repository, too.
    grep 'origin=sm4-fast' <(in_tree apt-config dump Unattended-Upgrade)
    apt_in_tree install sm4-fast-ipsec
    grep 'softdep xfrm_user pre: sm4-fast-esp' <(in_tree modprobe --showconfig)
    apt_in_tree purge sm4-fast-ipsec
}

# Whether apt $1 changes nothing, neither by the kernel $2 nor by a removal
keeps_back() {
    local before
    before=$(in_tree dpkg-query --show)
    # shellcheck disable=SC2086  # words
    apt_in_tree $1
    [[ ! -e $tree/boot/vmlinuz-$2 && $(in_tree dpkg-query --show) == "$before" ]]
}

@test "$KERNEL: a later kernel without modules is kept back, also if no repository has ours; with them, it is installed" {
    local new=$KERNEL.999+deb-amd64
    make_kernel "$new" "$KERNEL.999-1"
    make_deb "$packages" linux-image-amd64 "$KERNEL.999-1" "Depends: linux-image-$new"
    publish "$first"/*.deb
    keeps_back 'upgrade --with-new-pkgs' "$new"
    keeps_back full-upgrade "$new"
    publish
    keeps_back full-upgrade "$new"
    run ! apt_in_tree purge sm4-fast-modules-amd64
    [[ $output == *[Ee]ssential* || $output == *removing*packages* ]]
    # Another update is installed nevertheless.
    make_deb "$packages" hostname 99
    # The repository gets its modules.
    repack "$first" "$new" "$KERNEL.999-1"
    cp "$packages"/sm4-fast-modules-*.deb "$work"
    publish "$first"/*.deb "$work"/sm4-fast-modules-*.deb
    needs_sm4
    run -0 apt_in_tree upgrade --with-new-pkgs
    # shellcheck disable=SC2016  # dpkg-query expands it
    [[ $(in_tree dpkg-query --show --showformat='${Version}' hostname) == 99 && $output != *'W: sm4-fast'* ]]
    has_packaged "$new" "$version"
    has_packaged "$release" "$version"
}

@test "$KERNEL: a kernel that would be left without a module cannot be removed, an older one can, with its modules" {
    local new=$KERNEL.999+deb-amd64 old=$KERNEL.0-1-amd64
    make_kernel "$old" "$KERNEL.0-1"
    repack "$first" "$old" "$KERNEL.0-1"
    cp "$work"/sm4-fast-modules-*.deb "$packages"
    (cd "$packages" && cp "$first"/*.deb . && apt-ftparchive packages . >Packages)
    apt_in_tree update
    apt_in_tree install "linux-image-$old" "sm4-fast-modules-$old"
    has_packaged "$old" "$version"
    run -0 apt_in_tree purge "linux-image-$old"
    [[ $output != *sm4-fast:* && ! -e $tree/lib/modules/$old/updates ]]
    # The newest one, while another runs. The package that follows the kernels is protected: it has to be named.
    run ! apt_in_tree --allow-remove-essential purge "linux-image-$new"
    run ! apt_in_tree --allow-remove-essential purge "linux-image-$new" sm4-fast-modules-amd64
    echo "$output" >&2
    [[ $output == *"sm4-fast: NOT REMOVED"*'secret sm4-xts-plain64'*"Kernel $new would have no module"* ]]
    # The running one
    run ! apt_in_tree purge "linux-image-$release"
    [[ $output == *"Kernel $release would have no module"* && $output != *unsigned* ]]
    run ! in_tree dpkg --remove "sm4-fast-modules-$release"
    has_packaged "$release" "$version"
    has_packaged "$new" "$version"
    # With the administrator's word, all of that goes.
    touch "$tree/run/sm4-fast-not-needed"
    apt_in_tree install --allow-remove-essential "linux-image-$new-" "linux-image-amd64-" "sm4-fast-modules-$new-" sm4-fast-modules-amd64-
    rm "$tree/run/sm4-fast-not-needed"
    # This brings the later kernel back.
    apt_in_tree install sm4-fast-modules-amd64="$version+*"
    has_packaged "$release" "$version"
}

@test "$KERNEL: the hook keeps the initramfs of a kernel without a module, or with a part of it, while devices need it" {
    local image=$tree/boot/initrd.img-$release module=$tree/lib/modules/$release/updates/sm4-fast/sm4_fast.ko
    cp "$image" "$work/image"
    cp "$module" "$work/module"
    for size in 100000 0; do
        truncate --size=$size "$module"
        run ! in_tree update-initramfs -u -k "$release"
        [[ $output == *"E: sm4-fast: kernel $release has no module sm4-fast for these devices"*'secret sm4-xts-plain64'* ]]
        cmp "$image" "$work/image"
    done
    needs_no_sm4
    in_tree update-initramfs -u -k "$release"
    needs_sm4
    cp "$work/module" "$module"
    in_tree update-initramfs -u -k "$release"
    has_packaged "$release" "$version"
}

@test "$KERNEL: a later version replaces the modules; what is interrupted goes on; unpacked and removed, it is said" {
    local deb=sm4-fast-modules-${release}_$version.1+2_amd64.deb
    publish "$later"/*.deb "$first"/sm4-fast_*.deb
    in_tree dpkg --unpack "/srv/later/$deb" "/srv/later/sm4-fast_$version.1_all.deb"
    initramfs_has "$release" "$version"
    modinfo --basedir "$tree" --set-version "$release" sm4_fast
    # The disk of the initramfs is full.
    mv "$tree/usr/sbin/update-initramfs" "$work"
    printf '#!/bin/sh\nexit 1\n' >"$tree/usr/sbin/update-initramfs"
    chmod 755 "$tree/usr/sbin/update-initramfs"
    run ! in_tree dpkg --configure --pending
    mv "$work/update-initramfs" "$tree/usr/sbin"
    in_tree dpkg --configure --pending
    has_packaged "$release" "$version.1"
    [[ $(modinfo --basedir "$tree" --set-version "$release" --field signer sm4_fast) == ours ]]
    # The way back, by a preference, as docs/install.md says
    publish "$first"/*.deb "$later"/*.deb
    sed --quiet 's/^    \(printf .Package: sm4-fast.*\)/\1/p' "$repository/docs/install.md" >"$tree/srv/pin"
    in_tree sh /srv/pin
    apt_in_tree --allow-downgrades full-upgrade
    has_packaged "$release" "$version"
    rm "$tree/etc/apt/preferences.d/sm4-fast"
    apt_in_tree upgrade
    has_packaged "$release" "$version.1"
    # dpkg does not ask a package that is only unpacked.
    in_tree dpkg --unpack "/srv/later/$deb"
    run -0 in_tree dpkg --remove --force-remove-protected --force-depends "sm4-fast-modules-$release"
    [[ $output == *'sm4-fast: REMOVED:'*"Kernel $release has no module"* ]]
    apt_in_tree install "sm4-fast-modules-$release"
    has_packaged "$release" "$version.1"
}

# Kills dpkg after some time, at different moments, on the way from one version to the other.
@test "$KERNEL: an upgrade that is killed at any moment leaves a module, and the initramfs one, and dpkg goes on" {
    local to=later moment pid
    in_tree dpkg --force-depends --install "/srv/first/sm4-fast_${version}_all.deb" \
        "/srv/first/sm4-fast-modules-${release}_${version}_amd64.deb"
    for moment in .1 .3 .6 1 1.5 2 3 5 8 12; do
        setsid unshare --mount --pid --fork --kill-child --mount-proc="$tree/proc" chroot "$tree" sh -c \
            "exec dpkg --force-depends --install /srv/$to/sm4-fast_*.deb /srv/$to/sm4-fast-modules-$release*.deb" 3>&- &
        pid=$!
        sleep $moment
        kill -KILL $pid 2>/dev/null || :
        wait $pid || :
        [[ -n $(modinfo --basedir "$tree" --set-version "$release" --field version sm4_fast) ]]
        in_tree unmkinitramfs "/boot/initrd.img-$release" /tmp/killed
        [[ -n $(modinfo --field version "$(find "$tree/tmp/killed" -name 'sm4[-_]fast.ko*')") ]]
        rm -r "$tree/tmp/killed"
        configure_after_kill --force-depends
        in_tree sh -c "dpkg --force-depends --install /srv/$to/sm4-fast_*.deb /srv/$to/sm4-fast-modules-$release*.deb"
        has_packaged "$release" "$version$([[ $to == first ]] || echo .1)"
        [[ $to == later ]] && to=first || to=later
    done
    apt_in_tree --fix-broken install
}

@test "$KERNEL: a purge leaves nothing" {
    needs_no_sm4
    apt_in_tree --allow-remove-essential purge 'sm4-fast*'
    run -0 find "$tree"/{boot,usr,etc,lib/modules} -name '*sm4[-_]fast*' ! -path '*/sources.list.d/*'
    [[ -z $output ]]
    # dpkg's trigger regenerates the initramfs of the newest kernel.
    run ! initramfs_has "$KERNEL.999+deb-amd64" "$version"
    # (A kernel's own package deletes its indexes. The stand-in for one does not.)
    run ! grep --files-with-matches sm4_fast "$tree/lib/modules/$release"/modules.*
}
