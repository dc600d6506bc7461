# SPDX-License-Identifier: Apache-2.0
"""blockyard.Ring alone and under mpirun."""
import os
import pathlib
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

import blockyard

LIMIT_SECONDS = 300
MPIEXEC = os.environ.get("MPIEXEC", "")
EXAMPLES = pathlib.Path(__file__).parents[2] / "examples" / "ring"
with_mpi = pytest.mark.skipif(not MPIEXEC, reason="this build has no MPI")


def run(script, processes, *arguments):
    command = [sys.executable, script, *arguments]
    if processes > 1:
        command = [MPIEXEC, "-n", str(processes), *command]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    return subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_SECONDS, env=environment, check=False)


def expect_good(script, processes):
    done = run(script, processes)
    assert done.returncode == 0 and done.stdout.count("good") == processes, done.stdout + done.stderr


@pytest.mark.parametrize("name", ["gram", "attention", "forces"])
@pytest.mark.parametrize("processes", [1, pytest.param(3, marks=with_mpi)])
def test_examples_run_alone_and_in_processes(name, processes):
    done = run(EXAMPLES / f"{name}.py", processes)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("process ") == processes
    assert len((EXAMPLES / f"{name}.py").read_text().splitlines()) <= 40


def test_gives_heads_and_arrays_of_any_type():
    got = []
    with blockyard.Ring((4, 3), "i8", cut=0, fabric="loopback") as r:
        @r.update
        def add(part, x, head):
            got.append((head, x.dtype, x.shape))
            part += x[r.begin:r.end] * head["factor"]

        r.give(np.arange(12, dtype="i4").reshape(4, 3), head={"factor": 2})
        r.give(np.ones((4, 3), "i8"), head={"factor": -1})
        whole = r.result()
    assert got[0] == ({"factor": 2}, np.dtype("i4"), (4, 3))
    assert np.array_equal(whole, 2 * np.arange(12).reshape(4, 3) - 1)
    assert r.counts["applied"] == 2


def test_gives_structures_with_their_fields_and_complex_heads():
    kind = np.dtype({"names": ["n", "x"], "formats": ["i2", ("f8", (2,))], "offsets": [2, 8], "itemsize": 32})
    given = np.zeros(3, kind)
    given["n"], given["x"] = [1, 2, 3], [[1, 2], [3, 4], [5, 6]]
    got = []
    with blockyard.Ring((3,), fabric="loopback") as r:
        @r.update
        def note(part, x, head=None):
            part += x["n"] * x["x"][:, 1]
            got.append((head, x.dtype.itemsize))

        r.give(given, head=np.complex128(1 + 2j))
        r.give(given, head=3 + 4j)
        whole = r.result()
    assert got == [(1 + 2j, 32), (3 + 4j, 32)] and whole.tolist() == [4, 16, 36]


def test_refuses_what_cannot_be():
    for arguments in ({"cut": 2}, {"slots": 1}, {"route": "left"}, {"shape": (0, 3)}, {"dtype": "O"}):
        with pytest.raises(ValueError):
            blockyard.Ring(**{"shape": (3, 3), "fabric": "loopback", **arguments})
    with pytest.raises(blockyard.InputError, match="a ring of 2 ranks does not fit 1 rank"):
        blockyard.Ring((3, 3), ring=2, fabric="loopback")
    with pytest.raises(blockyard.InputError, match="no update"):
        with blockyard.Ring((3, 3), fabric="loopback") as r:
            r.give(np.ones(3))
    with pytest.raises(ValueError, match="256"):
        with blockyard.Ring((3, 3), fabric="loopback") as r:
            r.update(lambda part, x, head: None)
            r.give(np.ones(3), head="x" * 300)


def test_after_the_block_nothing_can_be_given():
    with blockyard.Ring((3,), fabric="loopback") as r:
        r.update(lambda part, x: None)
    with pytest.raises(blockyard.InputError, match="end of its with block"):
        r.give(np.ones(3))
    assert np.array_equal(r.slice, np.zeros(3))


