import re

import pytest


def test_all_pictures_of_the_page_are_drawn(tmp_path):
    pytest.importorskip("matplotlib")
    from tools.draw_pictures import PAGE, draw

    paths = draw(tmp_path)
    named = re.findall(r"\]\((pictures/.*?\.png)\)", PAGE.read_text("utf-8"))
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == named
    assert sorted(path.name for path in (PAGE.parent / "pictures").iterdir()) == sorted(path.name for path in paths)
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in paths)
    assert all(path.stat().st_size < 60_000 for path in paths)
