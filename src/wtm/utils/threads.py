"""The number of threads that `n_jobs` stands for."""

from joblib.parallel import get_active_backend


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
    return max(1, int(backend.effective_n_jobs(n_jobs_of_context if n_jobs is None else n_jobs)))
