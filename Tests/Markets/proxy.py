"""Passes requests on to a market: counts those of the list, does something at one of them, and can write all of them down."""
import http.server
import json
import threading
import urllib.error
import urllib.parse
import urllib.request


class Proxy:
    """A proxy that runs while the block does; `at(n, action)` acts when the n-th page has been asked for."""

    def __init__(self, site):
        self.site, self.pages, self.actions, self.conversation = site, 0, {}, []
        self.lock = threading.Lock()
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def do_GET(self):
                proxy.answer(self)

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
        with self.lock:
            self.pages, self.actions = 0, {page: action}

    def answer(self, handler):
        # Not the host: the market's own addresses stay what they are without the proxy.
        headers = {name: handler.headers[name] for name in ("Authorization", "Accept") if handler.headers[name]}
        request = urllib.request.Request(self.site.url + handler.path, headers=headers)
        try:
            reply = urllib.request.urlopen(request, timeout=60)
        except urllib.error.HTTPError as error:
            reply = error
        body = reply.read()
        if "page" in urllib.parse.parse_qs(urllib.parse.urlsplit(handler.path).query):
            with self.lock:
                self.pages += 1
                action = self.actions.get(self.pages)
            if action:
                action()
        kept = {name: value for name, value in reply.headers.items() if name.lower() in ("content-type", "link", "retry-after")}
        is_text = "json" in kept.get("Content-Type", "")
        if is_text:
            self.conversation.append(
                {"method": "GET", "path": handler.path, "status": reply.status, "headers": kept, "body": json.loads(body)})
        try:
            handler.send_response(reply.status)
            for name, value in kept.items():
                handler.send_header(name, value)
            handler.send_header("Content-Length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)
        except OSError:
            # The program was killed.
            handler.close_connection = True
