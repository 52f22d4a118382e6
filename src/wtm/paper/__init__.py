"""The paper's experiments, one module each, and the report on what came out.

An experiment has a function ``reproduce``, which the command ``wtm reproduce`` calls:

- `accuracy`: TM and WTM with the authors' settings on Connect-4, MNIST and IMDb;
- `economy`: few weighted clauses against many without weights;
- `weights`: what weights are learnt;
- `sweep`: accuracy over gamma, and over clauses;
- `vanilla`: other methods on the same bits;
- `sampling`: the speed of drawing feedback.

`settings` holds the machines and the authors' figures as data. A training is a `run`: it keeps a `checkpoint` to go on
from and a `record`, from which `accuracy_table`, `curves` and `report` make all tables and figures.
"""
