"""Connect-4: who wins a position after eight moves (the paper, section "Connect-4 Winner Prediction")."""

from wtm.datasets import load_connect_4
from wtm.paper.comparison import Options, compare

__all__ = ["reproduce"]


def reproduce(options: Options) -> None:
    """Train on the authors' split of Connect-4; see `wtm.paper.comparison.compare`."""
    compare("connect-4", load_connect_4("paper"), options)
