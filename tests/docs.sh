#!/bin/bash
# Runs the commands that README.md and docs/ show with their output, and looks for each line of it, in order. "..." in a line stands for any
# text, a line of "..." for any lines; docs/sharding-notation.md shows whole outputs. SHARDC is the tool.
cd "$(dirname "$0")/.." || exit 1
SHARDC=$(realpath "${SHARDC:-build/release/shardc}") exec python3 - "$PWD" <<'END'
import os, re, subprocess, sys, tempfile

root, shardc = sys.argv[1], os.environ["SHARDC"]
folder = tempfile.TemporaryDirectory()
os.symlink(os.path.join(root, "examples"), os.path.join(folder.name, "examples"))
passed = failed = 0


def run(command):
    command = re.sub(r"\bshardc(?= )", shardc, command)
    return subprocess.run(command, shell=True, cwd=folder.name, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout


def missing(shown, output):
    """The first line that is shown and is not in the rest of the output; None: all are."""
    lines = iter(output.splitlines())
    for line in shown:
        if line.strip(" .") == "" or line.strip() == "or     ...":
            continue
        pattern = ".*".join(re.escape(part) for part in line.strip().split("..."))
        if not any(re.fullmatch(pattern, at.strip()) for at in lines):
            return line
    return None


def report(place, problem):
    global passed, failed
    if problem is None:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {place}: {problem}")


def session(page, text):
    """Blocks that begin with `$ COMMAND`."""
    for block in re.findall(r"(?m)^    \$ .*\n(?:(?:    .*)?\n)*", text):
        for part in re.split(r"(?m)^    \$ ", block)[1:]:
            command, _, shown = part.partition("\n")
            line = missing(shown.splitlines(), run(command))
            report(f"{page}: {command}", line and f"does not print '{line.strip()}'")


def page_texts():
    yield "README.md", open(os.path.join(root, "README.md")).read()
    for name in sorted(os.listdir(os.path.join(root, "docs"))):
        if name.endswith(".md"):
            yield f"docs/{name}", open(os.path.join(root, "docs", name)).read()


for page, text in page_texts():
    session(page, text)
    for command, shown in re.findall(r"`(shardc [^`]*)`\):\n\n((?:    .*\n)+)", text):
        line = missing(shown.splitlines(), run(command))
        report(f"{page}: {command}", line and f"does not print '{line.strip()}'")
    for command, shown in re.findall(r"(?m)^    (shardc inspect .*)\n\n```\n((?:.*\n)*?)```", text):
        report(f"{page}: {command}", None if run(command) == shown else "prints something else")
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
END
