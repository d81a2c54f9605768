#!/usr/bin/env python3
"""Takes out each safety guard of nets.txt once, and sees a test fail.

    python3 Tests/Nets/run.py [--apply] [NAME...]     a NAME may be a pattern: 's.*'

Writes a copy of the tracked files to .build-nets/tree. In it every guard asks whether it is out, so that one build
serves all: the variable NET names the one. Then it runs stage after stage until a test fails, and prints
`name killed-by file seconds` or `name SURVIVED`. What is in .build-nets/results is not run again, unless it is named.
The net `none` takes nothing out, and has to survive first. --apply writes the copy, checks nets.txt, and builds nothing.
"""
import fnmatch, os, pathlib, re, shutil, signal, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-nets"
TREE, RESULTS = WORK / "tree", WORK / "results"
# As in Tests/run.sh.
FLAGS = """-c release -Xswiftc -enable-testing --enable-index-store -Xswiftc -index-ignore-system-modules
    -debug-info-format none -Xcc -O0 --explicit-target-dependency-import-check error""".split()
# Not OPENMARKET_…: the program takes those for its options.
NET = """import FoundationEssentials

package enum Net {
    private static let name = ProcessInfo.processInfo.environment["NET"]

    package static func out(_ name: String) -> Bool { name == Self.name }
}
"""
# What is run, what is skipped of it, and how many seconds it may take: the fastest first.
STAGES = [
    (r"^OpenMarketTests\.", "HistoryTests|Browser", 600),
    (r"^OpenMarketStateTests\.", "PostgreSQL|HistoryTests", 600),
    (r"^OpenMarketStateTests\..*(PostgreSQL|Conformance)", "HistoryTests", 600),
    (r"^OpenMarketTests\..*HistoryTests", "Browser", 1200),
    (r"^OpenMarket(Client|Manifest|Workflow)Tests\.", "PostgreSQL|Browser", 1200),
    (r"^OpenMarketReliabilityTests\.", "Browser", 1800),
    # Not what looks at sources, documents or build machines.
    (r"^OpenMarketCLITests\.", "Convention|Documentation|Manual|Recipe|Examples|Git(Hub|Lab)|PreCommit|Snippet|Page", 1800),
]


def records():
    """Name, file, old text and new text of each net."""
    file, found = None, []
    for line in (ROOT / "Tests/Nets/nets.txt").read_text().splitlines():
        if line.startswith("@ "):
            file = line[2:]
        elif line.startswith(("- ", "+ ")):
            found[-1]["-+".index(line[0]) + 2].append(line[2:])
        elif line and not line.startswith("#"):
            found.append([line.split()[0], file, [], []])
    return [(n, f, "\n".join(old), re.sub(r"\bOUT\b", f'Net.out("{n}")', "\n".join(new))) for n, f, old, new in found]


