import warnings

from wtm.cli.notes import warnings_as_notes


def test_a_warning_is_noted_once_and_before_the_work_continues():
    noted = []
    with warnings_as_notes(noted.append):
        for _ in range(2):
            warnings.warn("no rule can use it", UserWarning, stacklevel=1)
            warnings.warn("a dependency calls an old function", DeprecationWarning, stacklevel=1)
            assert noted == ["no rule can use it"]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.warn("outside", UserWarning, stacklevel=1)
    assert len(caught) == 1
