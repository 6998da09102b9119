#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/deb.bats
#
# Installation and upgrades of the Debian packages by dpkg on a machine with several kernels, with the DKMS of the suite that
# has KERNEL, in a layer above that suite's root tree; DKMS's work when another kernel is installed or removed; and the other
# ways to install the module, by make. DKMS's files are in a configured folder, on their own disk that becomes full, and so are
# the modules of a kernel. (test/vm/upgrade.t boots a kernel that has the package.) Does not change the machine's own packages.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" make git kmod
    mount_above_kernel
    # A fallback kernel, and a newer one, whose headers cannot be compiled
    export older=$KERNEL.0-1-amd64 newer=$KERNEL.999-amd64
    export dkms=$tree/srv/dkms modules=$tree/lib/modules/$older
    mkdir "$dkms" "$modules"
    mount --types tmpfs --options size=64M dkms "$dkms"
    mount --types tmpfs --options size=64M modules "$modules"
    echo 'dkms_tree="/srv/dkms"' >>"$tree/etc/dkms/framework.conf"
    add_kernel "$older"
    pretend_to_run_its_kernel
    # Both have an initramfs; initramfs.bats tests its contents.
    touch "$tree/boot/initrd.img-$release" "$tree/boot/initrd.img-$older"
    # shellcheck disable=SC2016  # the script expands it
    printf '#!/bin/sh\n[ "$2" != -k ] || %s >>/srv/renewed\n' \
        '{ [ ! -e /srv/full ] && echo "$* with $(modinfo -k "$3" -F version sm4-fast 2>&1)"; }' \
        >"$tree/usr/sbin/update-initramfs"
    fresh_clone "$work/clone"
    cd "$work/clone" || exit
    make deb
    make_later .
    make deb
    # The same version again, as fixed by a distribution
    sed --in-place 's/^MODULE_DESCRIPTION("/&MENDED /' sm4-fast-glue.c
    sed --in-place "1s/($version.1)/($version.1+deb13u1)/" debian/changelog
    make deb
    cp dist/*.deb "$tree/srv"
    fresh_clone "$tree/srv/clone"
}

teardown_file() {
    umount "$dkms" "$modules"
    unmount_above
}

# dpkg --install of both packages of version $1, with the manual page, which the root tree has not
dpkg_install() {
    in_tree dpkg --path-include='/usr/share/man/*' --install "/srv/sm4-fast_$1_all.deb" "/srv/sm4-fast-dkms_$1_all.deb"
}

# Runs the hook with which DKMS learns that the kernel $1 is installed: if it fails, it stops that installation.
kernel_is_installed() {
    in_tree /etc/kernel/postinst.d/dkms "$1"
}

# Leaves 50 kB on the disk of the folder $1, which is less than a module's size, compressed or not.
fill_disk() {
    head --bytes=$((($(df --output=avail --block-size=1K "$1" | tail --lines=1) - 50) * 1024)) /dev/zero >"$1/filler"
}

# Each kernel has the fixed module, and both initramfs have been regenerated since the file renewed was removed.
is_mended() {
    local kernel
    for kernel in "$release" "$older"; do
        has_version "$kernel" "$version.1"
        [[ $(modinfo --basedir "$tree" --set-version "$kernel" --field description sm4-fast) == MENDED* ]]
        grep --line-regexp --fixed-strings -e "-u -k $kernel with $version.1" "$tree/srv/renewed"
    done
}

# Runs make for the newest kernel of the tree.
make_in_tree() {
    in_tree make --directory=/srv/clone KDIR="/lib/modules/$release/build" "$@"
}

nothing_is_left() {
    run -0 find "$tree"/{boot,usr,etc,srv/dkms,lib/modules} -name '*sm4[-_]fast*'
    [[ -z $output ]]
    run ! grep --files-with-matches sm4_fast "$tree"/lib/modules/*/modules.*
}

# apt-get install of these packages, of this version
apt_install() {
    in_tree unshare --net apt-get --yes --no-install-recommends install "${@/%/_${version}_all.deb}"
}

