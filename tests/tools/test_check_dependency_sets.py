"""The bounds that the tool checks are there, and so are the tests that it runs."""

import tomllib

import pytest
from packaging.requirements import Requirement

from tools.check_dependency_sets import ROOT, TESTS, main, supported_versions

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_each_dependency_has_a_lower_bound():
    extras = PROJECT["optional-dependencies"]
    for text in [*PROJECT["dependencies"], *(line for lines in extras.values() for line in lines)]:
        required = Requirement(text)
        if required.name != PROJECT["name"]:
            assert ">=" in {specifier.operator for specifier in required.specifier}, text


def test_the_versions_of_python_start_at_the_oldest_that_is_required():
    assert supported_versions(PROJECT)[0] == PROJECT["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("test", TESTS)
def test_the_tests_to_run_are_there(test):
    path, _, function = test.partition("::")
    assert f"def {function or 'test_'}" in (ROOT / path).read_text("utf-8")


def test_an_unknown_interpreter_is_named_and_is_a_failure(capsys, monkeypatch):
    monkeypatch.setattr("tools.check_dependency_sets._build_wheel", lambda folder: None)
    assert main(["--python", "9.9"]) == 1
    assert capsys.readouterr().out == "Python 9.9: not checked: no such interpreter was found\n"
