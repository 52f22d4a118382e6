"""The paper's experiments, one module each: `connect_4` and `sampling`.

An experiment has a function ``reproduce`` that does the work, writes its results into a folder and prints a table; the
command ``wtm reproduce`` calls it. `settings` holds the authors' settings and figures. `comparison` trains the machines
of a preset and lets `summary`, `comparison_table`, `curve` and `rules_file` show what came out. `report` is what all
experiments share.
"""
