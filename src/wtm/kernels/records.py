"""Records by reference: inside a kernel, a named tuple of arrays is passed on as a pointer.

By value, a named tuple of 20 arrays is 140 numbers, which every call takes apart and puts together again. That is most
of the code that LLVM would have to compile.
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model


class _Reference(types.Type):
    def __init__(self, record: Any) -> None:
        self.record = record
        # LLVM reads the names of argument types with every call: that of the record, which lists its fields, is long.
        super().__init__(name=f"reference({record.instance_class.__name__})")

    @property
    def key(self) -> Any:
        return self.record


@register_model(_Reference)
class _ReferenceModel(models.StructModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, [("near", types.voidptr), ("far", types.voidptr)])


def _pair(builder: Any, near: Any, far: Any) -> Any:
    return cgutils.make_anonymous_struct(
        builder, [builder.bitcast(pointer, cgutils.voidptr_t) for pointer in (near, far)]
    )


@intrinsic
def by_reference(typingctx, record):
    """A reference to a named tuple, with the same attributes."""

    def codegen(context, builder, sig, args):
        return _pair(builder, *(cgutils.alloca_once_value(builder, args[0]) for _ in range(2)))

    return _Reference(record)(record), codegen


@intrinsic
def far(typingctx, reference):
    """The reference as it is passed to a `function`: to a copy of the record.

    LLVM keeps the members of a record in registers while no function that is not inlined has its address.
    """
    if not isinstance(reference, _Reference):
        return None

    def codegen(context, builder, sig, args):
        pointer = builder.extract_value(args[0], 1)
        return _pair(builder, pointer, pointer)

    return reference(reference), codegen


@intrinsic
def near(typingctx, reference):
    """The reference as a `function` uses it that was passed a far one: its members are loaded once."""

    def codegen(context, builder, sig, args):
        far = builder.extract_value(args[0], 1)
        record = builder.load(builder.bitcast(far, context.get_value_type(sig.args[0].record).as_pointer()))
        return _pair(builder, cgutils.alloca_once_value(builder, record), far)

    return reference(reference), codegen


@infer_getattr
class _Attributes(AttributeTemplate):
    key = _Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:
        fields = reference.record.fields
        return reference.record[fields.index(name)] if name in fields else None


@lower_getattr_generic(_Reference)
def _(context, builder, reference, value, name):
    pointer = builder.bitcast(builder.extract_value(value, 0), context.get_value_type(reference.record).as_pointer())
    return builder.load(cgutils.gep_inbounds(builder, pointer, 0, reference.record.fields.index(name)))
