#!/usr/bin/env python3
"""Takes out each safety guard of nets.txt once, and sees a test fail.

    python3 Tests/Nets/run.py [--apply] [NAME...]     a NAME may be a pattern: 's.*'

Writes a copy of the tracked files to .build-nets/tree. In it every guard asks whether it is out, so that one build
serves all: the variable NET names the one. Then it runs stage after stage until a test fails, and prints
`name killed-by file seconds` or `name SURVIVED`. What is in .build-nets/results is not run again, unless it is named.
The net `none` takes nothing out, and must survive first. --apply writes the copy, checks it, and builds nothing.
"""
import fnmatch, os, pathlib, re, shutil, signal, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORK = ROOT / ".build-nets"
TREE, RESULTS = WORK / "tree", WORK / "results"
FLAGS = """-c release -Xswiftc -enable-testing --enable-index-store -Xswiftc -index-ignore-system-modules
    -debug-info-format none -Xcc -O0 --explicit-target-dependency-import-check error""".split()
# Not OPENMARKET_…: the program takes those for its options.
NET = """import FoundationEssentials

package enum Net {
    private static let name = ProcessInfo.processInfo.environment["NET"]

    package static func out(_ name: String) -> Bool { name == Self.name }
}
"""
POSTGRESQL = r"OpenMarket(State|Reliability)Tests\.(.*/)?PostgreSQL"
HISTORIES = r"History"
# What is filtered, what is skipped, how many seconds it may take.
STAGES = [
    (r"^OpenMarket(|Manifest|Workflow|State|Client)Tests\.", rf"{HISTORIES}|Browser|PostgreSQL|SharedState|CatalogFile", 600),
    (rf"^OpenMarketTests\..*{HISTORIES}|^OpenMarketStateTests\.SharedState|^OpenMarketReliabilityTests\..*{HISTORIES}",
     "PostgreSQL", 1200),
    (rf"^OpenMarketReliabilityTests\.|{POSTGRESQL}|^OpenMarketStateTests\.SharedState", HISTORIES, 1800),
    # Not what looks at sources, documents or the machine.
    (r"^OpenMarketCLITests\.", "Convention|Documentation|Manual|Recipe|Examples|GitHub|GitLab|PreCommit|AppSnippet|Reference", 1800),
]


def records():
    """(name, file, old, new), with OUT in the new text replaced."""
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
    """Writes the tree; returns what is wrong with the records. Files that stay the same keep their time."""
    names = [net[0] for net in nets]
    faults = [f"{name} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    changes = {}
    for name, file, old, new in nets:
        changes.setdefault(file, []).append((name, old, new))
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True).stdout
    files = [file for file in tracked.split("\0") if file and os.path.lexists(ROOT / file)]
    contents = {"Sources/OpenMarket/Net.swift": NET.encode()}
    for file in files + (["Package.resolved"] if (ROOT / "Package.resolved").exists() else []):
        if not (ROOT / file).is_symlink():
            contents[file] = (ROOT / file).read_bytes()
    for file, edits in changes.items():
        text, places = contents.get(file, b"").decode(), []
        for name, old, new in edits:
            if not old or text.count(old) != 1 or new == old:
                faults.append(f"{name}: {file} has it {text.count(old) if old else 0} times")
            else:
                places.append((text.index(old), text.index(old) + len(old), name, new))
        places.sort()
        faults += [f"{b[2]} overlaps {a[2]}" for a, b in zip(places, places[1:]) if b[0] < a[1]]
        for start, end, _, new in reversed(places):
            text = text[:start] + new + text[end:]
        if not file.startswith("Sources/OpenMarket/") and not re.search(r"import OpenMarket$", text, re.M):
            text = "import OpenMarket\n" + text
        contents[file] = text.encode()
    # The programs that tests start get the variable, too.
    program, names = "Tests/OpenMarketTestSupport/Program.swift", b'"LD_LIBRARY_PATH"]'
    if contents[program].count(names) != 1:
        faults.append(f"{program} passes its variables on in another way")
    contents[program] = contents[program].replace(names, b'"LD_LIBRARY_PATH", "NET"]')
    for old in TREE.rglob("*") if TREE.exists() else []:
        name = old.relative_to(TREE).as_posix()
        if (old.is_symlink() or old.is_file()) and name not in contents and name not in files:
            old.unlink()
    for file in files:
        if (ROOT / file).is_symlink() and not os.path.lexists(TREE / file):
            (TREE / file).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(os.readlink(ROOT / file), TREE / file)
    for file, content in contents.items():
        path = TREE / file
        if not path.exists() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        if (ROOT / file).exists():
            shutil.copymode(ROOT / file, path)
    return faults


def killer(name, filter, skip, limit):
    """The file of the first test that fails, or None."""
    environment = {**os.environ, "NET": name, "SWIFT_DETERMINISTIC_HASHING": "1"}
    if "Reliability" in filter or "CLI" in filter:
        environment["SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH"] = "6"
    command = ["swift", "test", "--disable-xctest", "--scratch-path", str(WORK / "build"), *FLAGS]
    command += ["--skip-build", "--parallel", "--filter", filter, "--skip", skip]
    with open(WORK / f"log.{name}", "a+") as log:
        log.seek(0, os.SEEK_END)
        begin, end = log.tell(), time.monotonic() + limit
        tests = subprocess.Popen(command, cwd=TREE, env=environment, stdout=log, stderr=log, start_new_session=True)
        while True:
            ended = tests.poll() is not None
            log.seek(begin)
            text = log.read()
            failed = re.search(r"✘ Test .*? recorded an issue.*? at (\w+)\.swift", text)
            late = time.monotonic() > end
            if ended or late or failed:
                break
            time.sleep(1)
        if not ended:
            # An interrupt: the tests end their servers.
            os.killpg(tests.pid, signal.SIGINT)
            try:
                tests.wait(20)
            except subprocess.TimeoutExpired:
                os.killpg(tests.pid, signal.SIGKILL)
                tests.wait()
    if failed:
        return failed[1]
    return "timeout" if late and not ended else None if tests.returncode == 0 else "crash"


def main(arguments):
    nets = records()
    wanted = [word for word in arguments if word != "--apply"]
    chosen = [net[0] for net in nets if not wanted or any(fnmatch.fnmatch(net[0], word) for word in wanted)]
    faults = apply(nets)
    print("\n".join(faults) or f"{len(nets)} nets in {len({net[1] for net in nets})} files")
    if faults or not chosen or "--apply" in arguments:
        return 1 if faults or not chosen else 0
    build = ["swift", "build", "--build-tests", "--scratch-path", str(WORK / "build"), *FLAGS]
    subprocess.run(build, cwd=TREE, check=True)
    done = set(line.split()[0] for line in RESULTS.read_text().splitlines()) if RESULTS.exists() else set()
    survived = False
    for name in ["none"] * ("none" not in done) + [name for name in chosen if wanted or name not in done]:
        start, by = time.monotonic(), None
        for stage in STAGES:
            by = by or killer(name, *stage)
        line = f"{name} killed-by {by} {time.monotonic() - start:.0f}" if by else f"{name} SURVIVED"
        print(line, flush=True)
        if name == "none" and by:
            return 1
        survived |= not by and name != "none"
        with RESULTS.open("a") as results:
            print(line, file=results)
    return 1 if survived else 0


sys.exit(main(sys.argv[1:]))
