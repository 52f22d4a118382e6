"""What weights are learnt: the paper's table 4 and its figure, on MNIST."""

from wtm.paper.console import Table, counted, say, show
from wtm.paper.curves import draw_weights
from wtm.paper.problem import load_problem
from wtm.paper.record import Record
from wtm.paper.run import Options, carry_out, folder_of
from wtm.paper.settings import WEIGHTS

__all__ = ["FIGURE_CLASS", "positive_weights", "reproduce", "weights_table"]

FIGURE_CLASS = "9"
"""The class whose positive weights the paper's figure shows."""


def reproduce(options: Options) -> None:
    """Train the machine; write records and the figure; print the table.

    Raises
    ------
    OSError, ValueError, KeyboardInterrupt
        As `wtm.paper.run.carry_out`; the data are not there.
    """
    problem = load_problem("mnist", options.data_dir, quick=options.quick)
    records = carry_out(problem, [WEIGHTS], options)
    folder = folder_of(options, "mnist")
    title = f"MNIST, positive weights of class {FIGURE_CLASS}"
    drawn = draw_weights(folder / "weights.svg", title, positive_weights(records[0]))
    show(*(weights_table(record).rich(f"Weights by class, seed {record.seed}") for record in records))
    say(f"Written to {folder}: {counted(len(records), 'record')}" + ", weights.svg" * drawn)


def weights_table(record: Record) -> Table:
    """The paper's table 4: maximum, minimum, mean and ratio of the weights of all clauses, class by class."""
    spans = [entry["all"] for entry in record.weights]
    rows = [[name, *(f"{span[name.lower()]:.2f}" for span in spans)] for name in ("Maximum", "Minimum", "Mean")]
    rows.append(["Ratio", *(f"{span['maximum'] / span['minimum']:.3g}" for span in spans)])
    return Table(["Class", *(entry["label"] for entry in record.weights)], rows)


def positive_weights(record: Record) -> dict[str, int]:
    """The histogram that the paper's figure shows; of the last class where there is no class 9."""
    by_label: dict[str, dict[str, int]] = {entry["label"]: entry["positive"] for entry in record.weights}
    return by_label.get(FIGURE_CLASS, record.weights[-1]["positive"])
