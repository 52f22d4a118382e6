"""The machine of each class, its training and its votes."""

from wtm.machine.machine import Machine
from wtm.machine.machine_parameters import MachineParameters

__all__ = ["Machine", "MachineParameters"]
