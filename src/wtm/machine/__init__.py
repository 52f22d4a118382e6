"""The machines, one per class: their state, their training and their votes."""

from wtm.machine.class_machine import Machine
from wtm.machine.machine_parameters import MachineParameters

__all__ = ["Machine", "MachineParameters"]
