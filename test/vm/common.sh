# Sourced by the scripts of test/vm and by demo/run: where things lie, and how an error is told. Changes nothing.
# shellcheck shell=bash
# shellcheck disable=SC2034  # these variables are for the scripts that source this

# Ordinary users of Debian have no depmod and no chroot in their PATH, nor has root after a plain su.
PATH+=:/usr/sbin:/sbin

repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/sm4-fast
trees=$cache/root

# An exit status by which scripts say that the archive does not have, or no longer, what they fetch: a suite, a source.
not_in_archive=77

# Debian packages that the machine itself needs for root trees and virtual machines.
machine_packages=(mmdebstrap debian-archive-keyring xz-utils mount qemu-system-x86 python3-venv kmod binutils file)

fail() {
    printf '%s: %s\n' "$(basename "$0")" "$*" >&2
    exit 1
}

first_error() {
    grep --only-matching --max-count=1 '\<E: .*' "$1" || tail --lines=1 "$1"
}

# Ends the script because $1 cannot be fetched, with the first error in $2, a file with what apt said. Whoever called it then
# goes on without that.
cannot_fetch() {
    printf '%s cannot be fetched: %s\n' "$1" "$(first_error "$2")" >&2
    exit "$not_in_archive"
}

# For TAP: diagnostics
comment() {
    sed 's/^/# /'
}

# Runs a script that makes something in the cache folder, for a TAP program, and sets made to the path that it prints. What
# it says are comments, at once. Where the archive lacks what it takes, the program is skipped, with the last that was said.
make_or_skip() {
    local messages reason status=0
    messages=$(mktemp)
    { made=$({ "$@" 2>&1 >&4 3>&- 4>&- | tee "$messages" | comment >&3; } 4>&1) || status=$?; } 3>&1
    reason=$(tail --lines=1 "$messages")
    rm "$messages"
    if [[ $status -eq $not_in_archive ]]; then
        echo "1..0 # SKIP $reason"
        exit
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

# Runs a command that works in the folder $1 for long, with its output in the file $2. Tells every ten seconds for how long
# it has been at it, what the folder has grown to, and the last that the command has said of itself ("I: ..."). If the
# command fails, tells the end of its output, and whether it is the disk that is full.
with_progress() {
    local folder=$1 log=$2 started=$SECONDS status=0 reporter
    shift 2
    # It ends with this script, if that is killed, and keeps no lock.
    while ! timeout 10 tail --follow --pid=$$ /dev/null >/dev/null 2>&1; do
        printf '    %d s, %d MB: %s\n' $((SECONDS - started)) "$(du --summarize --block-size=1M "$folder" 2>/dev/null |
            cut --fields=1)" "$(sed -n 's/^I: \([^:]*\).*/\1/p' "$log" | tail --lines=1)"
    done >&2 8>&- 9>&- &
    reporter=$!
    "$@" >"$log" 2>&1 || status=$?
    kill "$reporter" 2>/dev/null
    wait "$reporter" 2>/dev/null || true
    if [[ $status -ne 0 ]]; then
        tail --lines=20 "$log" >&2
        if [[ $(free_megabytes "$folder") -lt 50 ]]; then
            echo "The disk of $folder is full: $(free_megabytes "$folder") MB are free." >&2
        fi
    fi
    return "$status"
}

# What mmdebstrap is told for each root tree. Check-Valid-Until: a testing suite's Release file can be past its date.
tree_options=(--variant=minbase --mode=root --aptopt='Acquire::Check-Valid-Until "false"')
without_pages=(--dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*'
               --dpkgopt='path-exclude=/usr/share/doc/*')

# Prints what a shell in a tree has to do, in a hook of mmdebstrap, to install the last kernel but one of the series $1, with
# its headers.
install_last_kernel_but_one() {
    # shellcheck disable=SC2016  # for that shell
    printf '%s\n' 'release=$(apt-cache pkgnames linux-headers-'"$1"'. | grep --invert-match -e cloud -e rt- |
                      sed --quiet "s/linux-headers-\(.*-amd64\)$/\1/p" | sort --version-sort | tail --lines=2 |
                      head --lines=1)
                  apt-get install --yes linux-image-$release linux-headers-$release'
}

