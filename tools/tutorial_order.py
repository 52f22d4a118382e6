"""The order of the tutorials on the site; sphinx-gallery takes the name of a class."""


class TutorialOrder:
    """Sort the programs in `examples` as a newcomer would read them; new ones come last."""

    NAMES = ("tables", "reviews", "digits", "choosing", "serving", "regression", "fuzzy", "images", "report")

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def __call__(self, filename: str) -> int:
        """Return the place of a program."""
        name = filename.removeprefix("plot_").removesuffix(".py")
        return self.NAMES.index(name) if name in self.NAMES else len(self.NAMES)
