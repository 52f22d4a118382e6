#!/usr/bin/env bash
# Make a virtual environment for each peer.
#   bash setup.sh DIR [PEER...]      PEER: ptm, ptmp, tmu, green; all if none is named
# Existing environments are kept. Needs python3 with venv; ptm and ptmp also gcc and Python's headers.
set -euo pipefail
[ $# -ge 1 ] || { echo "usage: bash setup.sh DIR [PEER...]" >&2; exit 2; }
folder=$1; shift
[ $# -gt 0 ] || set -- ptm ptmp tmu green
mkdir -p "$folder"

install() {
    local peer=$1; shift
    "$folder/$peer/bin/python" -m pip install --quiet --disable-pip-version-check "$@"
}

for peer in "$@"; do
    if [ -e "$folder/$peer/.ready" ]; then echo "$peer: already installed"; continue; fi
    python3 -m venv "$folder/$peer"
    case $peer in
    ptm)   install ptm numpy wheel setuptools; install ptm pyTsetlinMachine==0.6.6 ;;
    ptmp)  install ptmp numpy wheel setuptools; install ptmp pyTsetlinMachineParallel==0.2.1 ;;
    tmu)   install tmu "numpy<2" tmu==0.8.3 ;;  # fails with NumPy 2
    green) install green green-tsetlin==1.1.0 ;;
    *) echo "no such peer: $peer" >&2; exit 2 ;;
    esac
    touch "$folder/$peer/.ready"
    echo "$peer: ready"
done
