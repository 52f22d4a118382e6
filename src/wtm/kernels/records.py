"""Records by reference: inside a kernel, a named tuple of arrays is passed on as a pointer.

By value, a named tuple of 20 arrays is 140 numbers, which every call takes apart and puts together again. That is most
of the code that LLVM would have to compile. The arrays of one dimension become buffers (`wtm.kernels.buffers`).
"""

from typing import Any

from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, lower_getattr_generic, models, register_model

from wtm.kernels.buffers import Buffer, buffer_of, is_bufferable


class _Reference(types.Type):
    """A pointer to a struct, whose members have the types `members`."""

    def __init__(self, record: Any) -> None:
        self.record = record
        self.members = tuple(map(_member, record.types))
        # LLVM reads the names of argument types with every call: that of the record, which lists its fields, is long.
        super().__init__(name=f"reference({record.instance_class.__name__})")

    @property
    def key(self) -> Any:
        return self.record


def _is_record(field: Any) -> bool:
    return isinstance(field, types.BaseNamedTuple)


def _member(field: Any) -> Any:
    """Type of an attribute of a reference."""
    if _is_record(field):
        return _Reference(field)
    return Buffer(field.dtype) if is_bufferable(field) else field


def _struct(reference: Any) -> Any:
    """Type of the struct in memory."""
    return types.Tuple([_struct(member) if isinstance(member, _Reference) else member for member in reference.members])


def _value(context: Any, builder: Any, record: Any, value: Any) -> Any:
    """The struct with the members of a named tuple."""
    members = []
    for i, field in enumerate(record.types):
        member = builder.extract_value(value, i)
        if _is_record(field):
            member = _value(context, builder, field, member)
        elif is_bufferable(field):
            member = buffer_of(context, builder, field, member)
        members.append(member)
    return context.make_tuple(builder, _struct(_Reference(record)), members)


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
        struct = _value(context, builder, record, args[0])
        return _pair(builder, *(cgutils.alloca_once_value(builder, struct) for _ in range(2)))

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
        struct = builder.load(builder.bitcast(far, context.get_value_type(_struct(reference)).as_pointer()))
        return _pair(builder, cgutils.alloca_once_value(builder, struct), far)

    return reference(reference), codegen


@infer_getattr
class _Attributes(AttributeTemplate):
    key = _Reference

    def generic_resolve(self, reference: Any, name: str) -> Any:
        fields = reference.record.fields
        return reference.members[fields.index(name)] if name in fields else None


@lower_getattr_generic(_Reference)
def _(context, builder, reference, value, name):
    index = reference.record.fields.index(name)
    pointer_type = context.get_value_type(_struct(reference)).as_pointer()
    near, far = (
        cgutils.gep_inbounds(builder, builder.bitcast(builder.extract_value(value, i), pointer_type), 0, index)
        for i in range(2)
    )
    return _pair(builder, near, far) if isinstance(reference.members[index], _Reference) else builder.load(near)
