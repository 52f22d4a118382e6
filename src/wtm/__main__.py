"""``python -m wtm``: the command ``wtm``."""

from wtm.cli import main

if __name__ == "__main__":
    main()
