"""The code of every page runs, and prints what the page shows."""

import re
import shutil
import subprocess
import sys

import pytest

from tools.page_code import ROOT, Block, blocks_of, run, write_shown

PAGES = {
    page.name: page
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
    if blocks_of(page) and page.name != "pictures.md"  # test_draw_pictures runs this one
}
SLOW = [name for name, page in PAGES.items() if any("slow" in block.marks for block in blocks_of(page))]


@pytest.fixture(autouse=True)
def without_windows(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "Agg")


def assert_prints_what_it_shows(page, **options):
    blocks = list(run(page, **options))
    for block, printed in blocks:
        assert block.shown is None or block.shows(printed), f"{block} prints:\n{printed}"
    return [block for block, _ in blocks]


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_what_it_shows(name):
    assert_prints_what_it_shows(PAGES[name])


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_a_page_with_slow_blocks_prints_what_it_shows(name):
    ran = assert_prints_what_it_shows(PAGES[name], slow=True)
    assert any("slow" in block.marks for block in ran)


HIDE = """
import sys
from importlib.abc import MetaPathFinder

class Hide(MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in ("pandas", "polars", "pyarrow", "matplotlib", "onnx", "IPython"):
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Hide())
"""


def test_the_front_page_begins_with_code_that_needs_no_other_packages():
    install, first, *_ = blocks_of(PAGES["index.md"])
    assert install.code == "pip install weighted-tsetlin-machine\n"
    ran = subprocess.run([sys.executable, "-c", HIDE + first.code], stdout=subprocess.PIPE, text=True, check=True)
    assert ran.stdout == first.shown


def test_the_c_of_the_page_on_export_compiles(tmp_path):
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("needs a C compiler")
    page = ROOT / "docs" / "export.md"
    scope: dict = {}
    for block in blocks_of(page)[:5]:
        exec(block.code, scope)
    (tmp_path / "buyers.h").write_text(scope["source"].header)
    (tmp_path / "buyers.c").write_text(scope["source"].source)
    include, body = re.search(r"```c\n(.*?\n)\n(.*?)```", page.read_text("utf-8"), re.DOTALL).groups()
    body = body.replace("/* ... */", "return 0;")
    (tmp_path / "main.c").write_text(f"{include}int main(void) {{\n{body}return 1;\n}}\n")
    program = str(tmp_path / "main")
    subprocess.run([compiler, "-std=c99", "-o", program, "main.c", "buyers.c"], cwd=tmp_path, check=True)
    subprocess.run([program], check=True)  # 70 years: buys


TEXT = """
# A page

```python
x = 1
print(x)
```

```text
2
```

<!-- before: y = 4 -->
<!-- slow: an hour -->
```python
for i in range(x, y):
    print(i)
```

```text
1
...
3
```

<!-- not run: nobody has it -->
```bash
false
```

```bash
echo $((2 + 3))  # in bash
```

```toml
x = 1
```
"""


def page(tmp_path, text=TEXT):
    (tmp_path / "page.md").write_text(text)
    return tmp_path / "page.md"


def test_blocks_run_in_order_and_share_variables(tmp_path):
    first, echo = run(page(tmp_path))
    assert (first[1], echo[1]) == ("1\n", "5\n")
    assert str(first[0]) == "page.md:4"
    assert not first[0].shows(first[1])
    _, loop, _ = run(page(tmp_path), slow=True)
    assert loop[0].shows(loop[1])
    assert loop[0].marks == {"before": "y = 4", "slow": "an hour"}


def test_what_a_page_shows_is_replaced_by_what_it_prints(tmp_path):
    path = page(tmp_path)
    write_shown(path)
    assert path.read_text() == TEXT.replace("```text\n2\n", "```text\n1\n")


@pytest.mark.parametrize("shown", ["1\n", "1\n...\n", "...\n2\n", "...\n", "1\n2\n...\n"])
def test_three_dots_stand_for_any_lines(tmp_path, shown):
    block = Block(tmp_path, 0, "python", "", {}, shown, [0, 0])
    assert block.shows("1\n2\n") == (shown != "1\n")
    assert not block.shows("0\n1\n2\n3\n") or shown == "...\n"


@pytest.mark.parametrize("comment", ["<!-- not run: -->", "<!-- not run -->", "<!-- a remark -->"])
def test_a_block_that_is_not_run_has_a_reason(tmp_path, comment):
    with pytest.raises(ValueError, match=r"^page\.md:3: the comment above"):
        blocks_of(page(tmp_path, f"\n{comment}\n```bash\nfalse\n```\n"))


def test_commands_that_fail_are_errors(tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        list(run(page(tmp_path, "```bash\nfalse\n```\n")))
    with pytest.raises(RuntimeError, match=r"page\.md:1: wtm train"):
        list(run(page(tmp_path, "```bash\nwtm train\n```\n")))
