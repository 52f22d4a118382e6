"""The command ``wtm``; `wtm.cli.app` puts it together."""
