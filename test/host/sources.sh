# Sourced by the programs that test what integration does with others' sources: results as TAP, and a folder for all that
# they make, which is gone in the end.
# shellcheck shell=bash
repository=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
integration=$repository/integration
work=$(mktemp --directory)
trap 'rm -rf "$work"' EXIT
count=0

# The result "ok" or "not ok" of what has this name, and what is to be said of a failure
result() {
    count=$((count + 1))
    echo "$1 $count - $2"
    [[ $1 == ok ]] || printf '%s\n' "$3" | sed 's/^/# /'
}

# With this name, the command fails, and this is in its message.
fails() {
    local output

    if output=$("${@:3}" 2>&1) || [[ $output != *"$2"* ]]; then
        result 'not ok' "$1" "$output"
    else
        result ok "$1"
    fi
}

# With this name, the command succeeds.
works() {
    local output

    if output=$("${@:2}" 2>&1); then
        result ok "$1"
    else
        result 'not ok' "$1" "$output"
    fi
}

# With this name and this in its message, the get-source of tls or ike refuses a source.
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
