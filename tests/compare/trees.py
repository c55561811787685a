"""C sources that everybody can have: the kernel's net/ and Open vSwitch, of Debian's packages.

Fetched once with apt-get into $XDG_CACHE_HOME/assay-trees (or ~/.cache), which takes
half a minute and 45 MB; ASSAY_C_TREES (joined by ':') names others, empty: none.
"""
import fcntl
import glob
import os
import shutil
import subprocess
import tempfile

FETCH_SECONDS = 120
# package: what its only archive is, what of it is wanted, where that comes to lie
PACKAGES = {
    "linux-source-6.1": ("./usr/src/linux-source-6.1.tar.xz", "xz -dc -T0", "linux-source-6.1/net"),
    "openvswitch-source": ("./usr/src/openvswitch/openvswitch.tar.gz", "gzip -dc", "openvswitch"),
}


def fetch(package, folder):
    """The tree's path, or why it cannot be had."""
    archive, undo, part = PACKAGES[package]
    place = os.path.join(folder, package)
    if os.path.isdir(os.path.join(place, part)):
        return os.path.join(place, part), None
    missing = [t for t in ("apt-get", "dpkg-deb", "tar", undo.split()[0]) if not shutil.which(t)]
    if missing:
        return None, "no " + missing[0]
    with tempfile.TemporaryDirectory(dir=folder) as work:
        try:
            done = subprocess.run(["apt-get", "download", "-q", package], cwd=work, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  timeout=FETCH_SECONDS)
            found = glob.glob(os.path.join(work, "*.deb"))
            if done.returncode or not found:
                return None, "%s cannot be fetched" % package
            subprocess.run("dpkg-deb --fsys-tarfile '%s' | tar -xO %s | %s | tar -x %s" %
                           (found[0], archive, undo, part), cwd=work, shell=True, check=True,
                           timeout=FETCH_SECONDS)
            os.unlink(found[0])
            shutil.rmtree(place, ignore_errors=True)
            os.mkdir(place)
            os.rename(os.path.join(work, part.split("/")[0]), os.path.join(place, part.split("/")[0]))
        except (OSError, subprocess.SubprocessError) as e:
            return None, "%s: %s" % (package, e)
    return os.path.join(place, part), None


def trees():
    """Paths that are there, and a sentence for each that is not."""
    if "ASSAY_C_TREES" in os.environ:
        return [t for t in os.environ["ASSAY_C_TREES"].split(":") if t], []
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.path.join(base, "assay-trees")
    try:
        os.makedirs(folder, exist_ok=True)
        lock = open(os.path.join(folder, ".lock"), "w", encoding="ascii")
    except OSError as e:
        return [], [str(e)]
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        got = [fetch(p, folder) for p in PACKAGES]
    return [path for path, _ in got if path], [why for _, why in got if why]


def packet():
    """The folder of af_packet.c's, or None and why."""
    here, why = trees()
    for tree in here:
        if os.path.exists(os.path.join(tree, "packet", "af_packet.c")):
            return tree, None
    return None, "; ".join(why) or "no kernel's net/ in ASSAY_C_TREES"
