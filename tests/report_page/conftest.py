import pytest

from tests.helpers.browser import CHROMIUM, Browser


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("needs Chromium (Debian package chromium)")
    browser = Browser(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture
def show(browser, tmp_path):
    """A function that opens a page and returns the browser; at the end, nothing must have failed or been loaded."""

    def show_page(text):
        path = tmp_path / "model.html"
        path.write_text(text, "ascii")
        browser.open(path)
        return browser

    yield show_page
    assert browser.errors == []
    assert browser.requests == [(tmp_path / "model.html").as_uri()]
