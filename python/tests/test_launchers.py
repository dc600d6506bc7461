# SPDX-License-Identifier: Apache-2.0
"""The meaning of a launcher's environment, without any launcher."""
import pytest

from blockyard import _errors, _processes

NAMES = ("OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS", "PMIX_RANK", "PMI_RANK", "SLURM_STEP_NUM_TASKS",
         "SLURM_NTASKS")


@pytest.fixture(autouse=True)
def joined(monkeypatch):
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(_processes, "_join", lambda: "joined")


@pytest.mark.parametrize("environment, found", [
    ({}, None),
    ({"OMPI_COMM_WORLD_SIZE": "4"}, "joined"),
    ({"PMI_SIZE": "4", "PMI_RANK": "2"}, "joined"),
    ({"PMIX_RANK": "3", "SLURM_STEP_NUM_TASKS": "4"}, "joined"),  # srun --mpi=pmix tells no size
    ({"PMIX_RANK": "0", "SLURM_STEP_NUM_TASKS": "1"}, None),
    ({"SLURM_NTASKS": "4"}, None),  # a batch script, which srun did not start
])
def test_processes_that_a_launcher_started_are_one_run(monkeypatch, environment, found):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert _processes.join("auto") == found
    assert _processes.join("loopback") is None


def test_processes_of_srun_that_do_not_know_each_other_are_refused(monkeypatch):
    monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "4")
    with pytest.raises(_errors.InputError, match="srun started 4 processes.*--mpi=pmix"):
        _processes.join("auto")
    assert _processes.join("loopback") is None
