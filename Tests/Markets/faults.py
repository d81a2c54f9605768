"""Passes requests on to a market and loses, cuts and replaces its answers, and kills the program that sent them."""
import http.client
import http.server
import random
import threading
import time

PAGE = "<!DOCTYPE html><html><head><title>{0} of the gateway</title></head><body><h1>{0}</h1></body></html>"
# What becomes of a request, and how often of a hundred. `done` ones reach the market and its answer is lost.
WEIGHTS = {
    "well": 62, "done and dropped": 9, "done and cut": 7, "done and a page 200": 4, "done and a page 404": 3,
    "done and a page 502": 5, "not done and a page 502": 4, "not done and dropped": 3, "slow": 3,
}
# Where a run is killed: before the market has the request, once it has done it, and in the middle of the answer.
MOMENTS = ("before", "after", "amid")


class FaultyProxy:
    """A proxy that runs while the block does. From a seed, so that what happened can happen again."""

    def __init__(self, site, seed=1):
        self.host = site.url.split("//")[1]
        self.random, self.lock = random.Random(seed), threading.Lock()
        self.faulty, self.kill = False, None
        self.requests, self.writes, self.counts = 0, 0, {}
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
        self.server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def begin(self, faulty=False, kill=None):
        """From here on: whether answers are lost, and (process, n, moment, kind) where its n-th request is its last: of all
        requests, or of those that write."""
        with self.lock:
            self.faulty, self.kill, self.requests, self.writes = faulty, kill, 0, 0

    def answer(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length") or 0))
        if handler.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = self.chunks(handler.rfile)
        with self.lock:
            self.requests += 1
            is_write = handler.command != "GET"
            self.writes += is_write
            kill = None
            if self.kill and (self.kill[3] == "any" or is_write):
                kill = self.kill if self.kill[1] == (self.requests if self.kill[3] == "any" else self.writes) else None
            kinds, weights = zip(*WEIGHTS.items())
            # Reads are repeated in any case; what counts is what becomes of writes.
            faulty = self.faulty and (handler.command != "GET" or self.random.random() < 0.2)
            kind = self.random.choices(kinds, weights)[0] if faulty and not kill else "well"
            self.counts[kind if handler.command != "GET" else "read"] = self.counts.get(
                kind if handler.command != "GET" else "read", 0) + 1
        if kill and kill[2] == "before" or kind == "not done and dropped":
            if kill:
                kill[0].kill()
            return self.drop(handler)
        if kind == "not done and a page 502":
            return self.page(handler, 502)
        if kind == "slow":
            time.sleep(0.3)
        status, headers, answer = self.passed_on(handler, body)
        if kill and kill[2] == "after" or kind == "done and dropped":
            if kill:
                kill[0].kill()
            return self.drop(handler)
        if kind.startswith("done and a page"):
            return self.page(handler, int(kind[-3:]))
        is_cut = kind == "done and cut" or kill
        self.send(handler, status, headers, answer, answer[:len(answer) // 2] if is_cut else answer)
        if is_cut:
            if kill:
                kill[0].kill()
            self.drop(handler)

    @staticmethod
    def chunks(stream):
        body = b""
        while size := int(stream.readline().split(b";")[0], 16):
            body += stream.read(size)
            stream.readline()
        stream.readline()
        return body

    def passed_on(self, handler, body):
        connection = http.client.HTTPConnection(self.host, timeout=60)
        headers = {
            name: value for name, value in handler.headers.items()
            if name.lower() not in ("host", "connection", "content-length", "transfer-encoding")}
        # The market's own addresses stay what they are without the proxy.
        connection.request(handler.command, handler.path, body or None, {**headers, "Host": self.host})
        reply = connection.getresponse()
        answer = reply.read()
        kept = [(name, value) for name, value in reply.getheaders()
                if name.lower() not in ("connection", "content-length", "transfer-encoding", "keep-alive")]
        connection.close()
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
