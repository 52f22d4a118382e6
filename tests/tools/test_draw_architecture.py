"""The picture of the packages."""

from xml.etree import ElementTree

from tools.draw_architecture import PICTURE, draw, picture


def test_the_picture_in_the_documentation_is_up_to_date():
    assert PICTURE.read_text("utf-8") == picture(), "run: python -m tools.draw_architecture"


def test_each_node_has_a_box_and_each_import_an_arrow():
    graph = {"top": {"a & b", "bottom"}, "a & b": {"bottom"}, "bottom": set()}
    svg = ElementTree.fromstring(draw(graph))
    name = "{http://www.w3.org/2000/svg}"
    heights = {text.text: float(text.get("y")) for text in svg.iter(name + "text")}
    assert heights["top"] < heights["a & b"] < heights["bottom"]
    assert len(list(svg.iter(name + "rect"))) == 3
    assert sum(path.get("marker-end") is not None for path in svg.iter(name + "path")) == 3


def test_boxes_of_a_row_do_not_overlap():
    name = "{http://www.w3.org/2000/svg}"
    rows = {}
    svg = ElementTree.fromstring(
        draw(
            {"top": {f"a package of a long name {i}" for i in range(9)} | {"low"}, "low": set()}
            | {f"a package of a long name {i}": {"low"} for i in range(9)}
        )
    )
    for box in svg.iter(name + "rect"):
        rows.setdefault(box.get("y"), []).append((float(box.get("x")), float(box.get("width"))))
    assert max(map(len, rows.values())) == 9
    width = float(svg.get("viewBox").split()[2])
    for row in rows.values():
        ends = [0.0, *(x + w for x, w in sorted(row))]
        starts = [*(x for x, _ in sorted(row)), width]
        assert all(start > end for start, end in zip(starts, ends, strict=True))
