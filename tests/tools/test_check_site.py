from tools.check_site import faults


def test_links_that_lead_nowhere_are_found(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "index.html").write_text(
        '<a href="sub/page.html#there">a</a><a href="sub/page.html#gone">b</a><a href="#here">c</a><p id="here">'
        '<img src="missing%20picture.png"><a href="https://example.org/x">d</a><a href="mailto:a@b">e</a>'
    )
    (tmp_path / "sub" / "page.html").write_text('<h1 id="there"><a href="../index.html?q=1">f</a><a href="">g</a>')
    assert faults(tmp_path) == [
        "index.html: sub/page.html#gone: there is no such place on the page",
        "index.html: missing%20picture.png: there is no such file",
    ]
