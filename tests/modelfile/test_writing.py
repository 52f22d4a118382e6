"""Model files are written completely or not at all."""

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sklearn.exceptions import NotFittedError

from tests.helpers.problems import assert_same_model, small, three_classes
from wtm import WTMClassifier, load_model
from wtm.modelfile import container


def test_before_fit_there_is_nothing_to_save(path):
    with pytest.raises(NotFittedError):
        small().save(path)
    assert not path.exists()


def test_a_subclass_is_not_saved_as_what_it_is_not(path):
    class Other(WTMClassifier):
        pass

    X, y = three_classes()
    with pytest.raises(TypeError, match="got the subclass Other"):
        Other(n_epochs=1).fit(X, y).save(path)


@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), OSError(28, "No space left on device"), MemoryError()], ids=repr
)
def test_what_goes_wrong_leaves_the_old_file_and_no_other(trained, path, monkeypatch, error):
    def fails(_):
        raise error

    path.write_text("old")
    monkeypatch.setattr(container.os, "fsync", fails)
    with pytest.raises(type(error)):
        trained.save(path)
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    assert path.read_text() == "old"


SAVE_FOREVER = """
import sys
from wtm import load_model
model = load_model(sys.argv[1])
print("ready", flush=True)
while True:
    model.save(sys.argv[1])
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGKILL, marks=pytest.mark.slow)])
def test_a_process_that_is_stopped_leaves_a_whole_file(trained, path, number):
    trained.save(path)
    process = subprocess.Popen(
        [sys.executable, "-c", SAVE_FOREVER, path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip
    try:
        assert process.stdout.readline() == "ready\n"
        process.send_signal(number)
        process.communicate(timeout=60)
    finally:
        process.kill()
    assert_same_model(load_model(path), trained)
    if number == signal.SIGINT:
        assert [file.name for file in path.parent.iterdir()] == [path.name]


@pytest.mark.skipif(sys.platform == "win32", reason="there an open file can not be replaced")
def test_readers_always_find_a_whole_file(trained, path):
    trained.save(path)
    with ThreadPoolExecutor(4) as threads:
        saves = [threads.submit(trained.save, path) for _ in range(40)]
        loads = [threads.submit(load_model, path) for _ in range(40)]
        assert all(future.result() is None for future in saves)
        for future in loads:
            assert_same_model(future.result(), trained)
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_errors_of_the_system_are_the_systems_and_name_the_file(trained, path):
    with pytest.raises(FileNotFoundError, match=r"nowhere.model\.safetensors'$"):
        trained.save(path.parent / "nowhere" / path.name)
    with pytest.raises(FileNotFoundError, match=r"model\.safetensors"):
        load_model(path)
    with pytest.raises(ValueError, match="folder"):
        trained.save(path.parent)
    with pytest.raises(ValueError, match="folder"):
        load_model(path.parent)
    with pytest.raises(TypeError):
        trained.save(None)
    with pytest.raises(TypeError):
        load_model(3)


@pytest.mark.skipif(sys.platform == "win32" or not hasattr(os, "geteuid") or os.geteuid() == 0, reason="needs rights")
def test_no_permission(trained, path):
    trained.save(path)
    path.chmod(0)
    with pytest.raises(PermissionError):
        load_model(path)
    path.parent.chmod(0o500)
    with pytest.raises(PermissionError):
        trained.save(path)
    path.parent.chmod(0o700)


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_devices_and_pipes_are_left_alone(trained, path):
    os.mkfifo(path)
    for special in (path, Path(os.devnull)):
        with pytest.raises(ValueError, match="device"):
            trained.save(special)
        with pytest.raises(ValueError, match="device"):
            load_model(special)
    assert path.is_fifo()


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX files")
def test_links_and_permissions_are_as_for_any_file(trained, tmp_path):
    target, link = tmp_path / "target", tmp_path / "link"
    link.symlink_to(target.name)
    mask = os.umask(0o027)
    try:
        trained.save(link)
        assert target.stat().st_mode & 0o777 == 0o640
        target.chmod(0o604)
        trained.save(link)
        assert target.stat().st_mode & 0o777 == 0o604, "a file that is replaced keeps its permissions"
    finally:
        os.umask(mask)
    assert link.is_symlink()
    assert_same_model(load_model(link), trained)


@pytest.mark.parametrize("kind", [str, Path])
def test_any_name_will_do(trained, tmp_path, kind):
    path = tmp_path / ("ü " + "x" * 240)
    trained.save(kind(path))
    assert_same_model(load_model(kind(path)), trained)