def test_the_result_goes_only_into_an_array_that_fits():
    whole = np.full((3, 4), -1.0)
    with blockyard.Ring((4, 3), fabric="loopback") as r:  # cut along the last axis, which is outermost here

        @r.update
        def add(part, x):
            part += x[:, r.begin:r.end]

        r.give(np.arange(12.0).reshape(4, 3))
        r.finish()
        read_only = np.zeros((3, 4))
        read_only.flags.writeable = False
        for text, wrong in {"not into None": None, r"of shape \(4, 3\)": np.zeros((4, 3)), "type float32": np.zeros((3, 4), "f4"),
                            "dense in C order": np.zeros((3, 4), order="F"), "in C order": np.zeros((3, 8))[:, ::2],
                            "can be written": read_only, "not into \\[": [[0.0] * 4] * 3}.items():
            with pytest.raises(blockyard.InputError, match=text):
                r.gather_into(wrong)
        for wrong in (None, np.zeros(11)):
            with pytest.raises(blockyard.InputError, match="an array of 96 bytes"):
                r._ring.gather(wrong)
        r.gather_into(whole)
    assert np.array_equal(whole, np.arange(12.0).reshape(4, 3).T)


def test_an_exception_of_the_update_comes_to_the_giver():
    with pytest.raises(ZeroDivisionError):
        with blockyard.Ring((3,), fabric="loopback") as r:
            r.update(lambda part, x: 1 / 0)
            r.give(np.ones(3))
            r.finish()


def test_an_update_and_a_second_thread_may_not_call_the_ring():
    told = []

    def call(what, *arguments):
        try:
            what(*arguments)
        except blockyard.InputError as error:
            told.append(str(error))

    with blockyard.Ring((3,), fabric="loopback") as r:

        @r.update
        def add(part, x):
            part += x
            call(r.give, x)
            call(r.serve)
            call(r.result)
            other = threading.Thread(target=call, args=(r.give, np.ones(3)))
            other.start()
            other.join()

        r.give(np.ones(3))
        assert np.array_equal(r.result(), np.ones(3))
        assert r.counts["applied"] == 1
    assert len(told) == 4 and all("the ring is at work" in text for text in told)


OPENCL = """
void add(long first, long count, global double* slice, global const double* item, long begin, long end, long bytes,
         double head) {
  for (long i = first; i < first + count; ++i) slice[i] += head * item[begin * 3 + i];
}
"""
C = """
#include "blockyard/device/abi_range.h"
void add(const blockyard_range* range, void* const* arguments) {
  double* slice = arguments[0];
  const double* item = arguments[1];
  const int64_t begin = *(const int64_t*)arguments[2];
  const double head = *(const double*)arguments[5];
  for (int64_t i = range->first; i < range->first + range->count; ++i) slice[i] += head * item[begin * 3 + i];
}
"""
PLUGINS = pathlib.Path(blockyard._places.places().plugins)
DEVICES = ["sim"] + (["opencl"] if (PLUGINS / "libblockyard_device_opencl.so").exists() else [])


@pytest.fixture(name="library", scope="module")
def make_library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("update")
    (folder / "add.c").write_text(C)
    subprocess.run(["cc", "-shared", "-fPIC", "-O1", f"-I{pathlib.Path(__file__).parents[2]}", "-o",
                    folder / "libadd.so", folder / "add.c"], check=True)
    return folder / "libadd.so"


def ring_of_ones(device, begin_update):
    with blockyard.Ring((7, 3), cut=0, fabric="loopback", device=device) as r:
        begin_update(r)
        for number in range(5):
            r.give(np.full((7, 3), number + 1.0), head=2)
        assert np.array_equal(r.result(), np.full((7, 3), 30.0))
        return r.is_on_device


@pytest.mark.parametrize("device", [None, "host", *DEVICES])
def test_an_update_in_c_or_opencl(device, library):
    assert ring_of_ones(device, lambda r: r.update_in(library, "add", opencl=OPENCL))


@pytest.mark.parametrize("device", [None, *DEVICES])
def test_what_a_device_cannot_do_python_does(device):
    def begin(r):
        @r.update(opencl=OPENCL)
        def add(part, x, head):
            part += head * x[r.begin:r.end]

    assert ring_of_ones(device, begin) == (device == "opencl")


