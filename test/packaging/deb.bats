#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/deb.bats
#
# The Debian packages for DKMS on a machine with several kernels, with the DKMS of the suite that has KERNEL, in a layer above that
# suite's root tree: installation, upgrades, also from 0.1 to 0.3, refusals, removals, interruptions; DKMS's work when another
# kernel is installed or removed; and the other ways to install the module, by make. DKMS's files are in a configured folder, on
# their own disk that becomes full, and so are the modules of a kernel. (test/vm/upgrade.t boots such a machine.) Does not change
# the machine's own packages. The tests with the tag "quick" also work alone.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" make git kmod debhelper dh-dkms
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
    touch "$tree/boot/vmlinuz-$older"
    old_images
    # shellcheck disable=SC2016  # the script expands it
    printf '#!/bin/sh\n[ "$2" != -k ] || %s >>/srv/renewed\n' \
        '{ [ ! -e /srv/full ] && touch /boot/initrd.img-$3 && echo "$* with $(modinfo -k "$3" -F version sm4-fast 2>&1)"; }' \
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

# Each image is older than any module.
old_images() {
    touch --date='1 year ago' "$tree/boot/initrd.img-$release" "$tree/boot/initrd.img-$older"
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

# Runs make for the newest kernel of the tree.
make_in_tree() {
    in_tree make --directory=/srv/clone KDIR="/lib/modules/$release/build" "$@"
}

nothing_is_left() {
    run -0 find "$tree"/{boot,usr,etc,srv/dkms,lib/modules} -name '*sm4[-_]fast*'
    echo "$output" >&2
    [[ -z $output ]]
    run ! grep --files-with-matches sm4_fast "$tree"/lib/modules/*/modules.*
}

is_configured() {
    # shellcheck disable=SC2016  # dpkg-query expands it
    [[ $(in_tree dpkg-query --show --showformat='${db:Status-Status} ${Version}' sm4-fast-dkms) == "installed $1" ]]
}

# Both kernels have the version $1 of the package, whose module has the version $2 or the same, and no other is left.
all_have() {
    has_version "$release" "$@"
    has_version "$older" "$@"
    [[ $(in_tree dkms status -m sm4-fast | wc --lines) -eq 2 && $(echo "$tree"/usr/src/sm4-fast-*) == "$tree/usr/src/sm4-fast-$1" ]]
}

needs_sm4() {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
}

needs_no_sm4() {
    rm -f "$tree/etc/crypttab"
}

# Whether a message has eight lines of at most 73 columns, and what the administrator can do
is_refusal() {
    sed --quiet '/^sm4-fast: NOT REMOVED/,/not-needed$/p' <<<"$output" >"$BATS_TEST_TMPDIR/refusal"
    cat "$BATS_TEST_TMPDIR/refusal"
    [[ $(wc --lines <"$BATS_TEST_TMPDIR/refusal") -le 8 && $(wc --max-line-length <"$BATS_TEST_TMPDIR/refusal") -le 73 ]]
    [[ $output == *'secret sm4-xts-plain64'*"Kernel $1 would have no module"*'touch /run/sm4-fast-not-needed'* ]]
}

# bats test_tags=quick
@test "$KERNEL: the packages have no file of DKMS's folders, and verify; a kernel without headers is named" {
    mkdir --parents "$tree/lib/modules/$newer/kernel"
    # The administrator's files, with names like those of the sources of a version
    mkdir "$tree/usr/src/sm4-fast-0.0"
    touch "$tree/usr/src/sm4-fast-$version.tar.gz"
    run -0 dpkg_install "$version"
    rmdir "$tree/usr/src/sm4-fast-0.0"
    rm "$tree/usr/src/sm4-fast-$version.tar.gz"
    rmdir --parents --ignore-fail-on-non-empty "$tree/lib/modules/$newer/kernel"
    [[ $output == *"W: sm4-fast: nothing is built for $newer, until its headers are installed: linux-headers-$newer"* ]]
    all_have "$version"
    grep --line-regexp --fixed-strings -e "-u -k $release with $version" "$tree/srv/renewed"
    grep --line-regexp --fixed-strings -e "-u -k $older with $version" "$tree/srv/renewed"
    in_tree dpkg --verify sm4-fast sm4-fast-dkms
    run ! grep /usr/src <(in_tree dpkg --listfiles sm4-fast-dkms)
    [[ $(modinfo --basedir "$tree" --set-version "$older" --field signer sm4-fast) == 'DKMS module signing key' ]]
}

@test "$KERNEL: what has been built is not built again; an initramfs that an interruption has left old is regenerated" {
    chmod -x "$tree"/usr/bin/gcc-*
    : >"$tree/srv/renewed"
    run -0 dpkg_install "$version"
    [[ ! -s $tree/srv/renewed ]]
    old_images
    in_tree /usr/libexec/sm4-fast/by-dkms install
    chmod +x "$tree"/usr/bin/gcc-*
    [[ $(wc --lines <"$tree/srv/renewed") -eq 2 ]]
    all_have "$version"
}

# bats test_tags=quick
@test "$KERNEL: an upgrade replaces the modules one by one, and DKMS's earlier version; a kernel keeps it while its build fails" {
    mv "$tree/lib/modules/$older/build" "$work/build"
    make_headers "$older" "$KERNEL.9999"
    run ! dpkg_install "$version.1"
    [[ $output == *"W: sm4-fast: kernel $older DOES NOT GET VERSION $version.1, but keeps what it has."*'/usr/libexec/sm4-fast/by-dkms install'* ]]
    has_version "$release" "$version.1"
    has_version "$older" "$version"
    [[ -e $tree/usr/src/sm4-fast-$version/dkms.conf ]]
    rm -r "$tree/lib/modules/$older/build"
    mv "$work/build" "$tree/lib/modules/$older"
    in_tree dpkg --configure sm4-fast-dkms
    is_configured "$version.1"
    all_have "$version.1"
}

@test "$KERNEL: nothing is built while DKMS is told so; the same version from other sources is another one of the package" {
    touch "$tree/etc/dkms/no-autoinstall"
    run -0 dpkg_install "$version.1+deb13u1"
    [[ $output == *"W: sm4-fast: nothing is built for $release: there is /etc/dkms/no-autoinstall"* ]]
    has_version "$release" "$version.1"
    rm "$tree/etc/dkms/no-autoinstall"
    in_tree /usr/libexec/sm4-fast/by-dkms install
    all_have "$version.1+deb13u1" "$version.1"
    for kernel in "$release" "$older"; do
        [[ $(modinfo --basedir "$tree" --set-version "$kernel" --field description sm4-fast) == MENDED* ]]
    done
}

@test "$KERNEL: after a downgrade, a kernel without headers keeps the later version, until they are there" {
    mv "$tree/lib/modules/$older/build" "$work/build"
    dpkg_install "$version"
    has_version "$release" "$version"
    has_version "$older" "$version.1+deb13u1" "$version.1"
    mv "$work/build" "$tree/lib/modules/$older"
    in_tree /usr/libexec/sm4-fast/by-dkms install
    all_have "$version"
    # The hooks that the packages of a kernel, and those of its headers, run
    in_tree dkms uninstall "sm4-fast/$version" -k "$release"
    run ! has_version "$release" "$version"
    kernel_is_installed "$release"
    has_version "$release" "$version"
    in_tree dkms uninstall "sm4-fast/$version" -k "$older"
    in_tree /etc/kernel/header_postinst.d/dkms "$older"
    all_have "$version"
    dpkg_install "$version.1"
    all_have "$version.1"
}

@test "$KERNEL: a kernel for which sm4-fast-esp cannot be built gets sm4-fast, and is named" {
    header=$(echo "$tree"/usr/src/linux-headers-*-common/include/net/xfrm.h)
    cp "$header" "$work"
    echo '#error' >>"$header"
    run -0 dpkg_install "$version"
    cp "$work/xfrm.h" "$header"
    [[ $output == *"W: sm4-fast: kernel $older gets no SM4 for ESP, because sm4-fast-esp could not be built for it"* ]]
    all_have "$version"
    [[ -n $(modinfo --basedir "$tree" --set-version "$older" --field stand_in sm4-fast-esp) ]]
    dpkg_install "$version.1"
    [[ -z $(modinfo --basedir "$tree" --set-version "$older" --field stand_in sm4-fast-esp) ]]
}

# As by tools/into-kernel with CONFIG_CRYPTO_SM4_FAST=m. DKMS 3.2 moves it to its archive, and restores it.
@test "$KERNEL: a kernel that has the module itself has it again after a removal" {
    own=$modules/kernel/crypto/sm4-fast/sm4-fast.ko
    cp "$modules"/updates/dkms/sm4-fast.ko* "$work"
    in_tree dkms uninstall "sm4-fast/$version.1" -k "$older"
    install -D --mode=644 "$work"/sm4-fast.ko* --target-directory="${own%/*}"
    dpkg_install "$version"
    all_have "$version"
    in_tree dkms uninstall "sm4-fast/$version" -k "$older"
    in_tree depmod "$older"
    [[ $(modinfo --basedir "$tree" --set-version "$older" --field filename sm4-fast) == "$own"* ]]
    rm -r "${own%/*}"
    dpkg_install "$version.1"
    all_have "$version.1"
}

@test "$KERNEL: a module that could not be built or installed on a full disk is installed when there is room" {
    cp --recursive "$modules/updates/dkms" "$work/kept"
    fill_disk "$dkms"
    run ! dpkg_install "$version"
    [[ $output == *"kernel $release DOES NOT GET VERSION $version"* ]]
    rm "$dkms/filler"
    has_version "$release" "$version.1"
    # The disk of /boot is full as well.
    touch "$tree/srv/full"
    run ! in_tree dpkg --configure --pending
    rm "$tree/srv/full"
    in_tree dpkg --configure --pending
    is_configured "$version"
    all_have "$version"
    [[ $(tail --lines=1 "$tree/srv/renewed") == "-u -k $older with $version" ]]
}

@test "$KERNEL: an aborted upgrade leaves the installed version" {
    # Two packages contain the same file.
    dpkg-deb --raw-extract "$tree/srv/sm4-fast-dkms_${version}.1_all.deb" "$work/other"
    mkdir "$work/other/usr/sbin"
    touch "$work/other/usr/sbin/sm4-fast-other"
    dpkg-deb --build "$work/other" "$tree/srv/broken.deb"
    rm -r "$work/other"/{usr/[ls]*,DEBIAN/[!c]*}
    mkdir --parents "$work/other/usr/sbin"
    touch "$work/other/usr/sbin/sm4-fast-other"
    sed --in-place '/^Depends/d; s/^Package: .*/Package: other/' "$work/other/DEBIAN/control"
    dpkg-deb --build "$work/other" "$tree/srv/other.deb"
    in_tree dpkg --install /srv/other.deb
    run ! in_tree dpkg --install /srv/broken.deb
    [[ $output == *'trying to overwrite'* ]]
    in_tree dpkg --purge other
    in_tree dpkg --configure --pending
    is_configured "$version"
    all_have "$version"
}

@test "$KERNEL: make install and make dkms keep the files that the package has installed" {
    for target in install uninstall dkms dkms-uninstall; do
        run ! make_in_tree $target
        [[ $output == *"installed as a package"* ]]
    done
    all_have "$version"
}

@test "$KERNEL: DKMS removes the module with its kernel, and skips an unsupported one" {
    in_tree /etc/kernel/prerm.d/dkms "$older"
    [[ -z $(find "$modules" -name 'sm4-fast*') ]]
    has_version "$release" "$version"
    kernel_is_installed "$older"
    has_version "$older" "$version"
    make_headers 4.17.0-999-amd64 4.17.9999
    run -77 in_tree dkms build "sm4-fast/$version" -k 4.17.0-999-amd64
    in_tree /usr/libexec/sm4-fast/by-dkms install
    rm -r "$tree/lib/modules/4.17.0-999-amd64"
}

# bats test_tags=quick
@test "$KERNEL: a removal is refused while devices need the module, and changes nothing; a file lets it through" {
    local installed
    # shellcheck disable=SC2016  # dpkg-query expands it
    installed=$(in_tree dpkg-query --show --showformat='${Version}' sm4-fast-dkms)
    needs_sm4
    for action in --remove --purge; do
        run ! in_tree dpkg $action sm4-fast-dkms sm4-fast
        is_refusal "$release"
        is_configured "$installed"
        all_have "$installed"
    done
    # Running the newest kernel, an older one may lose its module, and go.
    in_tree dkms uninstall "sm4-fast/$installed" -k "$older"
    # With another module for both, it is not refused: that is how a machine changes its way.
    for kernel in "$release" "$older"; do
        install -D --mode=644 "$(echo "$tree/lib/modules/$release"/updates/dkms/sm4-fast.ko*)" \
            "$tree/lib/modules/$kernel/updates/sm4-fast/sm4_fast.ko$([[ $KERNEL == 6.1 ]] || echo .xz)"
    done
    in_tree dpkg --remove sm4-fast-dkms
    rm -r "$tree"/lib/modules/*/updates/sm4-fast
    dpkg_install "$version"
    touch "$tree/run/sm4-fast-not-needed"
    in_tree dpkg --purge sm4-fast-dkms sm4-fast
    rm "$tree/run/sm4-fast-not-needed"
    needs_no_sm4
    nothing_is_left
    # The trigger of dpkg has regenerated an initramfs.
    dpkg_install "$version"
}

@test "$KERNEL: a package that is only unpacked, and then removed, leaves the modules" {
    needs_sm4
    in_tree dpkg --unpack "/srv/sm4-fast-dkms_$version.1_all.deb" "/srv/sm4-fast_$version.1_all.deb"
    in_tree dpkg --remove sm4-fast-dkms
    has_version "$release" "$version"
    has_version "$older" "$version"
    dpkg_install "$version.1"
    all_have "$version.1"
    needs_no_sm4
}

# Of DKMS 3.0, an interruption between mkdir and cp is named; 3.2 copies into a folder .tmp_ and renames that.
@test "$KERNEL: what an interruption has left is repaired, or named" {
    in_tree dpkg --unpack "/srv/sm4-fast_${version}_all.deb" "/srv/sm4-fast-dkms_${version}_all.deb"
    # A module that is cut off, in DKMS's folder and where it is installed
    mkdir --parents "$dkms/sm4-fast/$version/$release/x86_64/module"
    head --bytes=300000 "$(echo "$dkms/sm4-fast/$version.1/$release/x86_64/module"/sm4-fast.ko*)" \
        >"$dkms/sm4-fast/$version/$release/x86_64/module/sm4-fast.ko"
    cp "$dkms/sm4-fast/$version.1/$release/x86_64/module"/sm4-fast-esp.ko* "$dkms/sm4-fast/$version/$release/x86_64/module"
    truncate --size=100000 "$tree/lib/modules/$release"/updates/dkms/sm4-fast.ko*
    in_tree dpkg --configure --pending
    all_have "$version"
    in_tree dpkg --unpack "/srv/sm4-fast_$version.1_all.deb" "/srv/sm4-fast-dkms_$version.1_all.deb"
    if [[ $KERNEL == 6.1 ]]; then
        mkdir --parents "$dkms/sm4-fast/$version.1/$release/x86_64/log"
        run ! in_tree dpkg --configure --pending
        [[ $output == *"/srv/dkms/sm4-fast/$version.1/$release/x86_64 already exists"*'rm -r FOLDER'* ]]
        has_version "$release" "$version"
        rm -r "$dkms/sm4-fast/$version.1/$release"
    else
        mkdir --parents "$dkms/sm4-fast/$version.1/$release/.tmp_x86_64_1/log"
    fi
    in_tree dpkg --configure --pending
    all_have "$version.1"
}

# Kills an upgrade from version $1 to $2 after $3 seconds, or in the moment after DKMS's message $3.
kill_upgrade() {
    local pid log=$BATS_TEST_TMPDIR/log
    : >"$log"
    (
        exec setsid unshare --mount --pid --fork --kill-child --mount-proc="$tree/proc" chroot "$tree" \
            dpkg --install "/srv/sm4-fast_$2_all.deb" "/srv/sm4-fast-dkms_$2_all.deb" >"$log" 2>&1
    ) 3>&- &
    pid=$!
    if [[ $3 == [0-9]* ]]; then
        sleep "$3"
    else
        while kill -0 $pid 2>/dev/null && ! grep --quiet -e "$3" "$log"; do sleep 0.01; done
        sleep ".$((RANDOM % 10))"
    fi
    kill -KILL $pid 2>/dev/null || :
    wait $pid || :
    echo "killed after $3: $(tail --lines=1 "$log")" >&2
}

# Each kernel has a whole module. DKMS copies over the file, for some milliseconds: then, the next command replaces it.
@test "$KERNEL: an upgrade that is killed at any moment leaves each kernel a module, and dpkg goes on; the same for a downgrade" {
    local from=$version.1 to=$version moment kernel
    for moment in 1 9 30 Signing Installing post.install; do
        kill_upgrade "$from" "$to" "$moment"
        for kernel in "$release" "$older"; do
            [[ $moment == Installing && $kernel == "$release" ||
               $(modinfo --basedir "$tree" --set-version "$kernel" --field version sm4-fast) == "$version"* ]]
        done
        configure_after_kill --refuse-depends
        dpkg_install "$to"
        all_have "$to"
        [[ $to == "$version" ]] && from=$version to=$version.1 || { from=$version.1; to=$version; }
    done
}

@test "$KERNEL: only sm4-fast-ipsec has the kernel load sm4-fast-esp" {
    run ! grep sm4 <(in_tree modprobe --showconfig)
    in_tree dpkg --install "/srv/sm4-fast"{,-dkms,-ipsec}"_${version}_all.deb"
    grep 'softdep xfrm_user pre: sm4-fast-esp' <(in_tree modprobe --showconfig)
    in_tree dpkg --purge sm4-fast-ipsec
    run ! grep sm4 <(in_tree modprobe --showconfig)
}

# bats test_tags=quick
@test "$KERNEL: dpkg purges the packages, and nothing is left" {
    in_tree dpkg --purge sm4-fast-dkms sm4-fast
    nothing_is_left
}

# Their packages, made from their commits. The script of 0.1 itself removes its modules before any upgrade.
@test "$KERNEL: upgrades from 0.1, 0.2 and 0.3: no kernel is without a module, and nothing of them is left" {
    local old commit
    for old in 0.1=b842a4e 0.2=d09693f 0.3=3e2678d; do
        commit=${old#*=} old=${old%=*}
        git clone --quiet "$repository" "$work/$old"
        git -C "$work/$old" checkout --quiet "$commit"
        (cd "$work/$old" && dpkg-buildpackage --build=binary --no-sign)
        cp "$work/sm4-fast-dkms_${old}_all.deb" "$tree/srv"
        in_tree dpkg --install "/srv/sm4-fast-dkms_${old}_all.deb"
        # What DKMS has for packages, which 0.1 uses, does not look for its configured folder.
        [[ $old != 0.1 ]] || in_tree dkms install -m sm4-fast -v 0.1 -k "$release"
        [[ $(modinfo --basedir "$tree" --set-version "$release" --field version sm4-fast) == "$old" ]]
        old_images
        # ESP uses SM4. (In apt's PATH, sbin comes first, and has a link.)
        rm --force "$tree/usr/sbin/ip"
        printf '#!/bin/sh\necho "aead rfc4106(gcm(sm4)) 0x00 128"\n' >"$tree/usr/sbin/ip"
        chmod 755 "$tree/usr/sbin/ip"
        watch_for_gaps &
        run -0 in_tree unshare --net apt-get --yes --no-install-recommends install /srv/sm4-fast{,-dkms}_"${version}_all.deb"
        kill $!
        rm "$tree/usr/sbin/ip"
        [[ $output != *'trying to overwrite'* && $output == *'W: sm4-fast: ESP USES SM4 NOW'*'install sm4-fast-ipsec'* ]]
        [[ $old == 0.1 || ! -s $work/gaps ]]
        all_have "$version"
        in_tree dpkg --verify sm4-fast sm4-fast-dkms
        run ! grep sm4 <(in_tree modprobe --showconfig)
        in_tree dpkg --purge sm4-fast-dkms sm4-fast
        nothing_is_left
    done
}

# Looks for a moment in which the running kernel has no module, longer than DKMS copies it, and writes it to $work/gaps.
watch_for_gaps() {
    : >"$work/gaps"
    while sleep 0.05; do
        if ! compgen -G "$tree/lib/modules/$release/updates/dkms/sm4-fast.ko*" >/dev/null; then
            sleep 0.1
            compgen -G "$tree/lib/modules/$release/updates/dkms/sm4-fast.ko*" >/dev/null || date +%T.%N >>"$work/gaps"
        fi
    done 3>&-
}

@test "$KERNEL: make install and make uninstall, which is refused as well" {
    make_in_tree install
    [[ $(modinfo --basedir "$tree" --set-version "$release" --field version sm4-fast) == "$version" ]]
    run ! grep sm4 <(in_tree modprobe --showconfig)
    make_in_tree install ESP=yes
    grep 'softdep xfrm_user pre: sm4-fast-esp' <(in_tree modprobe --showconfig)
    make_in_tree install
    run ! grep sm4 <(in_tree modprobe --showconfig)
    needs_sm4
    run ! make_in_tree uninstall
    is_refusal "$release"
    needs_no_sm4
    make_in_tree uninstall
    nothing_is_left
}

@test "$KERNEL: make dkms, also of a later version that cannot be built at first, and make dkms-uninstall" {
    make_in_tree dkms
    # Again: it replaces itself.
    make_in_tree dkms
    all_have "$version"
    make_later "$tree/srv/clone"
    echo '#error' >>"$tree/srv/clone/core/sm4-fast-core.h"
    run ! make_in_tree dkms
    [[ $output == *"kernel $release DOES NOT GET VERSION $version.1"* ]]
    has_version "$release" "$version"
    sed --in-place '$d' "$tree/srv/clone/core/sm4-fast-core.h"
    make_in_tree dkms
    all_have "$version.1"
    needs_sm4
    run ! make_in_tree dkms-uninstall
    is_refusal "$release"
    needs_no_sm4
    make_in_tree dkms-uninstall
    nothing_is_left
}
