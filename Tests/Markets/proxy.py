"""Passes requests on to a market: counts them, does something at one of them, loses, cuts and replaces its answers, kills the
program that sent them, and can write all of them down."""
import hashlib
import http.client
import http.server
import json
import random
import threading
import time
import urllib.parse

PAGE = "<!DOCTYPE html><html><head><title>{0} of the gateway</title></head><body><h1>{0}</h1></body></html>"
# What becomes of a request, and how often of a hundred. `done` ones reach the market and its answer is lost; what is dropped
# under way is still being carried out when it is sent again.
WEIGHTS = {
    "well": 60, "done and dropped": 9, "done and cut": 7, "done and a page 200": 4, "done and a page 404": 3,
    "done and a page 502": 5, "not done and a page 502": 4, "not done and dropped": 3, "slow": 3, "dropped under way": 2,
}
# Where a run is killed: before the market has the request, once it has done it, and in the middle of the answer.
MOMENTS = ("before", "after", "amid")
# How long a request that is dropped under way takes, in seconds.
LINGERING = 4


class AtRequest:
    """A kill at the n-th request of a run, or at its n-th writing one."""

    def __init__(self, number, moment, writes_only=False):
        self.number, self.moment, self.writes_only = number, moment, writes_only

    def moment_of(self, write, requests, writes):
        number = writes if self.writes_only else requests
        return self.moment if number == self.number and (write or not self.writes_only) else None


class AtEachWrite:
    """A kill at each writing request of a job, in the order in which runs come to them: a run ends at the first that none
    before it was killed at. The moments take turns. What is sent again as it was is the same request."""

    def __init__(self, turn):
        self.turn, self.met = turn, set()

    def moment_of(self, write, requests, writes):
        if write is None or write in self.met:
            return None
        self.met.add(write)
        return MOMENTS[(self.turn + len(self.met)) % len(MOMENTS)]


class Proxy:
    """A proxy that runs while the block does. From a seed, so that what happened can happen again."""

    def __init__(self, site, seed=1, records=False):
        self.host, self.records = site.url.split("//")[1], records
        self.random, self.lock = random.Random(seed), threading.Lock()
        self.pages, self.actions, self.conversation, self.counts = 0, {}, [], {}
        # How often the market answered writes with each status, and what is still under way there.
        self.statuses, self.lingering = {}, []
        self.begin()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                proxy.answer(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        # Programs that are killed break their connections off.
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def at(self, page, action):
        """Acts when the n-th page from here on has been asked for."""
        with self.lock:
            self.pages, self.actions = 0, {page: action}

    def begin(self, faulty=False, process=None, kill=None):
        """From here on: whether answers are lost, and the process that dies at a request, which `kill` chooses."""
        with self.lock:
            self.faulty, self.process, self.kill = faulty, process, kill
            self.requests, self.writes = 0, 0

    def answer(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if handler.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = self.chunks(handler.rfile)
        kind, moment, process = self.fate(handler.command, handler.path, body)
        if moment == "before" or kind == "not done and dropped":
            if moment:
                process.kill()
            return self.drop(handler)
        if kind == "not done and a page 502":
            return self.page(handler, 502)
        if kind == "dropped under way":
            late = threading.Thread(target=self.pass_late, args=(handler.command, handler.path, dict(handler.headers), body))
            with self.lock:
                self.lingering.append(late)
            late.start()
            return self.drop(handler)
        if kind == "slow":
            time.sleep(0.3)
        status, headers, answer = self.passed_on(handler.command, handler.path, handler.headers, body)
        self.note(handler, status, headers, answer)
        if moment == "after" or kind == "done and dropped":
            if moment:
                process.kill()
            return self.drop(handler)
        if kind.startswith("done and a page"):
            return self.page(handler, int(kind[-3:]))
        is_cut = kind == "done and cut" or moment
        self.send(handler, status, headers, answer, answer[:len(answer) // 2] if is_cut else answer)
        if is_cut:
            if moment:
                process.kill()
            self.drop(handler)

    def fate(self, method, path, body):
        """What becomes of a request, and at which of its moments the process dies."""
        is_write = method != "GET"
        write = (method, path, hashlib.sha256(body).digest()) if is_write else None
        with self.lock:
            self.requests += 1
            self.writes += is_write
            process = self.process
            moment = self.kill.moment_of(write, self.requests, self.writes) if self.kill else None
            if moment:
                self.kill = None
            kinds, weights = zip(*WEIGHTS.items())
            # Reads are repeated in any case; what counts is what becomes of writes.
            faulty = self.faulty and (is_write or self.random.random() < 0.2)
            kind = self.random.choices(kinds, weights)[0] if faulty and not moment else "well"
            counted = ("killed" if moment else kind) if is_write else "read"
            self.counts[counted] = self.counts.get(counted, 0) + 1
        return kind, moment, process

    def note(self, handler, status, headers, answer):
        """Acts at a page, and writes the conversation down."""
        if handler.command != "GET":
            return
        if "page" in urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query):
            with self.lock:
                self.pages += 1
                action = self.actions.get(self.pages)
            if action:
                action()
        kept = {name: value for name, value in headers if name.lower() in ("content-type", "link", "retry-after")}
        if self.records and "json" in kept.get("Content-Type", ""):
            self.conversation.append(
                {"method": "GET", "path": handler.path, "status": status, "headers": kept, "body": json.loads(answer)})

    @staticmethod
    def chunks(stream):
        body = b""
        while size := int(stream.readline().split(b";")[0], 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
        return body

    def pass_late(self, method, path, headers, body):
        self.passed_on(method, path, {**headers, "X-Linger": str(LINGERING)}, body)

    def settle(self):
        """Waits for what is still under way."""
        with self.lock:
            late, self.lingering = self.lingering, []
        for thread in late:
            thread.join()

    def passed_on(self, method, path, headers, body):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {
            name: value for name, value in headers.items()
            if name.lower() not in ("host", "connection", "content-length", "transfer-encoding")}
        # The market's own addresses stay what they are without the proxy.
        connection.request(method, path, body or None, {**headers, "Host": self.host})
        reply = connection.getresponse()
        answer = reply.read()
        kept = [(name, value) for name, value in reply.getheaders()
                if name.lower() not in ("connection", "content-length", "transfer-encoding", "keep-alive")]
        connection.close()
        if method != "GET":
            with self.lock:
                self.statuses[reply.status] = self.statuses.get(reply.status, 0) + 1
        return reply.status, kept, answer

    def page(self, handler, status):
        body = PAGE.format(status).encode()
        self.send(handler, status, [("Content-Type", "text/html")], body, body)

    @staticmethod
    def send(handler, status, headers, body, shown):
        try:
            handler.send_response(status)
            for name, value in headers:
                handler.send_header(name, value)
            if status != 204:
                handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(shown)
            handler.wfile.flush()
        except OSError:
            handler.close_connection = True

    @staticmethod
    def drop(handler):
        handler.close_connection = True
        try:
            handler.connection.shutdown(2)
        except OSError:
            pass
