"""The sections of the report, each a list of blocks of Markdown; what is missing is named with its command."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wtm.paper.accuracy_table import accuracy_table, describe_setting
from wtm.paper.console import NOTHING
from wtm.paper.curves import draw_learning_curves, draw_sweep, draw_weights
from wtm.paper.first_epoch import first_epoch_table
from wtm.paper.record import Record, by_setting
from wtm.paper.report.differences import explain_differences
from wtm.paper.report.results import Results
from wtm.paper.sampling import explain_sampling, sampling_table, sampling_verdict
from wtm.paper.settings import ECONOMY, NAMES, NAMES_BY_RECIPE, PRESETS, SWEEPS, WEIGHTS, Over, Preset, Setting
from wtm.paper.sweep import common_epochs, sweep_table, sweep_title
from wtm.paper.vanilla import METHODS, vanilla_table
from wtm.paper.variants import VARIANTS, variants_table
from wtm.paper.weights import FIGURE_CLASS, positive_weights, weights_table

__all__ = ["Section"]


@dataclass(frozen=True)
class Section:
    """Makes sections from results.

    Attributes
    ----------
    results : Results
    figures : Path
        The folder for figures.
    link : str
        The same, as the report links to it.
    """

    results: Results
    figures: Path
    link: str

    def accuracies(self, key: str) -> list[str]:
        """TM and WTM at the same number of clauses, and the small machines (tables 3, 6 and 7)."""
        presets = PRESETS[key.removesuffix("-authors")]
        blocks: list[str] = []
        for heading, name, chosen in (
            ("At equal clauses", "equal", (Preset.CLASSIC, Preset.BEST)),
            ("The small machines", "light", (Preset.LIGHT,)),
        ):
            plans = [plan.setting for preset in chosen for plan in presets[preset]]
            blocks += [
                f"### {heading}",
                *self._compared(key, plans, f"{key}-{name}", f"{NAMES_BY_RECIPE[key]}: {heading.lower()}"),
            ]
            blocks += [
                self._missing(setting, f"{self._command(key)} --preset {preset} --methods {setting.method.lower()}")
                for preset in chosen
                for setting in (plan.setting for plan in presets[preset])
                if not self.results.of(key, setting)
            ]
        return blocks

    def economy(self, key: str) -> list[str]:
        """Few weighted clauses against many without."""
        economy = ECONOMY[key]
        settings = [economy.classic.setting, economy.weighted.setting]
        blocks = [
            f"### {economy.share} of the clauses",
            "The authors tell of the TM no more than its number of clauses; here its p_s is that of their large TM, "
            "and its T has the same share of the clauses.",
            *self._compared(key, settings, f"{key}-economy", f"{NAMES[key]}: {economy.share} of the clauses"),
        ]
        return blocks + [
            self._missing(setting, f"economy {key} --methods {setting.method.lower()}")
            for setting in settings
            if not self.results.of(key, setting)
        ]

    def sweep(self, key: str, over: Over) -> list[str]:
        """A curve over gamma or clauses."""
        blocks = [f"### {'Gamma from 0 upward' if over == Over.GAMMA else 'More clauses'}"]
        settings = [plan.setting for plan in SWEEPS[key][over]]
        groups = by_setting(record for setting in settings for record in self.results.of(key, setting))
        if groups:
            title, n_epochs = sweep_title(NAMES[key], over, groups), common_epochs(groups)
            name = f"{key}-sweep-{over}.svg"
            if draw_sweep(self.figures / name, title, over, groups, n_epochs):
                blocks.append(self._image(title, name))
            blocks += [
                sweep_table(groups).markdown(),
                f"All trainings are looked at over their first {n_epochs:,} epochs.",
            ]
        missing = [setting for setting in settings if not self.results.of(key, setting)]
        if missing:
            points = "all points" if len(missing) == len(settings) else f"{len(missing)} of {len(settings)} points"
            blocks.append(f"Not there yet: {points} ({self._by(f'sweep {key} --over {over}')}).")
        return blocks

    def weights(self) -> list[str]:
        """Table 4 and the figure."""
        records = self.results.of("mnist", WEIGHTS.setting)
        blocks = ["### Weights", f"{describe_setting(WEIGHTS.setting)}; the table is over all clauses."]
        if not records:
            return [*blocks, self._missing(WEIGHTS.setting, "weights")]
        for record in records:
            blocks += [f"Seed {record.seed}, after epoch {record.n_epochs:,}:", weights_table(record).markdown()]
        title = f"Positive weights of class {FIGURE_CLASS} after epoch {records[0].n_epochs:,}"
        if draw_weights(self.figures / "mnist-weights.svg", title, positive_weights(records[0])):
            blocks.append(self._image(title, "mnist-weights.svg"))
        return [*blocks, "The paper's figure has two peaks, around 0.6 and 5.0."]

    def variants(self) -> list[str]:
        """What might explain a difference between the means, here and there."""
        blocks = [
            "Machines of one data set with the same clauses and epochs differ in what their names tell, and in nothing "
            "else. The authors' program takes the examples in the order of the file, in "
            "every epoch. Of Connect-4 its readme tells the last epoch alone, which sways by more than a mean does.",
        ]
        if self.results.variants:
            blocks += [
                variants_table(self.results.variants).markdown(),
                explain_differences(self.results.variants),
            ]
        missing = [variant.title for key, variant in VARIANTS.items() if key not in self.results.variants]
        if missing:
            blocks.append(f"Not there yet: {'; '.join(missing)} ({self._by('variants')}).")
        return blocks

    def vanilla(self) -> list[str]:
        """Table 5."""
        blocks = [
            "### Other methods",
            "Here all methods see the same bits as the TM and the WTM; the paper's column is of grey values, from "
            "others' publications. Settings are scikit-learn's defaults where the method's name says no more.",
        ]
        if self.results.vanilla:
            table = vanilla_table(self.results.vanilla)
            best = PRESETS["mnist"][Preset.BEST][0].setting
            summary = self.results.summary("mnist", best)
            if summary is not None:
                of_seeds = f"{min(summary.seed_means):.2f}–{max(summary.seed_means):.2f}"
                ours = [
                    f"**WTM, {best.n_clauses:,} clauses, mean**", f"{summary.statistics.mean:.2f}",
                    of_seeds if summary.n_seeds > 1 else NOTHING, "98.5", f"{summary.total_seconds:.1f}", NOTHING,
                ]  # fmt: skip
                rows = sorted([*table.rows, ours], key=lambda row: -float(row[1]))
                table = type(table)(table.header, rows)
            blocks.append(table.markdown())
        missing = [method.name for name, method in METHODS.items() if name not in self.results.vanilla]
        if missing:
            blocks.append(f"Not there yet: {'; '.join(missing)} ({self._by('vanilla')}).")
        return blocks

    def sampling(self) -> list[str]:
        """The speed of drawing feedback."""
        if self.results.sampling is None:
            return ["Not there yet: `wtm reproduce sampling`."]
        content, points, epochs = self.results.sampling
        blocks = [sampling_table(points).markdown(), explain_sampling(content["rounds"]), sampling_verdict(points)]
        if not epochs:
            return [*blocks, "Not there yet: the first epoch on MNIST (`wtm reproduce sampling --data-dir DIR`)."]
        return [
            *blocks,
            "The first epoch on MNIST with the engine that follows the paper step by step, one thread:",
            first_epoch_table(epochs).markdown(),
            "The paper's seconds of the epoch are its 61.2 of drawing and 23.5 of recognizing the images.",
        ]

    def _compared(self, key: str, settings: Sequence[Setting], name: str, title: str) -> list[str]:
        groups: list[list[Record]] = by_setting(
            record for setting in settings for record in self.results.of(key, setting)
        )
        if not groups:
            return []
        lines = [f"- {describe_setting(records[0].setting)}" for records in groups]
        blocks = ["\n".join(lines), accuracy_table(groups).markdown()]
        if draw_learning_curves(self.figures / f"{name}.svg", title, groups):
            blocks.append(self._image(title, f"{name}.svg"))
        return blocks + [
            f"Unfinished: {describe_setting(record.setting)}, seed {record.seed}, has {record.n_epochs:,} of "
            f"{record.planned:,} epochs."
            for records in groups
            for record in records
            if record.n_epochs < record.planned
        ]

    def _image(self, title: str, name: str) -> str:
        return f"![{title}]({self.link}/{name})"

    def _missing(self, setting: Setting, command: str) -> str:
        return f"Not there yet: {describe_setting(setting)} ({self._by(command)})."

    def _by(self, command: str) -> str:
        return f"`wtm reproduce {command}{' --quick' if self.results.quick else ''}`"

    def _command(self, key: str) -> str:
        return "imdb --recipe authors" if key == "imdb-authors" else key