# What "apt purge" does
purge() {
    in_tree dpkg --purge sm4-fast-dkms sm4-fast
}

# Runs the command, and ends it, with all that it has started, when that calls the program $1.
interrupted_by() {
    local file
    file=$tree$(in_tree sh -c "command -v $1")
    mv "$file" "$work/interrupted"
    printf '#!/bin/sh\nkill -KILL -1\n' >"$file"
    chmod 755 "$file"
    run ! "${@:2}"
    mv "$work/interrupted" "$file"
}

is_configured() {
    # shellcheck disable=SC2016  # dpkg-query expands it
    [[ $(in_tree dpkg-query --show --showformat='${db:Status-Status} ${Version}' "$1") == "installed $2" ]]
}

@test "$KERNEL: the module is built for every kernel with headers, even if make had installed one; others are named" {
    mkdir --parents "$tree/lib/modules/$newer/kernel" "$modules/updates"
    by_hand=$(find "$modules/kernel" -name '*.ko*' | head --lines=1)
    mkdir --parents "$modules/updates"
    cp "$by_hand" "$modules/updates/sm4-fast.ko${by_hand##*.ko}"
    make --directory="$work/clone" DESTDIR="$tree" install-files
    run -0 dpkg_install "$version"
    [[ $output == *"W: sm4-fast: kernel $newer has no module, because its headers are not installed: linux-headers-$newer"* ]]
    is_configured sm4-fast-dkms "$version"
    has_version "$release" "$version"
    has_version "$older" "$version"
    [[ -z $(find "$modules/updates" -maxdepth 1 -name '*.ko*') ]]
    diff "$tree/srv/renewed" <(printf -- "-u -k %s with $version\n" "$release" "$older" | sort --reverse --version-sort)
    rm -r "$tree/lib/modules/$newer"
}

@test "$KERNEL: if DKMS is told to build nothing, each kernel keeps the earlier version, and is named" {
    touch "$tree/etc/dkms/no-autoinstall"
    run -0 dpkg_install "$version.1"
    for kernel in "$release" "$older"; do
        [[ $output == *"W: sm4-fast: kernel $kernel keeps version $version, because nothing is built while"* ]]
        finds_version "$kernel" "$version"
    done
    rm "$tree/etc/dkms/no-autoinstall"
}

@test "$KERNEL: a later version replaces the earlier one for each kernel, even if one is not configured yet, and after power cuts" {
    # The power cuts come while DKMS builds for the first kernel, and when it has just copied the modules.
    interrupted_by make dpkg_install "$version.1"
    finds_version "$release" "$version"
    interrupted_by sync dpkg_install "$version.1"
    finds_version "$release" "$version.1"
    finds_version "$older" "$version"
    # DKMS does not know that a kernel has left this.
    install -D "$modules"/updates/dkms/sm4-fast.ko* --target-directory="$tree/lib/modules/$newer/updates/dkms"
    # Its package has been unpacked, and runs depmod later.
    rm "$modules"/modules.dep*
    dpkg_install "$version.1"
    [[ ! -e $tree/lib/modules/$newer ]]
    grep --line-regexp --fixed-strings -e "-u -k $release with $version.1" "$tree/srv/renewed"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
    has_version "$release" "$version.1"
    has_version "$older" "$version.1"
}

@test "$KERNEL: a build that fails is an error, and the other kernels still get the module" {
    make_headers "$newer" "$KERNEL.9999"
    run ! dpkg_install "$version"
    [[ $output == *"W: sm4-fast: kernel $newer has no module, because THE BUILD FAILED"* ]]
    has_version "$release" "$version"
    has_version "$older" "$version"
    # After a fix
    rm -r "$tree/lib/modules/$newer"
    in_tree dpkg --configure sm4-fast-dkms
    is_configured sm4-fast-dkms "$version"
}

