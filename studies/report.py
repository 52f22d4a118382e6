"""Writes the pages of the studies, docs/ablations.md and others, from their results: `python -m studies.report`."""

import argparse
from itertools import chain
from pathlib import Path

from studies import few_rules, few_rules_page, rule_length
from studies.command_line import run_command
from studies.designs import (
    ABLATIONS,
    FOLDER,
    Runs,
    averaged_epochs,
    common_epochs,
    main_trainings,
    read_ablations,
    seed_means,
)
from studies.findings import explain_program, program_table
from studies.questions import questions_table
from wtm.paper.intervals import between, mean_text
from wtm.paper.json_files import ENVIRONMENT, read_json
from wtm.paper.report import describe_environments
from wtm.paper.reported import papers_row
from wtm.paper.settings import large_machines
from wtm.paper.text_table import NOTHING, Table, say

_HEADER = ("changed", "clauses", "epochs", "changed (%)", "unchanged (%)", "difference")

_INTRODUCTION = """\
# Ablations

`python -m studies.report` makes this page from the files in `results/`, which `python -m studies.ablations`,
`python -m studies.authors_program` and `wtm reproduce` write. It shows what moves the mean accuracies of
[paper.md](paper.md), and repeats the authors' program draw by draw.

Each row changes one thing. Accuracies are means over the last epochs, whose number is in brackets, on the test set; ±
is the 95 % interval over seeds, of a difference Welch's. Fewer than three seeds have none. Seeds with fewer epochs than
planned are left out if three or more have all; else all are cut to the shortest. Rows without “TM” are of the WTM. The
engine “direct” follows the paper step by step, as does its sampler “bernoulli”; “binomial” is the paper's
Algorithm 1, and “bits” the sampler of `wtm`.
"""

_PROGRAM = """\
## The authors' program, draw by draw

The program takes the rows in the order of the file in every epoch, and so does `wtm` here. The paper has {mean:.2f}.
"""

_QUESTIONS = """\
## Questions

What the tables above and those of paper.md leave open, what was found, and what would say more.
"""


def write_page(folder: Path, path: Path) -> None:
    """Write the page from a folder of results.

    Raises
    ------
    OSError, ValueError
        The page can't be written, or a file of results is damaged.
    """
    results = read_ablations(folder)
    blocks = [_INTRODUCTION.strip(), ablations_table(folder, results).markdown()]
    if table := program_table(results):
        mean = papers_row("mnist", large_machines("mnist")[0])[1].mean
        blocks += [_PROGRAM.format(mean=mean).strip(), table.markdown()]
    shuffled = main_trainings(folder, large_machines("mnist")[0], "mnist")
    blocks.append("\n".join(f"- {sentence}" for sentence in explain_program(results, shuffled)))
    blocks += [_QUESTIONS.strip(), questions_table(results, folder.parent).markdown()]
    origins = ({name: run[name] for name in ENVIRONMENT} for run in chain(*results.values()))
    blocks += ["## Where it was computed", "\n".join(f"- {line}" for line in describe_environments(origins))]
    path.write_text("\n\n".join(block for block in blocks if block) + "\n", encoding="utf-8")
    say(f"Written: {path}")


def ablations_table(folder: Path, results: dict[str, Runs]) -> Table:
    """Return a row per ablation: its mean over seeds, that of what it changes, and their difference."""
    rows = []
    for key, runs in results.items():
        ablation = ABLATIONS[key]
        if ablation.base is None:  # the authors' program, more seeds of main trainings, or a machine of its own
            continue
        if isinstance(ablation.base, str):
            base, base_key = results.get(ablation.base, []), ablation.base
        else:
            base, base_key = main_trainings(folder, ablation.base, ablation.data), key
        n_epochs = common_epochs(runs, *([base] if base else []))
        means = seed_means(key, runs, n_epochs)
        epochs = f"{n_epochs:,} ({averaged_epochs(key, n_epochs)})"
        row = [ablation.title, f"{ablation.setting.n_clauses:,}", epochs, mean_text(means)]
        unchanged = seed_means(base_key, base, n_epochs) if base else []
        row += [mean_text(unchanged), str(between(means, unchanged))] if unchanged else [NOTHING, NOTHING]
        rows.append(row)
    return Table(_HEADER, rows)


def main() -> None:
    """Read the command line, which has no options, and write the pages."""
    argparse.ArgumentParser(
        description="Write docs/ablations.md, docs/rule-length.md and docs/few-rules.md from the files in results. Run "
        "it in the root of the repository."
    ).parse_args()
    for needed in (Path("results") / FOLDER, rule_length.RESULTS, few_rules.RESULTS, Path("docs")):
        if not needed.exists():
            raise FileNotFoundError(f"{needed} is not in {Path.cwd()}: change to the root of the repository.")
    write_page(Path("results") / FOLDER, Path("docs/ablations.md"))
    rule_length.write_page(read_json(rule_length.RESULTS), Path("docs/rule-length.md"))
    few_rules_page.write_page(read_json(few_rules.RESULTS), Path("docs/few-rules.md"))


if __name__ == "__main__":
    run_command(main)
