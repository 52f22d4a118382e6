from tests.helpers.command_fixtures import train, trained, write  # noqa: F401
