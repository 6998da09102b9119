# Sourced by the TAP programs of test/vm: a root tree with the module built in it, tests in a virtual machine that boots
# it, and results, which all have the name of the kernel.
# shellcheck shell=bash

# shellcheck source=test/vm/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
count=0

result() {
    count=$((count + 1))
    echo "$1 - kernel $kernel: $2"
}

comment() {
    sed 's/^/# /'
}

end() {
    echo "1..$count"
    exit
}

# Makes the root tree of the kernel $1 or takes it from the cache. Sets kernel and tree. Ends the program if there is
# none.
get_tree() {
    local messages status=0
    kernel=$1
    messages=$(mktemp)
    tree=$("$repository/test/vm/root-tree" "$kernel" 2>"$messages") || status=$?
    comment <"$messages"
    case $status in
    0) result ok 'a root tree' ;;
    "$suite_gone")
        echo "1..0 # SKIP $(<"$messages")"
        exit
        ;;
    *)
        result 'not ok' 'a root tree'
        end
        ;;
    esac
    rm "$messages"
}

# Keeps others from using the root tree of the kernel $1, and builds the module in it. Sets kernel, tree and booted, the
# release that the tree boots. Ends the program if there is nothing to boot.
prepare_tree() {
    local messages modules release
    get_tree "$1"
    messages=$(mktemp)

    # One user of a tree at a time: the module is installed in it.
    exec 8>"$tree.in-use"
    flock 8

    booted=$(bootable_release "$tree")
    for modules in "$tree"/lib/modules/*; do
        release=${modules##*/}
        if "$repository/test/vm/build" "$tree" "$release" >"$messages" 2>&1 && [[ ! -s $messages ]]; then
            result ok "the module builds for $release without a warning"
        else
            result 'not ok' "the module builds for $release without a warning"
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

# Passes on the results of tests without numbers and plan, which COMMAND prints and some virtual machine has run.
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

# Runs the tests of COMMAND in a virtual machine, for SECONDS at most. What its kernel says goes to log/LOG.log in the
# cache folder.
#
#     run_tests SECONDS LOG COMMAND...
run_tests() {
    mkdir -p "$cache/log"
    pass_on_results "$repository/test/vm/boot" --seconds "$1" --log "$cache/log/$2.log" "$tree" "${@:3}"
}
