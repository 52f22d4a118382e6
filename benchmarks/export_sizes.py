"""Print how large exported models are, and how often rounded votes give the label of exact ones, on Connect-4.

    python -m benchmarks.export_sizes

The model has the default parameters but 10 epochs; rows are those of the test set.
"""

from wtm import WTMClassifier
from wtm.datasets import load_connect_4
from wtm.export import from_json, summarize, to_json, to_python, to_sql, to_verilog

BITS = (None, 16, 8, 6, 4, 3, 2)


def main() -> None:
    data = load_connect_4()
    clf = WTMClassifier(n_epochs=10, n_jobs=-1, random_state=0).fit(data.X_train, data.y_train)
    print("| bits | rules | conditions | bits of a sum | bytes of tables in C | same label | test accuracy |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for bits in BITS:
        found = summarize(clf, data.X_test, bits=bits)
        accuracy = from_json(to_json(clf, bits=bits)).score(data.X_test, data.y_test)
        print(
            f"| {'exact' if bits is None else bits} | {found.n_rules} | {found.n_literals:,} | {found.sum_bits} | "
            f"{found.c_bytes:,} | {found.agreement:.2%} | {accuracy:.2%} |"
        )
    sizes = {write.__name__: len(write(clf, bits=8)) for write in (to_json, to_python, to_sql, to_verilog)}
    print("\nbytes with votes of 8 bits:", ", ".join(f"{name} {size:,}" for name, size in sizes.items()))


if __name__ == "__main__":
    main()
