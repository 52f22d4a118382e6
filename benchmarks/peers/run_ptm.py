"""pyTsetlinMachine: clauses of each class, integer weights, C with 32 literals per word and an index of clauses."""

from protocol import serve
from tsetlin_c import TsetlinInC


class PyTsetlinMachine(TsetlinInC):
    distribution = "pyTsetlinMachine"
    remarks = (
        "each `fit` call, here one an epoch, encodes the data again and rebuilds the clause index",
        "no seed; one thread only",
    )


serve(PyTsetlinMachine)
