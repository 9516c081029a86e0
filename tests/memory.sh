#!/bin/bash
# Memory of one device beside XLA:CPU's, of the programs of ../shared/models whose manifests have it: peak_device_bytes of `shardc run --json` must not exceed XLA's
# temporaries and results. SHARDC is the tool, SHARDC_SHARED the folder of given files.
#
# tests/conformance/memory_expected_failures.txt lists what is known to need more, a name a line, `#` starts a comment. A program that needs more and is not listed fails,
# and so does a listed one that does not: its line must go.
cd "$(dirname "$0")/.." || exit 1
shared=${SHARDC_SHARED:-$PWD/../shared}
if [ ! -d "$shared/models" ]; then
    echo "skipped: there is no $shared/models"
    echo "0 passed, 0 failed, 1 skipped"
    exit 0
fi
SHARDC=$(realpath "${SHARDC:-build/release/shardc}") exec python3 - "$shared/models" tests/conformance/memory_expected_failures.txt <<'END'
import json, os, pathlib, subprocess, sys

models, listed = map(pathlib.Path, sys.argv[1:])
known = {line.split("#")[0].strip() for line in listed.read_text().splitlines()} - {""}
passed = failed = skipped = 0
for path in sorted(models.glob("*/manifest.json")):
    name, memory = path.parent.name, (json.loads(path.read_text()).get("xla") or {}).get("memory_analysis_per_device")
    if not memory:
        continue
    done = subprocess.run([os.environ["SHARDC"], "run", path.parent / "program.mlir", "--json"], capture_output=True, text=True)
    if done.returncode:
        print(f"FAIL {name}: {done.stderr.strip()}")
        failed += 1
        continue
    ours = json.loads(done.stdout.splitlines()[-1])["peak_device_bytes"]
    limit = memory["temp_size_in_bytes"] + memory["output_size_in_bytes"]
    if (ours > limit) != (name in known):
        print(f"FAIL {name}: {ours} bytes on one device, XLA:CPU {limit}" + (f"; remove its line from {listed}" if ours <= limit else ""))
        failed += 1
    elif name in known:
        print(f"known: {name}: {ours} bytes on one device, XLA:CPU {limit}")
        skipped += 1
    else:
        passed += 1
print(f"{passed} passed, {failed} failed, {skipped} skipped")
sys.exit(failed > 0)
END
