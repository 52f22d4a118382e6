"""The revision of the code: of its own checkout, and of no other."""

import subprocess

import pytest

from wtm.utils import revision


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A folder that takes the checkout's place."""
    monkeypatch.setattr(revision, "_ROOT", tmp_path)
    revision.git_revision.cache_clear()
    yield tmp_path
    revision.git_revision.cache_clear()


def git(folder, *arguments):
    identity = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    done = subprocess.run(["git", *identity, *arguments], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_a_checkout_has_the_revision_of_its_head(root):
    git(root, "init")
    git(root, "commit", "--allow-empty", "-m", "first")
    assert revision.git_revision() == git(root, "rev-parse", "HEAD")


def test_a_folder_inside_another_checkout_has_none(root, monkeypatch):
    git(root, "init")
    git(root, "commit", "--allow-empty", "-m", "first")
    (root / "lib").mkdir()
    monkeypatch.setattr(revision, "_ROOT", root / "lib")
    assert revision.git_revision() is None


@pytest.mark.parametrize("broken", ["no Git", "no commit", "not a repository"])
def test_whatever_fails_there_is_none(root, monkeypatch, broken):
    if broken == "no commit":
        git(root, "init")
    else:
        (root / ".git").mkdir()
    if broken == "no Git":
        monkeypatch.setenv("PATH", str(root))
    assert revision.git_revision() is None
