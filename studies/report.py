"""Writes the pages of the studies, docs/ablations.md and others, from their results: `python -m studies.report`."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from studies import few_rules, few_rules_page, rule_length
from studies.designs import (
    ABLATIONS,
    FOLDER,
    PROGRAM_SEED,
    Ablation,
    Runs,
    averaged_epochs,
    common_epochs,
    read_ablations,
    seed_means,
)
from studies.findings import explain_differences
from wtm.paper.json_files import ENVIRONMENT, read_json
from wtm.paper.report import describe_environment
from wtm.paper.text_table import NOTHING, Table, say

_HEADER = ("", "clauses", "epochs", "seeds", "mean (%)", "s.d. of seeds", "authors (%)")

_INTRODUCTION = """\
# Ablations

This page is made by `python -m studies.report` from the files in `results/ablations`, which
`python -m studies.ablations` and `python -m studies.authors_program` write. It looks for what moves the mean accuracies
in [paper.md](paper.md), and repeats the authors' program draw by draw.

Machines of one data set with the same clauses and epochs differ only in what their names say. The authors' program
takes the examples in the order of the file in every epoch. For Connect-4 its readme gives only the last epoch, which
varies more than a mean does. Accuracies are on the test set, in per cent; ± is the standard deviation over seeds.
"""


def write_page(folder: Path, path: Path) -> None:
    """Write the page from a folder of results.

    Raises
    ------
    OSError, ValueError
        The page can't be written, or a file of results is damaged.
    """
    results = read_ablations(folder)
    blocks = [_INTRODUCTION.strip(), ablations_table(results).markdown(), explain_differences(results)]
    missing = [ablation.title for key, ablation in ABLATIONS.items() if key not in results]
    if missing:
        blocks.append(f"Missing: {'; '.join(missing)}.")
    origins = (describe_environment(*(run[name] for name in ENVIRONMENT)) for runs in results.values() for run in runs)
    blocks += ["## Where it was computed", "\n".join(dict.fromkeys(origins))]
    path.write_text("\n\n".join(blocks) + "\n", encoding="utf-8")
    say(f"Written: {path}")


def ablations_table(results: dict[str, Runs]) -> Table:
    """Return a row per ablation: the mean over its last epochs and over seeds, with the spread of the seeds' means."""
    rows = []
    for key, runs in results.items():
        n_epochs = common_epochs(runs)
        first = n_epochs - averaged_epochs(key, n_epochs) + 1
        epochs = f"{n_epochs:,}" if first == n_epochs else f"{first:,}–{n_epochs:,}"
        for title, chosen, reported in _rows(ABLATIONS[key], runs):
            means = seed_means(key, chosen, n_epochs)
            spread = f"{statistics.stdev(means):.3f}" if len(means) > 1 else NOTHING
            authors = NOTHING if reported is None else f"{reported:.2f}"
            figures = [f"{len(means)}", f"{statistics.mean(means):.2f}", spread, authors]
            rows.append([title, f"{runs[0]['setting']['n_clauses']:,}", epochs, *figures])
    return Table(_HEADER, rows)


def _rows(ablation: Ablation, runs: Runs) -> Iterator[tuple[str, Runs, float | None]]:
    """Yield title, trainings and the authors' figure; the default seed of the authors' program is separate."""
    own = [run for run in runs if run["seed"] == PROGRAM_SEED] if ablation.by_program else []
    if own and len(runs) > 1:
        yield f"{ablation.title}, its default seed", own, ablation.reported
        yield f"{ablation.title}, other seeds", [run for run in runs if run not in own], None
    else:
        yield ablation.title, runs, ablation.reported


if __name__ == "__main__":
    write_page(Path("results") / FOLDER, Path("docs/ablations.md"))
    rule_length.write_page(read_json(rule_length.RESULTS), Path("docs/rule-length.md"))
    few_rules_page.write_page(read_json(few_rules.RESULTS), Path("docs/few-rules.md"))