@test "$KERNEL: a kernel whose build fails keeps the earlier version until that is fixed, and is named" {
    mv "$tree/lib/modules/$older/build" "$work/build"
    make_headers "$older" "$KERNEL.9999"
    run ! dpkg_install "$version.1"
    [[ $output == *"W: sm4-fast: kernel $older keeps version $version, because THE BUILD FAILED"* ]]
    has_version "$release" "$version.1"
    finds_version "$older" "$version"
    rm -r "$tree/lib/modules/$older/build"
    mv "$work/build" "$tree/lib/modules/$older"
    in_tree dpkg --configure sm4-fast-dkms
    has_version "$older" "$version.1"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
}

@test "$KERNEL: a kernel for which sm4-fast-esp cannot be built gets sm4-fast, and is named; the next run tries again" {
    header=$(echo "$tree"/usr/src/linux-headers-*-common/include/net/xfrm.h)
    cp "$header" "$work"
    echo '#error' >>"$header"
    run -0 dpkg_install "$version"
    [[ $output == *"sm4-fast: kernel $older gets no SM4 for ESP, because sm4-fast-esp could not be built for it."* ]]
    has_version "$older" "$version"
    [[ -n $(modinfo --basedir "$tree" --set-version "$older" --field stand_in sm4-fast-esp) ]]
    # The first time, nothing can be built.
    cp --recursive "$modules/updates/dkms" "$work/stand-in"
    chmod -x "$tree"/usr/bin/gcc-*
    run ! in_tree "/usr/src/sm4-fast-$version/install-by-dkms"
    chmod +x "$tree"/usr/bin/gcc-*
    diff --recursive "$modules/updates/dkms" "$work/stand-in"
    cp "$work/xfrm.h" "$header"
    run -0 in_tree "/usr/src/sm4-fast-$version/install-by-dkms"
    [[ $output != *'no SM4 for ESP'* ]]
    has_version "$older" "$version"
    [[ -z $(modinfo --basedir "$tree" --set-version "$older" --field stand_in sm4-fast-esp) ]]
    dpkg_install "$version.1"
}

# As by tools/into-kernel with CONFIG_CRYPTO_SM4_FAST=m
@test "$KERNEL: a kernel that has the module itself does not lose it" {
    own=$modules/kernel/crypto/sm4-fast/sm4-fast.ko
    install -D --mode=644 "$modules"/updates/dkms/sm4-fast.ko* --target-directory="${own%/*}"
    for later in "$version" "$version.1"; do
        dpkg_install "$later"
        has_version "$older" "$later"
        [[ -e $(echo "$own"*) ]]
    done
    # Also by DKMS alone, and after a removal
    in_tree dkms uninstall "sm4-fast/$version.1" -k "$older"
    [[ $(modinfo --basedir "$tree" --set-version "$older" --field filename sm4-fast) == "$own"* ]]
    in_tree dkms install --force "sm4-fast/$version.1" -k "$older"
    has_version "$older" "$version.1"
    in_tree dpkg --purge sm4-fast-dkms
    [[ $(modinfo --basedir "$tree" --set-version "$older" --field filename sm4-fast) == "$own"* ]]
    rm -r "${own%/*}"
    dpkg_install "$version.1"
}

# DKMS 3.2 looks at the latest version that it knows, and would refuse to replace a later module.
@test "$KERNEL: after a downgrade, a kernel without headers keeps the later version; with them, DKMS builds the other" {
    mv "$tree/lib/modules/$older/build" "$work/build"
    run -0 dpkg_install "$version"
    [[ $output == *"W: sm4-fast: kernel $older keeps version $version.1, because its headers"* ]]
    finds_version "$older" "$version.1"
    in_tree dkms uninstall "sm4-fast/$version" -k "$release"
    run ! finds_version "$release" "$version"
    kernel_is_installed "$release"
    has_version "$release" "$version"
    mv "$work/build" "$tree/lib/modules/$older"
    # The hook that the package with the headers runs
    in_tree /etc/kernel/header_postinst.d/dkms "$older"
    has_version "$older" "$version"
    run -0 dpkg_install "$version.1"
    [[ $output != *'W: sm4-fast'* ]]
}

