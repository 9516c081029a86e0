#!/bin/sh
# Checks that what is known of an op stands in its row: no table beside ir/dialects/*.def has entries by op codes, and no switch hides by a cast
# which ops it leaves out. Usage: check_rows.sh LAYERS ROOT; prints each offence.
cd "$2" || exit 2
! grep -rnE 'switch \(\((int|unsigned)\)|\[OP_[A-Z0-9_]+\] *=' --include='*.c' --include='*.h' --exclude-dir=build . | grep -vE '\[OP_COUNT\]' |
    sed 's|^\./||; s/$/: belongs into the rows of ir\/dialects/' | grep .