def apply(nets):
    """Writes the copy, and returns what is wrong with the nets. A file that stays the same keeps its time."""
    names, edits = [net[0] for net in nets], {}
    faults = [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    for name, file, old, new in nets:
        edits.setdefault(file, []).append((name, old, new))
    # The programs that tests start get the variable, too.
    edits["Tests/OpenMarketTestSupport/Program.swift"] = [("NET", '"LD_LIBRARY_PATH"]', '"LD_LIBRARY_PATH", "NET"]')]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    files = [file for file in listed.split("\0") + ["Package.resolved"] if file and os.path.lexists(ROOT / file)]
    contents = {file: (ROOT / file).read_bytes() for file in files if not (ROOT / file).is_symlink()}
    contents["Sources/OpenMarket/Net.swift"] = NET.encode()
    for file, changes in edits.items():
        text, places = contents.get(file, b"").decode(), []
        for name, old, new in changes:
            if not old or text.count(old) != 1 or new == old:
                faults.append(f"{name}: {file} has it {text.count(old) if old else 0} times")
            else:
                places.append((text.index(old), text.index(old) + len(old), name, new))
        places.sort()
        faults += [f"{one[2]} overlaps {next[2]}" for one, next in zip(places, places[1:]) if next[0] < one[1]]
        for start, end, _, new in reversed(places):
            text = text[:start] + new + text[end:]
        if file.startswith("Sources/OpenMarketState/") or file.startswith("Sources/OpenMarketWorkflow/"):
            if not re.search(r"^(package )?import OpenMarket$", text, re.M):
                text = "import OpenMarket\n" + text
        contents[file] = text.encode()
    for old in TREE.rglob("*") if TREE.exists() else []:
        file = old.relative_to(TREE).as_posix()
        if (old.is_symlink() or old.is_file()) and file not in contents and file not in files:
            old.unlink()
    for file in {*files, *contents}:
        (TREE / file).parent.mkdir(parents=True, exist_ok=True)
        if file not in contents:
            (TREE / file).unlink(missing_ok=True)
            os.symlink(os.readlink(ROOT / file), TREE / file)
        elif not (TREE / file).exists() or (TREE / file).read_bytes() != contents[file]:
            (TREE / file).write_bytes(contents[file])
        if file in contents and (ROOT / file).exists():
            shutil.copymode(ROOT / file, TREE / file)
    return faults


def killer(name, filter, skip, limit):
    """The file of the first test that fails, or None."""
    environment = {**os.environ, "NET": name, "SWIFT_DETERMINISTIC_HASHING": "1"}
    # Whole processes are started there.
    if re.search("PostgreSQL|Reliability|CLI|Client", filter):
        environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = "6"
    # Not `swift test`, which takes seconds to begin.
    command = [str(WORK / "build/release/openmarketPackageTests.xctest"), "--testing-library", "swift-testing"]
    command += ["--parallel", "--filter", filter, "--skip", skip]
    end, log = time.monotonic() + limit, WORK / "log"
    with log.open("w") as output:
        tests = subprocess.Popen(command, cwd=TREE, env=environment, stdout=output, stderr=output, start_new_session=True)
    failed, ended = None, False
    while not failed and not ended and time.monotonic() < end:
        time.sleep(1)
        ended = tests.poll() is not None
        text = log.read_text(errors="replace")
        failed = re.search(r"^. Test .* recorded an issue.* at ([\w+]+)\.swift", text, re.M)
    if not ended:
        # It ends the tests, whose servers end with them. What is left then is of its session.
        tests.send_signal(signal.SIGINT)
        try:
            tests.wait(15)
        except subprocess.TimeoutExpired:
            pass
        subprocess.run(["pkill", "-KILL", "-s", str(tests.pid)])
        tests.wait()
    if failed:
        return failed[1]
    return "timeout" if not ended else "crash" if tests.returncode else None


def main(arguments):
    nets, wanted = records(), [word for word in arguments if word != "--apply"]
    chosen = [net[0] for net in nets if not wanted or any(fnmatch.fnmatch(net[0], word) for word in wanted)]
    faults = apply(nets)
    print("\n".join(faults) or f"{len(nets)} nets in {len({net[1] for net in nets})} files", flush=True)
    if faults or not chosen or "--apply" in arguments:
        return 1 if faults or not chosen else 0
    build = ["swift", "build", "--build-tests", "--scratch-path", str(WORK / "build"), *FLAGS]
    subprocess.run(build, cwd=TREE, check=True)
    done = {line.split()[0] for line in RESULTS.read_text().splitlines()} if RESULTS.exists() else set()
    survivors = 0
    for name in ["none"] * ("none" not in done) + [name for name in chosen if wanted or name not in done]:
        start, by = time.monotonic(), None
        for stage in STAGES[2:] + STAGES[:2] if "pg-" in name else STAGES:
            by = by or killer(name, *stage)
        line = f"{name} killed-by {by} {time.monotonic() - start:.0f}" if by else f"{name} SURVIVED"
        print(line, flush=True)
        if name == "none" and by:
            return 1
        survivors += not by and name != "none"
        with RESULTS.open("a") as results:
            print(line, file=results)
    return 1 if survivors else 0


sys.exit(main(sys.argv[1:]))
