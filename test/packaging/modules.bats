#!/usr/bin/env bats
# KERNEL=6.1|6.12 bats --formatter tap test/packaging/modules.bats
#
# The packages that have the modules for one kernel, beside those for DKMS first, then on a machine without a compiler, make,
# DKMS and headers: a layer above the root tree of the suite that has KERNEL, from which a test removes these. apt
# installs from a repository in a folder; the initramfs is made by initramfs-tools. (test/vm/modules.t boots a system with such
# packages.) Does not change the machine's own packages.

bats_require_minimum_version 1.5.0
# shellcheck source=test/packaging/common.bash
source "$BATS_TEST_DIRNAME/common.bash"

setup_file() {
    : "${KERNEL:?is not set: it is 6.1 or 6.12}"
    "$repository/test/need" --root git make kmod openssl debhelper apt-utils rpm dnf createrepo-c
    mount_above_kernel
    pretend_to_run_its_kernel
    fresh_clone "$work/clone"
    cd "$work/clone" || exit
    export headers=$tree/usr/src/linux-headers-$release packages=$tree/srv/repository
    mkdir "$packages" "$work/first"
    make deb
    make modules-deb KDIR="$headers"
    cp dist/*.deb "$work/first"
    cp dist/*.deb "$packages"
    make_later .
    make deb
    make modules-deb KDIR="$headers"
    mkdir "$work/later"
    cp dist/*_"$version".1_*.deb dist/*_"$version".1+*.deb "$work/later"
    # udev is not needed; a root tree has only parts of it. The initramfs is small, with only the modules that are needed.
    rm -rf "$tree/usr/share/initramfs-tools/hooks/udev"
    echo MODULES=list >"$tree/etc/initramfs-tools/conf.d/modules"
    in_tree update-initramfs -c -k "$release"
    : >"$tree/etc/apt/sources.list"
    echo 'deb [trusted=yes] file:///srv/repository ./' >"$tree/etc/apt/sources.list.d/sm4-fast.list"
    echo 'Acquire::Languages "none";' >"$tree/etc/apt/apt.conf.d/languages"
}

teardown_file() {
    # A layer of a test that has failed
    for layer in cut builder; do
        ! mountpoint --quiet "$work/$layer/tree" || umount "$work/$layer/tree"
    done
    unmount_above
}

# What a test has kept from its output
teardown() {
    cat "$BATS_TEST_TMPDIR/output" 2>/dev/null || :
}

apt_in_tree() {
    in_tree unshare --net env DEBIAN_FRONTEND=noninteractive apt-get --yes --option Dpkg::Options::=--force-unsafe-io "$@"
}

# Publishes what is in the repository's folder.
publish() {
    (cd "$packages" && apt-ftparchive packages . >Packages)
    apt_in_tree update --option APT::Update::Error-Mode=any
}

# Packages the modules as if they were those of the kernel RELEASE, whose headers say who built it:
#
#     pack deb|rpm RELEASE BUILT-BY FOLDER
pack() {
    local modules=$work/kernels/$2 sources=$work/sources/sm4-fast-$version.1
    if [[ ! -d $work/sources ]]; then
        make --directory="$work/clone" package-sources
        mkdir "$work/sources"
        tar --extract --gzip --directory "$work/sources" --file "$work/clone/dist/sm4-fast-$version.1.tar.gz"
        dpkg-deb --extract "$work/first/sm4-fast-modules-${release}_${version}_amd64.deb" "$work/files"
    fi
    mkdir --parents "$modules"
    find "$work/files" -name '*.ko' -exec cp --target-directory="$modules" {} +
    echo "$3" >"$modules/built-by"
    LC_ALL=C SOURCE_DATE_EPOCH=1 "$repository/packaging/pack-modules" "$1" "$sources" "$modules" "$4"
}

# Whether the kernel $1 has the whole module of version $3 in the folder updates/$2, and its initramfs, too
has_in() {
    [[ $(modinfo --basedir "$tree" --set-version "$1" --field filename sm4-fast) == */updates/$2/sm4-fast.ko* ]]
    [[ $(modinfo --basedir "$tree" --set-version "$1" --field version sm4-fast) == "$3" ]]
    modinfo --basedir "$tree" --set-version "$1" sm4-fast-esp
    initramfs_has "$1" "$3"
}

# The same for that of a package
has_packaged() {
    has_in "$1" sm4-fast "$2"
}

initramfs_has() {
    rm -rf "$tree/tmp/initramfs"
    in_tree unmkinitramfs "/boot/initrd.img-$1" /tmp/initramfs
    module=$(find "$tree/tmp/initramfs" -name 'sm4-fast.ko*')
    [[ $(modinfo --field version "$module") == "$2" ]]
}

