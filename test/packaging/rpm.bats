#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/rpm.bats
#
# The RPM package as dnf installs, upgrades and removes it, in a root whose packages rpm knows. Repositories of
# distributions with RPM are not available here: the root is a layer above a root tree of Debian, with its DKMS, and stand-ins
# without files provide what our package requires. This tests how dnf resolves the requirements, and the scripts of the
# package. Does not change the machine's own packages.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" make git rpm dnf createrepo-c kmod
    mount_above_kernel
    fresh_clone "$work/clone"
    make --directory="$work/clone" rpm
    make_later "$work/clone"
    make --directory="$work/clone" rpm
    # The same version again, as fixed by a distribution
    sed --in-place 's/^MODULE_DESCRIPTION("/&MENDED /' "$work/clone/sm4-fast-glue.c"
    sed --in-place 's/^Release: .*/Release: 2/' "$work/clone/packaging/sm4-fast.spec"
    make --directory="$work/clone" rpm
    # The packages that it requires. dkms is separate, because a test removes it.
    make_rpm distribution 1 1 'Provides: /bin/sh /usr/bin/python3 /usr/bin/sh /usr/bin/bash /bin/bash diffutils kmod'
    make_rpm dkms 1 1
    make_rpm openssl 1 1
    mv "$work"/clone/dist/*.noarch.rpm "$work/repository"
    createrepo_c --quiet "$work/repository"
    mkdir "$work/log"
    # A fallback kernel. The distribution makes an initramfs by dracut, and has one for the newer kernel.
    export older=$KERNEL.0-1-amd64
    add_kernel "$older"
    pretend_to_run_its_kernel
    touch "$tree/boot/initramfs-$release.img"
    rm -f "$tree/usr/sbin/update-initramfs"
    cat >"$tree/usr/sbin/dracut" <<'END'
#!/bin/sh
echo "$* with $(modinfo -k "$3" -F version sm4-fast)" >>/tmp/dracut
echo part >"$2"
[ ! -e /tmp/slow ] || sleep 2
[ ! -e /tmp/full ]
END
    chmod 755 "$tree/usr/sbin/dracut"
}

teardown_file() {
    unmount_above
}

# Runs dnf in the root, with only our repository, and with its own state folders. DKMS needs /proc.
dnf_in_tree() {
    unshare --mount --pid --fork --mount-proc="$tree/proc" \
        dnf --assumeyes --installroot="$tree" --releasever=1 --nogpgcheck --setopt=reposdir="$work/none" \
        --setopt=cachedir="$work/cache" --setopt=logdir="$work/log" --setopt=pluginpath="$work/none" \
        --repofrompath=ours,"$work/repository" "$@"
}

# Whether the root's rpm database has the package, of this version
is_installed() {
    [[ $(rpm --root "$tree" --query --queryformat '%{VERSION}' sm4-fast-dkms) == "$1" ]]
}

@test "$KERNEL: it requires nothing that such a distribution lacks" {
    rpm --query --package --requires "$work"/repository/sm4-fast{,-dkms}-"$version"-1.noarch.rpm | sort --unique \
        >"$BATS_TEST_TMPDIR/requires"
    cat "$BATS_TEST_TMPDIR/requires"
    run ! grep --invert-match --extended-regexp --line-regexp '(/usr)?/bin/(sh|bash|python3)|dkms|diffutils|kmod|sm4-fast( = .*)?|rpmlib\(.*' "$BATS_TEST_TMPDIR/requires"
}

@test "$KERNEL: dnf install brings DKMS, and the module is built for every kernel with headers" {
    run -0 dnf_in_tree install "sm4-fast-dkms-$version"
    [[ $output != *'regenerate it'* ]]
    is_installed "$version"
    rpm --root "$tree" --query dkms openssl
    has_version "$release" "$version"
    has_version "$older" "$version"
    [[ $(<"$tree/tmp/dracut") == "--force /boot/initramfs-$release.img.sm4-fast-new $release with $version" ]]
    [[ -x $tree/usr/bin/sm4-fast-info && -f $tree/usr/lib/dracut/modules.d/90sm4-fast/module-setup.sh ]]
    [[ ! -e $tree/usr/share/initramfs-tools/hooks/sm4-fast ]]
    # All files are those of the package.
    rpm --root "$tree" --verify sm4-fast sm4-fast-dkms
}

@test "$KERNEL: a later version replaces the earlier one for each kernel and in its initramfs, without a warning" {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
    # Some distributions link the modules of one kernel into the folders of others. Each has to have its own nevertheless.
    mkdir "$tree/lib/modules/$older/weak-updates"
    ln --symbolic "/lib/modules/$release/updates/dkms/sm4-fast.ko" "$tree/lib/modules/$older/weak-updates"
    run -0 dnf_in_tree upgrade "sm4-fast-dkms-$version.1-1"
    rm -r "$tree/lib/modules/$older/weak-updates"
    in_tree depmod "$older"
    [[ $output != *secret* ]]
    is_installed "$version.1"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
    has_version "$release" "$version.1"
    has_version "$older" "$version.1"
    [[ $(tail --lines=1 "$tree/tmp/dracut") == "--force /boot/initramfs-$release.img.sm4-fast-new $release with $version.1" ]]
}

@test "$KERNEL: if dracut fails, as on a full disk, the initramfs stays as it is, and nothing else, also of a power cut" {
    touch "$tree/tmp/full" "$tree/boot/initramfs-$older.img.sm4-fast-new"
    echo whole >"$tree/boot/initramfs-$release.img"
    run ! in_tree /usr/libexec/sm4-fast/renew-initramfs "$release"
    rm "$tree/tmp/full"
    [[ $(<"$tree/boot/initramfs-$release.img") == whole && -z $(find "$tree/boot" -name '*sm4*') ]]
}

@test "$KERNEL: while an initramfs is regenerated, a process for another kernel leaves it alone" {
    touch "$tree/tmp/slow"
    in_tree /usr/libexec/sm4-fast/renew-initramfs "$release" 3>&- &
    while [[ ! -e $tree/boot/initramfs-$release.img.sm4-fast-new ]]; do sleep 0.1; done
    in_tree /usr/libexec/sm4-fast/renew-initramfs "$older"
    wait $!
    rm "$tree/tmp/slow"
    [[ $(<"$tree/boot/initramfs-$release.img") == part ]]
}

@test "$KERNEL: the same version from other sources reaches each kernel and its initramfs, unless DKMS is told to build nothing" {
    rm "$tree/tmp/dracut"
    touch "$tree/etc/dkms/no-autoinstall"
    run -0 dnf_in_tree upgrade
    [[ $output == *"kernel $older keeps version $version.1 from other sources, because nothing"* && ! -e $tree/tmp/dracut ]]
    rm "$tree/etc/dkms/no-autoinstall"
    run -0 dnf_in_tree reinstall sm4-fast sm4-fast-dkms
    for kernel in "$release" "$older"; do
        has_version "$kernel" "$version.1"
        [[ $(modinfo --basedir "$tree" --set-version "$kernel" --field description sm4-fast) == MENDED* ]]
    done
    [[ $(<"$tree/tmp/dracut") == "--force /boot/initramfs-$release.img.sm4-fast-new $release with $version.1" ]]
    [[ ! -e $tree/var/lib/dkms/sm4-fast/.$version.1 ]]
}

# Of the package, an initramfs that is being made, and DKMS's folder
is_left() {
    find "$tree"/{boot,usr,etc,var/lib/dkms} -name '*sm4[-_]fast*' -printf '/%P\n' | sort
}

@test "$KERNEL: dnf remove names the devices that need it, and leaves what opens them; if nothing needs it, it leaves nothing" {
    rm "$tree/tmp/dracut"
    mkdir --parents "$tree/etc/dracut.conf.d"
    touch "$tree/boot/initramfs-$older.img.sm4-fast-new"
    run -0 dnf_in_tree remove sm4-fast
    [[ $output == *"W: sm4-fast: kernel $release keeps the module"* && ! -e $tree/tmp/dracut ]]
    [[ $output == *'W: sm4-fast: THIS MACHINE HAS DEVICES'*'secret sm4-xts-plain64'* ]]
    for kernel in "$release" "$older"; do
        modinfo --basedir "$tree" --set-version "$kernel" sm4-fast sm4-fast-esp
    done
    [[ $(is_left | grep --invert-match '^/lib/modules/.*/updates/dkms/') == /dracut.conf.d/sm4-fast.conf ]]
    grep --line-regexp 'add_drivers+=" sm4_fast dm_integrity "' "$tree/etc/dracut.conf.d/sm4-fast.conf"
    rm "$tree/etc/crypttab"
    dnf_in_tree install "sm4-fast-dkms-$version.1"
    has_version "$older" "$version.1"
    run -0 dnf_in_tree remove sm4-fast
    [[ $output != *'W: sm4-fast'* && -z $(is_left) ]]
}
