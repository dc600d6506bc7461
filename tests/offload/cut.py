# SPDX-License-Identifier: Apache-2.0
"""A link that breaks: a proxy between a client and a server, which stops passing bytes on at a given one."""

import socket
import threading


class Proxy:
    """Listens at `path` and passes on to `server`; after `limit` bytes both ways together every connection is cut, or
    with `stalls` nothing arrives any more. Connections after that one are refused."""

    def __init__(self, path, server, limit, stalls=False):
        self.server, self.left, self.stalls = str(server), limit, stalls
        self.lock = threading.Lock()
        self.open = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                if self.left <= 0:
                    near.close()
                    continue
                far = socket.socket(socket.AF_UNIX)
                far.connect(self.server)
                self.open += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(1 << 16):
                with self.lock:
                    data = data[:max(self.left, 0)]
                    self.left -= len(data)
                    is_over = self.left <= 0
                other.sendall(data)
                if is_over:
                    if not self.stalls:
                        self.close()
                    return
        except OSError:
            pass

    def close(self):
        for one in self.open:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def end(self):
        self.listener.close()
        self.close()
        for one in self.open:
            one.close()
