#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A cluster of two nodes on this machine: network namespaces for hosts, and a real Slurm.

Usage: cluster.py COMMAND... runs a command as on its login node. Needs root, iproute2, and Debian's slurm-wlm
and munge. Everything lives in namespaces of its own (network, mounts, host name, processes), so that the
machine's own Slurm, addresses and files are not touched, and all of it is gone when the command ends.
"""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

INSIDE = "BLOCKYARD_CLUSTER_FOLDER"
NODES = ("node1", "node2")
ADDRESS = {"head": "10.77.0.254", "node1": "10.77.0.1", "node2": "10.77.0.2"}
PATIENCE_SECONDS = 60

SLURM_CONF = """ClusterName=blockyard
SlurmctldHost=head({head})
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/builtin
MpiDefault=none
ReturnToService=2
KillWait=5
SlurmctldParameters=idle_on_node_suspend
SlurmdParameters=config_overrides
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
TmpFS={folder}/tmp-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
NodeName=node1 NodeAddr={node1} CPUs=4 State=UNKNOWN
NodeName=node2 NodeAddr={node2} CPUs=4 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP MaxTime=INFINITE
"""


def missing():
    """The feature this machine lacks, or ""."""
    if os.geteuid() != 0:
        return "root"
    programs = ("ip", "unshare", "nsenter", "munged", "slurmctld", "slurmd", "srun")
    return " ".join(one for one in programs if shutil.which(one, path=os.environ["PATH"] + ":/usr/sbin:/sbin") is None)


def sh(*command, **options):
    return subprocess.run(command, check=True, **options)


def make_network(folder):
    """A switch in this namespace, and a namespace for each node, which its daemon keeps open."""
    sh("ip", "link", "set", "lo", "up")
    sh("ip", "link", "add", "switch", "type", "bridge")
    sh("ip", "address", "add", ADDRESS["head"] + "/24", "dev", "switch")
    sh("ip", "link", "set", "switch", "up")
    hosts = "127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in ADDRESS.items())
    (folder / "hosts").write_text(hosts)
    sh("mount", "--bind", folder / "hosts", "/etc/hosts")
    sh("hostname", "head")
    holders = {}
    for name in NODES:
        holder = subprocess.Popen(["unshare", "--net", "--uts", "sleep", "infinity"])
        holders[name] = holder.pid
        own = os.readlink("/proc/self/ns/net")
        while os.readlink(f"/proc/{holder.pid}/ns/net") == own:
            time.sleep(0.01)
        sh("ip", "link", "add", f"to_{name}", "type", "veth", "peer", "name", "eth0", "netns", str(holder.pid))
        sh("ip", "link", "set", f"to_{name}", "master", "switch", "up")
        for command in (["hostname", name], ["ip", "link", "set", "lo", "up"],
                        ["ip", "address", "add", ADDRESS[name] + "/24", "dev", "eth0"],
                        ["ip", "link", "set", "eth0", "up"]):
            sh(*on(holder.pid), *command)
    return holders


def on(holder):
    return ["nsenter", "--target", str(holder), "--net", "--uts"]


def start_slurm(folder, holders):
    for name in ("munge", "state", *(f"{kind}-{node}" for node in NODES for kind in ("spool", "tmp"))):
        (folder / name).mkdir(mode=0o755)
    key = folder / "munge" / "key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    sh("munged", "--force", "--key-file", key, "--socket", folder / "munge/socket", "--pid-file", folder / "munge/pid",
       "--log-file", folder / "munge/log", "--seed-file", folder / "munge/seed", "--num-threads", "2")
    conf = folder / "slurm.conf"
    conf.write_text(SLURM_CONF.format(folder=folder, **ADDRESS))
    os.environ["SLURM_CONF"] = str(conf)
    subprocess.Popen(["slurmctld", "-D", "-f", conf], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for node, holder in holders.items():
        subprocess.Popen([*on(holder), "slurmd", "-D", "-N", node, "-f", conf],
                         stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    limit = time.monotonic() + PATIENCE_SECONDS
    while subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], capture_output=True, text=True,
                         check=False).stdout.strip() != str(len(NODES)):
        if time.monotonic() > limit:
            for log in folder.glob("*.log"):
                print(f"--- {log}\n{log.read_text()}", file=sys.stderr)
            sys.exit("Slurm did not start")
        time.sleep(0.2)


def main(command):
    if lacking := missing():
        print(f"SKIPPED: the cluster needs {lacking}", file=sys.stderr)
        return 0
    folder = os.environ.get(INSIDE)
    if folder is None:
        with tempfile.TemporaryDirectory(prefix="blockyard-cluster-") as made:
            os.chmod(made, 0o755)
            namespaces = ["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--mount-proc", "--kill-child"]
            done = subprocess.run([*namespaces, sys.executable, __file__, *command],
                                  env={**os.environ, INSIDE: made}, check=False)
            return done.returncode
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    holders = make_network(pathlib.Path(folder))
    start_slurm(pathlib.Path(folder), holders)
    with contextlib.suppress(KeyboardInterrupt):
        return subprocess.run(command, check=False).returncode
    return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
