"""How many workers joblib has for a number of jobs."""

from joblib.parallel import get_active_backend

__all__ = ["number_of_workers"]


def number_of_workers(n_jobs: int | None, n_tasks: int) -> int:
    """Return the number of threads, or of what a :func:`joblib.parallel_config` context says, for some tasks.

    Parameters
    ----------
    n_jobs : int or None
        In joblib's sense.
    n_tasks : int
        More workers than these would only wait.

    Returns
    -------
    int
        At least 1.
    """
    # `joblib.effective_n_jobs` asks for processes: a worker of multiprocessing can have none, and it would be warned.
    backend, n_jobs_of_context = get_active_backend(prefer="threads")
    n_workers = int(backend.effective_n_jobs(n_jobs_of_context if n_jobs is None else n_jobs))
    return max(1, min(n_workers, n_tasks))
