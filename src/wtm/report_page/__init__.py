"""Show a trained model as one HTML file, which explains rows and answers what would change a decision."""

from wtm.report_page.html_file import to_html

__all__ = ["to_html"]
