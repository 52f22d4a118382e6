"""The imports between the modules of `src/wtm`, read from their source."""

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src"
ENTRY_POINTS = ("wtm.__main__", "wtm.cli.main")

Graph = dict[str, set[str]]
"""For each node, the nodes that it imports."""


def module_graph() -> Graph:
    """Return all modules and what each imports of the others.

    Imports inside functions count, imports for type checkers don't. The package's own file, which loads the public
    names when they are first used, is left out.
    """
    modules = {_module_name(path): path for path in sorted((SOURCE / "wtm").rglob("*.py"))}
    return {name: set(_imported(path, modules)) - {name, "wtm"} for name, path in modules.items() if name != "wtm"}


def package_graph(modules: Graph) -> Graph:
    """Merge the modules of each package into one node, and packages that import each other into one too."""
    packages: Graph = {}
    for name, imported in modules.items():
        packages.setdefault(_package(name), set()).update(_package(other) for other in imported)
    reached = _closure(packages)
    names = {p: ", ".join(sorted({p} | {q for q in reached[p] if p in reached[q]})) for p in packages}
    merged: Graph = {}
    for package, imported in packages.items():
        merged.setdefault(names[package], set()).update(names[other] for other in imported)
    return {name: imported - {name} for name, imported in merged.items()}


def find_circle(graph: Graph) -> list[str]:
    """Return nodes that import each other in a circle, or an empty list."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def layers(graph: Graph) -> list[list[str]]:
    """Divide a graph without circles into layers, top first: each node imports from lower layers only."""
    height: dict[str, int] = {}
    for name in TopologicalSorter(graph).static_order():
        height[name] = max((height[other] + 1 for other in graph[name]), default=0)
    return [sorted(n for n in graph if height[n] == level) for level in range(max(height.values()), -1, -1)]


def without_shortcuts(graph: Graph) -> Graph:
    """Return the transitive reduction: without the imports of what another import leads to anyway."""
    reached = _closure(graph)
    return {name: {o for o in others if not any(o in reached[x] for x in others)} for name, others in graph.items()}


def _closure(graph: Graph) -> Graph:
    """Return for each node all that it reaches."""
    reached = {name: set(others) for name, others in graph.items()}
    for middle in graph:
        for others in reached.values():
            if middle in others:
                others |= reached[middle]
    return reached


def _package(module: str) -> str:
    """Return the package below `wtm` that holds a module, or the module's own name at the top level."""
    return "command wtm" if module in ENTRY_POINTS else module.split(".")[1]


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def _imported(path: Path, modules: Mapping[str, Path]) -> Iterator[str]:
    for node in _runtime_nodes(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                submodule = f"{node.module}.{alias.name}"
                if submodule in modules or node.module in modules:
                    yield submodule if submodule in modules else node.module


def _runtime_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a tree, but not those under `if TYPE_CHECKING`."""
    yield node
    for child in ast.iter_child_nodes(node):
        if not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from _runtime_nodes(child)
