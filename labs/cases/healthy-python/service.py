# SPDX-License-Identifier: MIT
"""service - products as JSON over HTTP, by the server of the standard library"""
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PRODUCTS = {i: {"id": i, "name": "product %d" % i, "price": i / 4, "tags": ["new", "small"]}
            for i in range(1000)}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self):
        product = PRODUCTS.get(int(self.path.rsplit("/", 1)[1]))
        body = json.dumps(product).encode()
        self.send_response(200 if product else 404)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format, *args):
        pass


ThreadingHTTPServer(("127.0.0.1", 8084), Handler).serve_forever()
