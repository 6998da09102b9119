# Sourced after tap.sh by the TAP programs of test/vm that boot a whole Debian, which is in the folder $system: functions that
# set it up and boot it.
# shellcheck shell=bash
# shellcheck disable=SC2154  # a program that calls make_system sets console and qemu_options

in_system() {
    tree=$system in_tree "$@"
}

# Makes the system, a copy of the tree of a whole Debian, of the suite of $tree, with the kernel and the module of $tree. Sets
# release, that of the kernel, work, a folder, and system, which is in it.
make_system() {
    local original
    original=$("$repository/test/vm/system-tree" "$tree")
    # Only one test at a time may use a tree, because the module is installed in it.
    exec 8>"$tree.in-use"
    flock 8
    release=$(bootable_release "$tree")
    "$repository/test/vm/build" "$tree" "$release"

    work=$(mktemp --directory)
    trap 'rm -rf --one-file-system "$work"' EXIT
    system=$work/system
    cp --archive "$original" "$system"
    mkdir --parents "$system/lib/modules"
    cp --archive "$tree/lib/modules/$release" "$system/lib/modules"
    cp --archive "$tree"/boot/*-"$release" "$system/boot"
}

# Adds a volume to /etc/crypttab: its name, and options. It gets a key and a UUID.
add_volume() {
    [[ -d $system/etc/keys ]] || mkdir --mode=700 "$system/etc/keys"
    (umask 377 && head --bytes=32 /dev/urandom >"$system/etc/keys/$1.key")
    echo "$1 UUID=$(</proc/sys/kernel/random/uuid) /etc/keys/$1.key $2" >>"$system/etc/crypttab"
}

# Configures the system: its root is on the device $1, it has no volumes yet, and its initramfs is small, with only the modules
# that are needed.
set_up_root() {
    root=$1
    echo 'MODULES=list' >"$system/etc/initramfs-tools/conf.d/modules"
    printf '%s\n' virtio_pci virtio_blk ext4 >"$system/etc/initramfs-tools/modules"
    # The initramfs contains the keys of the volumes that it opens.
    echo 'UMASK=0077' >"$system/etc/initramfs-tools/conf.d/umask"
    echo 'KEYFILE_PATTERN=/etc/keys/*.key' >>"$system/etc/cryptsetup-initramfs/conf-hook"
    echo "$root / ext4 errors=remount-ro 0 1" >"$system/etc/fstab"
    : >"$system/etc/crypttab"
}

# At the end of its boot, the system runs the shell commands of the standard input, which print "REPORT ...", and powers off.
set_up_report() {
    # Write everything at once, to a terminal that is opened only then: the login on it closes terminals of others.
    cat >"$system/usr/local/bin/report-lines"
    cat >"$system/usr/local/bin/report" <<'END'
#!/bin/sh
report=$(sh /usr/local/bin/report-lines 2>&1)
echo "$report" >/dev/ttyS0
systemctl poweroff
END
    chmod 755 "$system/usr/local/bin/report"
    cat >"$system/etc/systemd/system/report.service" <<'END'
[Service]
Type=idle
ExecStart=/usr/local/bin/report
[Install]
WantedBy=multi-user.target
END
    in_system systemctl --quiet enable report.service
}

# Makes a tar file of the system for the disks, without files that the boot does not need.
pack_system() {
    tar --create --file "$work/system.tar" --directory "$system" --exclude=./tmp/* --exclude=./boot/* \
        --exclude=./usr/lib/modules/* --exclude=./usr/src/* --exclude=./var/cache/apt/* .
}

# Boots the kernel RELEASE, with its initramfs INITRD, and the console in the file LOG; qemu_options are added:
#
#     boot_from_disks RELEASE INITRD LOG DISK...
boot_from_disks() {
    local machine=(-accel kvm -cpu host) parameters="root=$root console=ttyS0 panic=1" disk disks=()
    if [[ $("$repository/test/vm/accelerator" "$tree") == tcg ]]; then
        machine=(-accel 'tcg,thread=single' -cpu "$emulated_processor")
        # On a busy machine, a disk may be opened later than systemd waits for it.
        parameters+=" $parameters_for_emulation systemd.default_device_timeout_sec=600"
    fi
    for disk in "${@:4}"; do
        disks+=(-drive "if=virtio,format=raw,file=$disk")
    done
    timeout --kill-after=5 1200 qemu-system-x86_64 "${machine[@]}" -smp 2 -m 1G -nographic -no-reboot -monitor none \
        -nic none -kernel "$system/boot/vmlinuz-$1" -initrd "$2" -append "$parameters" "${disks[@]}" "${qemu_options[@]}" \
        </dev/null >"$3" 2>&1
}

# Whether the console output in the file LOG has a report: says REPORT [LOG]
says() {
    tr --delete '\r' <"${2:-$console}" | grep --only-matching "REPORT $1"
}

# ---- A system in layers above the tree of a whole Debian ----

# Makes the tree of a whole Debian with two kernels, of the suite of $tree, and the module in $tree, which makes its disks. Sets
# original, the tree, which stays as it is; work, a folder; and system, a folder in it where mount_layer mounts layers.
make_layers() {
    original=$("$repository/test/vm/system-tree" --dkms "$tree")
    # Lock both trees: nobody may replace the one, or build the module in the other.
    exec 7>"$original.in-use" 8>"$tree.in-use"
    flock --shared 7
    flock 8
    "$repository/test/vm/build" "$tree" "$(bootable_release "$tree")"
    work=$(mktemp --directory)
    trap remove_layers EXIT
    system=$work/system
    mkdir "$system"
    mkdir -p "$cache/log"
    qemu_options=()
}

remove_layers() {
    if mountpoint --quiet "$system"; then umount "$system"; fi
    rm -rf --one-file-system "$work"
}

# Mounts the system as a layer above the named folders, of which the first is the uppermost. Changes are in the folder NAME:
#
#     mount_layer NAME FOLDER...
mount_layer() {
    local below
    below=$(IFS=:; echo "${*:2}")
    mkdir "$work/$1" "$work/$1.overlay"
    mount --types overlay --options "lowerdir=$below,upperdir=$work/$1,workdir=$work/$1.overlay" overlay "$system"
}

# apt in the system, without a network
apt_in_system() {
    in_system unshare --net env DEBIAN_FRONTEND=noninteractive apt-get --yes --option Dpkg::Options::=--force-unsafe-io "$@"
}

# Configures the system: its root is on sm4-xts in LUKS1, and there is a data disk on sm4-xts in LUKS2. It reports on both, on
# the module, and on a tunnel by the commands of docs/ipsec.md.
set_up_layer() {
    set_up_root /dev/mapper/root
    add_volume root luks,initramfs
    add_volume data luks
    echo '/dev/mapper/data /srv/data ext4 defaults 0 2' >>"$system/etc/fstab"
    mkdir "$system/srv/data"
    set_up_report <<'END'
echo "REPORT kernel $(uname --kernel-release)"
echo "REPORT root is $(cryptsetup status root | sed -n 's/^ *\(type\|cipher\): *//p' | paste --serial)"
echo "REPORT data is $(cryptsetup status data | sed -n 's/^ *cipher: *//p')" \
    "on $(findmnt --noheadings --output SOURCE /srv/data)"
echo "REPORT version $(cat /sys/module/sm4_fast/version)"
echo "REPORT $(systemctl is-system-running --wait) $(systemctl list-units --failed --plain --no-legend)"
information=$(sm4-fast-info --no-speed 2>&1) && echo 'REPORT sm4-fast-info finds no problem'
echo "$information" | sed 's/^/REPORT information: /'
/srv/play /srv/tunnel.md 2>&1 | sed 's/^/REPORT tunnel: /'
END
    cp "$repository/test/docs/play" "$system/srv"
    # The rest of the page unloads the module, which the root file system uses.
    sed '/^## Algorithms$/,$d' "$repository/docs/ipsec.md" >"$system/srv/tunnel.md"
}

