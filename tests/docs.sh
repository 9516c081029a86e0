#!/bin/bash
# Runs the commands that README.md and docs/ show with their output, and looks for each line of it, in order. "..." in a line stands for any
# text, a line of "..." for any lines; docs/sharding-notation.md shows whole outputs. Plans that a page quotes are parts of what the page's last
# command before them prints, or of what the golden test does that the page links before them. Pictures are what bench/plot.py draws. SHARDC is the tool.
cd "$(dirname "$0")/.." || exit 1
SHARDC=$(realpath "${SHARDC:-build/release/shardc}") exec python3 - "$PWD" <<'END'
import json, os, re, subprocess, sys, tempfile

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


def quoted_at(shown, output, at):
    """Are the lines what the output has from line `at` on?"""
    for i, line in enumerate(shown):
        if line.strip() == "...":
            return any(quoted_at(shown[i + 1:], output, later) for later in range(at, len(output) + 1))
        pattern = ".*".join(re.escape(part) for part in line.split("..."))
        if at >= len(output) or not re.fullmatch(pattern, output[at]):
            return False
        at += 1
    return True


def without_indent(lines):
    least = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[least:] for line in lines]


def plans(page, text):
    """Indented blocks with loops of a plan: lines of it, one after the other."""
    source = None
    for part in re.finditer(r"(?m)(?:^    \$ |`)(shardc [^`\n]*--print-after=[a-z][^`\n]*)|\]\((?:\.\./)?(tests/golden/[^)]*)\)|(?:^    (?!\$ ).*\n)+", text):
        command, golden = part.groups()
        if command:
            source = run(command)
        elif golden:
            source = open(os.path.join(root, golden)).read().partition("// ---- expect\n")[2]
        elif re.search(r"(?m)^ *(parallel|pass|fold|serial|columns) ", part.group()):
            shown = without_indent(part.group().splitlines())
            output = (source or "").splitlines()
            depths = sorted({len(line) - len(line.lstrip()) for line in output})
            found = any(quoted_at([" " * depth + line for line in shown], output, at) for depth in depths for at in range(len(output)))
            report(f"{page}: plan", None if found else f"'{shown[0]}' and what follows is not what the tool prints")


def pictures():
    sys.path.insert(0, os.path.join(root, "bench"))
    sys.dont_write_bytecode = True
    import plot
    folder = os.path.join(root, "docs/performance")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            drawn = plot.draw(json.load(open(os.path.join(folder, name))))
            same = open(os.path.join(folder, name[:-5] + ".svg")).read() == drawn and len(drawn) < 20000
            report(f"docs/performance/{name}", None if same else "its picture is another: ./dev bench pictures --draw")


def page_texts():
    yield "README.md", open(os.path.join(root, "README.md")).read()
    for name in sorted(os.listdir(os.path.join(root, "docs"))):
        if name.endswith(".md"):
            yield f"docs/{name}", open(os.path.join(root, "docs", name)).read()


for page, text in page_texts():
    session(page, text)
    plans(page, text)
    for command, shown in re.findall(r"`(shardc [^`]*)`\):\n\n((?:    .*\n)+)", text):
        line = missing(shown.splitlines(), run(command))
        report(f"{page}: {command}", line and f"does not print '{line.strip()}'")
    for command, shown in re.findall(r"(?m)^    (shardc inspect .*)\n\n```\n((?:.*\n)*?)```", text):
        report(f"{page}: {command}", None if run(command) == shown else "prints something else")
pictures()
print(f"{passed} passed, {failed} failed, 0 skipped")
sys.exit(failed > 0)
END
