"""The number of threads that `n_jobs` stands for."""

import functools

import joblib
from joblib.parallel import ThreadingBackend, get_active_backend


def resolve_n_threads(n_jobs: int | None) -> int:
    """Return the number of threads, or of workers in a :func:`joblib.parallel_config` context.

    Parameters
    ----------
    n_jobs : int or None
        As in joblib: None is 1 outside of a context, and -1 is all cores.

    Returns
    -------
    int
        At least 1.
    """
    # `joblib.effective_n_jobs` asks for processes: a worker of multiprocessing can start none, and joblib would warn.
    backend, n_jobs_of_context = get_active_backend(prefer="threads")
    n_jobs = n_jobs_of_context if n_jobs is None else n_jobs
    if n_jobs is not None and n_jobs < 0 and isinstance(backend, ThreadingBackend):
        return max(1, _n_cores() + 1 + n_jobs)
    return max(1, int(backend.effective_n_jobs(n_jobs)))


@functools.cache
def _n_cores() -> int:
    """Count cores once: joblib reads files of the system, which takes as long as predicting a hundred rows."""
    return int(joblib.cpu_count())
