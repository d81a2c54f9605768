"""Starts a market of `sites/` on loopback, filled from nothing, and stops it again. Standard library alone."""
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

SITES = os.path.dirname(os.path.abspath(__file__))
TOKEN = "throwaway-of-the-tests"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Site:
    """A filled market that runs while the block does."""

    def __init__(self, name, folder, count):
        self.name, self.count = name, count
        self.bin = os.path.join(folder, name, "bin")
        self.data = os.path.join(folder, f"{name}-data")
        # What migrations leave: they take minutes, and come to the same every time.
        self.migrated = os.path.join(folder, f"{name}-migrated")
        self.url = f"http://127.0.0.1:{free_port()}"

    def __enter__(self):
        shutil.rmtree(self.data, ignore_errors=True)
        if os.path.exists(self.migrated):
            shutil.copytree(self.migrated, self.data)
        else:
            os.makedirs(self.data)
        environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": SITES}
        manage, application = getattr(self, f"_{self.name}")(environment)
        python = os.path.join(self.bin, "python")
        if not os.path.exists(self.migrated):
            self._run([python, "-m", manage, "migrate", "-v0"], environment)
            shutil.copytree(self.data, self.migrated)
        self._run([python, f"{SITES}/{self.name}_site.py", str(self.count), TOKEN], environment)
        self.log = open(os.path.join(self.data, "server.log"), "wb")
        self.server = subprocess.Popen(
            # Several at once, as a shop has them: a request meets another that is still under way.
            [python, "-m", "gunicorn", "--workers", "4", "--bind", self.url[7:], "--no-control-socket", application],
            env=environment, cwd=self.data, stdout=self.log, stderr=self.log)
        for _ in range(600):
            try:
                urllib.request.urlopen(self.url + "/api/", timeout=30)
                break
            except urllib.error.HTTPError:
                break
            except OSError:
                if self.server.poll() is not None:
                    sys.exit(open(self.log.name).read())
                time.sleep(0.1)
        return self

    def __exit__(self, *_):
        self.server.terminate()
        self.server.wait()
        self.log.close()

    def _run(self, command, environment):
        done = subprocess.run(command, env=environment, cwd=self.data, capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}:\n{done.stdout}{done.stderr}")

    def _pretix(self, environment):
        config = os.path.join(self.data, "pretix.cfg")
        with open(config, "w") as file:
            file.write(
                f"[pretix]\nurl={self.url}\ndatadir={self.data}\nregistration=off\n[database]\nbackend=sqlite3\n"
                "[django]\nsecret=for tests on loopback alone\n")
        environment.update(PRETIX_CONFIG_FILE=config, DJANGO_SETTINGS_MODULE="pretix_settings")
        return "pretix", "pretix.wsgi"

    def _oscar(self, environment):
        environment.update(OSCAR_FOLDER=self.data, DJANGO_SETTINGS_MODULE="oscar_settings")
        return "django", "django.core.wsgi:get_wsgi_application()"
