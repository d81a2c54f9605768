"""Headless Chromium over its pipe: the DevTools protocol with nothing but the standard library."""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time


class Failure(Exception):
    pass


class Chromium:
    """A browser with one page. Used with `with`: it ends with the block, and its profile goes."""

    def __init__(self, path, timeout=60):
        self.path, self.timeout = path, timeout
        self.number, self.session, self.buffer, self.events = 0, None, b"", []

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="chromium-")
        try:
            self._start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _start(self):
        take, self.give_end = os.pipe()
        self.take_end, give = os.pipe()
        arguments = [
            self.path, "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
            "--disable-dev-shm-usage", "--disable-background-networking", "--disable-component-update",
            "--disable-extensions", "--disable-sync", "--no-default-browser-check", "--hide-scrollbars",
            "--user-data-dir=" + self.folder,
        ]
        # A container's root has no sandbox to offer; the pages are our own.
        if os.geteuid() == 0:
            arguments.append("--no-sandbox")
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", 'in=$1 out=$2; shift 2; eval "exec \\"\\$@\\" 3<&$in 4>&$out"', "sh", str(take), str(give)]
            + arguments,
            pass_fds=(take, give), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=dict(os.environ, HOME=self.folder),
        )
        os.close(take)
        os.close(give)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network", "Performance", "Accessibility", "DOM"):
            self.call(domain + ".enable")

    def __exit__(self, *_):
        process = getattr(self, "process", None)
        if process:
            process.kill()
            process.wait()
        for end in ("give_end", "take_end"):
            if hasattr(self, end):
                os.close(getattr(self, end))
        shutil.rmtree(self.folder, ignore_errors=True)

    def _message(self, deadline):
        while b"\0" not in self.buffer:
            if not select.select([self.take_end], [], [], max(deadline - time.monotonic(), 0))[0]:
                raise Failure("Chromium does not answer")
            piece = os.read(self.take_end, 1 << 20)
            if not piece:
                raise Failure("Chromium ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.give_end, data):]
        deadline = time.monotonic() + self.timeout
        while True:
            answer = self._message(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Failure(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def wait(self, name):
        """Waits for an event of the page, those that came before included."""
        deadline = time.monotonic() + self.timeout
        while True:
            for event in self.events:
                if event.get("method") == name:
                    return event["params"]
            self.events.append(self._message(deadline))

    def open(self, file, fragment=""):
        # A page that differs by its fragment alone would not be loaded again.
        for url in ("about:blank", "file://" + os.path.abspath(file) + fragment):
            self.events = []
            self.call("Page.navigate", url=url)
            self.wait("Page.loadEventFired")

    def js(self, expression):
        """The value of an expression, promises awaited; runs beside the page's policy, as a person's hands do."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Failure(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def complaints(self):
        """What the page logged: violations of its policy, errors, refused requests."""
        found = []
        for event in self.events:
            params = event.get("params", {})
            if event.get("method") == "Log.entryAdded":
                found.append(params["entry"]["text"])
            elif event.get("method") == "Runtime.exceptionThrown":
                found.append(str(params["exceptionDetails"]))
            elif event.get("method") == "Runtime.consoleAPICalled":
                found.append(str(params["args"]))
        return found

    def requests(self):
        """The addresses that the page asked for, its own and what is in it aside."""
        urls = [event["params"]["request"]["url"] for event in self.events
                if event.get("method") == "Network.requestWillBeSent"]
        return [url for url in urls if not url.startswith(("file://", "data:"))]

    def screen(self, width, height, dark=False, mobile=False, script=True, media=""):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=mobile)
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.call("Emulation.setEmulatedMedia", media=media, features=features)
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def picture(self, file):
        data = self.call("Page.captureScreenshot", format="png")["data"]
        with open(file, "wb") as target:
            target.write(base64.b64decode(data))

    def pdf(self, file):
        data = self.call("Page.printToPDF", printBackground=False)["data"]
        with open(file, "wb") as target:
            target.write(base64.b64decode(data))
