#!/bin/sh
# Checks that files and functions stay small. Usage: check_sizes.sh LAYERS ROOT; prints each offence. layers.txt has the limits
# (size FOLDER: LINES OF A FILE, LINES OF A FUNCTION).
layers=$(realpath "$1") && cd "$2" || exit 2
find . -name .git -prune -o -name build -prune -o \( -name '*.c' -o -name '*.h' \) -print | sed 's|^\./||' | sort |
xargs awk -v layers="$layers" '
BEGIN {
    while ((getline line < layers) > 0) {
        if (line !~ /^size /) continue
        split(line, word, /[ :]+/); lines[word[2]] = word[3]; of_function[word[2]] = word[4]
    }
    if (!("." in lines)) { print layers ": no sizes read"; bad = 2; exit }
}
function end_file() { if (file != "" && last > most_lines) { print file ": " last " lines, more than " most_lines; bad = 1 } }
FNR == 1 {
    end_file(); file = FILENAME; start = 0; folder = file; sub(/\/.*/, "", folder)
    if (!(folder in lines)) folder = "."
    most_lines = lines[folder]; most_function = of_function[folder]
}
{ last = FNR }
/^[A-Za-z_]/ { start = FNR; head = "" }
start && !open { head = head $0; if (/\{$/) open = head ~ /\(/ && head !~ /= \{$/ }
/^\}/ {
    if (open && FNR - start + 1 > most_function) {
        print file ":" start ": a function of " FNR - start + 1 " lines, more than " most_function; bad = 1
    }
    start = open = 0
}
END { if (bad != 2) end_file(); exit bad }'
