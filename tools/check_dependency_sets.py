"""Install the wheel with the oldest and with the newest dependencies, and run a few tests in each environment.

python -m tools.check_dependency_sets

The oldest ones are the lower bounds in pyproject.toml, or the first later release with a wheel for the interpreter.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SETS = {"oldest": "lowest-direct", "newest": "highest"}
TESTS = (
    "tests/classifier/test_sameness.py::test_models_are_those_of_other_machines_and_versions",
    "tests/booleanizer/test_tables.py",
    "tests/modelfile/test_reading.py",
    "tests/cli/test_commands.py",
    "tests/cli/test_processes.py::test_processes",
    "tests/export/test_onnx_graph.py",
    "tests/export/test_sql_query.py",
)
_CLASSIFIER = "Programming Language :: Python :: 3."


def main(arguments: Sequence[str] | None = None) -> int:
    """Check each interpreter with each set, and return the exit code: 1 if a check failed or none was made."""
    versions = supported_versions(tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--python", nargs="+", default=versions, help="versions, or paths of interpreters")
    parser.add_argument("--sets", nargs="+", choices=SETS, default=list(SETS))
    asked = parser.parse_args(arguments)
    outcomes: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        wheel = _build_wheel(Path(folder))
        for python in asked.python:
            interpreter = _find(python)
            if interpreter is None:
                outcomes[f"Python {python}"] = "not checked: no such interpreter was found"
                continue
            for name in asked.sets:
                passed = _check(interpreter, SETS[name], wheel, Path(folder) / f"{python.replace('/', '_')}-{name}")
                outcomes[f"Python {python}, {name}"] = "passed" if passed else "FAILED"
    for check, outcome in outcomes.items():
        print(f"{check}: {outcome}")
    return int("passed" not in outcomes.values() or "FAILED" in outcomes.values())


def supported_versions(project: Mapping[str, Any]) -> list[str]:
    """Return the versions of Python, such as "3.11", that the classifiers in pyproject.toml list."""
    return [line.rpartition(" ")[2] for line in project["classifiers"] if line.startswith(_CLASSIFIER)]


def _build_wheel(folder: Path) -> Path:
    _uv("build", "--quiet", "--wheel", "--out-dir", folder, ROOT)
    (wheel,) = folder.glob("*.whl")
    return wheel


def _check(interpreter: str, resolution: str, wheel: Path, venv: Path) -> bool:
    """Make an environment, print its packages and run the tests; return whether all of it worked."""
    python = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    pinned = Path(f"{venv}.txt")
    binary = ("--only-binary", ":all:")
    try:
        _uv(
            *("pip", "compile", "--quiet", ROOT / "pyproject.toml", "--extra", "test", "--python", interpreter),
            *("--resolution", resolution, *binary, "--no-annotate", "--no-header", "--output-file", pinned),
        )
        _uv("venv", "--quiet", "--python", interpreter, venv)
        wheel_for_tests = f"weighted-tsetlin-machine[test] @ {wheel.as_uri()}"
        _uv("pip", "install", "--quiet", "--python", python, *binary, "--constraints", pinned, wheel_for_tests)
        print(f"\n{interpreter}: {' '.join(pinned.read_text('utf-8').split())}", flush=True)
        # Not the checkout's package, but the installed one.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        subprocess.run([python, "-m", "pytest", *TESTS], cwd=ROOT, env=environment, check=True)
    except subprocess.CalledProcessError:
        return False
    return True


def _find(python: str) -> str | None:
    """Return the path of an interpreter that is installed, those of pyenv included, or None."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    folders = [os.environ["PATH"], *map(str, sorted(root.glob("versions/*/bin")))]
    command = [sys.executable, "-m", "uv", "python", "find", "--system", "--no-python-downloads", python]
    environment = os.environ | {"PATH": os.pathsep.join(folders)}
    found = subprocess.run(command, env=environment, capture_output=True, text=True)
    return found.stdout.strip() if found.returncode == 0 else None


def _uv(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "uv", *map(str, arguments)], check=True)


if __name__ == "__main__":
    sys.exit(main())
