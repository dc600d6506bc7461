# SPDX-License-Identifier: Apache-2.0
"""Dask and Cubed on Zarr arrays: run.py gives each a process with their Python (build/peers)."""
import math
import pathlib
import sys

import numpy as np

PYTHON = pathlib.Path(__file__).parents[2] / "build/peers/bin/python"
PEERS = ("dask", "cubed")


def chunks_of(shape, megabytes):
    """Chunks of about `megabytes`, the last indexes whole if they can be."""
    chunks, left = [], megabytes * 2**20 // 8
    for extent in reversed(shape):
        chunks.insert(0, max(1, min(extent, left)))
        left //= chunks[0]
    return tuple(chunks)


def even_chunks(shape, megabytes):
    """Chunks of about `megabytes` that have the same part of every index."""
    return tuple(min(n, max(1, math.floor((megabytes * 2**20 / 8) ** (1 / len(shape))))) for n in shape)


def store(path, chunks):
    """The operand as a Zarr array next to its file; made once, not timed."""
    import zarr

    target = path.with_suffix(".zarr")
    if target.exists():
        return target
    array = np.load(path, mmap_mode="r")
    kept = zarr.create_array(store=str(target), shape=array.shape, chunks=chunks, dtype=array.dtype, compressors=None)
    for begin in range(0, array.shape[0], chunks[0]):
        for second in range(0, array.shape[1], chunks[1]):
            where = (slice(begin, begin + chunks[0]), slice(second, second + chunks[1]))
            kept[where] = array[where]
    return target


def operands(name, paths, memory_mb):
    """Those of the chunks that did best among a few tried: slices for p1, small cubes for p2."""
    if name.startswith("p1"):
        return [store(paths[0], chunks_of(np.load(paths[0], mmap_mode="r").shape, memory_mb // 64)),
                store(paths[1], np.load(paths[1], mmap_mode="r").shape)]
    return [store(path, even_chunks(np.load(path, mmap_mode="r").shape, memory_mb / 256)) for path in paths]


def with_dask(name, subscripts, stores, out, memory_mb):
    import dask.array

    arrays = [dask.array.from_zarr(str(path)) for path in stores]
    dask.array.to_zarr(dask.array.einsum(subscripts, *arrays), str(out.with_suffix(".zarr")), overwrite=True)


def with_cubed(name, subscripts, stores, out, memory_mb):
    import cubed
    import cubed.array_api as xp

    spec = cubed.Spec(work_dir=str(out.parent), allowed_mem=f"{memory_mb // 4}MB")
    one, two = (cubed.from_zarr(str(path), spec=spec) for path in stores)
    if name.startswith("p1"):
        result = xp.tensordot(one, two, axes=((2, 3), (0, 1)))
    else:  # abdc
        result = xp.permute_dims(xp.tensordot(one, two, axes=((1, 3), (3, 1))), (0, 1, 3, 2))
    cubed.to_zarr(result, str(out.with_suffix(".zarr")))


def can(method):
    """Whether the peer is installed."""
    import subprocess

    return PYTHON.exists() and subprocess.run([PYTHON, "-c", f"import zarr, {method}"],
                                              capture_output=True).returncode == 0


if __name__ == "__main__":
    sys.exit(__doc__)
