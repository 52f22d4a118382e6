"""Where the paper's text and its experiments are at odds, as far as it matters for comparing figures."""

__all__ = ["SLIPS"]

SLIPS = """\
- **768 bits.** The text speaks of 768 bits an image. There are 28 · 28 = 784 pixels and as many bits, and the same
  section counts 2 · 28 · 28 = 1,568 literals; the authors' data have 784 bits. So here.
- **p and s.** The paper's parameter is the probability p_s, written p in its Algorithm 1. Elsewhere, and in `wtm`, the
  parameter is the specificity s, and p_s = 1/s: the paper's p_s 0.085 is s = 11.8. In the original Tsetlin machine true
  literals of a true clause move up with probability 1 - 1/s; in the paper's table 1 they always do, and so they do here
  (`boost_true_positive=True`).
- **The peak as headline.** The abstract compares 98.63, 90.37 and 87.91 %. These are the best of many epochs, as the
  test set itself picks them; a machine that is looked at more often has a higher peak. What one can expect from a
  machine is the mean (98.50, 90.25, 87.32), and it is what this report compares. Peaks stand beside it, named so.
- **98.27 or 98.24.** The text gives the TM's peak on MNIST as 98.27, table 3 has 98.24. The table is of the last 50 of
  300 epochs, so both may be right: the peak of all epochs and the maximum of the last.
- **“Increasing execution time by a factor of 4.”** With a quarter of the clauses memory *and* time go down by 4, as the
  next sentence of the paper supposes.
- **“The WTM performs comparably to the WTM”** in the conclusion means: to the TM.
"""