@pytest.mark.parametrize("dtype", ["i8", "f4", ">f8", "?"])
@pytest.mark.parametrize("device", [None, "sim"])
def test_items_are_of_the_type_that_a_kernel_reads(device, dtype, library):
    with blockyard.Ring((7, 3), cut=0, fabric="loopback", device=device) as r:
        r.update_in(library, "add")
        r.give(np.ones((7, 3), dtype), head=2)
        r.give(np.ones((3, 7), dtype).T, head=1)
        assert np.array_equal(r.result(), np.full((7, 3), 3.0))


def test_items_for_kernels_are_the_same_where_python_takes_them():
    with blockyard.Ring((7, 3), cut=0, fabric="loopback") as r:
        got = []
        r.update(lambda part, x: got.append(x.copy()), opencl=OPENCL)
        r.give(np.ones((7, 3), "i4"))
    assert got[0].dtype == np.float64


def test_refuses_items_that_a_kernel_cannot_read(library):
    def expect(text, array, item=None, dtype="f8"):
        with pytest.raises(ValueError, match=text):
            with blockyard.Ring((7, 3), dtype, cut=0, fabric="loopback", device="sim") as r:
                r.update_in(library, "add", item=item)
                r.give(array)

    expect("complex128 cannot be converted", np.ones((7, 3), "c16"))
    expect("float64 cannot be converted", np.ones((7, 3)), item="i4")
    expect(r"have the shape \(7, 3\), not \(7,\)", np.ones(7), item=("f8", (7, 3)))
    expect("byte order of the machine", np.ones((7, 3)), item=">f8")
    expect("byte order of the machine", np.ones((7, 3)), dtype=">f8")


OLD_DEVICE = """
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>
static char old;
static void* real(const char* name) { return dlsym(dlopen("libOpenCL.so.1", RTLD_NOW), name); }
int clGetDeviceIDs(void* platform, unsigned long type, unsigned length, void** devices, unsigned* count) {
  int (*next)(void*, unsigned long, unsigned, void**, unsigned*) = real("clGetDeviceIDs");
  if (devices != NULL) *devices = &old;
  const int code = length == 1 ? 0 : next(platform, type, devices ? length - 1 : 0, devices ? devices + 1 : NULL, count);
  if (count != NULL) ++*count;
  return code;
}
int clGetDeviceInfo(void* device, unsigned name, size_t size, void* value, size_t* bytes) {
  int (*next)(void*, unsigned, size_t, void*, size_t*) = real("clGetDeviceInfo");
  if (device != &old) return next(device, name, size, value, bytes);
  if (name == 0x1032 && F64 && value != NULL) *(unsigned long*)value = 63;
  if (name == 0x102f && bytes != NULL) *bytes = 12;
  if (name == 0x102f && value != NULL) memcpy(value, "OpenCL 1.1 ", 12);
  if (name == 0x1028 && value != NULL) *(unsigned*)value = 1;
  return name == 0x1028 || name == 0x102f || (name == 0x1032 && F64) ? 0 : -30;
}
"""


@pytest.mark.skipif("opencl" not in DEVICES, reason="this build has no OpenCL")
@pytest.mark.parametrize("has_f64", [0, 1])
def test_an_old_device_of_opencl_leaves_the_others(tmp_path, has_f64):
    (tmp_path / "old.c").write_text(OLD_DEVICE)
    subprocess.run(["cc", "-shared", "-fPIC", f"-DF64={has_f64}", "-o", tmp_path / "old.so", tmp_path / "old.c"], check=True)
    script = textwrap.dedent('''
        import sys
        import numpy as np, blockyard
        with blockyard.Ring((7, 3), cut=0, fabric="loopback", device="opencl") as r:
            def add(part, x, head):
                raise AssertionError("not on the device")
            r.update(add, opencl=sys.argv[1])
            r.give(np.ones((7, 3)), head=2)
            assert r.is_on_device and (r.result() == 2).all()
    ''')
    done = subprocess.run([sys.executable, "-c", script, OPENCL], capture_output=True, text=True, check=False,
                          env={**os.environ, "LD_PRELOAD": str(tmp_path / "old.so")}, timeout=LIMIT_SECONDS)
    assert done.returncode == 0, done.stdout + done.stderr


