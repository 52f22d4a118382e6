"""Run the code of docs/pictures.md, and write the picture that stands after each of its blocks.

python -m tools.draw_pictures
"""

import re
import sys
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot as plt

PAGE = Path(__file__).resolve().parents[1] / "docs" / "pictures.md"
_BLOCK = re.compile(r"```python\n(?P<code>.*?)```(?:\n\n!\[.*?\]\((?P<picture>.*?)\))?", re.DOTALL)


def draw(folder: Path) -> list[Path]:
    """Write the pictures below a folder, and return their paths."""
    mpl.use("Agg")
    scope: dict[str, Any] = {}
    paths = []
    for block in _BLOCK.finditer(PAGE.read_text("utf-8")):
        plt.close("all")
        exec(compile(block["code"], str(PAGE), "exec"), scope)
        if block["picture"]:
            paths.append(folder / block["picture"])
            paths[-1].parent.mkdir(exist_ok=True)
            plt.gcf().savefig(paths[-1], dpi=90)
    plt.close("all")
    return paths


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PAGE.parent
    print("\n".join(map(str, draw(folder))))