@test "$KERNEL: another build, in another folder, gives the same bytes" {
    git clone --quiet "$work/clone" "$work/deeper/folder"
    (cd "$work/clone" && git ls-files -z --modified --others --exclude-standard |
        xargs --null cp --parents --target-directory="$work/deeper/folder")
    # The compiler is gone from this layer; the tree below still has it.
    (umask 077 && cd "$work/deeper/folder" &&
        make modules-deb KDIR="$("$repository/test/vm/root-tree" "$KERNEL")/usr/src/linux-headers-$release") \
        >"$BATS_TEST_TMPDIR/output" 2>&1
    # Its compiler is that of the kernel.
    run -1 grep '^W: the' "$BATS_TEST_TMPDIR/output"
    for package in "$work"/deeper/folder/dist/sm4-fast-modules-*.deb; do
        cmp "$package" "$work/later/${package##*/}"
    done
    rm -r "$work/deeper"
}

@test "$KERNEL: from DKMS to the package and back, each kernel has whole modules, and its initramfs, without a warning" {
    installed_by_dkms() {
        in_tree dkms status -m sm4-fast | grep "sm4-fast/$1, $release, x86_64: installed"
    }
    dkms=("$packages/sm4-fast"{,-dkms}"_${version}_all.deb")
    later_dkms=("$packages/sm4-fast"{,-dkms}"_$version.1_all.deb")
    cp "$work"/first/*.deb "$work/later/sm4-fast"{,-dkms}"_$version.1_all.deb" "$packages"
    publish
    {
        in_tree dpkg --install "${dkms[@]#"$tree"}"
        has_in "$release" dkms "$version"
        # Those of the package are taken before those of DKMS, which stay, and are upgraded.
        apt_in_tree install "sm4-fast-modules-$release=$version"
        has_packaged "$release" "$version"
        installed_by_dkms "$version"
        in_tree dpkg --install "${later_dkms[@]#"$tree"}"
        has_packaged "$release" "$version"
        installed_by_dkms "$version.1"
        # The same version is not built again.
        chmod -x "$tree"/usr/bin/gcc-*
        in_tree dpkg --install "${later_dkms[@]#"$tree"}"
        chmod +x "$tree"/usr/bin/gcc-*
        apt_in_tree remove "sm4-fast-modules-$release"
        has_in "$release" dkms "$version.1"
        # DKMS goes, and the package stays.
        apt_in_tree install "sm4-fast-modules-$release=$version"
        apt_in_tree purge sm4-fast-dkms
        has_packaged "$release" "$version"
        [[ ! -e $tree/lib/modules/$release/updates/dkms ]]
        # And back: if DKMS has no module, it builds one before the package goes.
        touch "$tree/etc/dkms/no-autoinstall"
        in_tree dpkg --install "${later_dkms[@]#"$tree"}" 2>"$BATS_TEST_TMPDIR/told-not-to-build"
        rm "$tree/etc/dkms/no-autoinstall"
        run ! installed_by_dkms "$version.1"
        apt_in_tree remove "sm4-fast-modules-$release"
        has_in "$release" dkms "$version.1"
    } >"$BATS_TEST_TMPDIR/output" 2>&1
    run -1 grep 'W: sm4-fast' "$BATS_TEST_TMPDIR/output"
    apt_in_tree purge sm4-fast-dkms sm4-fast
    rm "$packages"/*.deb
}

# Whether each kernel has whole modules, and its initramfs, of whatever version and way
each_can_boot() {
    local kernel
    for kernel in "$older" "$release"; do
        rm -rf "$tree/tmp/initramfs"
        in_tree unmkinitramfs "/boot/initrd.img-$kernel" /tmp/initramfs
        # shellcheck disable=SC2016  # the inner shell expands it
        in_tree sh -euc 'for file in "$(modinfo -k "$1" -n sm4-fast)" "$(modinfo -k "$1" -n sm4-fast-esp)" \
            "$(find /tmp/initramfs -name "sm4-fast.ko*")"; do /usr/libexec/sm4-fast/is-complete "$file" "$1"; done' sh "$kernel"
    done
}

# Runs apt-get in a layer above the tree, and cuts the power at the first call of one of these programs; then the same in
# another layer, at the second call, and so on. dpkg-deb, which unpacks, and gzip have given a part of their output by then.
# Each time, each kernel can boot, and so it can after the repair of docs/install.md and the same command once more. (Before
# a purge of DKMS's package, the repair would build everything again; dpkg does without.)
#
#     power_cuts "PROGRAM..." ARGUMENT-OF-APT-GET...
power_cuts() {
    local programs=$1 below=$tree tree=$work/cut/tree program call result unpacked
    shift
    for ((call = 1; ; call++)); do
        mkdir --parents "$work/cut"/{changes,overlay,tree,saved}
        mount --types overlay --options "lowerdir=$below,upperdir=$work/cut/changes,workdir=$work/cut/overlay" overlay "$tree"
        mkdir "$tree/srv/whole"
        for program in $programs; do
            cp --dereference "$tree$program" "$tree/srv/whole"
            mv "$tree$program" "$work/cut/saved"
            # The first process of a namespace outlives the others, and ends with them.
            cat >"$tree$program" <<END
#!/bin/sh
[ "\${0##*/}" != dpkg-deb ] || [ "\$1" = --fsys-tarfile ] || exec /srv/whole/dpkg-deb "\$@"
echo ${program##*/} >>/srv/calls
[ "\$(wc -l </srv/calls)" -eq $call ] || exec /srv/whole/${program##*/} "\$@"
case \$0 in */dpkg-deb | */gzip) /srv/whole/${program##*/} "\$@" | head --bytes=100000 ;; esac
kill -KILL -1
END
            chmod 755 "$tree$program"
        done
        result=0
        apt_in_tree "$@" || result=$?
        for program in $programs; do
            mv "$work/cut/saved/${program##*/}" "$tree$program"
        done
        echo "---- $*, with a power cut after the calls of $(paste --serial --delimiters=' ' "$tree/srv/calls"): $result"
        if [[ $result -ne 0 ]]; then
            [[ $(wc --lines <"$tree/srv/calls") -eq $call ]]
            each_can_boot
            in_tree dpkg --audit || :
            if [[ $1 == purge ]]; then
                in_tree dpkg "--$1" "${@:2}"
            else
                in_tree dpkg --configure --pending
                apt_in_tree --fix-broken install
                # If apt knows the version that dpkg was unpacking, it takes that for installed.
                # shellcheck disable=SC2016  # dpkg-query expands it
                unpacked=$(in_tree dpkg-query --show --showformat='${db:Status-Eflag} ${Package}\n' |
                    sed --quiet 's/^reinstreq //p')
                [[ -z $unpacked ]] || apt_in_tree install --reinstall "$unpacked"
                apt_in_tree "$@"
            fi
            each_can_boot
            [[ -z $(in_tree dpkg --audit) ]]
        fi
        umount "$tree"
        rm -r "$work/cut"
        [[ $result -ne 0 && $call -lt ${calls:-99} ]] || break
    done
    [[ $call -gt 1 || $result -ne 0 ]]
}

@test "$KERNEL: a power cut on the way from DKMS to the package and back leaves each kernel whole modules, and apt goes on" {
    export older=$KERNEL.0-1-amd64
    local package=sm4-fast-modules-$release
    local programs='/usr/bin/dpkg-deb /usr/bin/gzip /usr/sbin/depmod /usr/libexec/sm4-fast/package-hook'
    add_kernel "$older"
    for file in vmlinuz config; do
        cp "$tree/boot/$file-$release" "$tree/boot/$file-$older"
    done
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
    cp "$work"/first/*.deb "$packages"
    publish
    {
        apt_in_tree install sm4-fast-dkms
        in_tree update-initramfs -c -k "$older"
        power_cuts "$programs" install "$package"
        apt_in_tree install "$package"
        power_cuts "$programs" purge sm4-fast-dkms
        power_cuts "$programs" remove "$package"
        # As if DKMS had just built them
        in_tree dkms uninstall "sm4-fast/$version" -k "$release"
        power_cuts "$programs" install --reinstall sm4-fast-dkms
        # Here, the other kernel keeps those of DKMS.
        apt_in_tree purge sm4-fast-dkms
        calls=1 power_cuts /usr/bin/make install sm4-fast-dkms
        # A later version
        cp "$work"/later/sm4-fast_*.deb "$work"/later/sm4-fast-modules-*.deb "$packages"
        publish
        power_cuts "$programs" install "$package"
    } >"$BATS_TEST_TMPDIR/output" 2>&1
    rm "$tree/etc/crypttab" "$packages"/*.deb
    apt_in_tree purge "$package" sm4-fast
    # The other kernel still has those of DKMS.
    rm -rf "$tree/lib/modules/$older" "$tree/boot"/*"-$older"
}

@test "$KERNEL: without a compiler, make, DKMS and headers, one command of apt installs the modules, also in the initramfs" {
    remove_compiler
    cp "$work"/first/*.deb "$packages"
    publish
    run -0 apt_in_tree install sm4-fast-modules-amd64
    [[ $output != *'W: sm4-fast'* ]]
    run ! in_tree dpkg-query --status dkms sm4-fast-dkms
    has_packaged "$release" "$version"
    in_tree dpkg --verify sm4-fast "sm4-fast-modules-$release"
}

@test "$KERNEL: a later kernel without modules is kept back, by upgrade and full-upgrade; with them, it is installed" {
    later=$KERNEL.999+deb-amd64
    mkdir --parents "$work/linux-image-$later"/{boot,lib/modules/"$later"/kernel,DEBIAN}
    echo kernel >"$work/linux-image-$later/boot/vmlinuz-$later"
    cp "$tree/boot/config-$release" "$work/linux-image-$later/boot/config-$later"
    cp "$tree/lib/modules/$release"/modules.{order,builtin,builtin.modinfo} "$work/linux-image-$later/lib/modules/$later"
    printf '#!/bin/sh\ndepmod %s\n[ -e /boot/initrd.img-%s ] || update-initramfs -c -k %s\n' "$later" "$later" "$later" \
        >"$work/linux-image-$later/DEBIAN/postinst"
    chmod 755 "$work/linux-image-$later/DEBIAN/postinst"
    make_deb "$packages" "linux-image-$later" "$KERNEL.999-1"
    make_deb "$packages" linux-image-amd64 "$KERNEL.999-1" "Depends: linux-image-$later"
    # Another update, which has to be installed nevertheless
    make_deb "$packages" hostname 99
    publish
    for upgrade in 'upgrade --with-new-pkgs' full-upgrade; do
        # shellcheck disable=SC2086  # words
        run -0 apt_in_tree $upgrade
        echo "$output" >&2
        [[ ! -e $tree/boot/vmlinuz-$later && $output != *'REMOVED'* ]]
        in_tree dpkg-query --status sm4-fast-modules-amd64
    done
    # shellcheck disable=SC2016  # dpkg-query expands it
    [[ $(in_tree dpkg-query --show --showformat='${Version}' hostname) == 99 ]]
    # The repository gets its modules.
    pack deb "$later" "Debian $KERNEL.999-1" "$packages"
    cp "$work/later/sm4-fast_$version.1_all.deb" "$packages"
    publish
    apt_in_tree upgrade --with-new-pkgs
    has_packaged "$later" "$version"
    has_packaged "$release" "$version"
}

# The kernels are those of Ubuntu's archive in November 2026, by their names and versions. apt says what it would do.
@test "$KERNEL: a package follows each kind of kernel of Ubuntu, and keeps a later one back, but no other build of the same" {
    local folder=$tree/srv/ubuntu name number kind
    mkdir "$folder" "$folder/lists"
    echo 'deb [trusted=yes] file:///srv/ubuntu ./' >"$folder/sources"
    apt_of_ubuntu() {
        apt_in_tree --option Dir::State::status=/srv/ubuntu/status --option Dir::State::lists=/srv/ubuntu/lists \
            --option Dir::Etc::SourceList=/srv/ubuntu/sources --option Dir::Etc::SourceParts=- "$@"
    }
    # The packages that bring kernels, of version $1: linux-generic depends on linux-image-generic.
    stanzas() {
        printf "Package: %s\nVersion: $1\nArchitecture: amd64\nFilename: none\nSize: 1\nSHA256: %064d\nDepends: %s\n%s\n\n" \
            "linux-image-$kind" 1 base "$2" "linux-$kind" 1 "linux-image-$kind (= $1)" "$2"
    }
    # What apt would do if the archive had version $1
    upgrade_to() {
        { (cd "$folder" && apt-ftparchive packages .) && stanzas "$1" 'Priority: optional'; } >"$folder/Packages"
        apt_of_ubuntu update
        apt_of_ubuntu --simulate full-upgrade
    }
    while read -r name number kind same later; do
        pack deb "$name" "\"Ubuntu $number-${name##*-} 1.2.3\"" "$folder"
        {
            for deb in "$folder/sm4-fast-modules-"{"$name","${kind/virtual/generic}"}_*.deb; do
                dpkg-deb --field "$deb"
                printf 'Status: install ok installed\n\n'
            done
            printf 'Package: %s\nVersion: %s\nArchitecture: amd64\nStatus: install ok installed\n\n' base 1 \
                sm4-fast "$version.1" "linux-image-$name" "$number"
            stanzas "$number" 'Status: install ok installed'
        } >"$folder/status"
        run -0 upgrade_to "$same"
        [[ $output == *"Inst linux-image-$kind "* ]]
        run -0 upgrade_to "$later"
        echo "$output" >&2
        [[ $output != *Inst* && $output != *Remv* ]]
    done <<END
6.8.0-151-generic 6.8.0-151.151         generic           6.8.0-151.152         6.8.0-152.152
6.8.0-151-generic 6.8.0-151.151         virtual           6.8.0-151.152         6.8.0-152.152
7.0.0-44-generic  7.0.0-44.44~24.04.1   generic-hwe-24.04 7.0.0-44.44~24.04.2   7.0.0-45.45~24.04.1
7.0.0-1018-aws    7.0.0-1018.19~24.04.1 aws               7.0.0-1018.19~24.04.2 7.0.0-1019.20~24.04.1
END
    # Its earlier ones have versions of another kind.
    pack deb 5.15.0-204-generic '"Ubuntu 5.15.0-204.214-generic 5.15.224"' "$work/earlier"
    [[ $(cd "$work/earlier" && echo *.deb) == "sm4-fast-modules-5.15.0-204-generic_$version.1_amd64.deb" ]]
}

@test "$KERNEL: the package for a kernel that is not there: apt and dpkg name that, and apt removes what dpkg has unpacked" {
    local missing=$KERNEL.998+deb-amd64
    local package=sm4-fast-modules-$missing
    pack deb "$missing" '' "$tree/srv"
    run -100 apt_in_tree install "/srv/${package}_$version.1_amd64.deb"
    [[ $output == *"$package : Depends: linux-image-$missing but it is not installable"* ]]
    run ! in_tree dpkg --install "/srv/${package}_$version.1_amd64.deb"
    echo "$output" >&2
    [[ $output == *"$package depends on linux-image-$missing |"*"Package linux-image-$missing is not installed"* ]]
    has_packaged "$release" "$version"
    apt_in_tree --fix-broken install
    [[ ! -e $tree/lib/modules/$missing && -z $(in_tree dpkg --audit) ]]
    has_packaged "$release" "$version"
}

@test "$KERNEL: a later version replaces those of a kernel, which has whole ones at each moment" {
    local deb=sm4-fast-modules-${release}_$version.1_amd64.deb
    cp "$work/later/$deb" "$packages"
    publish
    in_tree dpkg --unpack "/srv/repository/$deb"
    initramfs_has "$release" "$version"
    modinfo --basedir "$tree" --set-version "$release" sm4-fast sm4-fast-esp
    # The disk of the initramfs is full.
    mv "$tree/usr/sbin/update-initramfs" "$work"
    printf '#!/bin/sh\nexit 1\n' >"$tree/usr/sbin/update-initramfs"
    chmod 755 "$tree/usr/sbin/update-initramfs"
    run ! in_tree dpkg --configure --pending
    [[ $output == *"W: sm4-fast: THE INITRAMFS OF KERNEL $release COULD NOT BE REGENERATED."* ]]
    [[ $output == *'W: sm4-fast:     dpkg --configure --pending'* ]]
    mv "$work/update-initramfs" "$tree/usr/sbin"
    in_tree dpkg --configure --pending
    has_packaged "$release" "$version.1"
    cp "$work/first/${deb/.1_/_}" "$packages"
    publish
    apt_in_tree install --allow-downgrades "sm4-fast-modules-$release=$version"
    has_packaged "$release" "$version"
    apt_in_tree upgrade
    has_packaged "$release" "$version.1"
}

@test "$KERNEL: a kernel is removed together with its modules, without a warning" {
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
    run -0 apt_in_tree purge "linux-image-$KERNEL.999+deb-amd64"
    [[ $output == *"sm4-fast-modules-$KERNEL.999+deb-amd64"* && $output != *'W: sm4-fast'* ]]
    has_packaged "$release" "$version.1"
    rm "$tree/etc/crypttab"
}

@test "$KERNEL: a removal keeps the modules for the devices of this machine, or says what to do" {
    local kept=$tree/lib/modules/$release/updates/sm4-fast-kept
    echo 'secret /dev/vdz none plain,cipher=sm4-xts-plain64' >"$tree/etc/crypttab"
    # dpkg regenerates the initramfs at once, by the hook that is left.
    run -0 apt_in_tree purge sm4-fast
    [[ $output == *"W: sm4-fast: kernel $release keeps a copy of the module"*'secret sm4-xts-plain64'* ]]
    [[ $output == *"update-initramfs: Generating"* && $output != *'has no module'* ]]
    has_in "$release" sm4-fast-kept "$version.1"
    in_tree update-initramfs -u -k "$release"
    has_in "$release" sm4-fast-kept "$version.1"
    apt_in_tree install sm4-fast "sm4-fast-modules-$release"
    [[ ! -e $kept ]]
    has_packaged "$release" "$version.1"
    # It cannot be kept; of an earlier attempt, a part is there.
    mkdir "$kept.new"
    : >"$kept.new/sm4-fast.ko"
    mv "$tree/usr/bin/cp" "$work/cp"
    run -0 apt_in_tree remove "sm4-fast-modules-$release"
    mv "$work/cp" "$tree/usr/bin/cp"
    [[ $output == *"W: sm4-fast: kernel $release HAS NO MODULE sm4-fast ANY MORE,"*'secret sm4-xts-plain64'* ]]
    [[ -z $(find "$tree/lib/modules/$release" -name 'sm4-fast*') ]]
    run ! in_tree update-initramfs -u -k "$release"
    [[ $output == *"    apt install sm4-fast-modules-$release"*'stays as it is'* && $output != *headers* ]]
    initramfs_has "$release" "$version.1"
    # What is kept goes with the devices.
    apt_in_tree install "sm4-fast-modules-$release"
    apt_in_tree remove "sm4-fast-modules-$release"
    has_in "$release" sm4-fast-kept "$version.1"
    mkdir -p "$tree/lib/modules/gone/updates"
    cp -r "$kept" "$tree/lib/modules/gone/updates"
    rm "$tree/etc/crypttab"
    apt_in_tree install "sm4-fast-modules-$release"
    has_packaged "$release" "$version.1"
    [[ ! -e $kept && ! -e $tree/lib/modules/gone ]]
}

@test "$KERNEL: a purge leaves nothing" {
    apt_in_tree purge 'sm4-fast*'
    run -0 find "$tree"/{boot,usr,etc,lib/modules} -name '*sm4[-_]fast*' ! -path '*/sources.list.d/*'
    [[ -z $output ]]
    run ! initramfs_has "$release" "$version.1"
    # (A kernel's own package deletes its indexes. The stand-in for one does not.)
    run ! grep --files-with-matches sm4_fast "$tree/lib/modules/$release"/modules.*
}

# Puts what the modules for the kernel $1 require into the repository of $work, for an empty root.
require_for() {
    make_rpm sm4-fast "$version.1" 1
    make_rpm needed 1 1 'Provides: /bin/sh'
    make_rpm kernel-core "${1%%-*}" 1.el9 "Provides: kernel-uname-r = $1" 'Provides: installonlypkg(kernel)'
    createrepo_c --quiet "$work/repository"
    mkdir "$work/root"
}

# dnf for that root
dnf_in_root() {
    dnf --assumeyes --installroot="$work/root" --releasever=1 --setopt=tsflags=noscripts \
        --setopt=reposdir="$work/none" --setopt=cachedir="$work/cache" --setopt=logdir="$work/root" \
        --setopt=pluginpath="$work/none" --nogpgcheck --repofrompath=ours,"$work/repository" "$@"
}

# Makes another kernel, $KERNEL.$1, in that repository.
later_kernel() {
    make_rpm kernel-core "$KERNEL.$1" 1.el9 "Provides: kernel-uname-r = $KERNEL.$1-1.el9.x86_64" 'Provides: installonlypkg(kernel)'
    createrepo_c --quiet "$work/repository"
    rm -rf "$work/cache"
}

@test "$KERNEL: dnf installs the modules with their kernel, and keeps a later one back, as docs/install.md says" {
    local rpm=$KERNEL.1-1.el9.x86_64
    pack rpm "$rpm" '' "$work/repository"
    require_for "$rpm"
    # The kernel is there before, as on each machine.
    dnf_in_root install kernel-core
    dnf_in_root install kmod-sm4-fast
    dnf_in_root mark install sm4-fast
    [[ $(modinfo --field version "$work/root/lib/modules/$rpm/updates/sm4-fast/sm4-fast.ko") == "$version" ]]
    rpm --root "$work/root" --query "kernel-core-$KERNEL.1-1.el9"
    later_kernel 2
    run ! dnf_in_root --setopt=best=True upgrade
    run -0 dnf_in_root --setopt=best=False upgrade
    [[ $(rpm --root "$work/root" --query kernel-core) == "kernel-core-$KERNEL.1-1.el9."* ]]
    rpm --root "$work/root" --query kmod-sm4-fast
}

@test "$KERNEL: dnf keeps the modules of each kernel that is there, also when the package that follows the kernels is removed" {
    local first=kmod-sm4-fast-$KERNEL.1-1.el9.x86_64 second=kmod-sm4-fast-$KERNEL.2-1.el9.x86_64
    pack rpm "$KERNEL.2-1.el9.x86_64" '' "$work/repository"
    later_kernel 3
    dnf_in_root --setopt=best=False upgrade
    rpm --root "$work/root" --query "$second" "kernel-core-$KERNEL.2-1.el9"
    dnf_in_root autoremove
    rpm --root "$work/root" --query "$first"
    # A kernel that mends a hole is let through.
    dnf_in_root remove kmod-sm4-fast
    dnf_in_root upgrade
    dnf_in_root autoremove
    rpm --root "$work/root" --query sm4-fast "$first" "$second" "kernel-core-$KERNEL.3-1.el9"
    dnf_in_root remove "kernel-core-$KERNEL.1"
    run ! rpm --root "$work/root" --query "$first"
    dnf_in_root remove sm4-fast
    run ! rpm --root "$work/root" --query "$second"
    # Nobody gets the modules who has not asked for them.
    dnf_in_root remove kernel-core
    dnf_in_root install "kernel-core-$KERNEL.2"
    run ! rpm --root "$work/root" --query "$second"
}

# Makes a key $1 with its certificate, both of the same name.
make_key() {
    openssl req -new -x509 -newkey rsa:2048 -nodes -days 1 -subj "/CN=$1/" -keyout "$work/$1.pem" -outform DER \
        -out "$work/$1.der"
}

# What the key $1 adds to a version
signed_by() {
    local start
    start=$(openssl x509 -inform DER -in "$work/$1.der" -noout -startdate)
    date --utc --date="${start#*=}" +signed%Y%m%d%H%M%S
}

# Whether the modules for the kernel $2 in the root $3 are signed by the key $1
are_signed() {
    local module
    for module in sm4-fast sm4-fast-esp; do
        [[ $(modinfo --field signer "$3/lib/modules/$2/updates/sm4-fast/$module.ko") == "$1" ]]
    done
}

# Signs the packages in dist by the key $1.
sign_by() {
    make sign-packages KEY="$work/$1.pem" CERT="$work/$1.der" \
        SIGN_FILE="$(find "$("$repository/test/vm/root-tree" "$KERNEL")/usr/lib" -name sign-file | head --lines=1)"
}

@test "$KERNEL: make sign-packages signs once, and by a later key anew; apt upgrades to that; an earlier key is refused" {
    local deb=sm4-fast-modules-${release}_$version.1_amd64.deb signed key
    cd "$work/clone"
    rm dist/*.deb
    cp "$work/later/$deb" dist
    make_key ours
    make_key foreign
    # The times of certificates are whole seconds.
    sleep 1
    make_key replacement
    run ! packaging/sign-packages --check "$work/ours.der" "dist/$deb"
    [[ $output == *'sm4-fast.ko HAS NO SIGNATURE'* ]]
    # A machine has them without a signature, and the package that follows the kernel.
    rm "$packages"/sm4-fast*.deb
    cp "$work"/later/*.deb "$packages"
    publish
    apt_in_tree install sm4-fast-modules-amd64
    for key in ours replacement; do
        signed=${deb/.1_/.1+$(signed_by "$key")_}
        sign_by "$key"
        cp "dist/$signed" "$work/signed"
        cp "$work/later/$deb" dist
        sign_by "$key"
        cmp "dist/$signed" "$work/signed"
        # The package that it replaces is gone.
        [[ $(cd dist && echo *modules*.deb) == "$signed" ]]
        packaging/sign-packages --check "$work/$key.der" "dist/$signed"
        run ! packaging/sign-packages --check "$work/foreign.der" "dist/$signed"
        [[ $output == *'sm4-fast.ko HAS NO SIGNATURE'* ]]
        cp "dist/$signed" "$packages"
        publish
        if [[ $key == ours ]]; then
            apt_in_tree install "/srv/repository/$signed"
        else
            apt_in_tree upgrade
        fi
        are_signed "$key" "$release" "$tree"
        in_tree dpkg --verify "sm4-fast-modules-$release"
        in_tree dpkg-query --status sm4-fast-modules-amd64
        [[ -z $(in_tree dpkg --audit) ]]
    done
    run ! sign_by ours
    [[ $output == *"dist/$signed: $work/ours.der IS NOT LATER THAN THE CERTIFICATE THAT SIGNED IT"* ]]
    cmp "dist/$signed" "$work/signed"
    # Another build is without a signature, until it is signed.
    mkdir "$work/another-build"
    pack deb "$release" '' "$PWD/dist"
    [[ $(cd dist && echo *modules*.deb) == "$deb" ]]
    mv dist/*modules*.deb "$work/another-build"
    rm "$packages"/sm4-fast*.deb
}

# A layer above the root tree, which has a compiler, with headers of another kernel: as of one whose distribution has RPM, by
# its name
@test "$KERNEL: make release signs the modules of KDIRS, or takes signed packages; it refuses no signature, and a foreign one" {
    local deb=sm4-fast-modules-${release}_$version.1_amd64.deb rpm=$KERNEL.1-1.el9.x86_64 headers kdirs certificate signed compiler gcc_version
    mkdir --parents "$work/builder"/{changes,overlay,tree}
    mount --types overlay --options "lowerdir=$("$repository/test/vm/root-tree" "$KERNEL"),upperdir=$work/builder/changes" \
        --options "workdir=$work/builder/overlay" overlay "$work/builder/tree"
    headers=$work/builder/tree/usr/src/linux-headers-$rpm
    cp --recursive "$work/builder/tree/usr/src/linux-headers-$release" "$headers"
    echo "$rpm" >"$headers/include/config/kernel.release"
    echo "#define UTS_RELEASE \"$rpm\"" >"$headers/include/generated/utsrelease.h"
    kdirs="$work/builder/tree/usr/src/linux-headers-$release $headers"
    # This one's name its compiler as Linux 4.18 does, in the words of "gcc -v"; the other one's do not name it.
    compiler=$(sed --quiet 's/^CONFIG_CC_VERSION_TEXT="*\([^ ]*\) .*/\1/p' "$headers/include/config/auto.conf")
    compiler=$(chroot "$work/builder/tree" "$compiler" -v 2>&1 | sed --quiet '/^gcc version /s/ *$//p')
    gcc_version=$(grep '^CONFIG_GCC_VERSION=' "$headers/include/config/auto.conf")
    sed --in-place '/^CONFIG_\(CC_VERSION_TEXT\|GCC_VERSION\)=/d' "$headers/include/config/auto.conf"
    sed --in-place "s/^#define LINUX_COMPILER.*/#define LINUX_COMPILER \"$compiler\"/" "$headers/include/generated/compile.h"
    sed --in-place '/^CONFIG_\(CC_VERSION_TEXT\|GCC_VERSION\)=/d; /LINUX_COMPILER/d' \
        "$work/builder/tree/usr/src/linux-headers-$release/include"/{config/auto.conf,generated/compile.h}
    cd "$work/clone"
    # A distribution's second package of this version
    sed --in-place 's/^Release: .*/Release: 2/' packaging/sm4-fast.spec
    git add --all
    git -c user.name=test -c user.email=test@localhost commit --quiet --message=later
    # Before anything is built
    run -2 make release KDIRS="$kdirs" KEY="$work/ours.pem"
    [[ $output == *'Say which key and which certificate'* && $output != *dpkg-buildpackage* ]]
    run -2 make release KDIRS=one PACKAGES=another
    [[ $output == *'say one of them'* && $output != *dpkg-buildpackage* ]]
    # Another build of a kernel, with the same release
    ln --symbolic "linux-headers-$release" "$work/builder/tree/usr/src/another-build"
    run -2 make modules-deb KDIRS="${kdirs% *} $work/builder/tree/usr/src/another-build"
    echo "$output" >&2
    [[ $output == *"THE HEADERS IN ${kdirs% *} AND IN $work/builder/tree/usr/src/another-build ARE FOR THE SAME RELEASE, $release"* ]]
    [[ $output != *dpkg-buildpackage* && -z $(ls dist/modules) ]]
    run -0 make release KDIRS="$kdirs" KEY="$work/ours.pem" CERT="$work/ours.der"
    echo "$output" >&2
    [[ $(grep '^W: the' <<<"$output") == "W: the headers of the kernel $release do not say which compiler built it" ]]
    signed=$(signed_by ours)
    packaging/sign-packages --check "$work/ours.der" "dist/release/apt/$KERNEL/${deb/.1_/.1+${signed}_}"
    [[ -e dist/release/rpm/$KERNEL/kmod-sm4-fast-$rpm-$version.1-2.$signed.x86_64.rpm ]]
    mv dist/release "$work/release"
    mkdir "$work/signed-elsewhere"
    mv dist/sm4-fast-modules-*.deb "$work/signed-elsewhere"
    # The other target makes the same RPMs. Now, the number is all that is known of the compiler: it is a later one's.
    rm dist/kmod-*.rpm "$headers/include/generated/compile.h"
    echo "${gcc_version%??}99" >>"$headers/include/config/auto.conf"
    run -0 make modules-rpm KDIR="$headers" KEY="$work/ours.pem" CERT="$work/ours.der"
    echo "$output" >&2
    [[ $(grep '^W: the' <<<"$output") =~ "W: the kernel $rpm was built by another compiler: "[0-9]+\.[0-9]+\.99$ ]]
    umount "$work/builder/tree"
    mv dist/kmod-*.rpm "$work/signed-elsewhere"
    make release PACKAGES="$work/signed-elsewhere/*" CERT="$work/ours.der"
    diff --recursive "$work/release" dist/release
    # rpmbuild has left the signatures: the files that dnf installs from the repository have them.
    rm -rf "$work"/{root,repository,cache}
    require_for "$rpm"
    dnf_in_root --repofrompath=signed,"$work/release/rpm/$KERNEL" install kmod-sm4-fast
    are_signed ours "$rpm" "$work/root"
    # By another key, dnf upgrades to them, too.
    cp "$work/signed-elsewhere/"kmod-*.rpm dist
    sign_by replacement
    mkdir "$work/replacement"
    mv dist/kmod-*.rpm "$work/replacement"
    createrepo_c --quiet "$work/replacement"
    dnf_in_root --repofrompath=signed,"$work/replacement" upgrade
    are_signed replacement "$rpm" "$work/root"
    # Sources of another version would make packages whose version is not that of their modules.
    cp "$work/signed-elsewhere/"kmod-*.rpm dist
    sed --in-place 's/^Release: .*/Release: 3/' packaging/sm4-fast.spec
    run ! sign_by replacement
    git checkout packaging/sm4-fast.spec
    [[ $output == *"dist/kmod-sm4-fast-$rpm-$version.1-2.$signed.x86_64.rpm: ITS VERSION IS $version.1-2, AND THAT OF THE SOURCES $version.1-3"* ]]
    for file in dist/kmod-*.rpm; do cmp "$file" "$work/signed-elsewhere/${file##*/}"; done
    rm dist/kmod-*.rpm
    rm -r dist/release
    for certificate in ours foreign; do
        run -2 make release CERT="$work/$certificate.der" \
            PACKAGES="$work/$([[ $certificate == foreign ]] && echo "signed-elsewhere/${deb/.1_/.1+${signed}_}" || echo "later/$deb")"
        [[ $output == *"sm4-fast.ko HAS NO SIGNATURE THAT $work/$certificate.der VERIFIES"* && ! -e dist/release ]]
    done
}

@test "$KERNEL: a release has the packages that follow kernels of one distribution, and refuses those of two, and two of one name" {
    local folder=$work/followers packages
    # Two kernels of Debian, or of one RHEL; then one of the same series in another distribution
    pack deb "$KERNEL.999+deb-amd64" "Debian $KERNEL.999-1" "$folder"
    pack deb "$KERNEL.999+bpo-amd64" "Debian $KERNEL.999-1~bpo12+1" "$folder"
    for packages in 1-2.el9_5 2-1.el9_6 2-1.oe2203sp1; do
        pack rpm "$KERNEL.$packages.x86_64" '' "$folder"
    done
    release() {
        env SOURCE_DATE_EPOCH=1 packaging/release "$work/release-of-followers" '' CHANGELOG.md "$@"
    }
    cd "$work/clone"
    release "$work/later"/sm4-fast-modules-*.deb "$folder"/*_*[0-9]-1_amd64.deb "$folder"/*el9*.rpm
    [[ $(find "$work/release-of-followers"/{apt,rpm}/"$KERNEL" -name '*.deb' -o -name '*.rpm' | wc --lines) -eq 7 ]]
    for packages in "$work/later/sm4-fast-modules-amd64_*.deb $folder/sm4-fast-modules-amd64_*bpo*.deb" \
        "$folder/kmod-sm4-fast-$version.*el9_5*.rpm $folder/kmod-sm4-fast-$version.*oe*.rpm"; do
        # shellcheck disable=SC2086  # patterns
        run -1 release $packages
        echo "$output" >&2
        # shellcheck disable=SC2116,SC2086
        [[ $output == "$(echo ${packages% *}) AND $(echo ${packages#* }) FOLLOW THE KERNELS OF TWO DISTRIBUTIONS"* ]]
    done
    run -1 release "$work"/{later,another-build}/"sm4-fast-modules-${release}_$version.1_amd64.deb"
    echo "$output" >&2
    [[ $output == *"HAVE THE SAME NAME AND OTHER CONTENT"* ]]
    # What was there before stays.
    [[ -e $work/release-of-followers/SHA256SUMS ]]
}
