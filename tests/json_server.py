"""A server on a free loopback port that answers each JSON request with a status and a JSON body, a thread a request."""

import json
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Http(ThreadingHTTPServer):
    request_queue_size = 256


@contextmanager
def serve_json(answer: Callable[[dict], tuple[int, dict]]) -> Generator[str]:
    """Its address, with /v1. `answer` runs on the request's thread; NaN is sent as a bare word, as some servers do."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            status, body = answer(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            reply = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: object) -> None:
            pass

    http = Http(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{http.server_port}/v1"
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
