#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/rpm.bats
#
# The RPM package as dnf installs, upgrades and removes it, in a root whose packages rpm knows. Repositories of
# distributions with RPM are not available here: the root is a layer above a root tree of Debian, with its DKMS, and stand-ins
# without files provide what our packages require. The packages of modules are built with this machine's headers, which get the
# release of a kernel with RPM. This tests how dnf resolves the requirements, and the scripts of the packages. Does not change
# the machine's own packages.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" make git rpm dnf createrepo-c kmod linux-headers-amd64 openssl
    mount_above_kernel
    fresh_clone "$work/clone"
    make --directory="$work/clone" rpm
    make_later "$work/clone"
    make --directory="$work/clone" rpm
    # The same version again, as fixed by a distribution
    sed --in-place 's/^MODULE_DESCRIPTION("/&MENDED /' "$work/clone/sm4-fast-glue.c"
    make --directory="$work/clone" rpm REVISION=2
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
    touch --date='1 year ago' "$tree/boot/initramfs-$release.img"
    touch "$tree/boot/vmlinuz-$older"
    rm -f "$tree/usr/sbin/update-initramfs"
    cat >"$tree/usr/sbin/dracut" <<'END'
#!/bin/sh
echo "$* with $(modinfo -k "$3" -F version sm4-fast)" >>/tmp/dracut
echo part >"$2"
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

needs_sm4() {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
}

@test "$KERNEL: they require nothing that such a distribution lacks" {
    rpm --query --package --requires "$work"/repository/sm4-fast{,-dkms,-ipsec}-"$version"-1.noarch.rpm | sort --unique \
        >"$BATS_TEST_TMPDIR/requires"
    cat "$BATS_TEST_TMPDIR/requires"
    run ! grep --invert-match --extended-regexp --line-regexp \
        '(/usr)?/bin/(sh|bash|python3)|dkms|kmod|sm4-fast-kmod|sm4-fast( = .*)?|rpmlib\(.*' "$BATS_TEST_TMPDIR/requires"
}

@test "$KERNEL: dnf install brings DKMS, and the module is built for every kernel with headers" {
    dnf_in_tree install "sm4-fast-dkms-$version"
    is_installed "$version"
    rpm --root "$tree" --query dkms openssl
    has_version "$release" "$version-1" "$version"
    has_version "$older" "$version-1" "$version"
    [[ $(<"$tree/tmp/dracut") == "--force /boot/initramfs-$release.img.sm4-fast-new $release with $version" ]]
    [[ -x $tree/usr/bin/sm4-fast-info && -f $tree/usr/lib/dracut/modules.d/90sm4-fast/module-setup.sh ]]
    [[ ! -e $tree/usr/share/initramfs-tools/hooks/sm4-fast && ! -e $tree/usr/lib/modprobe.d/sm4-fast-esp.conf ]]
    # All files are those of the packages.
    rpm --root "$tree" --verify sm4-fast sm4-fast-dkms
    dnf_in_tree install "sm4-fast-ipsec-$version"
    [[ -e $tree/usr/lib/modprobe.d/sm4-fast-esp.conf ]]
    dnf_in_tree remove sm4-fast-ipsec
}

@test "$KERNEL: a later version replaces the earlier one for each kernel and in its initramfs, while devices need it" {
    needs_sm4
    # Some distributions link the modules of one kernel into the folders of others. Each has to have its own nevertheless.
    mkdir "$tree/lib/modules/$older/weak-updates"
    ln --symbolic "/lib/modules/$release/updates/dkms/sm4-fast.ko" "$tree/lib/modules/$older/weak-updates"
    run -0 dnf_in_tree upgrade "sm4-fast-dkms-$version.1-1"
    rm -r "$tree/lib/modules/$older/weak-updates"
    in_tree depmod "$older"
    [[ $output != *secret* ]]
    is_installed "$version.1"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 ]]
    has_version "$release" "$version.1-1" "$version.1"
    has_version "$older" "$version.1-1" "$version.1"
    [[ $(tail --lines=1 "$tree/tmp/dracut") == "--force /boot/initramfs-$release.img.sm4-fast-new $release with $version.1" ]]
}

@test "$KERNEL: if dracut fails, as on a full disk, the initramfs stays as it is, and nothing else" {
    touch "$tree/tmp/full"
    echo whole >"$tree/boot/initramfs-$release.img"
    touch --date='1 year ago' "$tree/boot/initramfs-$release.img"
    run ! in_tree /usr/libexec/sm4-fast/renew-initramfs "$release"
    rm "$tree/tmp/full"
    [[ $(<"$tree/boot/initramfs-$release.img") == whole && -z $(find "$tree/boot" -name '*sm4*') ]]
}

@test "$KERNEL: the same version from other sources reaches each kernel, unless DKMS is told to build nothing" {
    rm "$tree/tmp/dracut"
    touch "$tree/etc/dkms/no-autoinstall"
    run -0 dnf_in_tree upgrade
    [[ $output == *"nothing is built for $older: there is /etc/dkms/no-autoinstall"* ]]
    rm "$tree/etc/dkms/no-autoinstall"
    dnf_in_tree reinstall sm4-fast sm4-fast-dkms
    for kernel in "$release" "$older"; do
        has_version "$kernel" "$version.1-2" "$version.1"
        [[ $(modinfo --basedir "$tree" --set-version "$kernel" --field description sm4-fast) == MENDED* ]]
    done
    grep "with $version.1" "$tree/tmp/dracut"
}

@test "$KERNEL: dnf remove is refused while devices need the module, whichever package it is for; a file lets it through" {
    for package in sm4-fast-dkms sm4-fast; do
        run ! dnf_in_tree remove $package
        [[ $output == *'sm4-fast: NOT REMOVED'*'secret sm4-xts-plain64'*'touch /run/sm4-fast-not-needed'* ]]
        rpm --root "$tree" --query sm4-fast sm4-fast-dkms
        has_version "$release" "$version.1-2" "$version.1"
        has_version "$older" "$version.1-2" "$version.1"
    done
}

