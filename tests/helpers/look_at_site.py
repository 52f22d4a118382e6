"""Look at every page of the built site in headless Chromium, on a phone, a tablet and a desk, in light and in dark.

python -m tests.helpers.look_at_site build/site [--pictures FOLDER]

A page is faulty if it is wider than the screen, writes an error to the console or asks the network for something.
"""

import argparse
import base64
import sys
import tempfile
from pathlib import Path

from tests.helpers.browser import CHROMIUM, Browser

WIDTHS = (360, 800, 1400)
COLOURS = ("light", "dark")
_TALLEST = 12_000  # pixels of a picture
_TOO_WIDE = """(() => {
    const width = document.documentElement.clientWidth, main = document.querySelector("main") || document.body;
    const sticksOut = element => element.getBoundingClientRect().right > width + 1;
    const scrolls = element => ["auto", "scroll"].includes(getComputedStyle(element).overflowX);
    const inBox = element => {
        for (let outer = element; outer && outer !== main; outer = outer.parentElement)
            if (scrolls(outer) && !sticksOut(outer)) return true;
        return false;
    };
    const cut = [...main.querySelectorAll("*")].filter(element => sticksOut(element) && !inBox(element));
    const named = cut.map(element => element.tagName.toLowerCase() + " " + element.textContent.trim().slice(0, 40));
    if (document.documentElement.scrollWidth > width) named.unshift("the page itself");
    return named.length ? `these stick out: ${named.slice(0, 3).join("; ")}` : null;
})()"""


def faults(browser, page, width, colours):
    """Lines on a page that is open, at a width and in colours."""
    media = [{"name": "prefers-color-scheme", "value": colours}]
    browser.send("Emulation.setEmulatedMedia", features=media)
    _set_screen(browser, width, 900)
    too_wide = browser.run(_TOO_WIDE)
    return [f"{page} at {width} in {colours}: {too_wide}"] if too_wide else []


def _set_screen(browser, width, height):
    browser.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)


def take_picture(browser, path, width):
    """Write a picture of the open page."""
    height = min(browser.run("document.documentElement.scrollHeight"), _TALLEST)
    _set_screen(browser, width, height)
    picture = browser.send("Page.captureScreenshot")["data"]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(base64.b64decode(picture))


def look(folder, pictures=None):
    """All faults of the pages in a folder, one a line."""
    found = []
    pages = [page for page in sorted(folder.rglob("*.html")) if not {"_static", "_downloads"} & set(page.parts)]
    with tempfile.TemporaryDirectory() as profile:
        browser = Browser(profile)
        for page in pages:
            name = page.relative_to(folder).as_posix()
            browser.open(page)
            for colours in COLOURS:
                for width in WIDTHS:
                    found += faults(browser, name, width, colours)
                    if pictures is not None:
                        take_picture(browser, pictures / f"{width}-{colours}" / f"{name}.png".replace("/", "_"), width)
            found += [f"{name}: {error}" for error in browser.errors]
            found += [f"{name}: asks for {url}" for url in browser.requests if not url.startswith(("file:", "data:"))]
        browser.close()
    return found


def main():
    parser = argparse.ArgumentParser(description="Look at the built site in headless Chromium.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pictures", type=Path, help="folder for a picture of each page")
    arguments = parser.parse_args()
    if CHROMIUM is None:
        print("Not looked at: needs Chromium.")
        return
    found = look(arguments.folder.resolve(), arguments.pictures)
    print("\n".join(found) or "All pages fit screens of 360, 800 and 1,400 pixels, in light and in dark.")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
