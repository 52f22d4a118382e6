"""The sections of the report as blocks of Markdown; missing results are named with their command."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wtm.paper.figures import draw_learning_curves, draw_sweep, draw_weights
from wtm.paper.record import Groups, Record, by_setting, common_epochs
from wtm.paper.report.other_methods import METHODS, baselines_table
from wtm.paper.report.result_folder import Results
from wtm.paper.report.sampling import explain_sampling, first_epoch_table, sampling_table
from wtm.paper.reported import papers_row
from wtm.paper.result_tables import (
    FIGURE_CLASS,
    accuracy_table,
    positive_weights,
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
    paper_epochs,
)
from wtm.paper.summary import summarise
from wtm.paper.text_table import NOTHING, Table, signed

Blocks = Iterator[str]

_BASELINES = """\
All methods see the same bits; the paper's column is of grey values, from other publications. Settings are
scikit-learn's defaults, but for those in brackets. The “L3” of the paper's nearest neighbours is the norm; on bits all
norms give the same neighbours. K is ours."""


@dataclass(frozen=True)
class Sections:
    """Makes sections from results."""

    results: Results
    figures: Path  # the folder for figures, next to the page

    def data_set(self, key: str) -> Blocks:
        """Yield everything on a data set; IMDb's with both kinds of features."""
        large: dict[str, Plans] = {}
        small: dict[str, Plans] = {f"compression {key}": (COMPRESSION[key].classic, COMPRESSION[key].weighted)}
        keys = [other for other in NAMES_BY_RECIPE if other.removesuffix("-authors") == key]
        for other in keys:
            command = "imdb --recipe authors" if other == "imdb-authors" else other
            large |= {f"{command} --preset {p}": PRESETS[other][p] for p in (Preset.CLASSIC, Preset.BEST)}
            small |= {f"{command} --preset light": PRESETS[other][Preset.LIGHT]}
        if key == "mnist":
            large["weights"] = (WEIGHTS,)
        shown: Groups = []
        for name, commands in (("large", large), ("small", small)):
            plans = tuple(dict.fromkeys(sum(commands.values(), ())))
            for other in keys:
                groups = [group for group in self.results.groups(other, plans) if group not in shown]
                if groups:
                    title = f"{NAMES_BY_RECIPE[other]}: {name} machines"
                    path = self.figures / f"{other}-{name}.svg"
                    drawn = [group for group in groups if group[0].setting != WEIGHTS.setting] or groups
                    yield from self._image(title, path, draw_learning_curves(path, title, drawn))
                shown += groups
        shown.sort(key=lambda records: self._place(records, large | small))
        if shown:
            yield "\n".join(f"- {setting}" for setting in dict.fromkeys(records[0].setting for records in shown))
            yield accuracy_table(shown).markdown()
        yield from self._made_by(large | small)
        if key == "mnist":
            yield from self._weights()
            yield from self._other_methods()
        yield from self._sweeps(key)

    def _place(self, records: list[Record], by_command: Mapping[str, Plans]) -> int:
        return self.results.settings(sum(by_command.values(), ())).index(records[0].setting)

    def _made_by(self, by_command: Mapping[str, Plans]) -> Blocks:
        """Yield the commands of a table, and which of their machines are missing."""
        made, missing = [], []
        for command, plans in by_command.items():
            key = _key_of(command)
            found = self.results.groups(key, plans)
            if found:
                n_seeds = max(map(len, found))
                made.append(self._by(command + f" --seeds {n_seeds}" * (n_seeds > 1)))
            for setting in self.results.settings(plans):
                if not self.results.of(key, setting):
                    choice = "" if command == "weights" else f" --methods {setting.method.lower()}"
                    missing.append(f"{setting} ({self._by(command + choice)})")
        if made:
            yield f"Made by {', '.join(made)}."
        if missing:
            yield f"Missing: {'; '.join(missing)}."

    def _sweeps(self, key: str) -> Blocks:
        """Yield the curves over gamma, over clauses and over T."""
        made, missing = [], []
        images: list[str] = []
        for swept in Swept:
            plans = SWEEPS[key][swept]
            groups = self.results.groups(key, plans)
            command = self._by(f"sweep {key} --over {swept}")
            if len(groups) > 1:
                title = sweep_title(NAMES[key], swept, groups)
                path = self.figures / f"{key}-sweep-{swept.lower()}.svg"
                images += self._image(title, path, draw_sweep(path, title, swept, groups))
                made.append(command)
            n_points = len(self.results.settings(plans))
            if n_missing := n_points - len(groups):
                missing.append(f"{n_missing} of {n_points} points ({command})")
        if made:
            yield "### Sweeps"
            yield from images
            yield f"Made by {', '.join(made)}, which print the means."
        if missing:
            yield f"Missing: {', '.join(missing)}."

    def _weights(self) -> Blocks:
        """Yield table 4 and the figure."""
        yield "### Weights"
        records = self.results.of("mnist", WEIGHTS.setting)
        if not records:
            return
        first = records[0]
        title = f"Positive weights of class {FIGURE_CLASS}, {len(records)} seed{'s' * (len(records) != 1)}"
        path = self.figures / "mnist-weights.svg"
        yield from self._image(title, path, draw_weights(path, title, positive_weights(records)))
        yield f"{WEIGHTS.setting}. All clauses of seed {first.seed} after epoch {first.n_epochs:,}:"
        yield weights_table(first).markdown()

    def _other_methods(self) -> Blocks:
        """Yield table 5."""
        yield "### Other methods"
        yield _BASELINES
        found = self.results.baselines
        if found:
            best, _ = large_machines("mnist")
            table = baselines_table(found)
            rows = list(table.rows)
            if self.results.of("mnist", best):
                summary, (_, theirs) = self.results.summary("mnist", best), papers_row("mnist", best)
                mean, _, seeds = str(summary).partition(" (")
                rows.append([
                    f"**WTM, {best.n_clauses:,} clauses, mean**", mean, seeds.split()[0], f"{theirs.mean:.1f}",
                    f"{summary.epochs * sum(summary.seed_seconds) / summary.n_seeds:.1f}",
                ])  # fmt: skip
            yield Table(table.header, sorted(rows, key=lambda row: -float(row[1].split()[0]))).markdown()
        command = "`python -m studies.baselines --seeds 5 --data-dir DIR`"
        missing = [title for name, (title, _) in METHODS.items() if name not in found]
        yield f"Missing: {'; '.join(missing)} ({command})." if missing else f"Made by {command}."

    def sampling(self) -> Blocks:
        """Yield the speed of drawing feedback."""
        sampling, command = self.results.sampling, "python -m studies.sampling_speed"
        if sampling is None:
            yield f"Missing: `{command}`."
            return
        yield sampling_table(sampling).markdown()
        yield explain_sampling(sampling)
        if not sampling["first_epoch"]:
            yield f"Missing: the first epoch on MNIST (`{command} --data-dir DIR`)."
            return
        yield "The first epoch on MNIST with the engine that follows the paper step by step, one thread:"
        yield first_epoch_table(sampling).markdown()
        yield f"The paper's epoch is its 61.2 s of drawing and 23.5 of recognizing. Made by `{command} --data-dir DIR`."

    def times(self) -> Blocks:
        """Yield the times of the large machines next to the authors', on another machine."""
        rows = []
        for key in NAMES:
            seconds: dict[str, list[float]] = {}
            for setting in large_machines(key):
                theirs = papers_row(key, setting)[0].seconds or 0.0
                if not self.results.of(key, setting):
                    continue
                summary = self.results.summary(key, setting)
                seconds[setting.method] = list(summary.seed_seconds)
                factors = [theirs / each for each in summary.seed_seconds]
                mean = sum(summary.seed_seconds) / summary.n_seeds
                name = f"{NAMES[key]}, {setting.method} {setting.n_clauses:,}"
                rows.append([name, f"{theirs:g}", f"{mean:.2g} ({summary.epochs:,})", _range(factors)])
            if len(seconds) == 2:
                paper = [papers_row(key, setting)[0].seconds or 0.0 for setting in large_machines(key)]
                factors = [tm / wtm for tm in seconds["TM"] for wtm in seconds["WTM"]]
                rows.append([f"{NAMES[key]}, TM / WTM", f"{paper[1] / paper[0]:.2f}", _range(factors), NOTHING])
        plans = COMPRESSION["mnist"]
        if all(self.results.of("mnist", plan.setting) for plan in (plans.classic, plans.weighted)):
            many, few = (self.results.summary("mnist", plan.setting) for plan in (plans.classic, plans.weighted))
            factors = [tm / wtm for tm in many.seed_seconds for wtm in few.seed_seconds]
            rows.append(["MNIST, TM 2,000 / WTM 500", "about 10", _range(factors), NOTHING])
        yield Table(["", "paper, s/epoch", "here, s/epoch (epochs)", "factor"], rows).markdown()

    def unfinished(self) -> Blocks:
        """Yield the machines of the paper's tables that have fewer epochs than there."""
        for key, records in self.results.records.items():
            for group in by_setting(records):
                setting, summary = group[0].setting, summarise(group)
                if summary.epochs < (planned := paper_epochs(key, setting) or 0):
                    rise = summary.mean - summarise(group, max(1, summary.epochs - summary.averaged)).mean
                    machine = f"{NAMES_BY_RECIPE[key]}, {setting.method} {setting.n_clauses:,}"
                    trend = f"{signed(rise)} in the last {summary.averaged}"
                    yield f"{machine}: {summary.epochs:,} of {planned:,} ({trend})"

    def better_t(self) -> Blocks:
        """Yield TMs of no more clauses that do better, over the same epochs, than those whose T is assumed."""
        for key in NAMES:
            many = COMPRESSION[key].classic.setting
            assumed = self.results.of(key, many)
            found = []
            for group in self.results.groups(key, (*SWEEPS[key][Swept.CLAUSES], *SWEEPS[key][Swept.T])):
                setting = group[0].setting
                if assumed and setting.method == "TM" and setting != many and setting.n_clauses <= many.n_clauses:
                    n_epochs = common_epochs([assumed, group])
                    means = [summarise(records, n_epochs).mean for records in (group, assumed)]
                    found.append((means[0] - means[1], means, n_epochs, setting))
            if found and (best := max(found, key=lambda item: item[0]))[0] > 0:
                _, (other, mean), n_epochs, setting = best
                better = f"T {setting.T} with {setting.n_clauses:,} clauses has {other:.2f} after {n_epochs:,} epochs"
                yield f"on {NAMES[key]}, {better}, T {many.T} with {many.n_clauses:,} has {mean:.2f}"

    def _image(self, title: str, path: Path, drawn: bool) -> Blocks:
        if drawn:
            yield f"![{title}]({path.parent.name}/{path.name})"

    def _by(self, command: str) -> str:
        return f"`wtm reproduce {command}{' --quick' * self.results.quick}`"


def _key_of(command: str) -> str:
    if command == "weights":
        return "mnist"
    first, *rest = command.split()
    return "imdb-authors" if "authors" in rest else rest[0] if first == "compression" else first


def _range(values: list[float]) -> str:
    """Return the smallest and the largest of some factors, in two digits."""
    low, high = (f"{float(f'{value:.2g}'):g}" for value in (min(values), max(values)))
    return low if low == high else f"{low}–{high}"