@test "$KERNEL: the same version is not built again, except from other sources" {
    chmod -x "$tree"/usr/bin/gcc-*
    dpkg_install "$version.1"
    has_version "$release" "$version.1"
    has_version "$older" "$version.1"
    run ! dpkg_install "$version.1+deb13u1"
    [[ $output == *"W: sm4-fast: kernel $older keeps version $version.1 from other sources, because THE BUILD FAILED"* ]]
    modinfo --basedir "$tree" --set-version "$older" sm4-fast
    chmod +x "$tree"/usr/bin/gcc-*
    rm "$tree/srv/renewed"
    in_tree dpkg --configure sm4-fast-dkms
    is_configured sm4-fast-dkms "$version.1+deb13u1"
    is_mended
}

@test "$KERNEL: a module that could not be built or installed on a full disk is installed when there is room" {
    dpkg_install "$version"
    cp --recursive "$modules/updates/dkms" "$work/kept"
    fill_disk "$dkms"
    run ! dpkg_install "$version.1+deb13u1"
    [[ $output == *"W: sm4-fast: kernel $release keeps version $version, because THE BUILD FAILED"* ]]
    rm "$dkms/filler"
    fill_disk "$modules"
    run ! in_tree dpkg --configure --pending
    [[ $output == *"W: sm4-fast: kernel $older keeps version $version, because IT CANNOT BE INSTALLED"* ]]
    # DKMS itself leaves no incomplete module, either.
    run ! in_tree dkms install "sm4-fast/$version.1" -k "$older"
    has_version "$release" "$version.1"
    diff --recursive "$modules/updates/dkms" "$work/kept"
    rm "$modules/filler"
    # The disk of /boot is full as well. The next run makes the initramfs.
    touch "$tree/srv/full"
    run -0 in_tree dpkg --configure --pending
    [[ $output == *"W: sm4-fast: THE INITRAMFS OF KERNEL $older COULD NOT BE REGENERATED"* ]]
    rm "$tree/srv/full"
    in_tree "/usr/src/sm4-fast-$version.1/install-by-dkms"
    [[ $(tail --lines=1 "$tree/srv/renewed") == "-u -k $older with $version.1" ]]
    is_configured sm4-fast-dkms "$version.1+deb13u1"
    is_mended
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
}

@test "$KERNEL: an aborted upgrade leaves the installed version, and DKMS has its folder" {
    # Two packages contain the same file.
    dpkg-deb --raw-extract "$tree/srv/sm4-fast-dkms_${version}_all.deb" "$work/other"
    mkdir "$work/other/usr/sbin"
    touch "$work/other/usr/sbin/sm4-fast-other"
    dpkg-deb --build "$work/other" "$tree/srv/broken.deb"
    rm -r "$work/other"/{usr/s[!b]*,DEBIAN/[!c]*}
    sed --in-place '/^Depends/d; s/^Package: .*/Package: other/' "$work/other/DEBIAN/control"
    dpkg-deb --build "$work/other" "$tree/srv/other.deb"
    in_tree dpkg --install /srv/other.deb
    run ! in_tree dpkg --install /srv/broken.deb
    [[ $output == *'trying to overwrite'* ]]
    in_tree dpkg --purge other
    is_configured sm4-fast-dkms "$version.1+deb13u1"
    has_version "$release" "$version.1"
    [[ $(readlink "$dkms/sm4-fast/$version.1/source") == "/usr/src/sm4-fast-$version.1" ]]
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 && ! -e $dkms/sm4-fast/.$version.1 ]]
}

@test "$KERNEL: make install and make dkms keep the files that the package has installed" {
    for target in install uninstall dkms dkms-uninstall; do
        run ! make_in_tree $target
        [[ $output == *"installed as a package"* ]]
    done
    has_version "$release" "$version.1"
    [[ -x $tree/usr/bin/sm4-fast-info ]]
}

