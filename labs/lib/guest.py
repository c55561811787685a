"""assay for a guest of the VM rig, which has none of its libraries."""
import os
import re
import shutil
import subprocess


def assay_files(assay, folder):
    """Words for the rig's program run: /vm/assay.sh runs assay there. Makes files in @folder."""
    libraries = os.path.join(folder, "lib")
    os.makedirs(libraries, exist_ok=True)
    listed = subprocess.run(["ldd", assay], stdout=subprocess.PIPE, text=True, check=True).stdout
    for path in re.findall(r"(/\S+) \(0x", listed):
        shutil.copy(path, libraries)
    runner = os.path.join(folder, "assay.sh")
    with open(runner, "w", encoding="utf-8") as f:
        f.write('#!/bin/sh\nexec /vm/lib/ld-linux-x86-64.so.2 --library-path /vm/lib /vm/assay "$@"\n')
    os.chmod(runner, 0o755)
    return ["-f", assay + ":/vm/assay", "-f", libraries + ":/vm/lib", "-f", runner + ":/vm/assay.sh"]
