"""Servers that run while something is measured. All of them listen on the same port, one after the other."""

import contextlib
import os
import socket
import subprocess
import time

from . import tools
from .measuring import Failed, Usage

# The state of a shop belongs to its address, so the address has to stay.
PORT = 18480
URL = f"http://127.0.0.1:{PORT}"

NGINX = """\
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr error;
events {{ worker_connections 1024; }}
http {{
    access_log off;
    sendfile on;
    tcp_nopush on;
    keepalive_requests 1000000;
    types {{ }}
    default_type application/json;
    client_body_temp_path {folder}/nginx-body;
    proxy_temp_path {folder}/nginx-proxy;
    fastcgi_temp_path {folder}/nginx-fastcgi;
    uwsgi_temp_path {folder}/nginx-uwsgi;
    scgi_temp_path {folder}/nginx-scgi;
    server {{
        listen 127.0.0.1:{port};
        root {pages};
        location = /api/products {{ try_files /$arg_items_per_page/$arg_page_no.json @end; }}
        location @end {{ return 204; }}
    }}
}}
"""


@contextlib.contextmanager
def running(arguments, variables=None):
    """Starts a server, waits until it listens, and ends it afterwards. Yields what it uses."""
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", PORT)) == 0:
            raise Failed(f"something listens on port {PORT} already")
    with subprocess.Popen(
        [str(argument) for argument in arguments],
        env=os.environ | (variables or {}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            deadline = time.monotonic() + 60
            while True:
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", PORT)) == 0:
                        break
                if process.poll() is not None or time.monotonic() > deadline:
                    raise Failed(f"{arguments[0]} does not listen on port {PORT}")
                time.sleep(0.01)
            yield Usage(process.pid)
        finally:
            process.terminate()
            process.wait()


def serve(binary, database):
    """The reference server over a database; its log is discarded."""
    arguments = [binary, "serve", "--api", "v2b", "--port", PORT, "--database", database]
    return running(arguments, tools.CREDENTIALS)


def nginx(pages):
    """A static copy of a shop's list."""
    configuration = tools.SCRATCH / "nginx.conf"
    configuration.write_text(NGINX.format(folder=tools.SCRATCH, port=PORT, pages=pages), encoding="utf-8")
    return running([tools.program("nginx"), "-p", tools.SCRATCH, "-c", configuration])


def paced(milliseconds, pages=None):
    """A market that answers after so long, and that takes any create."""
    return running([tools.compiled("paced"), PORT, milliseconds, *([pages] if pages else [])])


def flask(database):
    """The peer of the reference server: two processes of eight threads."""
    arguments = ["-m", "gunicorn", "--workers", "2", "--threads", "8", "--bind", f"127.0.0.1:{PORT}"]
    arguments += ["--keep-alive", "60", "--pythonpath", tools.PEERS, "shop:app"]
    return running(tools.python(*arguments), tools.CREDENTIALS | {"SHOP": str(database)})
