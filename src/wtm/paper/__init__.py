"""The paper's experiments behind ``wtm reproduce``, and the report on their results.

`settings` and `reported` hold the machines and the authors' figures as data. A training (`run`) keeps a model file and
a `record`; tables, figures and the report are made from records. The modules of `experiments` are the sub-commands.
"""
