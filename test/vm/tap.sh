# Sourced by the TAP programs of test/vm: functions that build the module in a root tree, run tests in a virtual machine that
# boots it, and print results, which all have the name of the kernel.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
count=0

result() {
    count=$((count + 1))
    echo "$1 - kernel $kernel: $2"
}

end() {
    echo "1..$count"
    exit
}

# Makes the root tree of the kernel $1 or takes it from the cache, or takes a tree that a user has made. Sets kernel and tree.
# Ends the program if there is none.
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
    comment <"$messages"
    case $status in
    0) result ok 'a root tree' ;;
    "$not_in_archive")
        result ok "a root tree # SKIP $(<"$messages")"
        end
        ;;
    *)
        result 'not ok' 'a root tree'
        end
        ;;
    esac
    rm "$messages"
}

# Locks the root tree of the kernel $1, and builds in it the module and the programs of its tests. Sets kernel, tree and booted,
# the release that the tree boots; and for run_tests trees_to_boot, the arguments of boot for trees. Ends the program if there
# is nothing to boot: "other" stands for users' trees if there are none.
prepare_tree() {
    local messages modules release programs named
    if [[ $1 == other ]]; then
        kernel='of Ubuntu, openEuler, Anolis OS'
        result ok 'all tests # SKIP ROOT_TREES names no root trees of theirs (docs/kernels.md tells how to make them)'
        end
    fi
    get_tree "$1"
    programs=$(kernel_of_programs "$1")
    if [[ $programs != "$1" ]]; then
        named=("$kernel" "$tree")
        get_tree "$programs"
        programs=$tree kernel=${named[0]} tree=${named[1]}
    fi
    messages=$(mktemp)

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

    if "$repository/test/vm/build-programs" "$programs" "$tree" >"$messages" 2>&1 && [[ ! -s $messages ]]; then
        result ok "the programs of the tests build without a warning"
    else
        result 'not ok' "the programs of the tests build without a warning"
        comment <"$messages"
    fi
    booted=$(bootable_release "$tree")
    for modules in "$tree"/lib/modules/*; do
        release=${modules##*/}
        # A user's tree need not contain headers for each kernel.
        if is_own_tree "$1" && [[ $release != "$booted" ]]; then continue; fi
        if "$repository/test/vm/build" "$tree" "$release" >"$messages" 2>&1 && [[ ! -s $messages ]]; then
            result ok "the modules build for $release without a warning"
        else
            result 'not ok' "the modules build for $release without a warning"
            comment <"$messages"
        fi
        if [[ $release != "$booted" ]]; then
            result ok "boot $release # SKIP the archive has its headers, but no image yet"
        fi
    done
    rm "$messages"
    if [[ ! -f $tree/lib/modules/$booted/updates/sm4-fast.ko ]]; then
        end
    fi
}

# Passes on the results that COMMAND prints, without numbers and plan, from tests in a virtual machine.
pass_on_results() {
    local line finished=0
    while IFS= read -r line; do
        line=${line%$'\r'}
        case $line in
        'ok - '* | 'not ok - '*) result "${line%% - *}" "${line#* - }" ;;
        'machine: ended with 0') finished=1 ;;
        *) echo "$line" ;;
        esac
    done < <(
        status=0
        "$@" || status=$?
        echo "machine: ended with $status"
    )
    if [[ $finished -eq 1 ]]; then
        result ok 'the tests in the virtual machine ran to their end'
    else
        result 'not ok' 'the tests in the virtual machine ran to their end'
    fi
}

# Runs the tests of COMMAND in a virtual machine, for at most SECONDS. Its kernel's messages go to log/LOG.log in the cache
# folder.
#
#     run_tests SECONDS LOG COMMAND...
run_tests() {
    mkdir -p "$cache/log"
    pass_on_results "$repository/test/vm/boot" --seconds "$1" --log "$cache/log/$2.log" "${trees_to_boot[@]}" "${@:3}"
}
