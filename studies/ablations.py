"""What moves the mean accuracy: the order of the examples, the start of the automata, T, the engine and others.

`python -m studies.ablations --help` lists the ablations.
"""

from collections.abc import Sequence

from studies.command_line import run_command
from studies.designs import ABLATIONS, load, parse_arguments, unfinished_tasks
from wtm import WTMClassifier
from wtm.paper.run import load_checkpoint, new_classifier, train
from wtm.paper.run_options import Options

_OURS = [key for key, ablation in ABLATIONS.items() if not ablation.by_program]


def train_ablations(keys: Sequence[str], options: Options) -> None:
    """Train ablations with every seed; write a file each.

    Raises
    ------
    OSError, ValueError
        As `studies.designs.unfinished_tasks`; the data are missing.
    KeyboardInterrupt
        The user stopped it; all finished epochs are kept.
    """
    for task, resumes in unfinished_tasks(keys, options, ".safetensors"):
        ablation = task.ablation
        problem = load(ablation.data, options.data_dir, ablation.grey)
        of_machine = (ablation.setting, task.seed)
        if resumes:
            task.check_data(problem)
            clf = load_checkpoint(task.path, *of_machine, **ablation.changes)
        else:
            clf = new_classifier(*of_machine, **ablation.changes)

        def keep(clf: WTMClassifier, task=task, problem=problem) -> None:
            task.write(
                problem,
                test_accuracy=[entry["valid_accuracy"] for entry in clf.history_],
                seconds=[entry["seconds"] for entry in clf.history_],
            )

        train(clf, problem, task.n_epochs, task.path, keep, n_jobs=options.n_jobs)


if __name__ == "__main__":
    run_command(lambda: train_ablations(*parse_arguments("Train ablations.", _OURS)))
