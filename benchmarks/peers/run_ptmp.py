"""pyTsetlinMachineParallel: as pyTsetlinMachine without the index of clauses, with OpenMP over the examples."""

from protocol import serve
from tsetlin_c import TsetlinInC


class PyTsetlinMachineParallel(TsetlinInC):
    distribution = "pyTsetlinMachineParallel"
    remarks = (
        "each `fit` call, here one an epoch, encodes the data again",
        "examples in the order given; no seed; with two threads another result each time",
    )


serve(PyTsetlinMachineParallel)