@test "$KERNEL: the module has the signature of DKMS, and is removed together with its kernel" {
    [[ $(modinfo --basedir "$tree" --set-version "$older" --field signer sm4-fast) == 'DKMS module signing key' ]]
    in_tree /etc/kernel/prerm.d/dkms "$older"
    [[ -z $(find "$modules" -name 'sm4-fast*') ]]
    has_version "$release" "$version.1"
    kernel_is_installed "$older"
    has_version "$older" "$version.1"
}

@test "$KERNEL: an unsupported kernel is installed without the module, which is not built for another processor" {
    run -77 in_tree dkms build "sm4-fast/$version.1" -k "$release" -a aarch64
    make_headers 4.17.0-999-amd64 4.17.9999
    run -0 kernel_is_installed 4.17.0-999-amd64
    [[ $output == *"kernel 4.17.0-999-amd64 is not supported"* ]]
    rm -r "$tree/lib/modules/4.17.0-999-amd64"
}

# DKMS refuses to remove a version whose source is missing, and then lists nothing.
@test "$KERNEL: dpkg purges even a version that DKMS refuses to remove" {
    mkdir "$dkms/sm4-fast/0.0"
    ln --symbolic --force --no-dereference /nonexistent "$dkms/sm4-fast/0.0/source"
    rm "$dkms/sm4-fast/$version.1/source" "$tree/srv/renewed"
    purge
    run ! grep --invert-match not.found "$tree/srv/renewed"
    [[ ! -e $dkms/sm4-fast && $(wc --lines <"$tree/srv/renewed") -eq 2 ]]
}

# The package stands for that of earlier versions, whose prerm removes its rebuilt xfrm_algo.
@test "$KERNEL: apt removes the package for ESP of earlier versions" {
    mkdir --parents "$tree/srv/sm4-fast-xfrm-dkms/DEBIAN"
    printf '%s\n' 'Package: sm4-fast-xfrm-dkms' 'Version: 0.2' 'Architecture: all' 'Maintainer: none' 'Description: none' \
        >"$tree/srv/sm4-fast-xfrm-dkms/DEBIAN/control"
    # shellcheck disable=SC2016  # the script's own argument
    printf '#!/bin/sh\n[ $1 = remove ] && touch /srv/removed\n' >"$tree/srv/sm4-fast-xfrm-dkms/DEBIAN/prerm"
    chmod 755 "$tree/srv/sm4-fast-xfrm-dkms/DEBIAN/prerm"
    in_tree sh -c 'dpkg-deb --build /srv/sm4-fast-xfrm-dkms && dpkg --install /srv/sm4-fast-xfrm-dkms.deb'
    apt_install /srv/sm4-fast{,-dkms}
    is_configured sm4-fast-dkms "$version"
    [[ -e $tree/srv/removed ]]
    run ! in_tree dpkg-query --status sm4-fast-xfrm-dkms
    modinfo --basedir "$tree" --set-version "$release" sm4-fast-esp
    grep --quiet 'softdep xfrm_user pre: sm4-fast-esp' <(in_tree modprobe --showconfig)
}

@test "$KERNEL: a purge leaves what opens the devices of this machine, which the next installation replaces" {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
    rm "$tree/srv/renewed"
    run -0 purge
    [[ $output == *'W: sm4-fast: THIS MACHINE HAS DEVICES'*'secret sm4-xts-plain64'* ]]
    [[ ! -e $tree/srv/renewed && -z $(in_tree dkms status -m sm4-fast) && -x $tree/etc/initramfs-tools/hooks/sm4-fast ]]
    for kernel in "$release" "$older"; do
        [[ $output == *"W: sm4-fast: kernel $kernel keeps the module"* ]]
        modinfo --basedir "$tree" --set-version "$kernel" sm4-fast sm4-fast-esp
    done
    rm "$tree/etc/crypttab"
    dpkg_install "$version"
    has_version "$release" "$version"
    has_version "$older" "$version"
    [[ ! -e $tree/etc/initramfs-tools/hooks/sm4-fast ]]
}