# Makes packages of the modules for a kernel of release $1, signed: pack RELEASE [VARIABLE=...]
pack() {
    local headers
    headers=$(printf '%s\n' /usr/src/linux-headers-*-amd64 | sort --version-sort | tail --lines=1)
    mkdir --parents "$work/headers"
    # Its links are relative ones.
    cp --recursive --dereference "$headers/." "$work/headers/$1"
    echo "$1" >"$work/headers/$1/include/config/kernel.release"
    echo "#define UTS_RELEASE \"$1\"" >"$work/headers/$1/include/generated/utsrelease.h"
    [[ -e $work/key.pem ]] || openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=ours/ \
        -keyout "$work/key.pem" -outform DER -out "$work/certificate.der"
    make --directory="$work/clone" modules-rpm KDIR="$work/headers/$1" \
        SIGN="$headers/scripts/sign-file sha256 $work/key.pem $work/certificate.der" "${@:2}"
    mv "$work"/clone/dist/kmod-*.rpm "$work/repository"
    createrepo_c --quiet "$work/repository"
}

# Makes another kernel, $KERNEL.$1, later than that of Debian, in that repository.
later_kernel() {
    make_rpm kernel-core "$KERNEL.$1" 1.el9 "Provides: kernel-uname-r = $KERNEL.$1-1.el9.x86_64" 'Provides: installonlypkg(kernel)'
    createrepo_c --quiet "$work/repository"
    rm -rf "$work/cache"
}

@test "$KERNEL: from DKMS to ready-made modules, signed before they are packed, and their removal is refused" {
    local kernel=$KERNEL.901-1.el9.x86_64
    pack "$kernel" REVISION=2
    later_kernel 901
    add_kernel "$kernel"
    touch "$tree/boot/vmlinuz-$kernel"
    touch --date='1 year ago' "$tree/boot/initramfs-$kernel.img"
    release=$kernel pretend_to_run_its_kernel
    in_tree /usr/libexec/sm4-fast/by-dkms install
    has_version "$kernel" "$version.1-2" "$version.1"
    dnf_in_tree install kernel-core kmod-sm4-fast
    in_tree modinfo -k "$kernel" -n sm4_fast | grep /updates/sm4-fast/sm4_fast.ko
    for module in sm4_fast sm4_fast_esp; do
        [[ $(in_tree modinfo -k "$kernel" -F signer $module) == ours ]]
    done
    rpm --root "$tree" --verify "kmod-sm4-fast-$kernel"
    # The older kernels do without.
    dnf_in_tree mark install sm4-fast
    dnf_in_tree remove sm4-fast-dkms
    in_tree modinfo -k "$kernel" -n sm4_fast | grep /updates/sm4-fast/sm4_fast.ko
    rpm --root "$tree" --verify "kmod-sm4-fast-$kernel"
    run ! dnf_in_tree remove "kmod-sm4-fast-$kernel"
    [[ $output == *'sm4-fast: NOT REMOVED'* ]]
    rpm --root "$tree" --query "kmod-sm4-fast-$kernel" sm4-fast
    touch "$tree/run/sm4-fast-not-needed"
    dnf_in_tree remove kmod-sm4-fast "kmod-sm4-fast-$kernel" sm4-fast
    rm "$tree/run/sm4-fast-not-needed"
    run -0 find "$tree"/{boot,usr,etc,var/lib/dkms,lib/modules} -name '*sm4[-_]fast*'
    [[ -z $output ]]
}

# dnf for an empty root
dnf_in_root() {
    dnf --assumeyes --installroot="$work/root" --releasever=1 --setopt=tsflags=noscripts \
        --setopt=reposdir="$work/none" --setopt=cachedir="$work/cache" --setopt=logdir="$work/root" \
        --setopt=pluginpath="$work/none" --nogpgcheck --repofrompath=ours,"$work/repository" "$@"
}

@test "$KERNEL: dnf keeps a kernel without modules back, as docs/install.md says, and the modules of each kernel that is there" {
    local first=kmod-sm4-fast-$KERNEL.901-1.el9.x86_64 second=kmod-sm4-fast-$KERNEL.902-1.el9.x86_64
    mkdir "$work/root"
    dnf_in_root install kernel-core kmod-sm4-fast
    dnf_in_root mark install sm4-fast
    later_kernel 902
    run ! dnf_in_root --setopt=best=True upgrade
    dnf_in_root --setopt=best=False upgrade
    [[ $(rpm --root "$work/root" --query kernel-core) == "kernel-core-$KERNEL.901-1.el9."* ]]
    pack "$KERNEL.902-1.el9.x86_64" REVISION=2
    later_kernel 903
    dnf_in_root --setopt=best=False upgrade
    rpm --root "$work/root" --query "$second" "kernel-core-$KERNEL.902-1.el9"
    dnf_in_root autoremove
    rpm --root "$work/root" --query "$first"
    # A kernel that mends a hole is let through.
    dnf_in_root remove kmod-sm4-fast
    dnf_in_root upgrade
    dnf_in_root autoremove
    rpm --root "$work/root" --query sm4-fast "$first" "$second" "kernel-core-$KERNEL.903-1.el9"
    dnf_in_root remove "kernel-core-$KERNEL.901"
    run ! rpm --root "$work/root" --query "$first"
    # Nobody gets the modules who has not asked for them.
    dnf_in_root remove sm4-fast kernel-core
    dnf_in_root install "kernel-core-$KERNEL.902"
    run ! rpm --root "$work/root" --query "$second"
}
