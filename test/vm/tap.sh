# Sourced by the TAP programs of test/vm: functions that build the module in a root tree, and run tests in a virtual machine that
# boots it. All results have the name of the kernel.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# Makes the root tree of the kernel $1 or takes it from the cache, or takes a tree that a user has made. Sets kernel, its name,
# title and tree. Ends the program if there is none.
get_tree() {
    local messages status=0
    kernel=$1
    messages=$(mktemp)
    if is_own_tree "$1"; then
        tree=$(realpath --canonicalize-missing "$1")
        kernel="of $(name_of_tree "$tree")"
        if [[ -z $(bootable_release "$tree") ]]; then
            echo "There is no kernel in $tree: docs/kernels.md describes how to make a root tree." >"$messages"
            status=1
        fi
    else
        tree=$("$repository/test/vm/root-tree" "$kernel" 2>"$messages") || status=$?
    fi
    title="kernel $kernel: "
    case $status in
    0)
        comment <"$messages"
        result 'a root tree' ''
        ;;
    "$not_in_archive")
        skipped 'a root tree' "$(<"$messages")"
        end
        ;;
    *)
        echo "It ended with $status." >>"$messages"
        result 'a root tree' "$(<"$messages")"
        end
        ;;
    esac
    rm "$messages"
}

# Locks the root tree of the kernel $1, and builds in it the module and the programs of its tests. Sets kernel, tree and booted,
# the release that the tree boots; and for run_tests trees_to_boot, the arguments of boot for trees. Ends the program if there
# is nothing to boot: "other" stands for users' trees if there are none.
prepare_tree() {
    local modules release programs named
    if [[ $1 == other ]]; then
        skip_all 'ROOT_TREES names no root trees of Ubuntu, openEuler, Anolis OS (docs/kernels.md tells how to make them)'
    fi
    get_tree "$1"
    programs=$(kernel_of_programs "$1")
    if [[ $programs != "$1" ]]; then
        named=("$kernel" "$tree" "$title")
        get_tree "$programs"
        programs=$tree kernel=${named[0]} tree=${named[1]} title=${named[2]}
    fi

    # Only one test at a time may use a tree, because the module is installed in it. A tree in use is not replaced.
    exec 8>"$tree.in-use"
    flock 8
    if [[ $programs == "$1" ]]; then
        programs=$tree
        trees_to_boot=("$tree")
    else
        exec 7>"$programs.in-use"
        flock --shared 7
        trees_to_boot=(--kernel-of "$tree" "$programs")
    fi

    check_silent 'the programs of the tests build without a warning' "$repository/test/vm/build-programs" "$programs" "$tree"
    booted=$(bootable_release "$tree")
    for modules in "$tree"/lib/modules/*; do
        release=${modules##*/}
        # A user's tree need not contain headers for each kernel.
        if is_own_tree "$1" && [[ $release != "$booted" ]]; then continue; fi
        check_silent "the modules build for $release without a warning" "$repository/test/vm/build" "$tree" "$release"
        if [[ $release != "$booted" ]]; then
            skipped "boot $release" 'the archive has its headers, but no image yet'
        fi
    done
    if [[ ! -f $tree/lib/modules/$booted/updates/sm4-fast.ko ]]; then
        end
    fi
}

# Runs the tests of COMMAND in a virtual machine, for at most SECONDS. Its kernel's messages go to log/LOG.log in the cache
# folder.
#
#     run_tests SECONDS LOG COMMAND...
run_tests() {
    mkdir -p "$cache/log"
    part '' "$repository/test/vm/boot" --seconds "$1" --log "$cache/log/$2.log" "${trees_to_boot[@]}" "${@:3}"
}
