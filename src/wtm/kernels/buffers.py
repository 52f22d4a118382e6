"""Buffers: one-dimensional arrays as kernels pass them on, an address and a size.

Numba's arrays have seven members, and each indexing adds the size to an index that is negative. A buffer takes integers
of 0 and above: indexing it is a single instruction. With ``NUMBA_BOUNDSCHECK=1`` the index is checked.
"""

import operator
from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, make_attribute_wrapper, models, register_model
from numba.np.arrayobj import make_array


class Buffer(types.Type):
    """The type of buffers of elements of type `dtype`."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        super().__init__(name=f"buffer({dtype})")


@register_model(Buffer)
class _BufferModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, [("data", types.CPointer(fe_type.dtype)), ("size", types.intp)])


make_attribute_wrapper(Buffer, "size", "size")


def is_bufferable(array_type: Any) -> bool:
    """Whether a type is of arrays that can be buffers."""
    return isinstance(array_type, types.Array) and array_type.ndim == 1 and array_type.layout == "C"


def buffer_of(context: Any, builder: Any, array_type: Any, value: Any) -> Any:
    """The buffer with the elements of an array."""
    array = make_array(array_type)(context, builder, value)
    buffer = cgutils.create_struct_proxy(Buffer(array_type.dtype))(context, builder)
    buffer.data = array.data
    buffer.size = array.nitems
    return buffer._getvalue()


def data_of(context: Any, builder: Any, type_: Any, value: Any) -> Any:
    """Address of the first element of an array or a buffer."""
    if isinstance(type_, Buffer):
        return builder.extract_value(value, 0)
    return make_array(type_)(context, builder, value).data


def _index_type(index: Any) -> Any:
    return types.intp if index.signed else types.uintp


@infer_global(operator.getitem)
class _GetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        buffer, index = args
        if isinstance(buffer, Buffer) and isinstance(index, types.Integer):
            return signature(buffer.dtype, buffer, _index_type(index))
        return None


@infer_global(operator.setitem)
class _SetItem(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        buffer, index, _ = args
        if isinstance(buffer, Buffer) and isinstance(index, types.Integer):
            return signature(types.none, buffer, _index_type(index), buffer.dtype)
        return None


def _element(context: Any, builder: Any, buffer: Any, index: Any) -> Any:
    if context.enable_boundscheck:
        cgutils.do_boundscheck(context, builder, index, builder.extract_value(buffer, 1), 0)
    return builder.gep(builder.extract_value(buffer, 0), [index], inbounds=True)


@lower_builtin(operator.getitem, Buffer, types.Integer)
def _(context, builder, sig, args):
    buffer, index = args
    return context.unpack_value(builder, sig.args[0].dtype, _element(context, builder, buffer, index))


@lower_builtin(operator.setitem, Buffer, types.Integer, types.Any)
def _(context, builder, sig, args):
    buffer, index, value = args
    context.pack_value(builder, sig.args[0].dtype, value, _element(context, builder, buffer, index))
