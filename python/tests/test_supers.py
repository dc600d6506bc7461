# SPDX-License-Identifier: Apache-2.0
"""Super instructions in Python."""
import numpy as np
import pytest

import blockyard
from conftest import arrays_shown, program, random

SUPER = program("one")


def test_super_instructions_in_python_see_blocks(session):
    seen = []

    @session.super("double_into", "rwr")
    def double_into(source, target, factor):
        assert not source.flags.writeable and target.flags.f_contiguous
        target[...] = factor * source

    @session.super("where_am_i", "uw", info=True)
    def where_am_i(block, number, info):
        block += 0.0
        number[...] = sum(info.segments[0])
        seen.append(info.worker)
        assert info.workers == 2

    result = session.run("""sial supers
  special double_into rwr
  special where_am_i uw
  aoindex i = 1:3
  aoindex j = 1:3
  distributed a[i,j]
  distributed c[i,j]
  temp t[i,j]
  scalar x
  scalar total
  pardo i,j
    get a[i,j]
    execute double_into a[i,j] t[i,j] 2.5
    execute where_am_i t[i,j] x
    total += x
    put c[i,j] = t[i,j]
  endpardo i,j
  x = 0.0
  collective x += total
endsial supers
""", arrays={"a": random(12, 12)})
    np.testing.assert_allclose(np.asarray(result["c"]), 2.5 * random(12, 12))
    assert result.scalars["x"] == 36.0 and len(seen) == 9


TYPED_SUPERS = program("typed_supers")


def test_super_instructions_get_elements_as_the_program_has_them(session):
    seen = set()

    @session.super("turn", "rwr")
    def turn(source, target, factor):
        seen.add((source.dtype.name, target.dtype.name, type(factor).__name__))
        assert not target.any()  # what is declared w is zero before
        target[...] = source * factor

    @session.super("sum_of", "rw", types="f64|f32 f64")
    def sum_of(block, total):
        assert total.shape == () and block.dtype == np.float32
        total[...] += block.sum()

    a, b = random(12) + 1j * random(12), random(12).astype(np.float32)
    result = session.run(TYPED_SUPERS, arrays={"a": a.copy(), "b": b}, keep=["a"])
    np.testing.assert_allclose(np.asarray(result["a"]), 1j * a)
    assert seen == {("complex128", "complex128", "complex"), ("complex64", "complex64", "float")}


def test_super_instructions_refuse_elements_of_other_types(session):
    session.super("turn", "rwr", types="c128 c128 any")(lambda source, target, factor: None)
    session.super("sum_of", "rw", types="any")(lambda block, total: None)
    arrays = {"a": random(12), "b": random(12)}
    with pytest.raises(blockyard.InputError, match="turn.*c64") as raised:
        session.run(TYPED_SUPERS, arrays=arrays)
    assert raised.value.line == 19
    session.super("turn", "rwr", types="c32")(lambda source, target, factor: None)
    with pytest.raises(blockyard.InputError, match="'c32' is not an element type"):
        session.run(TYPED_SUPERS, arrays=arrays)


AXPY = program("forms")


def has_device(kind):
    """Whether there is such a device, and a plug-in for it."""
    try:
        with blockyard.Session(workers=1, memory="64M", quiet=True, device=kind, placement="device") as session:
            session.run("sial p\nscalar x\nx = 2.0\nendsial p\n")
    except blockyard.Error:
        return False
    return True


# A simulated device runs functions of the host only: there, the Python function remains.
@pytest.mark.parametrize("kind, device_calls", [("none", 0), ("sim", 0), ("opencl", 4)])
def test_super_instructions_in_python_have_forms_for_devices(kind, device_calls):
    if kind == "opencl" and not has_device(kind):
        pytest.skip("no OpenCL device here")
    with blockyard.Session(workers=1, memory="64M", quiet=True, device=kind, placement="device") as session:
        @session.super("grow", "ur", opencl="""
            void grow(long first, long count, global double *block, double by) {
              for (long k = first; k < first + count; ++k) block[k] += by * k;
            }""")
        def grow(block, by):
            block += by * np.arange(block.size).reshape(block.shape, order="F")

        result = session.run(AXPY, segments={"ao": [3, 4]})
        workers = result.report["programs"][0]["workers"]
        assert sum(worker["super_instructions"]["grow"]["device_calls"] for worker in workers) == device_calls
        block = 1.0 + 2.5 * np.arange(12.0).reshape((3, 4), order="F")
        np.testing.assert_array_equal(np.asarray(result["c"])[:3, 3:], block)

        if kind == "opencl":
            session.super("grow", "ur", opencl="void grow(long first, long count,\n  no_such_type x) {}")(grow)
            with pytest.raises(blockyard.InputError, match="grow:2.*no_such_type"):
                session.run(AXPY, segments={"ao": [3, 4]})


def test_errors_of_python_super_instructions_name_the_line(session):
    @session.super("touch", "u")
    def touch(block):
        raise LookupError("not today")

    with pytest.raises(blockyard.InputError, match="not today") as raised:
        session.run(SUPER)
    assert raised.value.line == 7 and raised.value.file == "one.sial"
    assert isinstance(raised.value.__cause__, LookupError)
    assert not arrays_shown(raised.value)

    kept = []
    session.super("touch", "u")(lambda block: kept.append(block[1:]))
    with pytest.raises(blockyard.InputError, match="keep a copy"):
        session.run(SUPER)
    session.super("touch", "w")(lambda x: kept.append(x))
    with pytest.raises(blockyard.InputError, match="keep a copy"):
        session.run("sial one\n special touch w\n scalar x\n execute touch x\nendsial one\n")
    kept.clear()
    session.super("touch", "uu")(lambda one, two: None)
    with pytest.raises(blockyard.InputError, match="touch"):
        session.run(SUPER)  # the program declares another signature
    with pytest.raises(ValueError, match="signature"):
        session.super("touch", "x")


def test_a_result_is_written_and_not_returned(session):
    for function in (lambda block: 2 * block, lambda block: block.sum(), lambda block: float(block.sum())):
        session.super("touch", "u")(function)
        with pytest.raises(blockyard.InputError, match=r"block\[\.\.\.\] = result") as raised:
            session.run(SUPER)
        assert raised.value.line == 7 and not arrays_shown(raised.value)
    for function in (lambda block: np.multiply(block, 2, out=block), lambda block: block[:1], lambda block: True):
        session.super("touch", "u")(function)
        session.run(SUPER)
