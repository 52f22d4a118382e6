"""``python -m wtm``: the command ``wtm``."""

from wtm.cli.main import main

if __name__ == "__main__":
    main()
