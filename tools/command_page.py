"""Write the page of the site on the commands of ``wtm`` and their options, from the code.

python -m tools.command_page > commands.md
"""

import re
import subprocess
import sys

_INTRODUCTION = """# Commands and options

What `wtm COMMAND --help` prints. The [page on the command line](../command-line.md) shows the commands at work.
"""


def command_page() -> str:
    """Return the page, in Markdown."""
    command = [sys.executable, "-m", "typer", "wtm.cli.app", "utils", "docs", "--name", "wtm"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    text = re.sub(r"\*\*Commands\*\*:.*?(?=^##)", "", text, flags=re.MULTILINE | re.DOTALL)  # the contents list them
    text = re.sub(r"^\* `--help`.*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\*\*Options\*\*:\n\n(?=\n|$)", "", text)
    text = re.sub(r"^(Example|For numbers): (.*)$", r"\1:\n\n```console\n$ \2\n```", text, flags=re.MULTILINE)
    return _INTRODUCTION + "".join(
        map(_in_code, re.split(r"(```.*?```|`[^`]*`)", text.partition("\n")[2], flags=re.DOTALL))
    )


def _in_code(part: str) -> str:
    """Put options and commands into the type of code, where they are not."""
    if part.startswith("`"):
        return part
    part = re.sub(r"(--[A-Za-z][\w-]*)", r"`\1`", part)
    return re.sub(r"'wtm (\w+)'", r"[`wtm \1`](#wtm-\1)", part)


if __name__ == "__main__":
    print(command_page(), end="")
