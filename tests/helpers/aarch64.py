"""Check that a processor with NEON trains the same models: run the fingerprints of the tests on an emulated one.

python -m tests.helpers.aarch64

Needs Debian with the package qemu-user-static, and once `dpkg --add-architecture arm64 && apt-get update`. Python comes
from Debian's packages and all else from wheels; both are unpacked in a temporary folder, and nothing is installed.
"""

import importlib.metadata
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.classifier.test_sameness import FINGERPRINTS

ROOT = Path(__file__).resolve().parents[2]
_PYTHON = "3.11"  # Debian's
_SYSTEM = (
    f"python{_PYTHON}-minimal libpython{_PYTHON}-minimal libpython{_PYTHON}-stdlib libc6 libexpat1 zlib1g libssl3 "
    "libffi8 libbz2-1.0 liblzma5 libgcc-s1 libstdc++6 libuuid1 libsqlite3-0 libgomp1"
).split()
_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "joblib", "narwhals", "safetensors", "threadpoolctl")
_PLATFORMS = ("manylinux2014_aarch64", "manylinux_2_27_aarch64", "manylinux_2_28_aarch64")


def unpack_python(folder):
    """Unpack Python and the libraries that it needs."""
    subprocess.run(["apt-get", "download", "-q", *(f"{name}:arm64" for name in _SYSTEM)], cwd=folder, check=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg", "-x", package, folder / "root"], check=True)


def unpack_wheels(folder):
    """Unpack the packages that wtm needs, in the versions that are installed here."""
    wanted = [f"{name}=={importlib.metadata.version(name)}" for name in _PACKAGES]
    platforms = [option for platform in _PLATFORMS for option in ("--platform", platform)]
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--target", folder / "site", "--only-binary=:all:",
         "--python-version", _PYTHON, *platforms, *wanted],
        check=True,
    )  # fmt: skip


def digests(folder):
    """Return the digests that the emulated processor finds."""
    root = folder / "root"
    environment = os.environ | {
        "PYTHONHOME": str(root / "usr"),
        "PYTHONPATH": os.pathsep.join(map(str, (folder / "site", ROOT / "src", ROOT))),
        "NUMBA_CACHE_DIR": str(folder / "kernels"),
    }
    command = ["qemu-aarch64-static", "-L", root, root / f"usr/bin/python{_PYTHON}", "-m", "tests.helpers.fingerprint"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, check=True)
    return json.loads(ran.stdout)["digests"]


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        unpack_python(folder)
        unpack_wheels(folder)
        found = digests(folder)
    different = [way for way, digest in FINGERPRINTS.items() if found[way]["model"] != digest]
    print(f"{len(found)} models on aarch64; other bits than in the tests: {', '.join(different) or 'none'}")
    sys.exit(bool(different))
