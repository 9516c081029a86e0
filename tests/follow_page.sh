# Sourced by scripts that follow a page of docs/ in a copy of the tree. A block of the page that follows `<!-- file: PATH -->` is a new file,
# one that follows `<!-- insert: PATH before: LINE -->` stands before the line of PATH that begins so. Sets root, copy, passed, failed.
root=$PWD
copy=$(mktemp -d) || exit 1
trap 'rm -rf "$copy"' EXIT
passed=0 failed=0 files=0 inserts=0

check() { # check NAME COMMAND...
    local name=$1
    shift
    if "$@" >"$copy/log" 2>&1; then
        passed=$((passed + 1))
    else
        echo "FAIL $name"
        head -20 "$copy/log"
        failed=$((failed + 1))
    fi
}

# follow_page PAGE: makes $copy/tree, with what the page adds; counts files and inserts. $copy/places: "file PATH" or "insert PATH LINE".
follow_page() {
    mkdir "$copy/tree"
    awk -v out="$copy" '
/^<!-- (file|insert): / {
    kind = $2; sub(/:$/, "", kind); path = $3
    line = $0; sub(/^.* before: /, "", line); sub(/ -->$/, "", line)
    if (kind == "insert") print "insert\t" path "\t" line > (out "/places"); else print "file\t" path > (out "/places")
    wanted = 1; next
}
/^```/ { if (inside) { inside = 0; close(block) } else if (wanted) { inside = 1; wanted = 0; block = out "/block." ++count; printf "" > block }; next }
inside { print > block }' "$1"
    tar -cf - --exclude=./build --exclude=./.git . | tar -xf - -C "$copy/tree"
    local number=0 kind path line
    while IFS=$'\t' read -r kind path line; do
        number=$((number + 1))
        if [ "$kind" = file ]; then
            files=$((files + 1))
            [ ! -e "$copy/tree/$path" ] || { echo "FAIL $path exists already"; failed=$((failed + 1)); }
            mkdir -p "$(dirname "$copy/tree/$path")"
            cp "$copy/block.$number" "$copy/tree/$path"
        else
            inserts=$((inserts + 1))
            awk -v line="$line" -v block="$copy/block.$number" '
            index($0, line) == 1 && !found { while ((getline text < block) > 0) print text; found = 1 }
            { print }
            END { exit !found }' "$copy/tree/$path" >"$copy/new" || { echo "FAIL no line '$line' in $path"; failed=$((failed + 1)); }
            cat "$copy/new" >"$copy/tree/$path"
        fi
    done <"$copy/places"
}

inserted_into() { awk -F '\t' '$1 == "insert" { print $2 }' "$copy/places" | sort -u | tr '\n' ' '; }

# Ends the script.
report() {
    echo "$passed passed, $failed failed, 0 skipped"
    [ "$failed" -eq 0 ]
    exit
}
