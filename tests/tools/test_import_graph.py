"""The package has no circular imports, and the reader of imports finds all of them."""

import pytest

from tools import import_graph
from tools.import_graph import find_circle, layers, module_graph, package_graph, without_shortcuts


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A function that writes modules, by path below `wtm`, and returns their graph."""
    monkeypatch.setattr(import_graph, "SOURCE", tmp_path)

    def write(**modules):
        for name, text in {"__init__": "", **modules}.items():
            path = tmp_path / "wtm" / (name.replace("__in__", "/") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return module_graph()

    return write


def test_no_modules_import_each_other_in_a_circle():
    assert find_circle(module_graph()) == []


def test_kernels_and_utils_import_nothing_above_them():
    packages = package_graph(module_graph())
    assert packages["kernels"] == packages["utils"] == packages["reference"] == set()


def test_imports_in_functions_count_and_imports_for_type_checkers_do_not(source):
    graph = source(
        a="import wtm.b\ndef f():\n    from wtm import c",
        b="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from wtm.a import f",
        c="from wtm.d.e import g\nfrom wtm.d import e",
        d__in____init__="",
        d__in__e="import numpy",
    )
    assert graph == {
        "wtm.a": {"wtm.b", "wtm.c"}, "wtm.b": set(), "wtm.c": {"wtm.d.e"}, "wtm.d": set(), "wtm.d.e": set(),
    }  # fmt: skip


def test_circles_are_found_also_through_functions(source):
    graph = source(a="from wtm.b import f", b="def f():\n    from wtm.c import g", c="import wtm.a", d="import wtm.a")
    assert set(find_circle(graph)) == {"wtm.a", "wtm.b", "wtm.c"}


def test_packages_that_import_each_other_are_one_node(source):
    graph = source(
        a__in__one="import wtm.b.one",
        b__in__one="",
        b__in__two="import wtm.a.two",
        a__in__two="",
        top="import wtm.a.one",
    )
    assert find_circle(graph) == []
    assert package_graph(graph) == {"a, b": set(), "top": {"a, b"}}


def test_each_node_is_above_what_it_imports():
    graph = {"top": {"middle", "bottom"}, "middle": {"bottom"}, "bottom": set(), "aside": set()}
    assert layers(graph) == [["top"], ["middle"], ["aside", "bottom"]]
    assert without_shortcuts(graph) == {"top": {"middle"}, "middle": {"bottom"}, "bottom": set(), "aside": set()}
