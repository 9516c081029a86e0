#!/bin/sh
# Checks that files, functions and folders stay small, and comments narrow. Usage: check_sizes.sh LAYERS ROOT; prints each
# offence. layers.txt has the limits (size FOLDER: LINES OF A FILE, LINES OF A FUNCTION, SOURCE FILES OF A FOLDER, COLUMNS OF A COMMENT).
layers=$(realpath "$1") && cd "$2" || exit 2
find . -name .git -prune -o -name build -prune -o \( -name '*.c' -o -name '*.h' -o -name '*.def' \) -print | sed 's|^\./||' | sort |
LC_ALL=C xargs awk -v layers="$layers" '
BEGIN {
    while ((getline line < layers) > 0) {
        if (line !~ /^size /) continue
        split(line, word, /[ :]+/); lines[word[2]] = word[3]; of_function[word[2]] = word[4]; of_folder[word[2]] = word[5]; columns[word[2]] = word[6]
    }
    if (!("." in lines)) { print layers ": no sizes read"; bad = 2; exit }
}
function end_file() { if (file != "" && last > most_lines) { print file ": " last " lines, more than " most_lines; bad = 1 } }
FNR == 1 {
    end_file(); file = FILENAME; start = 0; folder = file; sub(/\/.*/, "", folder)
    if (!(folder in lines)) folder = "."
    most_lines = lines[folder]; most_function = of_function[folder]; most_columns = columns[folder]; block = 0
    folder_limit = of_folder[folder]; folder = file; sub(/\/[^\/]*$/, "", folder)
    if (++files[folder] == folder_limit + 1) { print folder ": more than " folder_limit " files"; bad = 1 }
    if (file ~ /\.def$/) file = "" # rows, as many as there are
}
# A comment alone on its line; behind code where that is wide, but for rows (*.def). A character of UTF-8 is one column.
length > most_columns && (block || /^[ \t]*\/[\/*]/ || file != "" && / \/[\/*] [^"]*$/) {
    text = $0; gsub(/[\200-\277]/, "", text)
    if (length(text) > most_columns) { print FILENAME ":" FNR ": a comment of " length(text) " columns, more than " most_columns; bad = 1 }
}
/\/\*/ && !/(\/\/|").*\/\*/ { block = 1 }
/\*\// { block = 0 }
file == "" { next }
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
