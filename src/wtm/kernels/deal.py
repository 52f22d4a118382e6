"""Dealing the examples of an epoch out to the classes."""

from wtm.kernels.jit import kernel

__all__ = ["deal_examples"]


@kernel
def deal_examples(order, labels, others, next_place, rows, targets):
    """Hand each example to the class of its label and to its other class, in one pass whatever the number of classes.

    Parameters
    ----------
    order, labels, others : ndarray of shape (n_rows,), int64; IN
        Row, label and other class of each example, in the order of training.
    next_place : ndarray of shape (n_classes,), int64; IN and OUT
        Where each class's part of `rows` begins; left at its end.
    rows, targets : ndarray of shape (2 * n_rows,), int64 and bool; OUT
    """
    for i in range(order.size):
        for is_target in (True, False):
            machine = labels[i] if is_target else others[i]
            place = next_place[machine]
            rows[place] = order[i]
            targets[place] = is_target
            next_place[machine] = place + 1
