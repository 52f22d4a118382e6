"""Studies around the paper: ablations, the authors' program, samplers, other methods. They are not in the wheel."""