# Makes the disks of the system.
make_disks() {
    pack_system
    # Of the drivers of devices, the initramfs has those that the machine needs, and the tunnel needs one.
    tar --append --file "$work/system.tar" --directory "$system" --exclude=drivers ./usr/lib/modules
    (cd "$system" && shopt -s nullglob && tar --append --file "$work/system.tar" ./usr/src/sm4-fast-* \
        ./usr/lib/modules/*/kernel/drivers/net/veth.ko*)
    rm -f "$work"/{root,data}.img
    truncate --size=1500M "$work/root.img"
    truncate --size=40M "$work/data.img"
    check "the disks are made" "$repository/test/vm/boot" --seconds 1800 --log "$work/making.log" --disk "$work/root.img" \
        --disk "$work/data.img" --disk "$work/system.tar" "$tree" test/vm/guest/encrypted-system luks1 data
}

# Boots the kernel $2 of the system, which is to have the version $3 of the module in its initramfs; $1 is the boot's name.
boots() {
    console=$cache/log/$(basename "$0" .t)-$kernel-$1.log
    check "$1: a machine boots" boot_from_disks "$2" "$system/boot/initrd.img-$2" "$console" "$work"/{root,data}.img
    check "$1: it is kernel $2" says "kernel $2"
    check "$1: its root is on sm4-xts in LUKS1" says 'root is LUKS1.*sm4-xts-plain64'
    check "$1: its data disk is on sm4-xts, and mounted" says 'data is sm4-xts-plain64 on /dev/mapper/data'
    check "$1: opened by version $3" says "version $3\$"
    check "$1: all of the system is well" says running
}

# The same, and checks that sm4-fast-info finds no problem, and that the tunnel works.
works() {
    boots "$1" "$2" "$3"
    check "$1: sm4-fast-info finds no problem" says 'sm4-fast-info finds no problem'
    check "$1: the tunnel of docs/ipsec.md works" tunnel_works
}

tunnel_works() {
    says 'tunnel: 1\.\.[1-9]' && says 'tunnel: ok .* ping .*' && ! says 'tunnel: \(not ok\|#\).*'
}

# Whether each named kernel of the system has the version $1 of the module, and its initramfs, too
each_has() {
    local release
    for release in "${@:2}"; do
        [[ $(in_system modinfo -k "$release" -F version sm4_fast) == "$1" ]] || return
        [[ $(version_in_initramfs "$release") == "$1" ]] || return
    done
}

# The version of the module in the initramfs of the kernel $1
version_in_initramfs() {
    rm -rf "$system/tmp/initramfs"
    in_system unmkinitramfs "/boot/initrd.img-$1" /tmp/initramfs
    find "$system/tmp/initramfs" -name 'sm4[-_]fast.ko*' -exec modinfo --field version {} +
}
