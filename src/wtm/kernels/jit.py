"""The decorators of every kernel: how Numba compiles them.

Numba would optimize each inner function, turn it into machine code and wrap it for Python, although only kernels call
it, which have their own copy. Here a kernel is put together from all its inner functions as they are written, and
optimized once. The classes below are Numba's ways to customize a compiler.
"""

import contextlib
import functools
import gc
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Self

import numba
from llvmlite.binding import Linkage
from numba import types
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, Flags
from numba.core.compiler_machinery import AnalysisPass, PassManager, register_pass
from numba.core.registry import CPUDispatcher
from numba.core.typed_passes import (
    AnnotateTypes,
    IRLegalization,
    NativeLowering,
    NoPythonBackend,
    NopythonTypeInference,
    PreLowerStripPhis,
)
from numba.core.untyped_passes import FixupArgs, InlineInlinables, IRProcessing, ReconstructSSA, TranslateByteCode

from wtm.kernels.kernel_cache import cache_of

# Kernels get all their arrays from Python and keep none, so they do without Numba's reference counting: its atomic
# increments at every use of an array would take longer than the work.
_jit = functools.partial(numba.njit, nogil=True, _nrt=False)


# --- Numba's compiler ---------------------------------------------------------------------------------------


class _Flags(Flags):
    """Numba's flags, with the same ones for whatever kernels call of Numba's own functions.

    Numba looks up each operation by its flags and types. Comparing the flags' values would be a tenth of the time of
    all compilation; and with the flags of every caller, the operations would be compiled several times.
    """

    _of_callees: ClassVar[Self | None] = None

    def copy(self) -> Self:
        if _Flags._of_callees is None:
            _Flags._of_callees = super().copy()
            _Flags._of_callees.forceinline = False
        return _Flags._of_callees

    __eq__ = object.__eq__
    __hash__ = object.__hash__


@contextlib.contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Numba makes so many objects that looking for garbage among them would be a fifth of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class _Compiler(CompilerBase):
    """Numba's compiler without the passes that find nothing to do in kernels, such as those for Python's closures."""

    def compile_extra(self, func: Callable[..., Any]) -> Any:
        self.state.flags = _Flags(self.state.flags)
        with _no_garbage_collection():
            return super().compile_extra(func)

    def _passes(self, *last: Any) -> list[Any]:
        passes = PassManager(type(self).__name__)
        for step in (
            TranslateByteCode,
            FixupArgs,
            IRProcessing,
            InlineInlinables,
            ReconstructSSA,
            NopythonTypeInference,
            PreLowerStripPhis,
            IRLegalization,
            AnnotateTypes,
            NativeLowering,
            *last,
            NoPythonBackend,
        ):
            passes.add_pass(step, step._name)
        passes.finalize()
        return [passes]


# --- Inner functions ----------------------------------------------------------------------------------------


class _InnerLibrary(JITCodeLibrary):
    """The code of an inner function as Numba writes it, for kernels to link in."""

    def finalize(self) -> None:
        for library in dict.fromkeys(self._linking_libraries):
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        for function in self._final_module.functions:
            if not function.is_declaration and function.linkage == Linkage.external:
                function.linkage = Linkage.linkonce_odr
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        return self._final_module


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


class _InnerCompiler(_Compiler):
    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.flags.no_compile = True
        state.flags.noalias = not state.flags.forceinline  # it tells LLVM that calls don't keep the address of a record
        state.library = _InnerLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        return self._passes(_PublishInner)


class _InnerDispatcher(CPUDispatcher):
    """A function that only compiled code can call."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise TypeError(f"{self.py_func.__name__} can only be called by kernels: it has no wrapper for Python.")

    def get_call_template(self, args: Any, kws: Any) -> Any:
        return super().get_call_template(tuple(map(types.unliteral, args)), kws)  # compile once for all constants

    def add_overload(self, cres: Any) -> None:
        self.overloads[tuple(cres.signature.args)] = cres  # and not where Python's calls are looked up


# --- Kernels ------------------------------------------------------------------------------------------------


class _KernelLibrary(JITCodeLibrary):
    """The code of a kernel with its inner functions, which nothing else calls: LLVM can learn all about them."""

    def _optimize_final_module(self) -> None:
        for function in self._final_module.functions:
            if function.linkage == Linkage.linkonce_odr:
                function.linkage = Linkage.internal
        super()._optimize_final_module()


class _KernelCompiler(_Compiler):
    def define_pipelines(self) -> list[Any]:
        state = self.state
        state.library = _KernelLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return self._passes()


# --- The decorators -----------------------------------------------------------------------------------------


def kernel(func: Callable[..., Any]) -> Any:
    """Compile `func` on its first call, to run without the GIL, and keep the machine code on disk if possible.

    A kernel allocates nothing: Numba refuses one that does.
    """
    dispatcher = _jit(pipeline_class=_KernelCompiler, no_cfunc_wrapper=True)(func)
    dispatcher._cache = cache_of(func)
    return dispatcher


def _inner(func: Callable[..., Any], forceinline: bool) -> Any:
    # Without `forceinline`, a function would have that of the one that happens to be compiled when it is first called.
    dispatcher = _jit(
        forceinline=forceinline, no_cpython_wrapper=True, no_cfunc_wrapper=True, pipeline_class=_InnerCompiler
    )(func)
    dispatcher.__class__ = _InnerDispatcher
    return dispatcher


def function(func: Callable[..., Any]) -> Any:
    """Compile a larger part of a kernel as a function of its own, kept on disk with the kernel.

    Arrays that it is passed must not overlap, and records are passed as `wtm.kernels.records.far`.
    """
    return _inner(func, forceinline=False)


def inline(func: Callable[..., Any]) -> Any:
    """Inline a part of a kernel, so that vectors stay in registers."""
    return _inner(func, forceinline=True)


splice = _jit(inline="always")
"""For parts that a kernel calls in one place: they are not compiled on their own, which halves its compile time.

Numba crashes where a spliced function calls another.
"""
