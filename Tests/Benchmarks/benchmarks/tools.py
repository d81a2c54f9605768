"""What is measured and what it is measured with: made or installed where it is missing."""

import os
import pathlib
import shutil
import subprocess
import sys

from . import data

ROOT = pathlib.Path(__file__).resolve().parents[3]
SCRATCH = ROOT / ".build-benchmarks"
PEERS = pathlib.Path(__file__).resolve().parents[1] / "peers"

PYTHON_PACKAGES = ["aiohttp", "orjson", "octodns", "flask", "gunicorn"]
DEBIAN_PACKAGES = {"nginx": "nginx-light", "curl": "curl", "wrk": "wrk", "cc": "gcc"}
LIBRARIES = {"events": ["-lyaml"], "rows": ["-lsqlite3"]}

BUILD = ["sh", str(ROOT / ".ci/release")]

CREDENTIALS = {"OPENMARKET_IDENTIFIER": data.IDENTIFIER, "OPENMARKET_SECRET": data.SECRET}


def progress(text):
    """A line for who waits."""
    print(f"  {text}", file=sys.stderr, flush=True)


def binary():
    """The program that is measured: OPENMARKET_BINARY, or a release that is built now."""
    if named := os.environ.get("OPENMARKET_BINARY"):
        return pathlib.Path(named).resolve()
    return built("openmarket", ".build-release")


def built(name, scratch):
    """Builds a release and installs it as examples/install.sh does."""
    installed = SCRATCH / name
    progress("building a release of openmarket")
    subprocess.run(["sh", str(ROOT / ".ci/packages")], check=True)
    path = subprocess.run(
        [*BUILD, "--scratch-path", str(ROOT / scratch)], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    SCRATCH.mkdir(exist_ok=True)
    shutil.copy(path, installed)
    subprocess.run(["strip", str(installed)], check=True)
    return installed


def program(name):
    """A program of the system; installed with apt-get where it is missing."""
    path = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if path:
        return path
    package = DEBIAN_PACKAGES[name]
    if not shutil.which("apt-get"):
        raise SystemExit(f"{name} is missing (in Debian: {package}): install it and run this again")
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    progress(f"installing {package} with apt-get")
    environment = ["env", "DEBIAN_FRONTEND=noninteractive"]
    subprocess.run(sudo + ["apt-get", "update", "-qq"], check=False, stdout=sys.stderr)
    subprocess.run(
        sudo + environment + ["apt-get", "install", "-y", "-qq", "--no-install-recommends", package],
        check=True,
        stdout=sys.stderr,
    )
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    if not found:
        raise SystemExit(f"{package} is installed, and there is no {name}")
    return found


def remove(path):
    """Deletes a file or a folder; a missing one is not an error."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def compiled(name):
    """A peer in C, compiled as one would."""
    source, target = PEERS / f"{name}.c", SCRATCH / name
    if not target.exists() or target.stat().st_mtime < source.stat().st_mtime:
        # For the headers of libyaml, SQLite and zlib.
        subprocess.run(["sh", str(ROOT / ".ci/packages")], check=True)
        SCRATCH.mkdir(exist_ok=True)
        subprocess.run([program("cc"), "-O2", "-o", str(target), str(source), *LIBRARIES.get(name, [])], check=True)
    return target


def python(*arguments):
    """The start of a command line in the virtual environment of the peers."""
    environment = SCRATCH / "venv"
    mark = environment / "complete"
    if not mark.exists():
        progress(f"installing {', '.join(PYTHON_PACKAGES)} from PyPI")
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(environment)], check=True)
        install = [str(environment / "bin/pip"), "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run(install + PYTHON_PACKAGES, check=True, stdout=sys.stderr)
        mark.touch()
    return [environment / "bin/python3", *arguments]


def made(kind, *numbers):
    """A folder of data from the seed, made once: see data.py."""
    folder = SCRATCH / "-".join([kind, *map(str, numbers)])
    maker = pathlib.Path(data.__file__)
    mark = folder / "complete"
    if not mark.exists() or mark.stat().st_mtime < maker.stat().st_mtime:
        progress(f"making {folder.name}")
        remove(folder)
        folder.mkdir(parents=True)
        subprocess.run([sys.executable, str(maker), kind, str(folder), *map(str, numbers)], check=True)
        mark.touch()
    return folder
