"""Where our protocol differs from the paper's, and by how much, in parts of sentences."""

from collections.abc import Iterator

from wtm.paper.intervals import between
from wtm.paper.record import common_epochs
from wtm.paper.report.result_folder import FILE_ORDER, Results, last_mean
from wtm.paper.result_tables import held_weights
from wtm.paper.settings import COMPRESSION, NAMES, NAMES_BY_RECIPE, SWEEPS, Setting, Swept, paper_epochs
from wtm.paper.summary import Summary, complete_or_all, summarise
from wtm.paper.text_table import signed


def unfinished(results: Results) -> Iterator[str]:
    """Yield the machines of the paper's tables that have fewer epochs than there."""
    for key, records in results.records.items():
        for setting in dict.fromkeys(record.setting for record in records):
            group = complete_or_all([record for record in records if record.setting == setting])
            summary = summarise(group)
            if summary.epochs < (planned := paper_epochs(key, setting) or 0):
                since = max(1, summary.epochs - summary.averaged)
                rise = summary.mean - summarise(group, since).mean
                machine = f"{NAMES_BY_RECIPE[key]}, {setting.method} {setting.n_clauses:,}"
                trend = f"{signed(rise)} since epoch {since:,}{_meanwhile(results, key, setting, summary)}"
                yield f"{machine}: {summary.epochs:,} of {planned:,} ({trend})"


def _meanwhile(results: Results, key: str, setting: Setting, summary: Summary) -> str:
    """Return how the small WTM that an unfinished TM is compared with goes on."""
    if key not in NAMES or setting != COMPRESSION[key].classic.setting:
        return ""
    few = COMPRESSION[key].weighted.setting
    if not results.of(key, few):
        return ""
    then, later = (results.summary(key, few, n) for n in (summary.epochs, None))
    if later.epochs <= summary.epochs:
        return ""
    change = signed(later.mean - then.mean)
    return f", {few.method} {few.n_clauses:,} {change} from epoch {then.epochs:,} to {later.epochs:,}"


def order(results: Results) -> Iterator[str]:
    """Yield what the order of the file changes."""
    for name, (key, setting) in FILE_ORDER.items():
        base, runs = results.of(key, setting), results.ablations.get(name, [])
        if base and runs:
            n_epochs = min(common_epochs([base]), *(len(run["test_accuracy"]) for run in runs))
            shuffled = results.summary(key, setting, n_epochs).seed_means
            difference = between([last_mean(run, n_epochs) for run in runs], shuffled)
            yield f"{difference} for {NAMES[key]}'s {setting.method} {setting.n_clauses:,}"


def best_t(results: Results) -> Iterator[str]:
    """Yield the TMs whose assumed T is the best of a whole sweep."""
    for key in NAMES:
        assumed, plans = COMPRESSION[key].classic.setting, SWEEPS[key][Swept.T]
        groups = results.groups(key, plans)
        if len(groups) == len(results.settings(plans)) and groups:
            n_epochs = common_epochs(groups)
            best = max(groups, key=lambda records: summarise(records, n_epochs).mean)
            if best[0].setting == assumed:
                n = len(groups)
                yield f"On {NAMES[key]}, T {assumed.T} is the best of {n} values after {n_epochs:,} epochs."


def better_t(results: Results) -> Iterator[str]:
    """Yield TMs of no more clauses that do better, over the same epochs, than those whose T is assumed."""
    for key in NAMES:
        many = COMPRESSION[key].classic.setting
        assumed = results.of(key, many)
        found = []
        for group in results.groups(key, (*SWEEPS[key][Swept.CLAUSES], *SWEEPS[key][Swept.T])):
            setting = group[0].setting
            if assumed and setting.method == "TM" and setting != many and setting.n_clauses <= many.n_clauses:
                n_epochs = common_epochs([assumed, group])
                means = [summarise(records, n_epochs).mean for records in (group, assumed)]
                found.append((means[0] - means[1], means, n_epochs, setting))
        as_many = [item for item in found if item[-1].n_clauses == many.n_clauses and item[0] > 0]
        if found and (best := max(as_many or found, key=lambda item: item[0]))[0] > 0:
            _, (other, mean), n_epochs, setting = best
            better = f"T {setting.T} with {setting.n_clauses:,} clauses has {other:.2f} after {n_epochs:,} epochs"
            yield f"on {NAMES[key]}, {better}, T {many.T} with {many.n_clauses:,} has {mean:.2f}"


def held(results: Results) -> Iterator[str]:
    """Yield in which trainings weights were held at the end of their range."""
    for key, records in results.records.items():
        for record in records:
            if n_held := held_weights([record]):
                yield f"{NAMES_BY_RECIPE[key]}, gamma {record.setting.gamma:g}, seed {record.seed}: {n_held:,}"
