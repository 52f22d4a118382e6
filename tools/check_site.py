"""Check the built site: each link within it leads to a page and, after a `#`, to a place on it; ids are unique.

python -m tools.check_site build/site
"""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit


class Page(HTMLParser):
    """The links of a page, and the ids that links can lead to."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what a tag refers to, and its id."""
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.append(value)


def faults(folder: Path) -> list[str]:
    """Return a line for each link that leads nowhere."""
    pages = {
        path: Page(path.read_text("utf-8")) for path in sorted(folder.rglob("*.html")) if "_static" not in path.parts
    }
    found = []
    for path, page in pages.items():
        for link in page.links:
            address, place = urldefrag(link)
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            target = (path.parent / unquote(urlsplit(address).path)).resolve() if address else path
            if not target.exists():
                found.append(f"{path.relative_to(folder)}: {link}: there is no such file")
            elif place and target in pages and unquote(place) not in pages[target].ids:
                found.append(f"{path.relative_to(folder)}: {link}: there is no such place on the page")
    return found


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]).resolve())
    print("\n".join(found) or "All links within the site lead somewhere.")
    sys.exit(bool(found))
