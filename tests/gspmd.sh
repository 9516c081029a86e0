#!/usr/bin/env bash
# Shardings in all notations: the table of ../shared/gspmd, made by XLA, JAX and PyTorch/XLA. SHARDC is the tool, SHARDC_SHARED the folder.
cd "$(dirname "$0")/.." || exit 1
table=${SHARDC_SHARED:-../shared}/gspmd/table.json
if [ ! -f "$table" ]; then
    echo "there is no $table"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
python3 tests/gspmd_table.py --shardc "${SHARDC:-build/release/shardc}" "$table"
