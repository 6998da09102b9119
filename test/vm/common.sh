# Sourced by the scripts of test/vm and by demo/run: paths, errors, and functions for root trees. Changes nothing by itself.
# shellcheck shell=bash
# shellcheck disable=SC2034  # these variables are for the scripts that source this

# shellcheck source=test/vm/guest/tap.bash
source "$(dirname "${BASH_SOURCE[0]}")/guest/tap.bash"

# On Debian, depmod and chroot are not in the PATH of ordinary users, and of root after a plain su.
PATH+=:/usr/sbin:/sbin

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sm4-fast
trees=$cache/root

# Exit status of scripts if the archive does not, or no longer, have the suite or the source that they fetch.
not_in_archive=77

# Debian packages that the machine itself needs for root trees and virtual machines.
machine_packages=(mmdebstrap debian-archive-keyring xz-utils mount qemu-system-x86 python3-venv kmod binutils file)

# The processor of QEMU with most features: AES, AVX2, PCLMULQDQ. QEMU 7.2 sometimes leaves an address in the flags after
# cmpxchg16b; an interrupt that comes then can be a double fault. Debian's kernels and programs do without this instruction.
emulated_processor=max,-cx16

# Parameters of a kernel on that. Programs have the same addresses in each process, because QEMU translates code again for other
# addresses: this halves the time to start one. Allocated memory is not zeroed, because QEMU emulates "rep stosb" byte by byte,
# and 5.10 allocates a megabyte for each message of 9p: there, this takes an eighth of the time. On a busy machine, a processor
# may stand still for longer than the kernel waits before it reports that.
parameters_for_emulation='norandmaps init_on_alloc=0 watchdog_thresh=60 rcupdate.rcu_cpu_stall_timeout=120'

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

# The tiers of the module file $1 that this machine's processor can run, by their priorities
usable_tiers() {
    local tier flags flag
    modinfo --field tier "$1" | tr --delete '(),' | sort --key=2,2n |
        while read -r tier _ flags; do
            for flag in ${flags%%GCM*}; do
                grep --quiet --max-count=1 --word-regexp "^flags.* $flag" /proc/cpuinfo || continue 2
            done
            echo "$tier"
        done
}

first_error() {
    grep --only-matching --max-count=1 '\<E: .*' "$1" || tail --lines=1 "$1"
}

# Ends the script because $1 cannot be fetched, with the first error in $2, a file with apt's messages. The caller goes on
# without it.
cannot_fetch() {
    printf '%s cannot be fetched: %s\n' "$1" "$(first_error "$2")" >&2
    exit "$not_in_archive"
}

# Runs a script that makes something in the cache folder, for a TAP program, and sets made to the path that it prints. Its
# messages are passed on as comments. If the archive lacks the sources, the program is skipped, with the last message.
make_or_skip() {
    local messages reason status=0
    messages=$(mktemp)
    { made=$({ "$@" 2>&1 >&4 3>&- 4>&- | tee "$messages" | comment >&3; } 4>&1) || status=$?; } 3>&1
    reason=$(tail --lines=1 "$messages")
    rm "$messages"
    if [[ $status -eq $not_in_archive ]]; then
        skip_all "$reason"
    fi
    [[ $status -eq 0 ]] || exit "$status"
}

# Fails unless the disk of the folder $1, which is in the cache, has $2 MB free for $3.
need_space() {
    local free
    free=$(free_megabytes "$1")
    [[ $free -ge $2 ]] || fail "$3 needs $2 MB in $1, and its disk has $free MB free. Make room there, or say where else" \
                               "there is some: XDG_CACHE_HOME=FOLDER (make clean-cache removes what is in $cache)"
}

free_megabytes() {
    df --output=avail --block-size=1M "$1" | tail --lines=1 | tr --delete ' '
}

# Options of mmdebstrap for each root tree. Check-Valid-Until: a testing suite's Release file can have expired.
tree_options=(--variant=minbase --mode=root --aptopt='Acquire::Check-Valid-Until "false"')
without_pages=(--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
               --dpkgopt='path-exclude=/usr/share/doc/*')

