"""The weights learnt from MNIST (the paper's table 4 and its figure)."""

from wtm.paper.figures import draw_weights
from wtm.paper.problem import load_problem
from wtm.paper.record import Record
from wtm.paper.run import carry_out
from wtm.paper.run_options import Options
from wtm.paper.settings import WEIGHTS
from wtm.paper.text_table import Table, say, show

FIGURE_CLASS = "9"
"""The class whose positive weights the paper's figure shows."""


def learn_weights(options: Options) -> None:
    """Train the machine; write records and the figure; print the table."""
    records = carry_out(load_problem("mnist", options.data_dir, quick=options.quick), [WEIGHTS], options)
    folder = options.folder("mnist")
    draw_weights(
        folder / "weights.svg", f"MNIST, positive weights of class {FIGURE_CLASS}", positive_weights(records[0])
    )
    show(*(weights_table(record).rich(f"Weights by class, seed {record.seed}") for record in records))
    say(f"Results written to {folder}")


def weights_table(record: Record) -> Table:
    """Return the paper's table 4: maximum, minimum, mean and ratio of the weights of all clauses, by class."""
    spans = [entry["all"] for entry in record.weights]
    rows = [[name, *(f"{span[name.lower()]:.2f}" for span in spans)] for name in ("Maximum", "Minimum", "Mean")]
    rows.append(["Ratio", *(f"{span['maximum'] / span['minimum']:.3g}" for span in spans)])
    return Table(["Class", *(entry["label"] for entry in record.weights)], rows)


def positive_weights(record: Record) -> dict[str, int]:
    """Return the histogram that the paper's figure shows."""
    (histogram,) = (entry["positive"] for entry in record.weights if entry["label"] == FIGURE_CLASS)
    return dict(histogram)
