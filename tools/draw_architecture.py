"""Draw the packages of `src/wtm` and their imports; writes docs/architecture.svg.

python -m tools.draw_architecture
"""

from html import escape
from pathlib import Path

from tools.import_graph import Graph, layers, module_graph, package_graph, without_shortcuts

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "architecture.svg"

LEAST_WIDTH, BOX_HEIGHT, LAYER_HEIGHT, MARGIN = 900, 34, 84, 20
CHARACTER_WIDTH, PADDING, GAP = 8.5, 24, 16

STYLE = """\
<style>
  svg { background: white; font: 14px sans-serif; text-anchor: middle; }
  rect { fill: #eef3f8; stroke: #4a6785; }
  path { fill: none; stroke: #7d8fa3; }
</style>
<marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto">
  <polygon points="0,0 8,4 0,8" fill="#7d8fa3"/>
</marker>"""


def draw(graph: Graph) -> str:
    """Return a picture of a graph without circles, as SVG: a row of boxes per layer, arrows downward."""
    rows, lines = _with_waypoints(layers(graph), graph)
    widths = {name: _width(name) if name in graph else 0.0 for row in rows for name in row}
    width = max(LEAST_WIDTH, *(sum(widths[name] + GAP for name in row) + GAP for row in rows))
    places = _places(_arranged(rows, lines), widths, width)
    height = len(rows) * LAYER_HEIGHT - (LAYER_HEIGHT - BOX_HEIGHT) + 2 * MARGIN
    arrows = [
        _line(places[name], places[other], from_box=name in graph, to_box=other in graph)
        for name in sorted(lines)
        for other in sorted(lines[name])
    ]
    boxes = [_box(name, *places[name]) for name in sorted(graph)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}">'
    return "\n".join([head, STYLE, *arrows, *boxes, "</svg>"]) + "\n"


def _with_waypoints(rows: list[list[str]], graph: Graph) -> tuple[list[list[str]], Graph]:
    """Add a point in each row that an import crosses, so that its line leads around the boxes there."""
    level = {name: i for i, row in enumerate(rows) for name in row}
    rows = [list(row) for row in rows]
    lines: Graph = {name: set() for name in graph}
    for name in sorted(graph):
        for other in sorted(graph[name]):
            last = name
            for i in range(level[name] + 1, level[other]):
                point = f"{name} to {other}, {i}"
                rows[i].append(point)
                lines[last].add(point)
                lines[point] = set()
                last = point
            lines[last].add(other)
    return rows, lines


def _arranged(rows: list[list[str]], graph: Graph) -> list[list[str]]:
    """Order each row by the mean place of what imports its boxes, so that few arrows cross."""
    place: dict[str, float] = {}
    arranged = []
    for row in rows:
        above = {name: [place[other] for other in place if name in graph[other]] for name in row}
        row = sorted(row, key=lambda name: sum(above[name]) / len(above[name]) if above[name] else 0.5)
        place.update({name: (i + 1) / (len(row) + 1) for i, name in enumerate(row)})
        arranged.append(row)
    return arranged


def _width(name: str) -> float:
    return CHARACTER_WIDTH * len(name) + PADDING


def _places(rows: list[list[str]], widths: dict[str, float], width: float) -> dict[str, tuple[float, float]]:
    """Return the centre of each box; the gaps in a row are equal."""
    places = {}
    for level, row in enumerate(rows):
        gap = (width - sum(widths[name] for name in row)) / (len(row) + 1)
        left = gap
        for name in row:
            places[name] = left + widths[name] / 2, MARGIN + BOX_HEIGHT / 2 + level * LAYER_HEIGHT
            left += widths[name] + gap
    return places


def _box(name: str, x: float, y: float) -> str:
    width = _width(name)
    corner = f'x="{x - width / 2:.1f}" y="{y - BOX_HEIGHT / 2:.1f}"'
    return (
        f'<rect {corner} width="{width:.1f}" height="{BOX_HEIGHT}" rx="4"/>'
        f'<text x="{x:.1f}" y="{y + 5:.1f}">{escape(name)}</text>'
    )


def _line(begin: tuple[float, float], end: tuple[float, float], *, from_box: bool, to_box: bool) -> str:
    (x0, y0), (x1, y1) = begin, end
    y0, y1 = y0 + from_box * BOX_HEIGHT / 2, y1 - to_box * BOX_HEIGHT / 2
    bend = (LAYER_HEIGHT - BOX_HEIGHT) * 0.7
    curve = f"M{x0:.1f},{y0:.1f} C{x0:.1f},{y0 + bend:.1f} {x1:.1f},{y1 - bend:.1f} {x1:.1f},{y1:.1f}"
    head = ' marker-end="url(#arrow)"' if to_box else ""
    return f'<path d="{curve}"{head}/>'


def picture() -> str:
    """Return the picture of the package as it is now."""
    return draw(without_shortcuts(package_graph(module_graph())))


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
