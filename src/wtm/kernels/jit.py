"""The decorators of every kernel: how Numba compiles them.

Numba would turn each inner function into machine code and wrap it for Python, although only kernels call it, which
have their own copy. Here inner functions stop before that. The classes below are Numba's ways to customize a compiler.
"""

import functools
from collections.abc import Callable
from typing import Any

import numba
from llvmlite.binding import Linkage
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import AnalysisPass, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import NativeLowering

from wtm.kernels.kernel_cache import cache_of

# Kernels get all their arrays from Python and keep none, so they do without Numba's reference counting: its atomic
# increments at every use of an array would take longer than the work.
_jit = functools.partial(numba.njit, nogil=True, _nrt=False)


class _InnerLibrary(JITCodeLibrary):
    """The optimized code of an inner function for kernels to link in, without machine code of its own.

    A version of Numba without this hook would only take longer. Without the optimization, kernels compile faster, but
    some of them are slower.
    """

    def _finalize_final_module(self) -> None:
        self._finalized = True


@register_pass(mutates_CFG=False, analysis_only=True)
class _PublishInner(AnalysisPass):
    """Makes an inner function known to its callers, as Numba does with the address of one that has machine code."""

    _name = "publish_inner"

    def __init__(self) -> None:
        super().__init__()

    def run_pass(self, state: Any) -> bool:
        key = state.cr.fndesc
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return False


class _InnerCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.flags.no_compile = True
        state.flags.noalias = not state.flags.forceinline  # it tells LLVM that calls don't keep the address of a record
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        passes = DefaultPassBuilder.define_nopython_pipeline(state)
        passes.add_pass_after(_PublishInner, NativeLowering)
        passes.finalize()
        return [passes]


class _KernelLibrary(JITCodeLibrary):
    """The code of a kernel with its inner functions, which nothing else calls: LLVM can learn all about them."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


class _KernelCompiler(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


def kernel(func: Callable[..., Any]) -> Any:
    """Compile `func` on its first call, to run without the GIL, and keep the machine code on disk if possible.

    A kernel allocates nothing: Numba refuses one that does.
    """
    dispatcher = _jit(pipeline_class=_KernelCompiler, no_cfunc_wrapper=True)(func)
    dispatcher._cache = cache_of(func)
    return dispatcher


class _InnerDispatcher(CPUDispatcher):
    """A function that only compiled code can call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} can only be called by kernels: it has no wrapper for Python.")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)  # compile once for all constants

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # and not where Python's calls are looked up


def _inner(func: Callable[..., Any], **options: Any) -> Any:
    dispatcher = _jit(
        no_cpython_wrapper=True, no_cfunc_wrapper=True, no_rewrites=True, pipeline_class=_InnerCompiler, **options
    )(func)
    dispatcher.__class__ = _InnerDispatcher
    return dispatcher


def function(func: Callable[..., Any]) -> Any:
    """Compile a larger part of a kernel as a function of its own, kept on disk with the kernel.

    Arrays that it is passed must not overlap, and records are passed as `wtm.kernels.records.far`.
    """
    return _inner(func)


def inline(func: Callable[..., Any]) -> Any:
    """Inline a part of a kernel, so that vectors stay in registers."""
    return _inner(func, forceinline=True)


splice = _jit(inline="always")
"""For parts that a kernel calls in one place: they are not compiled on their own, which halves its compile time.

Numba crashes where a spliced function calls another.
"""
