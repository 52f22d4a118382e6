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