# Until 0.4, one package had the files of both. Its files must not go before the other package has them, in whatever order
# apt is told of the two.
@test "$KERNEL: apt upgrades the one package of earlier versions to two, of which the second takes over its files first" {
    purge
    for part in sm4-fast sm4-fast-dkms; do
        dpkg-deb --raw-extract "$tree/srv/${part}_${version}_all.deb" "$work/$part"
        cp --recursive --no-target-directory "$work/$part" "$work/one"
        rm -r "${work:?}/$part"
    done
    # The scripts are those of DKMS's part.
    sed --in-place 's/^Version: .*/Version: 0.3/; s/^Depends: .*/Depends: dkms/; /^Provides/d' "$work/one/DEBIAN/control"
    dpkg-deb --build "$work/one" "$tree/srv/one.deb"
    in_tree dpkg --install /srv/one.deb
    has_version "$older" "$version"
    run -0 apt_install /srv/sm4-fast{-dkms,}
    [[ $output == *'Replacing files in old package sm4-fast-dkms (0.3)'*'Unpacking sm4-fast-dkms '* ]]
    [[ $output != *'W: sm4-fast'* ]]
    in_tree dpkg --verify sm4-fast sm4-fast-dkms
    [[ $(in_tree dpkg --search /usr/bin/sm4-fast-info) == 'sm4-fast: /usr/bin/sm4-fast-info' ]]
    has_version "$release" "$version"
    has_version "$older" "$version"
}

@test "$KERNEL: a purge that a power cut ends in the middle can be undone, and finished" {
    # In the middle, the modules of one kernel are removed.
    interrupted_by depmod purge
    run ! finds_version "$older" "$version"
    finds_version "$release" "$version"
    in_tree dpkg --configure --pending
    dpkg_install "$version"
    is_configured sm4-fast-dkms "$version"
    has_version "$release" "$version"
    has_version "$older" "$version"
}

@test "$KERNEL: dpkg purges the package, and nothing is left, even if DKMS has lost its folder of it, and after a power cut" {
    rm -r "$dkms/sm4-fast/$version"
    touch "$tree/boot/initrd.img-$older.sm4-fast-new" "$tree/lib/modules/$release/.sm4-fast"
    rm "$tree/srv/renewed"
    # The power cut comes when the modules of a kernel are removed, and its index, then its initramfs, still has them.
    for program in depmod update-initramfs; do
        interrupted_by "$program" purge
    done
    purge
    [[ $(wc --lines <"$tree/srv/renewed") -eq 2 ]]
    nothing_is_left
}

@test "$KERNEL: make install and make uninstall" {
    make_in_tree install
    [[ $(modinfo --basedir "$tree" --set-version "$release" --field version sm4-fast) == "$version" ]]
    make_in_tree uninstall
    nothing_is_left
}

@test "$KERNEL: make dkms, also of a later version that cannot be built at first, and make dkms-uninstall" {
    make_in_tree dkms
    # Again: it replaces itself.
    make_in_tree dkms
    has_version "$release" "$version"
    # A later version that cannot be built, and then can
    make_later "$tree/srv/clone"
    echo '#error' >>"$tree/srv/clone/core/sm4-fast-core.h"
    run ! make_in_tree dkms
    [[ $output == *"kernel $release keeps version $version, because THE BUILD FAILED"* ]]
    finds_version "$release" "$version"
    sed --in-place '$d' "$tree/srv/clone/core/sm4-fast-core.h"
    # While the headers are not there, the kernel keeps its version.
    mv "$tree/lib/modules/$release/build" "$work"
    make_in_tree dkms KDIR="/usr/src/linux-headers-$release"
    mv "$work/build" "$tree/lib/modules/$release"
    finds_version "$release" "$version"
    make_in_tree dkms
    has_version "$release" "$version.1"
    [[ $(echo "$tree"/usr/src/sm4-fast-*) == "$tree/usr/src/sm4-fast-$version.1" ]]
    # Also if the installed sources have lost the script
    rm "$tree/usr/src/sm4-fast-$version.1/install-by-dkms"
    make_in_tree dkms-uninstall
    nothing_is_left
}