# Prints the path of the root tree NAME in the cache folder, and ends the script, if a tree is there that was made by the
# same RECIPE. Else sets work, a folder where the script makes one in "tree", which end_tree puts into its place:
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
    # Not under a test that runs in the old one.
    exec 8>"$tree.in-use"
    flock 8
    rm -rf --one-file-system "$tree"
    mv "$work/tree" "$tree"
    echo "$tree"
}

# The release of the kernel that the root tree in $1 boots, such as 6.1.0-50-amd64: the newest that has an image, which
# Debian and Ubuntu have in /boot, and distributions with RPM there or beside the modules. Prints nothing if there is none.
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

# A fresh clone in the folder $1, with what is not committed yet
fresh_clone() {
    git clone --quiet "$repository" "$1"
    git -C "$repository" ls-files -z --modified --others --exclude-standard |
        (cd "$repository" && xargs --null --no-run-if-empty cp --parents --target-directory="$1")
}

# Runs a command in the root tree $tree, with a /proc for the tools that ask for one, in a mount namespace that ends with
# the command.
# shellcheck disable=SC2154  # the script that sources this sets it
in_tree() {
    unshare --mount --pid --fork --mount-proc="$tree/proc" chroot "$tree" "$@"
}

# Sets variables, what the build of a module in the root tree $tree with the headers $1 is told: to warn of what W=1 does.
# BTF needs the kernel's vmlinux, which Debian's headers lack; and the script by which W=1 looks at comments does not run
# in the headers of Ubuntu's 5.4.0-216.
warn_of_everything() {
    variables=(W=1 CONFIG_DEBUG_INFO_BTF_MODULES=)
    # In later kernels it is not in Perl.
    if in_tree grep --quiet '^#!.*perl' "$1/scripts/kernel-doc" 2>/dev/null &&
       ! in_tree perl -c "$1/scripts/kernel-doc" 2>/dev/null; then
        variables+=(cmd_checkdoc=)
    fi
}

# The Debian suites that have the kernel $1, the one with the kernel last, into the array suites; into fallback one that
# takes its place when it is gone.
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

# Whether the kernel $1 is none of Debian's, but that of a user's root tree of another distribution: the
# path of a folder.
is_own_tree() {
    [[ $1 == */* ]]
}

# The distribution of the root tree in $1, such as Ubuntu 22.04.5 LTS
name_of_tree() {
    local name
    name=$(sed -n 's/^PRETTY_NAME=//p' "$1/etc/os-release" 2>/dev/null | tr --delete "\"'#")
    echo "${name:-an unknown distribution}"
}

# Whether the kernel that the root tree in $1 boots has all of the modules named, built in or not.
has_modules() {
    modprobe --dirname "$1" --set-version "$(bootable_release "$1")" --config /dev/null --show-depends --all "${@:2}" \
        >/dev/null 2>&1
}

# Whether it can have its files by 9p, which QEMU itself offers. Kernels of openEuler and RHEL have virtiofs alone.
has_9p() {
    has_modules "$1" 9p 9pnet_virtio
}

# The kernel whose root tree has the programs that test the kernel $1: its own, but for a tree whose programs are too old,
# or not those of Debian. Debian 11 has a libgcrypt without SM4 and a bats without "run !", and other distributions have no
# bats at all; so of such a tree the compiler builds the module, and the kernel boots.
kernel_of_programs() {
    if is_own_tree "$1" || [[ $1 == 5.10 ]]; then
        echo 6.1
    else
        echo "$1"
    fi
}

# The sources of Debian itself that this machine's apt has, whatever others it has: a line each, mirror and codename. With
# $1, those of another label than Debian, such as Debian-Security.
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