def test_refuses_updates_that_cannot_be(library):
    with pytest.raises(blockyard.InputError, match="no function 'ad'"):
        with blockyard.Ring((3,), fabric="loopback") as r:
            r.update_in(library, "ad")
    with pytest.raises(blockyard.InputError, match="did you mean 'sim'"):
        with blockyard.Ring((3,), fabric="loopback", device="sin") as r:
            r.update_in(library, "add")
    with pytest.raises(ValueError, match="the head of an item for a kernel is a number"):
        with blockyard.Ring((7, 3), cut=0, fabric="loopback", device="sim") as r:
            r.update_in(library, "add")
            r.give(np.ones((7, 3)), head="x")


@with_mpi
@pytest.mark.parametrize("route", ["ring", "direct"])
def test_slices_and_slots_on_devices_of_processes(tmp_path, library, route):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent(f'''
        import numpy as np, blockyard
        me, all = blockyard.processes()
        with blockyard.Ring((800, 3), cut=0, device="sim", device_options=f"seed={{me + 1}}", route="{route}") as r:
            r.update_in("{library}", "add")
            for n in range(me, 10, all):
                r.give(np.full((800, 3), n + 1.0), head=-1)
            whole = r.result()
        assert r.is_on_device and np.array_equal(whole, np.full((800, 3), -55.0)), whole
        print("good")
    '''))
    expect_good(script, 3)


@with_mpi
def test_unequal_numbers_in_rings_of_two(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent('''
        import numpy as np, blockyard
        me, all = blockyard.processes()
        with blockyard.Ring((6, 5), "c16", cut=1, ring=2, route="direct", lanes=2, both=True) as r:
            @r.update
            def add(part, x):
                part += x[:, r.begin:r.end]
            for n in range(3 * me):  # process 0 gives nothing
                r.give(np.full((6, 5), me + 1j * n))
            whole = r.result()
        expected = sum(m + 1j * n for m in range(all) for n in range(3 * m))
        assert np.allclose(whole, expected), whole
        print("good")
    '''))
    expect_good(script, 5)


@with_mpi
def test_an_exception_in_one_process_ends_all(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent('''
        import numpy as np, blockyard
        me, all = blockyard.processes()
        with blockyard.Ring((6,), "f8") as r:
            @r.update
            def add(part, x):
                if me == 1:
                    raise KeyError("a broken update")
                part += x[r.begin:r.end]
            r.give(np.ones(6))
            r.result()
    '''))
    done = run(script, 3)
    assert done.returncode != 0
    assert "a broken update" in done.stderr


@with_mpi
def test_a_process_without_memory_for_items_of_others_says_so(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent('''
        import resource, numpy as np, blockyard
        me, all = blockyard.processes()
        try:
            with blockyard.Ring((6,), "f8") as r:
                r.update(lambda part, x: None)
                if me == 1:  # what is mapped now, and 100 MiB
                    limit = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize() + 100 * 2**20
                    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
                else:
                    r.give(np.ones(300 * 2**20 // 8))
                r.finish()
        except (blockyard.OutOfMemory if me == 1 else blockyard.Error) as error:
            print("good", flush=True)
    '''))
    expect_good(script, 2)


@with_mpi
def test_an_interrupt_ends_a_process_that_waits_for_others(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(textwrap.dedent('''
        import os, signal, threading, time
        import blockyard
        me, all = blockyard.processes()
        try:
            with blockyard.Ring((6,), "f8") as r:
                r.update(lambda part, x: None)
                if me == 0:
                    threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT)).start()
                    r.finish()
                until = time.monotonic() + 60
                while time.monotonic() < until:
                    r.serve()
        except (KeyboardInterrupt if me == 0 else blockyard.Error) as error:
            assert me == 0 or "stopped by a signal" in str(error), error
            print("good", flush=True)
    '''))
    expect_good(script, 2)
