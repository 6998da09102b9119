# Sourced by the programs that test how integration uses others' sources: functions for TAP, and a folder for all their
# files, which is removed at the end.
# shellcheck shell=bash
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
integration=$repository/integration
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
count=0

# Prints the result "ok" or "not ok" with this name, and diagnostics of a failure.
result() {
    count=$((count + 1))
    echo "$1 $count - $2"
    [[ $1 == ok ]] || printf '%s\n' "$3" | sed 's/^/# /'
}

# A test with this name: the command has to fail, with this text in its message.
fails() {
    local output

    if output=$("${@:3}" 2>&1) || [[ $output != *"$2"* ]]; then
        result 'not ok' "$1" "$output"
    else
        result ok "$1"
    fi
}

# A test with this name: the command has to succeed.
works() {
    local output

    if output=$("${@:2}" 2>&1); then
        result ok "$1"
    else
        result 'not ok' "$1" "$output"
    fi
}

# A test with this name: get-source of tls or ike has to refuse a source, with this text in its message.
#
#     refuses tls|ike NAME MESSAGE SOURCE
refuses() {
    mkdir "$work/folder"
    touch "$work/folder/before"
    fails "$1/get-source $2" "$3" "$integration/$1/get-source" "$work/folder" "$4"
    works 'and leaves what is there' test "$(cd "$work" && echo folder*/*)" = folder/before
    rm -r "$work/folder"
}

plan() {
    echo "1..$count"
}
