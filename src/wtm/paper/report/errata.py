"""Errata: where the paper's text and its experiments disagree, as far as it matters for comparing figures."""

ERRATA = """\
- **768 bits.** The text gives 768 bits per image. There are 28 · 28 = 784 pixels and as many bits, and the same section
  counts 2 · 28 · 28 = 1,568 literals; the authors' data have 784 bits, and so have ours.
- **p and s.** The paper's parameter is the probability p_s, written p in its Algorithm 1. Elsewhere, and in `wtm`, the
  parameter is the specificity s, and p_s = 1/s: the paper's p_s 0.085 is s = 11.8. In the original Tsetlin machine true
  literals of a true clause move up with probability 1 - 1/s; in the paper's table 1 they always do, and so they do here
  (`boost_true_positive=True`).
- **The peak as headline.** The abstract compares 98.63, 90.37 and 87.91 %. These are the best of many epochs, selected
  on the test set; a machine that is measured more often has a higher peak. What to expect from a machine is the mean
  (98.50, 90.25, 87.32), which this report compares. Peaks are reported separately.
- **98.27 or 98.24.** The text gives the TM's peak on MNIST as 98.27, table 3 as 98.24. The table is of the last 50 of
  300 epochs, so both may be right: the peak of all epochs and the maximum of the last ones.
- **“Increasing execution time by a factor of 4.”** With a quarter of the clauses memory *and* time decrease by 4, as
  the next sentence of the paper assumes.
- **“The WTM performs comparably to the WTM”** in the conclusion should read: to the TM.
"""