# If the root tree NAME is in the cache folder and was made by the same RECIPE, prints its path and ends the script. Otherwise
# sets work, a folder in which the script makes the tree as "tree"; end_tree then moves it to its place:
#
#     begin_tree NAME RECIPE MEGABYTES WHAT
begin_tree() {
    tree=$trees/$1
    recipe=$2
    mkdir -p "$trees"
    exec 9>"$tree.lock"
    flock 9
    if [[ -f $tree/recipe && $(<"$tree/recipe") == "$recipe" ]]; then
        echo "$tree"
        exit
    fi
    need_space "$trees" "$3" "$4"
    work=$(mktemp --directory "$trees/making-$1.XXXXXX")
    trap 'rm -rf --one-file-system "$work"' EXIT
}

end_tree() {
    echo "$recipe" >"$work/tree/recipe"
    # Do not replace a tree while a test runs in it.
    exec 8>"$tree.in-use"
    flock 8
    rm -rf --one-file-system "$tree"
    mv "$work/tree" "$tree"
    echo "$tree"
}

# The release of the kernel that the root tree in $1 boots, such as 6.1.0-50-amd64: the newest with an image. This is in /boot
# on Debian and Ubuntu; on distributions with RPM, there or in the folder of the modules. Prints nothing if there is none.
bootable_release() {
    local image
    for image in "$1"/boot/vmlinuz-* "$1"/lib/modules/*/vmlinuz; do
        case $image in
        *-rescue-* | *'*'*) ;;
        */vmlinuz) basename "${image%/vmlinuz}" ;;
        *) echo "${image##*/vmlinuz-}" ;;
        esac
    done | sort --version-sort | tail --lines=1
}

# The image of the kernel that the root tree in $1 boots
kernel_image() {
    local release image
    release=$(bootable_release "$1")
    for image in "$1/boot/vmlinuz-$release" "$1/lib/modules/$release/vmlinuz"; do
        if [[ -f $image ]]; then
            echo "$image"
            return
        fi
    done
}

# Makes a fresh clone in the folder $1, including uncommitted changes.
fresh_clone() {
    git clone --quiet "$repository" "$1"
    git -C "$repository" ls-files -z --modified --others --exclude-standard |
        (cd "$repository" && xargs --null --no-run-if-empty cp --parents --target-directory="$1")
}

# Gives the clone in the folder $1 a later version, with ".1" at its end.
make_later() {
    sed --in-place 's/^MODULE_VERSION("[^"]*/&.1/' "$1/sm4-fast-glue.c"
    sed --in-place '1s/)/.1)/' "$1/debian/changelog"
}

# Makes a Debian package of the files in the folder $work/NAME, if there is one, and puts it into FOLDER:
#
#     make_deb FOLDER NAME VERSION [LINE-OF-CONTROL...]
make_deb() {
    mkdir --parents "$work/$2/DEBIAN"
    printf '%s\n' "Package: $2" "Version: $3" 'Architecture: amd64' 'Maintainer: none' 'Description: none' "${@:4}" \
        >"$work/$2/DEBIAN/control"
    dpkg-deb --build "$work/$2" "$1"
}

# Runs a command in the root tree $tree, with a /proc for the tools that need it, in a mount namespace that ends with the
# command. The first process of a PID namespace does not die of SIGINT, and make would go on: so the first one is a shell.
# shellcheck disable=SC2154  # the script that sources this sets it
in_tree() {
    unshare --mount --pid --fork --mount-proc="$tree/proc" chroot "$tree" sh -c '"$@"; exit' sh "$@"
}

