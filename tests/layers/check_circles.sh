#!/bin/sh
# Checks that no file needs itself through others. A unit is X.c with X.h; it needs the units whose headers it includes and, with
# OBJECTS, a build folder of gcc's or clang's, those whose functions it calls. A circle is a largest set of units each of which
# needs every other. Usage: check_circles.sh LAYERS ROOT [OBJECTS]; prints each circle beyond what layers.txt allows
# (circles FOLDER: NUMBER).
layers=$(realpath "$1") && objects=${3:+$(realpath "$3")} && cd "$2" || exit 2
{
    find . -name .git -prune -o -name build -prune -o -path ./tests -prune -o -path ./examples -prune -o \
        \( -name '*.c' -o -name '*.h' \) -print | sed 's|^\./||' | sort | sed 's/^/file /'
    grep -rnE '^[[:space:]]*#[[:space:]]*include[[:space:]]+"' --include='*.c' --include='*.h' \
        --exclude-dir=build --exclude-dir=tests --exclude-dir=examples . |
        sed -E 's|^\./([^:]*):[0-9]+:[^"]*"([^"]*)".*|include \1 \2|'
    if [ -n "$objects" ]; then
        find "$objects" -name '*.c.o' ! -path '*/tests/*' -exec nm -A -P {} + 2>/dev/null |
            sed -E 's|^.*\.dir/([^:]*): |symbol \1 |'
    fi
} | awk -v layers="$layers" '
function unit(file) { sub(/\.[ch](\.o)?$/, "", file); return file }
function edge(a, b) { # a, then what it needs
    if (a == b || (a, b) in known) return
    known[a, b] = 1; needs[a] = needs[a] " " b
}
function visit(a, n, i, b, list, members) { # Tarjan
    number[a] = low[a] = ++count; stack[++depth] = a; waiting[a] = 1
    n = split(needs[a], list, " ")
    for (i = 1; i <= n; i++) {
        b = list[i]
        if (!(b in number)) { visit(b); if (low[b] < low[a]) low[a] = low[b] }
        else if ((b in waiting) && number[b] < low[a]) low[a] = number[b]
    }
    if (low[a] != number[a]) return
    n = 0; members = ""
    do { b = stack[depth--]; delete waiting[b]; members = members " " b; n++ } while (b != a)
    if (n > 1) found[++circles] = members
}
BEGIN {
    while ((getline line < layers) > 0) {
        if (line !~ /^circles /) continue
        split(line, word, /[ :]+/); allowed[word[2]] = word[3]
    }
}
$1 == "file" { files[$2] = 1; units[unit($2)] = 1; next }
$1 == "include" {
    header = $3; if (header ~ /^shardc\//) header = "include/" header
    if (header in files) edge(unit($2), unit(header))
    next
}
$1 == "symbol" && (unit($2) ".c" in files) {
    if ($4 ~ /^[TDBR]$/) home[$3] = unit($2)
    else if ($4 == "U") { callers++; caller[callers] = unit($2); callee[callers] = $3 }
}
END {
    for (i = 1; i <= callers; i++) if (callee[i] in home) edge(caller[i], home[callee[i]])
    for (a in units) if (!(a in number)) visit(a)
    for (i = 1; i <= circles; i++) {
        n = split(found[i], word, " "); folder = word[1]; sub(/\/.*/, "", folder)
        for (k = 2; k <= n; k++) { other = word[k]; sub(/\/.*/, "", other); if (other != folder) folder = "" }
        if (++in_folder[folder] <= allowed[folder] + 0) continue
        print "circle of " n " files:" found[i]; bad = 1
    }
    exit bad
}'
