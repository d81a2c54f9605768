"""A PostgreSQL server of our own, in a folder of its own, for as long as something is measured."""

import contextlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from . import tools
from .measuring import Failed


def _programs():
    """Where the server's programs are; installed with apt-get where they are missing."""
    for _ in range(2):
        versions = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3])
        if versions:
            return versions[-1].parent
        if found := shutil.which("initdb"):
            return pathlib.Path(found).parent
        subprocess.run(["sh", str(tools.ROOT / ".ci/packages"), "tests"], check=True)
    raise Failed("there is no PostgreSQL server to start")


def _run(*arguments):
    """Runs a program of the server's, which refuses to be root's."""
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    command = [str(argument) for argument in [*user, *arguments]]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")


class Server:
    """A server that runs."""

    def __init__(self, folder):
        self.folder = folder

    def url(self, schema):
        """The address of a state."""
        return f"postgresql://openmarket@/postgres?host={self.folder}&schema={schema}"


@contextlib.contextmanager
def server():
    """Starts one as it is installed: what it confirms is on the disk."""
    programs = _programs()
    # Beside the other data, because a folder for temporary files may be in memory. A socket's path has to be short.
    tools.SCRATCH.mkdir(exist_ok=True)
    data = pathlib.Path(tempfile.mkdtemp(prefix="postgresql-", dir=tools.SCRATCH))
    socket = pathlib.Path(tempfile.mkdtemp(prefix="openmarket-pg-"))
    try:
        if os.geteuid() == 0:
            for folder in [data, socket]:
                shutil.chown(folder, "postgres")
        _run(programs / "initdb", "-D", data / "data", "-U", "openmarket", "-A", "trust", "-E", "UTF8", "--locale=C")
        options = f"-c listen_addresses= -c unix_socket_directories={socket}"
        _run(programs / "pg_ctl", "-w", "-D", data / "data", "-l", data / "log", "-o", options, "start")
        try:
            yield Server(socket)
        finally:
            _run(programs / "pg_ctl", "-w", "-D", data / "data", "-m", "fast", "stop")
    finally:
        tools.remove(data)
        tools.remove(socket)