# Purges what builds modules from the root tree $tree: compiler, make, DKMS and headers. Fails if one is left.
remove_compiler() {
    local packages program
    # shellcheck disable=SC2016  # dpkg-query expands it
    packages=$(in_tree dpkg-query --show --showformat='${Package}\n' 'gcc*' 'cpp*' make dkms 'linux-headers-*' \
        'linux-kbuild-*' | grep --invert-match -e -base$)
    # shellcheck disable=SC2086  # a list
    in_tree apt-get --yes purge $packages
    rm -rf "$tree"/usr/src/linux-headers*
    for program in cc gcc make dkms; do
        ! in_tree sh -c "command -v $program" || return
    done
    [[ -z $(find "$tree"/lib/modules/*/build/ -name Makefile 2>/dev/null) ]]
}

# Sets variables, the options to build a module in the root tree $tree with the headers $1 and the warnings of W=1. BTF needs
# the kernel's vmlinux, which Debian's headers lack. The script with which W=1 checks comments does not work in the headers
# of Ubuntu's 5.4.0-216.
warn_of_everything() {
    variables=(W=1 CONFIG_DEBUG_INFO_BTF_MODULES=)
    # In later kernels, this script is not in Perl.
    if in_tree grep --quiet '^#!.*perl' "$1/scripts/kernel-doc" 2>/dev/null &&
       ! in_tree perl -c "$1/scripts/kernel-doc" 2>/dev/null; then
        variables+=(cmd_checkdoc=)
    fi
}

# Sets the array suites to the Debian suites for the kernel $1, the one with the kernel last, and fallback to a suite that
# replaces it when it no longer exists.
choose_suites() {
    case $1 in
    5.10) suites=(bullseye) fallback=() ;;
    6.1)  suites=(bookworm) fallback=() ;;
    6.12) suites=(trixie) fallback=() ;;
    7.2)  suites=(forky) fallback=(sid) ;;
    7.3)  suites=(trixie trixie-backports) fallback=() ;;
    *)    fail "no kernel $1: there are 5.10, 6.1, 6.12, 7.2 and 7.3" ;;
    esac
}

# Whether the kernel $1 is not Debian's, but that of a user's root tree of another distribution: a path.
is_own_tree() {
    [[ $1 == */* ]]
}

# The distribution of the root tree in $1, such as Ubuntu 22.04.5 LTS
name_of_tree() {
    local name
    name=$(sed -n 's/^PRETTY_NAME=//p' "$1/etc/os-release" 2>/dev/null | tr --delete "\"'#")
    echo "${name:-an unknown distribution}"
}

# Whether the kernel that the root tree in $1 boots has all named modules, built in or not.
has_modules() {
    modprobe --dirname "$1" --set-version "$(bootable_release "$1")" --config /dev/null --show-depends --all "${@:2}" \
        >/dev/null 2>&1
}

# Whether the kernel supports 9p, which QEMU itself offers for files. Kernels of openEuler and RHEL have only virtiofs.
has_9p() {
    has_modules "$1" 9p 9pnet_virtio
}

# The kernel whose root tree has the programs that test the kernel $1: its own, unless its tree has too old programs or is not
# Debian's. Debian 11 has a libgcrypt without SM4 and a bats without "run !", and other distributions have no bats at all. From
# such a tree, only the compiler and the kernel are used.
kernel_of_programs() {
    if is_own_tree "$1" || [[ $1 == 5.10 ]]; then
        echo 6.1
    else
        echo "$1"
    fi
}

# The sources of Debian itself in this machine's apt, without any others: a line each, mirror and codename. With $1, those
# with another label than Debian, such as Debian-Security.
debian_sources() {
    # shellcheck disable=SC2016  # apt expands these, not the shell
    apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI) $(CODENAME)' 'Created-By: Packages' |
        awk -v label="${1:-Debian}" '$1 == "Debian" && $2 == label { sub("/$", "", $3); print $3, $4 }'
}

debian_mirror() {
    local mirror
    mirror=$(debian_sources | awk '{ print $1; exit }')
    [[ -n $mirror ]] || fail "this machine's apt has no source of Debian packages, or no lists yet:" \
                             "see sources.list(5), then run apt-get update"
    echo "$mirror"
}

# The line of sources.list(5) for the security updates of the suite $1; nothing if this machine's apt has no such source
security_source() {
    debian_sources Debian-Security | awk -v suite="$1" '{ print "deb", $1, suite "-security main"; exit }'
}
