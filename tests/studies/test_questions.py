"""Questions that the tables leave open: what is found on them, and what is not trained yet."""

from studies.questions import questions_table
from tests.helpers.made_up_results import keep, made_up_record
from tests.studies.test_findings import runs
from wtm.paper.settings import SWEEPS, Swept


def rows(results, folder):
    return {row[0]: list(row[1:3]) for row in questions_table(results, folder).rows}


def test_nothing_is_trained(tmp_path):
    own, others, skipped, large, imdb, connect_4 = rows({}, tmp_path).values()
    assert own == ["–", "epochs 1 to 300"]
    assert others == ["–", "4 of 4 seeds"]
    assert skipped == ["–", "2 of 2 trainings"]
    assert large == ["–", "WTM and TM"]
    assert imdb == connect_4 == ["–", "5 of 5 points"]


def test_what_is_trained_in_part(tmp_path):
    program = [runs(98.5, n_epochs=250)[0], *runs(0, 98.3, 98.4)[1:]]
    results = {
        "program": program,
        "program-skipping": runs(98.45),
        "connect-4-large-file-order": runs(84, n_epochs=100),
    }
    keep(tmp_path, made_up_record(SWEEPS["imdb"][Swept.T][0].setting, [88.0] * 30, key="imdb"))
    own, others, skipped, large, imdb, _ = rows(results, tmp_path).values()
    assert own == ["98.50 after 250 epochs", "epochs 251 to 300"]
    assert others == ["98.35 (2 seeds), 200 epochs", "2 of 4 seeds"]
    assert skipped == ["98.45 (1 seed), 200 epochs", "1 of 2 trainings"]
    assert large == ["WTM 84.00 (1 seed), 100 epochs", "TM"]
    assert imdb == ["T 15: 88.00 (1 seed)", "4 of 5 points"]


def test_everything_is_trained(tmp_path):
    large = {f"connect-4-large-{name}": runs(84) for name in ("file-order", "tm-file-order")}
    results = {
        "program": runs(98.5, 98.3, 98.3, 98.3, 98.4, n_epochs=300),
        "program-skipping": runs(98.4, 98.3),
        **large,
    }
    for key in ("imdb", "connect-4"):
        keep(tmp_path, *(made_up_record(plan.setting, [88.0] * 30, key=key) for plan in SWEEPS[key][Swept.T]))
    assert {missing for _, missing in rows(results, tmp_path).values()} == {"–"}
