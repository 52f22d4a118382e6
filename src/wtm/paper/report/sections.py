"""The sections of the report as blocks of Markdown; missing results are named with their command."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wtm.paper.figures import draw_learning_curves, draw_sweep, draw_weights
from wtm.paper.record import common_epochs
from wtm.paper.report.other_methods import METHODS, baselines_table
from wtm.paper.report.result_folder import Results
from wtm.paper.report.sampling import explain_sampling, first_epoch_table, sampling_table
from wtm.paper.reported import papers_row
from wtm.paper.result_tables import (
    FIGURE_CLASS,
    accuracy_table,
    positive_weights,
    sweep_table,
    sweep_title,
    weights_table,
)
from wtm.paper.settings import (
    COMPRESSION,
    NAMES,
    NAMES_BY_RECIPE,
    PRESETS,
    SWEEPS,
    WEIGHTS,
    Plans,
    Preset,
    Swept,
    large_machines,
)
from wtm.paper.text_table import NOTHING, Table, span

Blocks = Iterator[str]


_COMPRESSION = (
    "The authors give only the TM's number of clauses; here its p_s is that of their large TM, and its T is the same "
    "share of the clauses."
)
_SWEPT = {Swept.GAMMA: "Gamma from 0 upward", Swept.CLAUSES: "More clauses"}


@dataclass(frozen=True)
class Sections:
    """Makes sections from results."""

    results: Results
    figures: Path  # the folder for figures, next to the page

    def data_set(self, key: str) -> Blocks:
        """Yield everything on a data set."""
        command = "imdb --recipe authors" if key == "imdb-authors" else key
        light, *large = ({f"{command} --preset {preset}": PRESETS[key][preset]} for preset in Preset)
        yield from self._comparison(key, "At equal clauses", "equal", large[0] | large[1])
        yield from self._comparison(key, "The small machines", "light", light)
        if key not in NAMES:
            return
        compression = COMPRESSION[key]
        few_and_many = {f"compression {key}": (compression.classic, compression.weighted)}
        yield from self._comparison(key, f"{compression.share} of the clauses", "compression", few_and_many)
        if key == "mnist":
            yield from self._weights()
            yield from self._other_methods()
        yield from self._sweeps(key)

    def _sweeps(self, key: str) -> Blocks:
        """Yield the curves over gamma and over clauses."""
        for swept, heading in _SWEPT.items():
            yield f"### {heading}"
            plans = SWEEPS[key][swept]
            groups = self.results.groups(key, plans)
            if groups:
                title = sweep_title(NAMES[key], swept, groups)
                path = self.figures / f"{key}-sweep-{swept}.svg"
                yield from self._image(title, path, draw_sweep(path, title, swept, groups))
                yield sweep_table(groups).markdown()
                yield f"All trainings are compared over their first {common_epochs(groups):,} epochs."
            n_points = len(self.results.settings(plans))
            if missing := n_points - len(groups):
                yield f"Missing: {missing} of {n_points} points ({self._by(f'sweep {key} --over {swept}')})."

    def _weights(self) -> Blocks:
        """Yield table 4 and the figure."""
        yield "### Weights"
        yield f"{WEIGHTS.setting}; the table is over all clauses."
        records = self.results.of("mnist", WEIGHTS.setting)
        for record in records:
            yield f"Seed {record.seed}, after epoch {record.n_epochs:,}:"
            yield weights_table(record).markdown()
        if records:
            title = f"Positive weights of class {FIGURE_CLASS} after epoch {records[0].n_epochs:,}"
            path = self.figures / "mnist-weights.svg"
            yield from self._image(title, path, draw_weights(path, title, positive_weights(records[0])))
            yield "The paper's figure has two peaks, around 0.6 and 5.0."
        yield from self._missing("mnist", (WEIGHTS,), "weights", method=False)

    def _other_methods(self) -> Blocks:
        """Yield table 5."""
        yield "### Other methods"
        yield (
            "Here all methods see the same bits as the TM and the WTM; the paper's column is of grey values, from "
            "other publications. Settings are scikit-learn's defaults unless the method's name says otherwise."
        )
        found = self.results.baselines
        if found:
            best, _ = large_machines("mnist")
            table = baselines_table(found)
            rows = list(table.rows)
            if self.results.of("mnist", best):
                summary, (_, theirs) = self.results.summary("mnist", best), papers_row("mnist", best)
                rows.append([
                    f"**WTM, {best.n_clauses:,} clauses, mean**", f"{summary.mean:.2f}", span(summary.seed_range),
                    f"{theirs.mean:.1f}", f"{summary.total_seconds:.1f}", NOTHING,
                ])  # fmt: skip
            yield Table(table.header, sorted(rows, key=lambda row: -float(row[1]))).markdown()
        missing = [title for name, (title, _) in METHODS.items() if name not in found]
        if missing:
            yield f"Missing: {'; '.join(missing)} (`python -m studies.baselines --data-dir DIR`)."

    def sampling(self) -> Blocks:
        """Yield the speed of drawing feedback."""
        sampling, command = self.results.sampling, "python -m studies.sampling_speed"
        if sampling is None:
            yield f"Missing: `{command}`."
            return
        yield sampling_table(sampling).markdown()
        yield from explain_sampling(sampling)
        if not sampling["first_epoch"]:
            yield f"Missing: the first epoch on MNIST (`{command} --data-dir DIR`)."
            return
        yield "The first epoch on MNIST with the engine that follows the paper step by step, one thread:"
        yield first_epoch_table(sampling).markdown()
        yield "The paper's seconds of the epoch are its 61.2 of drawing and 23.5 of recognizing the images."

    def _comparison(self, key: str, heading: str, name: str, by_command: Mapping[str, Plans]) -> Blocks:
        """Yield machines next to the authors' (tables 3, 6 and 7), and which are missing."""
        yield f"### {heading}"
        if name == "compression":
            yield _COMPRESSION
        groups = self.results.groups(key, sum(by_command.values(), ()))
        if groups:
            yield "\n".join(f"- {records[0].setting}" for records in groups)
            yield accuracy_table(groups).markdown()
            title, path = f"{NAMES_BY_RECIPE[key]}: {heading.lower()}", self.figures / f"{key}-{name}.svg"
            yield from self._image(title, path, draw_learning_curves(path, title, groups))
        for record in (record for records in groups for record in records):
            if record.n_epochs < record.planned:
                epochs = f"{record.n_epochs:,} of {record.planned:,} epochs"
                yield f"Unfinished: {record.setting}, seed {record.seed}, has {epochs}."
        for command, plans in by_command.items():
            yield from self._missing(key, plans, command)

    def _image(self, title: str, path: Path, drawn: bool) -> Blocks:
        if drawn:
            yield f"![{title}]({path.parent.name}/{path.name})"

    def _missing(self, key: str, plans: Plans, command: str, *, method: bool = True) -> Blocks:
        for setting in self.results.settings(plans):
            if not self.results.of(key, setting):
                choice = f" --methods {setting.method.lower()}" if method else ""
                yield f"Missing: {setting} ({self._by(command + choice)})."

    def _by(self, command: str) -> str:
        return f"`wtm reproduce {command}{' --quick' * self.results.quick}`"
