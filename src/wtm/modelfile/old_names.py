"""What earlier versions of wtm wrote otherwise: the entries of `history_`, and modules in pickles."""

import sys
from typing import Any

from wtm.machine import model_state

_ENTRY_NAMES = {"weights_at_edge": "weights_saturated"}  # of history_, up to version 1 of the model file
_MODULES = {"wtm.training": model_state, "wtm.votes": model_state}  # of the classes in a pickle


def renamed_entry(entry: dict[str, Any]) -> dict[str, Any]:
    """Return an entry of a history with the names of this version."""
    renamed: dict[str, Any] = {}
    for name, value in entry.items():
        renamed[_ENTRY_NAMES.get(name, name)] = value
        if "weights_saturated" in renamed and "vote_drift" not in entry:
            renamed.setdefault("vote_drift", 0.0)  # there were no shards
    return renamed


def install_module_aliases() -> None:
    """Make the modules of earlier versions importable, so that their pickles find the classes."""
    for name, module in _MODULES.items():
        sys.modules.setdefault(name, module)  # `wtm.machine` has kept its name
