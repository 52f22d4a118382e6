"""The page on images, from results made up."""

import json

from benchmarks.images.machines import MACHINES, SEEDS
from benchmarks.images.page import XOR, write_page
from wtm.paper.environment import environment


def results(folder):
    """Results whose accuracies are the epochs, and one comparison with tmu."""
    lines = [{"of": "all", **environment()}]
    for name, machine in MACHINES.items():
        lines += [
            {
                "machine": name, "seed": seed, "epochs": list(machine.measured), "n_test": 10_000, "literals": 7.0,
                "accuracies": [epoch / 20 + seed for epoch in machine.measured], "seconds_to_predict": 1.5,
                "seconds": [9.0, 2.0, 4.0],
            }
            for seed in SEEDS
        ]  # fmt: skip
    ours = {"version": "0.2.0", "epochs": [0.1, 0.2, 0.1], "predictions": [1.0, 1.0, 1.0]}
    tmu = {"version": "0.8.3", "epochs": [4.0, 6.0, 5.0], "predictions": [30.0, 40.0, 35.0]}
    lines.append({"peer_clauses": 500, "n_images": 2_000, "n_test": 500, "T": 50, "tmu": tmu, "wtm": ours})
    path = folder / "images.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_the_page_shows_means_of_all_seeds(tmp_path):
    page = tmp_path / "page.md"
    write_page(results(tmp_path), page)
    text = page.read_text("utf-8")
    assert "| MNIST, 2,000 clauses | 8 | 1.40 ± 1.00 | 0.40 to 2.40 |" in text
    assert "| MNIST, 2,000 clauses | 30 | 2.50 ± 1.00 | 1.50 to 3.50 | 3 | 9 | 1.5 (10,000) | 7.0 |" in text
    assert "| 500 | an epoch of 2,000 images | 5 | 0.1 | 40 (35 to 45) |" in text
    last = MACHINES[XOR].measured[-1] / 20
    assert f"lies between {MACHINES[XOR].shown[0] / 20:.2f} and {last + 2:.2f} %" in text
    assert all(f"- {name}: `" in text for name in MACHINES)


def test_machines_without_all_seeds_are_left_out(tmp_path):
    path = results(tmp_path)
    path.write_text("\n".join(line for line in path.read_text().splitlines() if '"seed": 1' not in line))
    write_page(path, tmp_path / "page.md")
    text = (tmp_path / "page.md").read_text("utf-8")
    assert "MNIST, 500" not in text
    assert "Noisy labels" not in text
