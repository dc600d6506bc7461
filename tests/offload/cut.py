# SPDX-License-Identifier: Apache-2.0
"""A link that breaks: a proxy between a client and a server, and what happens to either at a given byte."""

import socket
import sys
import threading


def shut(*sockets):
    for one in sockets:
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


class Proxy:
    """Listens at `path` and passes on to `server`. After `limit` bytes both ways together every connection is cut, or
    with `stalls` nothing arrives any more, and connections after that one are refused; with `then`, that is called
    and bytes are passed on as before. `carried`: bytes that passed."""

    def __init__(self, path, server, limit, stalls=False, then=None):
        self.server, self.left, self.stalls, self.then = str(server), limit, stalls, then
        self.carried = 0
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
                self.open += [near, far]
                try:
                    far.connect(self.server)
                except OSError:
                    near.close()
                    continue
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self._pass, args=(one, other), daemon=True).start()

    def _pass(self, one, other):
        try:
            while data := one.recv(1 << 16):
                with self.lock:
                    self.carried += len(data)
                    if self.then and self.left <= len(data):
                        self.then()
                        self.then, self.left = None, sys.maxsize
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
        shut(one, other)  # as the system does for a process that ends

    def close(self):
        shut(*self.open)

    def end(self):
        self.listener.close()
        self.close()
        for one in self.open:
            one.close()
