"""The command ``wtm``; `wtm.cli.main` puts it together."""
