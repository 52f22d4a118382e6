"""The sections of the report as blocks of Markdown; missing results are named with their command."""

import statistics
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from wtm.paper.figures import draw_learning_curves, draw_sweep, draw_weights
from wtm.paper.record import Groups, Record, common_epochs
from wtm.paper.report.other_methods import baselines_table, missing_methods
from wtm.paper.report.program_speed import explain_program_speed, speed_table
from wtm.paper.report.result_folder import Results
from wtm.paper.report.sampling import PAPER_EPOCH, explain_sampling, first_epoch_table, sampling_table
from wtm.paper.report.times import on_one_processor, processor_of, times_by_processor
from wtm.paper.reported import papers_row
from wtm.paper.result_tables import (
    FIGURE_CLASS,
    accuracy_table,
    held_weights,
    machine_name,
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
    Setting,
    Swept,
    large_machines,
)
from wtm.paper.text_table import Table, factor_span

Blocks = Iterator[str]

_BASELINES = """\
All methods see the same bits; the paper's column is of grey values, from other publications. Settings are
scikit-learn's defaults, but for those in brackets. “L3” in the paper is a norm, and all norms give the same neighbours
on bits; K is ours."""


_BY_BASELINES = "`python -m studies.baselines --data-dir DIR`"

_TIMES = ("", "paper, s", "processor", "WTM, s", "TM, s", "epochs", "seeds")

_LATER = (1, 10, 40, 200)
"""Epochs whose times are given."""


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
            yield "\n".join(f"- {_described(setting)}" for setting in dict.fromkeys(r[0].setting for r in shown))
            yield accuracy_table(shown, as_planned=True).markdown()
        yield from self._made_by(large | small)
        if key == "mnist":
            yield from self._weights()
            yield from self._other_methods()
        yield from self._sweeps(key)

    def _place(self, records: list[Record], by_command: Mapping[str, Plans]) -> int:
        return self.results.settings(sum(by_command.values(), ())).index(records[0].setting)

    def _made_by(self, by_command: Mapping[str, Plans]) -> Blocks:
        """Yield the commands of a table, each machine in one of them, and which of their machines are missing."""
        made, missing = [], []
        named: set[tuple[str, Setting]] = set()
        for command, plans in by_command.items():
            key = _key_of(command)
            settings = [setting for setting in self.results.settings(plans) if (key, setting) not in named]
            named |= {(key, setting) for setting in settings}
            n_seeds = {setting: len(self.results.of(key, setting)) for setting in settings}
            is_whole = len(settings) == len(self.results.settings(plans)) and len(set(n_seeds.values())) == 1
            if is_whole and n_seeds[settings[0]]:
                made.append(self._by(command, seeds=n_seeds[settings[0]]))
                continue
            for setting, n in n_seeds.items():
                by = self._by(command, setting.method.lower() * (len(plans) > 1), n)
                if n:
                    made.append(by)
                else:
                    missing.append(f"{setting} ({by})")
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
            yield f"Made by {', '.join(made)}, which print the means.{self._held_in_sweep(key)}"
        if missing:
            yield f"Missing: {', '.join(missing)}."

    def _held_in_sweep(self, key: str) -> str:
        groups = self.results.groups(key, SWEEPS[key][Swept.GAMMA])
        held = [f"{group[0].setting.gamma:g}" for group in groups if held_weights(group)]
        return f" Weights were held at the ends of their range with gamma {' and '.join(held)}." if held else ""

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
        yield (
            f"{machine_name(WEIGHTS.setting)}: all clauses of seed {first.seed} after epoch {first.n_epochs:,}. The "
            "paper's values by class are not in its published source."
        )
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
                name = f"**WTM, {best.n_clauses:,} clauses, mean**"
                rows.append([name, mean, seeds.split()[0], f"{theirs.mean:.1f}"])
            yield Table(table.header, sorted(rows, key=lambda row: -float(row[1].split()[0]))).markdown()
            yield f"Made by {_BY_BASELINES}."
        if missing := missing_methods(found):
            yield f"Missing: {'; '.join(missing)} ({_BY_BASELINES})."

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
        yield (
            "The first epoch on MNIST with the engine that follows the paper step by step, one thread. Our seconds of "
            "drawing are calculated: feedbacks times the time per feedback, which includes counting the literals."
        )
        yield first_epoch_table(sampling).markdown()
        drawing = PAPER_EPOCH["drawing_seconds"]
        recognizing = PAPER_EPOCH["seconds"] - drawing
        yield (
            f"The paper's epoch is its {drawing:g} s of drawing and {recognizing:g} of recognizing. Made by `{command} "
            "--data-dir DIR`."
        )

    def times(self) -> Blocks:
        """Yield the times of the large machines, and those of the authors' program next to ours."""
        rows = []
        for key in NAMES_BY_RECIPE:
            machines = large_machines(key)
            paper = " and ".join(f"{papers_row(key, setting)[0].seconds:g}" for setting in machines)
            for times in times_by_processor(*(self.results.of(key, setting) for setting in machines)):
                rows.append([
                    f"{NAMES_BY_RECIPE[key]}, {machines[0].n_clauses:,} clauses", paper, times.processor,
                    factor_span(times.weighted), factor_span(times.classic),
                    f"{times.n_epochs:,}", f"{len(times.weighted)} and {len(times.classic)}",
                ])  # fmt: skip
        yield Table(_TIMES, rows).markdown() if rows else "Missing: a WTM and a TM timed on one kind of processor."
        speed, command = self.results.program_speed, "`python -m studies.program_speed SOURCES --data-dir DIR`"
        if speed is None:
            yield f"Missing: the authors' program next to ours ({command})."
            return
        yield explain_program_speed(speed)
        yield speed_table(speed).markdown()
        yield f"{self._later_epochs()}Made by {command}."

    def _later_epochs(self) -> str:
        """Return what later epochs of the large machine on MNIST take."""
        best, _ = large_machines("mnist")
        groups = on_one_processor([self.results.of("mnist", best)])
        epochs = [epoch for epoch in _LATER if groups and epoch <= common_epochs(groups)]
        if not epochs:
            return ""
        (records,) = groups
        timed = [record.cpu_seconds or [] for record in records]
        seconds = [statistics.median(of_seed[epoch - 1] for of_seed in timed) for epoch in epochs]
        return (
            f"Later epochs of `wtm` are faster: the machine of {best.n_clauses:,} clauses takes "
            f"{', '.join(f'{each:.2g}' for each in seconds)} s in epochs {', '.join(map(str, epochs))} (medians of "
            f"{len(records)} seeds, {processor_of(records[0])}). "
        )

    def _image(self, title: str, path: Path, drawn: bool) -> Blocks:
        if drawn:
            yield f"![{title}]({path.parent.name}/{path.name})"

    def _by(self, command: str, method: str = "", seeds: int = 1) -> str:
        options = [f" --methods {method}"] * bool(method) + [f" --seeds {seeds}"] * (seeds > 1)
        return f"`wtm reproduce {command}{''.join(options)}{' --quick' * self.results.quick}`"


def _described(setting: Setting) -> str:
    """Return the name that a machine has in tables, and what it leaves out."""
    return f"{machine_name(setting)}: p_s {setting.p_s:g}" + (f", gamma {setting.gamma:g}" if setting.gamma else "")


def _key_of(command: str) -> str:
    if command == "weights":
        return "mnist"
    first, *rest = command.split()
    return "imdb-authors" if "authors" in rest else rest[0] if first == "compression" else first
