# Sourced by the TAP programs of test/lab: functions that make a kernel with checks, and modules for it. If something cannot be
# made, they print the reason as TAP comments, and end the program before its plan.
#
# Most programs have two parts. First, outside, they prepare a kernel; then run_inside boots it, and the program begins again
# inside, where it tests.
# shellcheck shell=bash
# shellcheck disable=SC2034  # some variables are for the programs

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/../vm/common.sh"
lab=$repository/test/lab
arguments=("$@")

# Whether this is not yet the kernel that is to be tested
outside() {
    [[ -z ${INSIDE-} ]]
}

# shellcheck source=test/lab/guest/common.bash
outside || source "$lab/guest/common.bash"

# The kind of kernel: user-mode Linux (um), or for a virtual machine (x86_64); and configurations in addition to plain.config
architecture=um
configurations=(debug.config)

# Makes the kernel of version $1, and for it sm4-fast.ko and, with "suites", those of test/kunit. Sets kernel, the kernel's
# folder, and modules, the modules' folder, which is removed at the end.
prepare() {
    local messages folder
    "$repository/test/need" gcc make kmod python3 >&2
    # For 7.2, the tests on one processor and those on two use the same kernel.
    case $architecture-$1 in um-7.*) configurations+=(smp.config) ;; esac
    make_or_skip "$lab/kernel" "$1" "$architecture" "$lab/plain.config" "${configurations[@]/#/$lab/}"
    kernel=$made
    if grep --quiet ^CONFIG_CC_IS_CLANG=y "$kernel/objects/.config"; then export LLVM=-19; fi
    modules=$(mktemp --directory)
    trap 'rm -rf "$modules"' EXIT
    "$repository/tools/copy-sources" "$modules/sm4-fast"
    if [[ ${2-} == suites ]]; then
        cp --recursive "$repository"/test/{kunit,requests} "$modules"
    fi
    for folder in "$modules"/{sm4-fast,kunit}; do
        [[ -d $folder ]] || continue
        if ! messages=$("$lab/build" "$kernel" "$folder") || [[ -n $messages ]]; then
            echo "# $(basename "$folder") does not build without a warning:"
            comment <<<"$messages"
            exit 1
        fi
    done
}

# Runs this program inside that kernel, in user mode, with its arguments, and ends it here. Inside, there are the variables
# kernel and modules, and the functions of guest/common.bash.
boot=("$lab/boot" --seconds 14400)
command_line='loglevel=0 log_buf_len=4M cryptomgr.notests=1'
run_inside() {
    "${boot[@]}" --append "$command_line" "$kernel" env INSIDE=yes kernel="$kernel" modules="$modules" "$0" "${arguments[@]}"
    exit
}

# Installs the modules of that kernel and ours in lib/modules of the folder of modules, for modprobe.
install_modules() {
    local release

    release=$(<"$kernel/objects/include/config/kernel.release")
    make --silent --directory="$kernel/objects" ARCH="$architecture" INSTALL_MOD_PATH="$modules" modules_install | comment
    install -D --mode=644 --target-directory="$modules/lib/modules/$release/updates" "$modules"/sm4-fast/*.ko
    depmod --basedir "$modules" "$release"
}

# Builds programs of test/vm/guest, named without ".c", in bin of the folder of modules.
build_programs() {
    make --silent --directory="$repository/test/vm/guest" to="$modules/bin" programs="$*"
}

# Builds the programs of test/vm/guest in the root tree that run_in_machine uses.
install_programs() {
    make_or_skip "$repository/test/vm/root-tree" 6.1
    (
        exec 8>"$made.in-use"
        flock 8
        "$repository/test/vm/build-programs" "$made" | comment
    )
}

# Boots the kernel, for x86-64, in a virtual machine that has its modules, and runs a command there. The files are those
# of the root tree of 6.1, for any kernel. The kernel's messages go to log/$1.log in the cache folder, and $2 are
# its parameters. machine_options are more options of test/vm/boot.
machine_options=()
run_in_machine() {
    make_or_skip "$repository/test/vm/root-tree" 6.1
    # A tree in use is not replaced.
    exec 8>"$made.in-use"
    flock --shared 8

    ln --symbolic "$kernel/linux" "$modules/linux"
    # A kernel that has our module built in has no modules.
    if [[ -d $modules/sm4-fast ]]; then install_modules; else mkdir -p "$modules/lib/modules"; fi
    mkdir -p "$cache/log"
    "$repository/test/vm/boot" --seconds 14400 --log "$cache/log/$1.log" --kernel "$modules" --append "$2" \
        "${machine_options[@]}" "$made" "${@:3}"
}

# The tiers of the module that prepare() has built which this machine's processor can run, by the flags that the machine's
# kernel reports: the slowest first, of SM4 and of SM3
tiers_of_this_cpu() {
    usable_tiers "$modules/sm4-fast/sm4-fast.ko"
}
