"""green-tsetlin: one pool of clauses with a weight for each class (coalesced), C++ with AVX2 or NEON and threads."""

import queue
import threading
import time
from functools import partial

import numpy as np
from protocol import Program, serve


class _TimedExecutor:
    """green-tsetlin's executor, which waits for a command before each epoch and times epoch and evaluation."""

    def __init__(self, executor, begin, done):
        self._executor, self._begin, self._done = executor, begin, done

    def train_epoch(self):
        self._begin.get()
        start = time.perf_counter()
        accuracy = self._executor.train_epoch()
        self._seconds = time.perf_counter() - start
        return accuracy

    def eval_predict(self, labels):
        start = time.perf_counter()
        self._executor.eval_predict(labels)
        self._done.put((self._seconds, time.perf_counter() - start, labels.astype(np.int64)))


class GreenTsetlin(Program):
    """The trainer runs all epochs in one call; so it runs in a thread, and its executor waits between epochs."""

    distribution = "green-tsetlin"

    def load(self):
        import green_tsetlin

        self._package = green_tsetlin

    def build(self):
        s = self.settings
        self._begin, self._done = queue.Queue(), queue.Queue()
        machine = self._package.TsetlinMachine(
            n_literals=self.data["X_train"].shape[1], n_clauses=self._pool(), n_classes=self.n_classes, s=s.s,
            threshold=int(s.T), literal_budget=None, boost_true_positives=True,
        )  # fmt: skip
        trainer = self._package.Trainer(
            machine, feedback_type="uniform", n_jobs=s.threads, n_epochs=1 << 30, seed=s.seed, early_exit_acc=2.0,
            load_best_state=False, progress_bar=False,
        )  # fmt: skip
        trainer.set_train_data(self.data["X_train"], self.data["y_train"].astype(np.uint32))
        trainer.set_eval_data(self.data["X_test"], self.data["y_test"].astype(np.uint32))
        for name in ("_cls_exec_singlethread", "_cls_exec_multithread"):
            setattr(trainer, name, partial(self._timed, getattr(trainer, name)))
        threading.Thread(target=trainer.train, daemon=True).start()
        self.notes += [
            f"one pool of {self._pool():,} clauses for all classes: as many as are visited for an example elsewhere",
            "always weighted (16-bit integers); negative class uniform (its default is focused sampling)",
            "prediction timed in the evaluation after each epoch, its fastest way; its predictor takes single rows",
        ]
        if s.s > 20:
            self.notes.append("rounds 1/s to 256ths and adds up to 2/256, so it forgets more than asked")

    def train(self):
        self._begin.put(None)
        seconds, self._predict_seconds, self._labels = self._done.get()
        return seconds

    def predict(self):
        return self._labels, self._predict_seconds

    def n_clauses_visited(self):
        return self._pool(), self._pool()

    def n_automata(self):
        return self._pool() * 2 * self.data["X_train"].shape[1]

    def _timed(self, executor_class, *arguments):
        return _TimedExecutor(executor_class(*arguments), self._begin, self._done)

    def _pool(self):
        return 2 * self.settings.clauses


serve(GreenTsetlin)
