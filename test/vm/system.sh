# Sourced after tap.sh by the TAP programs of test/vm that boot a whole Debian, which is in the folder $system: functions that
# set it up and boot it.
# shellcheck shell=bash
# shellcheck disable=SC2154  # the program that sources this sets console and qemu_options; upgrade.t also system and work

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
