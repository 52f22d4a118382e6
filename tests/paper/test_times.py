"""Times are the processor's, and compared on one kind of it over the same epochs."""

import pytest

from tests.helpers.made_up_results import SMALL, made_up_record
from wtm.paper.record import Record
from wtm.paper.report.times import mean_seconds, on_one_processor, processor_of, times_by_processor


def trained(processor: str, seconds: float, *, seed: int = 0, n_epochs: int = 4) -> Record:
    record = made_up_record(SMALL, [50] * n_epochs, seed=seed, seconds=seconds)
    record.sessions[0]["machine"] = {**record.sessions[0]["machine"], "llvm_target": processor}
    return record


def test_the_processors_time_is_that_of_all_sessions():
    record, other = (made_up_record(SMALL, [50] * 11, seed=seed, seconds=2.0) for seed in range(2))
    session = record.sessions.pop()
    for epochs, cpu_seconds in (([1, 10], 5.0), ([11, 11], 10.0)):  # a half of the processor, then all of it
        record.sessions.append({**session, "epochs": epochs, "wall_seconds": 10.0, "cpu_seconds": cpu_seconds})
    del other.sessions[0]["cpu_seconds"]
    assert mean_seconds([record, other], 11) == [pytest.approx(12 / 11)]


def test_pairs_are_of_the_same_processor():
    weighted = [trained("a", 1.0), trained("a", 2.0, seed=1), trained("b", 9.0, seed=2)]
    classic = [trained("a", 4.0, n_epochs=2), trained("c", 9.0, seed=1)]
    (times,) = times_by_processor(weighted, classic)
    assert (times.processor, times.n_epochs, times.factors) == ("a", 2, [4.0, 2.0])
    del classic[0].sessions[0]["cpu_seconds"]
    assert list(times_by_processor(weighted, classic)) == []
    assert list(times_by_processor(weighted, [])) == []


def test_a_training_on_several_processors_has_none():
    record = trained("a", 1.0)
    record.sessions.append(trained("b", 1.0).sessions[0])
    assert processor_of(record) is None
    assert on_one_processor([[record]]) == []


def test_most_machines_decide_on_the_processor():
    groups = [
        [trained("a", 1.0), trained("b", 2.0, seed=1)],
        [trained("b", 3.0)],
        [trained("a", 4.0)],
        [trained("b", 5.0)],
    ]
    assert [[processor_of(record) for record in records] for records in on_one_processor(groups)] == [["b"]] * 3
