# SPDX-License-Identifier: Apache-2.0
"""How fast frames are on a link, next to what the same link does without us: what `offload calibrate` measures."""
import ctypes
import json
import os
import socket
import ssl
import subprocess
import time

from measured import LIMIT_SECONDS, show

UP, DOWN = "up_bytes_a_second", "down_bytes_a_second"
STREAM_BYTES = 64 << 20  # of the copies that are measured
ROUNDS = 3


def measured(bench, address, *options):
    """The best of some measurements: the peers are taken at their best, too."""
    found = []
    for _ in range(ROUNDS):
        done = subprocess.run([bench.blockyard, "offload", "calibrate", "--server", address, "--json", *options],
                              capture_output=True, text=True, timeout=LIMIT_SECONDS, check=True, env=bench.environment())
        found.append(json.loads(done.stdout))
    return {UP: max(one[UP] for one in found), DOWN: max(one[DOWN] for one in found),
            "latency_seconds": min(one["latency_seconds"] for one in found)}


def wire(bench):
    with bench.server("--device", "host") as (address, _):
        shared_memory(bench, address)
        beside_sockets(bench, "unix", measured(bench, f"plain:{address}"))
        modelled(bench, address)
    tokens, token = bench.folder / "tokens", bench.folder / "bench.token"
    subprocess.run([bench.blockyard, "offload", "token", "bench", "--tokens", str(tokens)], cwd=bench.folder, check=True,
                   stdout=subprocess.DEVNULL)
    with bench.server("--device", "host", "--tokens", tokens, listen="127.0.0.1:0") as (address, _):
        beside_sockets(bench, "tcp", measured(bench, f"plain:{address}", "--token", str(token)))
        beside_tls(bench, measured(bench, f"tls:{address}", "--token", str(token)))


def shared_memory(bench, address):
    one, two = (ctypes.create_string_buffer(STREAM_BYTES) for _ in range(2))
    copies = []
    for _ in range(5):
        began = time.perf_counter()
        ctypes.memmove(two, one, len(one))
        copies.append(len(one) / (time.perf_counter() - began))
    found = measured(bench, address)
    ratios = [found[way] / max(copies) for way in (UP, DOWN)]
    show("wire shared memory", f"{ratios[0]:6.2f} and {ratios[1]:.2f} of memcpy (at least 0.60), "
         f"{found['latency_seconds'] * 1e6:.0f} us", ratio_up=ratios[0], ratio_down=ratios[1],
         latency_seconds=found["latency_seconds"])


def beside_sockets(bench, kind, found):
    plain = subprocess.run([bench.program("offload_sockets"), kind, str(STREAM_BYTES)], capture_output=True, text=True, check=True,
                           timeout=LIMIT_SECONDS).stdout.split()
    up, down, trip = (float(one) for one in plain)
    ratios = found[UP] / up, found[DOWN] / down
    most = 1.5 * trip + 10e-6
    show(f"wire {kind}", f"{ratios[0]:6.2f} and {ratios[1]:.2f} of plain sockets' {up / 1e9:.1f} and {down / 1e9:.1f} GB/s (at least "
         f"0.75); round trip {found['latency_seconds'] * 1e6:.0f} us (at most {most * 1e6:.0f})", ratio_up=ratios[0],
         ratio_down=ratios[1], trip_to_most=found["latency_seconds"] / most)


def beside_tls(bench, found):
    """Next to a stream of Python's ssl over the loopback interface, with AES of 256 bits; ours has 128."""
    certificate = bench.folder / "certificate.pem"
    done = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days",
                           "1", "-subj", "/CN=localhost", "-keyout", str(certificate), "-out", str(bench.folder / "public.pem")],
                          capture_output=True, check=False)
    if done.returncode:
        return show("wire tls", "no openssl to make a certificate")
    up, down = tls_rates(certificate, bench.folder / "public.pem")
    ratios = found[UP] / up, found[DOWN] / down
    return show("wire tls", f"{ratios[0]:6.2f} and {ratios[1]:.2f} of a plain TLS stream's {up / 1e9:.1f} and {down / 1e9:.1f} GB/s (at "
                "least 0.75)", ratio_up=ratios[0], ratio_down=ratios[1])


def tls_rates(key, certificate):
    """Bytes a second to another process and from it."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        child = os.fork()
        if child == 0:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            with context.wrap_socket(listening.accept()[0], server_side=True) as link:
                data = bytearray(STREAM_BYTES)
                for _ in range(ROUNDS):
                    receive(link, data)
                    link.sendall(b"1")
                    link.sendall(data)
            os._exit(0)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        with context.wrap_socket(socket.create_connection(listening.getsockname())) as link:
            data, rates = bytearray(STREAM_BYTES), ([], [])
            for _ in range(ROUNDS):
                began = time.perf_counter()
                link.sendall(data)
                link.recv(1)
                rates[0].append(STREAM_BYTES / (time.perf_counter() - began))
                began = time.perf_counter()
                receive(link, data)
                rates[1].append(STREAM_BYTES / (time.perf_counter() - began))
        os.waitpid(child, 0)
    return max(rates[0]), max(rates[1])


def receive(link, data):
    view, at = memoryview(data), 0
    while at < len(data):
        at += link.recv_into(view[at:])


def modelled(bench, address):
    pace = 1.25e9 / 4  # a quarter, so that this machine is not the limit
    slow = measured(bench, f"100us,{pace / 1e6:.1f}MB/s@{address}")
    up, down = slow[UP] / pace, slow[DOWN] / pace
    show(f"wire modelled link of {pace / 1e6:.0f} MB/s", f"{up:6.2f} and {down:.2f} of it (at least 0.90)", ratio_up=up,
         ratio_down=down)
    # A network that gives each connection so much, and several of them more.
    one, four = (measured(bench, f"100us,50MB/s@plain:{address}", "--sockets", str(count)) for count in (1, 4))
    up, down = (four[way] / one[way] for way in (UP, DOWN))
    show("wire four sockets", f"{up:6.2f} and {down:.2f} of the rate of one, where each has 50 MB/s", ratio_up=up,
         ratio_down=down)
