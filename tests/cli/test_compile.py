"""``wtm compile`` leaves nothing to compile, and a first run says why it takes long."""

import importlib
import pkgutil
import sys

import pytest
from numba.core.registry import CPUDispatcher

import wtm.kernels
from tests.helpers.shell import done, refused
from wtm.kernels import kernel_cache
from wtm.kernels.jit import _InnerDispatcher

FOR_STUDIES = {"fill_masks"}
"""Kernels that only `studies.sampling_speed` calls."""


def all_kernels():
    modules = [
        importlib.import_module(found.name) for found in pkgutil.iter_modules(wtm.kernels.__path__, "wtm.kernels.")
    ]
    found = {value for module in modules for value in vars(module).values() if isinstance(value, CPUDispatcher)}
    return {k for k in found if not isinstance(k, _InnerDispatcher) and not k.targetoptions.get("inline")}


def test_every_kernel_is_compiled():
    output = done("compile").stdout
    assert str(kernel_cache.cache_folder()) in output
    missing = {kernel.__name__ for kernel in all_kernels() if not kernel.signatures}
    assert missing <= FOR_STUDIES


def test_a_folder_that_cannot_be_written_is_an_error(monkeypatch):
    monkeypatch.setattr(
        "wtm.cli.compile.call_kernels", lambda: kernel_cache._warn_that_kernels_are_not_kept("in /no", "X.")
    )
    kernel_cache._warn_that_kernels_are_not_kept.cache_clear()
    assert "can't be kept in /no" in refused("compile")


class Stream:
    def __init__(self, terminal):
        self.text, self._terminal = "", terminal

    def isatty(self):
        return self._terminal

    def write(self, text):
        self.text += text

    def flush(self):
        pass


@pytest.fixture
def announce():
    kernel_cache._announce_compilation.cache_clear()
    yield kernel_cache._announce_compilation
    kernel_cache._announce_compilation.cache_clear()


@pytest.mark.parametrize("notebook", [False, True])
def test_who_waits_is_told_once(announce, monkeypatch, capsys, notebook):
    stream = Stream(terminal=not notebook)
    monkeypatch.setattr("sys.stderr", stream)
    if notebook:
        monkeypatch.setitem(sys.modules, "ipykernel", object())
    announce()
    announce()
    assert stream.text.count("compiling kernels") == 1
    assert capsys.readouterr().out == ""


def test_quiet_commands_do_not_tell(announce, monkeypatch, trained):
    monkeypatch.setattr("wtm.cli.rules.print_rules", lambda lines: announce())
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    for options, words in [(("--quiet",), ""), ((), "compiling kernels")]:
        announce.cache_clear()
        assert done("rules", trained[0] / "model.safetensors", *options).stderr[: len("compiling kernels")] == words


@pytest.mark.parametrize("stream", [Stream(terminal=False), None])
def test_scripts_find_it_in_the_log(announce, monkeypatch, caplog, stream):
    monkeypatch.setattr("sys.stderr", stream)
    with caplog.at_level("INFO", logger="wtm"):
        announce()
    assert "compiling kernels" in caplog.text
    assert stream is None or stream.text == ""
