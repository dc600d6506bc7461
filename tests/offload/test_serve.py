#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `blockyard offload serve`, `status` and `token` promise."""

import contextlib
import itertools
import json
import os
import pathlib
import re
import resource
import select
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import unittest

from offloaded import (BLOCKYARD, CALLER, FENCED_MEMORY, LAPACK_CALLER, LIMIT_SECONDS, PRODUCT, Offload, has_tls, run_program)


def address_space_of(process):
    status = pathlib.Path(f"/proc/{process}/status").read_text()
    return int(re.search(r"VmSize:\s+(\d+) kB", status)[1]) << 10


def run_within(kibibytes, *words):
    """Blockyard in a shell with so much address space. A thread of OpenBLAS would take some of it at a time of its own."""
    return run_program(["bash", "-c", f'ulimit -v {kibibytes}; exec "$@"', "shell", BLOCKYARD, *words], check=False,
                       env=os.environ | {"OPENBLAS_NUM_THREADS": "1"})


class Serve(Offload):
    def test_clients_share_a_device_and_status_shows_it(self):
        self.need_numpy()
        server = self.serve("--device", "host", "--memory", "9M")
        self.assertEqual(self.run_at(server.address, sys.executable, "-c", PRODUCT)[0].stdout, "True True\n")
        waits = PRODUCT + "import sys; sys.stdout.flush(); sys.stdin.readline()"
        program = subprocess.Popen([BLOCKYARD, "offload", "run", "--quiet", "--server", server.address, "--place", "remote",
                                    "--", sys.executable, "-c", waits], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.assertEqual(program.stdout.readline(), "True True\n")
        shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)["devices"][0]
        self.assertEqual(shown["limit_bytes"], 9 << 20)
        self.assertEqual(len(shown["clients"]), 1)
        client = shown["clients"][0]
        self.assertEqual((client["weight"], client["queued"]), (1, 0))
        self.assertGreater(client["used_seconds"], 0)
        self.assertGreater(client["memory_bytes"], 0)
        self.assertEqual(shown["used_bytes"], client["memory_bytes"])
        for rate in ("received_bytes_per_second", "sent_bytes_per_second", "device_seconds_per_second"):
            self.assertGreaterEqual(min(shown[rate], client[rate]), 0)
        self.assertIn("100 %", self.offload("status", "--server", server.address).stdout)
        self.assertIn('blockyard_offload_client_seconds{device="0",client="a client",number="0"} ',
                      self.offload("status", "--server", server.address, "--prometheus").stdout)
        # Another client needs nearly all there is: the first one gives back what it keeps.
        large = "import numpy; print((numpy.ones((64, 900)) @ numpy.ones((900, 900))).max())"
        self.assertEqual(self.run_at(server.address, sys.executable, "-c", large)[0].stdout, "900.0\n")
        while shown["clients"][0]["memory_bytes"] >= client["memory_bytes"]:
            shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)["devices"][0]
        program.communicate("\n", timeout=LIMIT_SECONDS)
        server.end()

    def test_serve_and_token_answer_in_json(self):
        said = json.loads(self.offload("token", "laptop", "--weight", "2", "--tokens", self.folder / "tokens", "--json",
                                       folder=self.folder).stdout)
        self.assertEqual(said, {"name": "laptop", "weight": 2.0, "tokens": f"{self.folder}/tokens", "token": "laptop.token"})
        self.assertEqual((self.folder / said["token"]).stat().st_mode & 0o777, 0o600)
        address = f"unix:{self.folder}/socket"
        with subprocess.Popen([BLOCKYARD, "offload", "serve", "--listen", address, "--device", "sim", "--json"],
                              stdout=subprocess.PIPE, text=True) as server:
            said = json.loads(server.stdout.readline())
            server.terminate()
        self.assertEqual((said["kind"], said["places"]), ("sim", [address]))
        self.assertGreater(said["devices"], 0)
        self.assertEqual(server.returncode, 0)

    def test_making_a_token_keeps_notes_and_writes_through_no_link(self):
        tokens, others = self.folder / "tokens", self.folder / "others"
        others.write_text("theirs")
        (self.folder / "tokens.new").symlink_to(others)
        self.offload("token", "first", folder=self.folder)
        tokens.write_text("# for the laboratory\n" + tokens.read_text())
        self.offload("token", "second", folder=self.folder)
        lines = tokens.read_text().splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["#", "first", "second"])
        self.assertEqual((others.read_text(), tokens.is_symlink(), tokens.stat().st_mode & 0o777), ("theirs", False, 0o600))

    def test_a_folder_that_others_may_have_made_is_not_trusted(self):
        (self.folder / "blockyard").mkdir(mode=0o777)
        (self.folder / "blockyard").chmod(0o777)
        done = run_program([BLOCKYARD, "offload", "status"], env=os.environ | {"XDG_RUNTIME_DIR": str(self.folder)}, check=False)
        self.assertEqual((done.returncode, done.stderr),
                         (1, f"error: {self.folder}/blockyard is not a folder of this user alone\n"))

    def test_over_tcp_a_token_is_proven(self):
        def token(name):
            done = subprocess.run([BLOCKYARD, "offload", "token", name], cwd=self.folder, capture_output=True, text=True,
                                  check=True)
            self.assertIn(f"{name}.token", done.stdout)
            return self.folder / f"{name}.token"

        good = token("laptop")
        os.rename(self.folder / "tokens", self.folder / "of_the_server")
        stranger = token("stranger")
        secret = good.read_text().split()[1]
        self.assertEqual(good.stat().st_mode & 0o777, 0o600)
        server = self.serve("--listen", "127.0.0.1:0", "--tokens", self.folder / "of_the_server")
        address = server.process.stdout.readline().split()[-1]
        asked = self.offload("status", "--server", address, "--token", good)
        self.assertIn("host", asked.stdout)
        self.assertIn("not encrypted", asked.stdout)
        ways = [address]
        if has_tls():
            ways.append(f"tls:{address}")
            shown = self.offload("status", "--server", ways[1], "--token", good, "--json")
            self.assertTrue(json.loads(shown.stdout)["encrypted"])
        for way in ways:
            for options in ((), ("--token", stranger)):
                done = self.offload("status", "--server", way, *options, code=1)
                self.assertIn("token", done.stderr)
                self.assertNotIn(secret, done.stderr)
        self.assertEqual(self.offload("status", "--server", address, "--token", good).stdout, asked.stdout)
        server.end()

    def test_over_tls_nothing_else_is_let_in_and_products_are_right(self):
        if not has_tls():
            self.skipTest("this machine has no OpenSSL 3")
        subprocess.run([BLOCKYARD, "offload", "token", "laptop"], cwd=self.folder, capture_output=True, check=True)
        token = self.folder / "laptop.token"
        server = self.serve("--listen", "tls:127.0.0.1:0", "--tokens", self.folder / "tokens")
        address = server.process.stdout.readline().split()[-1]
        done, calls = self.run_at(address, CALLER, token=token)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(calls["remote"], 180)
        done = self.offload("status", "--server", address.replace("tls:", "plain:"), "--token", token, code=1)
        self.assertIn("does not use TLS", done.stderr)
        host, port = address.replace("tls:", "").split(":")
        for sent in (b"GET / HTTP/1.1\r\n\r\n", b"\x16\x03\x01\x00\x05hello", b"\x16" * 100_000):
            with socket.create_connection((host, int(port))) as stranger:
                answer = b""
                with contextlib.suppress(ConnectionError):
                    stranger.sendall(sent)
                    while piece := stranger.recv(4096):
                        answer += piece
            self.assertLess(len(answer), 1000)
        self.offload("status", "--server", address, "--token", token)
        server.end()

    def test_a_certificate_is_no_key(self):
        """Who answers at the address without the token has only that to show."""
        if not has_tls() or not shutil.which("openssl"):
            self.skipTest("this machine has no OpenSSL 3, or not its program")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
                        "key", "-out", "certificate", "-subj", "/CN=gpu7"], cwd=self.folder, capture_output=True, check=True)
        self.offload("token", "laptop", folder=self.folder)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "certificate", self.folder / "key")
        said = []

        def listen(listener):
            accepted, _ = listener.accept()
            with contextlib.suppress(OSError), context.wrap_socket(accepted, server_side=True) as guest:
                said.append(guest.recv(1000))

        with socket.create_server(("127.0.0.1", 0)) as listener:
            listening = threading.Thread(target=listen, args=(listener,))
            listening.start()
            done = self.offload("status", "--server", f"tls:127.0.0.1:{listener.getsockname()[1]}", "--token",
                                self.folder / "laptop.token", code=1)
            listening.join()
        self.assertIn("TLS", done.stderr)
        self.assertIn(said, ([], [b""]))

    def test_a_file_where_a_server_is_to_listen_stays(self):
        kept = self.folder / "notes"
        kept.write_text("not a socket")
        done = self.offload("serve", "--device", "host", "--listen", f"unix:{kept}", code=1)
        self.assertIn("a file that is no socket has that name", done.stderr)
        self.assertEqual(kept.read_text(), "not a socket")

    def test_over_ucx_a_token_is_proven_and_products_are_right(self):
        for name in ("stranger", "laptop"):
            (self.folder / "tokens").unlink(missing_ok=True)
            subprocess.run([BLOCKYARD, "offload", "token", name], cwd=self.folder, capture_output=True, check=True)
        tokens = ("--tokens", self.folder / "tokens")
        done = self.offload("serve", "--listen", "ucx://0.0.0.0:0", *tokens, code=2)
        self.assertIn("there is no TLS over UCX", done.stderr)
        try:
            server = self.serve("--listen", "ucx://127.0.0.1:0", *tokens)
        except RuntimeError:
            self.skipTest("this build or this machine has no UCX")
        address = server.process.stdout.readline().split()[-1]
        token = self.folder / "laptop.token"
        self.assertIn("not encrypted", self.offload("status", "--server", address, "--token", token).stdout)
        done = self.offload("status", "--server", address, "--token", self.folder / "stranger.token", code=1)
        self.assertIn("the token is not known there", done.stderr)
        for _ in range(10):  # a wakeup that is lost shows in one of many
            done, calls = self.run_at(address, CALLER, token=token)
            self.assertEqual(done.stdout, "0 wrong\n")
            self.assertEqual(calls["local"], 0)
            self.assertGreater(calls["remote"], 180)
        server.end()

    def test_several_sockets_carry_one_connection(self):
        server = self.serve()
        report = self.folder / "report.json"
        done = self.offload("run", "--server", server.address, "--sockets", "4", "--place", "remote", "--report", report, "--",
                            CALLER)
        self.assertEqual(done.stdout, "0 wrong\n")
        self.assertGreater(sum(one["calls"] for one in json.loads(report.read_text())["routines"]
                               if one["place"] == "remote"), 180)
        self.offload("status", "--server", server.address, "--sockets", "2")
        server.end()

    def test_a_server_that_nobody_wants_ends(self):
        server = self.serve("--idle", "0.3s")
        self.assertEqual(server.process.wait(LIMIT_SECONDS), 0)
        self.assertIn("no server answers", self.offload("status", "--server", server.address, code=1).stderr)

    def test_status_is_read_by_people_and_by_collectors(self):
        server = self.serve("--device", "sim", "--client-memory", "1M", "--threads", "1")
        asked = self.offload("status", "--server", server.address)
        self.assertRegex(asked.stdout, r"^0 +sim .* free; 0.000 s queued; busy 0 %, in 0 B/s, out 0 B/s\n")
        shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)
        self.assertEqual(shown["devices"][0]["memory_bytes"], 1 << 20)
        metrics = self.offload("status", "--server", server.address, "--prometheus").stdout
        self.assertIn('blockyard_offload_memory_bytes{device="0",kind="sim"} 1048576\n', metrics)
        self.assertIn('blockyard_offload_device_seconds_per_second{device="0",kind="sim"} 0.000000\n', metrics)
        for line in metrics.splitlines():
            self.assertRegex(line, r"^(# (HELP|TYPE) [a-z_]+ .+|[a-z_]+(\{.*\})? [0-9.]+)$")
        self.offload("status", "--server", server.address, "--json", "--prometheus", code=2)
        server.end()

    def test_a_server_lends_the_devices_that_it_is_told_to(self):
        server = self.serve("--device", "sim", "--devices", "1", "--clients", "8")
        shown = json.loads(self.offload("status", "--server", server.address, "--json").stdout)
        self.assertEqual(len(shown["devices"]), 1)
        self.assertIn("no number 7", self.offload("serve", "--device", "sim", "--devices", "7", code=2).stderr)
        server.end()

    def test_a_server_without_memory_for_another_client_goes_on(self):
        self.need_plain_build()
        server = self.serve("--device", "host")
        pid = server.process.pid
        resource.prlimit(pid, resource.RLIMIT_AS, (address_space_of(pid) + (60 << 20), -1))
        asking = [socket.socket(socket.AF_UNIX) for _ in range(16)]
        for one in asking:
            one.connect(server.address.removeprefix("unix:"))
        # Some are turned away: there is no stack for their threads.
        while not any(select.select([one], [], [], 0)[0] for one in asking):
            self.assertIsNone(server.process.poll())
        for one in asking:
            one.close()
        self.offload("status", "--server", server.address)
        self.assertEqual(server.end(), 0)

    def test_a_server_without_memory_for_its_blas_is_refused(self):
        """OpenBLAS would look for it for ever during the first call."""
        self.need_plain_build()
        server = self.serve("--device", "host")
        if "openblas" not in pathlib.Path(f"/proc/{server.process.pid}/maps").read_text():
            self.skipTest("the BLAS is not OpenBLAS")
        server.end()
        step = 32 << 10  # KiB; the buffer takes four
        least = next(limit for limit in itertools.count(step, step) if run_within(limit, "--version").returncode == 0)
        done = run_within(least + step, "offload", "serve", "--listen", f"unix:{self.folder}/socket", "--device", "host")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("ulimit -v", done.stderr)

    def test_wrong_options_of_a_device_are_refused_before_a_client_comes(self):
        done = self.offload("serve", "--listen", f"unix:{self.folder}/x", "--device", "sim", "--device-options", "nonsense=1", code=1)
        self.assertIn("unknown option 'nonsense=1'", done.stderr)

    def test_a_socket_for_everybody_is_refused(self):
        done = self.offload("serve", "--listen", "0.0.0.0:0", code=2)
        self.assertRegex(done.stderr, "--tokens|--plain")  # --plain is named without a TLS library

    def test_a_server_outlives_a_library_that_reads_past_its_operands(self):
        """OpenBLAS does, in routines for eigenvalues and singular values; here the next page cannot be read."""
        self.need_plain_build()
        server = self.serve("--device", "host", preload=FENCED_MEMORY)
        done, calls = self.run_at(server.address, LAPACK_CALLER)
        self.assertRegex(done.stdout, r"^\d+ tests, 0 wrong\n$")
        self.assertEqual(calls["local"], 4)  # getri of what has no inverse
        self.assertIsNone(server.process.poll())


if __name__ == "__main__":
    unittest.main()
