"""Studies beyond the paper: ablations, and the authors' program draw by draw. They are not in the wheel."""
