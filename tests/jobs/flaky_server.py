"""flaky_server.py FOLDER PORTFILE: serves the files of a folder locally, and supports resumed downloads.

Breaks off the first request for every file in the middle, like a bad network. Writes its port to PORTFILE.
"""

import http.server
import os
import re
import sys
import typing


class Handler(http.server.BaseHTTPRequestHandler):
    seen: typing.ClassVar = set()

    def do_GET(self):
        path = os.path.join(sys.argv[1], os.path.normpath(self.path).lstrip("/"))
        if not os.path.isfile(path):
            self.send_error(404)
            return
        with open(path, "rb") as file:
            content = file.read()
        wanted = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        begin = int(wanted.group(1)) if wanted else 0
        if begin >= len(content) and wanted:
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(content)}")
            self.end_headers()
            return
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Length", str(len(content) - begin))
        if wanted:
            self.send_header("Content-Range", f"bytes {begin}-{len(content) - 1}/{len(content)}")
        self.end_headers()
        print(f"{self.path} from {begin}", flush=True)
        first = path not in self.seen
        self.seen.add(path)
        self.wfile.write(content[begin : len(content) // 2] if first else content[begin:])

    def log_message(self, *_):
        pass


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[2] + ".part", "w", encoding="ascii") as file:
    file.write(str(server.server_port))
os.rename(sys.argv[2] + ".part", sys.argv[2])
server.serve_forever()
