"""A 512-bit vector type for Numba kernels: `u64x8`, eight 64-bit words.

LLVM maps it to one AVX-512, two AVX2 or four NEON registers, depending on the processor. All operations are on
integers, so every processor computes the same bits. The 512 bits also serve as 64 unsigned bytes, or as 32 lanes of 16
bits.

`load` and `store` take an array of any integer dtype and the index of its first *element*; they check no bounds.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import intrinsic, lower_builtin, models, register_model

from wtm.kernels.buffers import data_of

_WORDS = ir.VectorType(ir.IntType(64), 8)
_BYTES = ir.VectorType(ir.IntType(8), 64)
_SHORTS = ir.VectorType(ir.IntType(16), 32)
_BYTE = ir.IntType(8).as_pointer()
_I1, _I8, _I32, _I64 = (ir.IntType(bits) for bits in (1, 8, 32, 64))


class _U64x8(types.Type):
    def __init__(self) -> None:
        super().__init__(name="u64x8")


u64x8 = _U64x8()


@register_model(_U64x8)
class _U64x8Model(models.PrimitiveModel):
    def __init__(self, dmm: Any, fe_type: Any) -> None:
        super().__init__(dmm, fe_type, _WORDS)


def _address(context: Any, builder: Any, array_type: Any, array: Any, index: Any) -> Any:
    return builder.bitcast(builder.gep(data_of(context, builder, array_type, array), [index]), _WORDS.as_pointer())


@intrinsic
def load(typingctx, array, index):
    """The 64 bytes that start at ``array[index]``."""

    def codegen(context, builder, sig, args):
        value = builder.load(_address(context, builder, sig.args[0], args[0], args[1]))
        value.align = 1
        return value

    return u64x8(array, types.intp), codegen


@intrinsic
def store(typingctx, array, index, value):
    """Write the 64 bytes of `value` from ``array[index]`` on."""

    def codegen(context, builder, sig, args):
        instruction = builder.store(args[2], _address(context, builder, sig.args[0], args[0], args[1]))
        instruction.align = 1
        return context.get_dummy_value()

    return types.void(array, types.intp, u64x8), codegen


def _operator(operation: Callable[..., Any], arity: int, method: str) -> None:
    """Define a Python operator on vectors as an instruction of llvmlite's builder."""
    operands = (u64x8,) * arity

    @infer_global(operation)
    class Template(AbstractTemplate):
        def generic(self, args: Any, kws: Any) -> Any:
            return signature(u64x8, *operands) if args == operands else None

    @lower_builtin(operation, *operands)
    def _(context, builder, sig, args):
        return getattr(builder, method)(*args)


_operator(operator.and_, 2, "and_")
_operator(operator.or_, 2, "or_")
_operator(operator.xor, 2, "xor")
_operator(operator.add, 2, "add")  # eight sums modulo 2**64
_operator(operator.invert, 1, "not_")


def _broadcast(builder: Any, scalar: Any, vector_type: Any) -> Any:
    undefined = ir.Constant(vector_type, ir.Undefined)
    first = builder.insert_element(undefined, scalar, ir.Constant(_I32, 0))
    lanes = ir.Constant(ir.VectorType(_I32, vector_type.count), [0] * vector_type.count)
    return builder.shuffle_vector(first, undefined, lanes)


@intrinsic
def add_where(typingctx, array, index, mask, value):
    """Add `value` to those of the eight 64-bit elements from ``array[index]`` on whose bit of the byte `mask` is 1."""

    def codegen(context, builder, sig, args):
        address = _address(context, builder, sig.args[0], args[0], args[1])
        elements = builder.load(address)
        elements.align = 8
        chosen = builder.bitcast(args[2], ir.VectorType(_I1, 8))
        added = builder.select(chosen, _broadcast(builder, args[3], _WORDS), ir.Constant(_WORDS, [0] * 8))
        instruction = builder.store(builder.add(elements, added), address)
        instruction.align = 8
        return context.get_dummy_value()

    return types.void(array, types.intp, types.uint8, types.int64), codegen


@intrinsic
def splat(typingctx, word):
    """All eight words equal to `word`."""

    def codegen(context, builder, sig, args):
        return _broadcast(builder, args[0], _WORDS)

    return u64x8(types.uint64), codegen


@intrinsic
def splat_byte(typingctx, byte):
    """All 64 bytes equal to `byte`."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(_broadcast(builder, args[0], _BYTES), _WORDS)

    return u64x8(types.uint8), codegen


def _shift(method: str) -> Any:
    @intrinsic
    def shift(typingctx, a, n):
        def codegen(context, builder, sig, args):
            return getattr(builder, method)(args[0], _broadcast(builder, args[1], _WORDS))

        return u64x8(u64x8, types.int64), codegen

    return shift


shift_left = _shift("shl")  # each word shifted left by 0 to 63 bits
shift_right = _shift("lshr")  # each word shifted right by 0 to 63 bits


@intrinsic
def rotate_left(typingctx, a, n):
    """Each word rotated left by the literal number of bits `n`, 0 < n < 64."""
    if not isinstance(n, types.IntegerLiteral):
        return None

    def codegen(context, builder, sig, args):
        n = sig.args[1].literal_value
        high = builder.shl(args[0], ir.Constant(_WORDS, [n] * 8))
        low = builder.lshr(args[0], ir.Constant(_WORDS, [64 - n] * 8))
        return builder.or_(high, low)

    return u64x8(u64x8, n), codegen


@intrinsic
def transpose_words(typingctx, source, first, step, out, to, out_step):
    """Transpose eight rows of eight words: word k of row i becomes word i of row k.

    Row i begins at ``source[first + i * step]``, and the new row k at ``out[to + k * out_step]``.
    """

    def codegen(context, builder, sig, args):
        source, first, step, out, to, out_step = args
        rows = []
        for _ in range(8):
            row = builder.load(_address(context, builder, sig.args[0], source, first))
            row.align = 1
            rows.append(row)
            first = builder.add(first, step)
        for width in (1, 2, 4):  # swap two of the four quarters of each square of 2 * width words
            low = ir.Constant(ir.VectorType(_I32, 8), [8 + i - width if i & width else i for i in range(8)])
            high = ir.Constant(ir.VectorType(_I32, 8), [8 + i if i & width else i + width for i in range(8)])
            for k in range(8):
                if not k & width:
                    a, b = rows[k], rows[k + width]
                    rows[k], rows[k + width] = builder.shuffle_vector(a, b, low), builder.shuffle_vector(a, b, high)
        for row in rows:
            instruction = builder.store(row, _address(context, builder, sig.args[3], out, to))
            instruction.align = 1
            to = builder.add(to, out_step)
        return context.get_dummy_value()

    return types.void(source, types.intp, types.intp, out, types.intp, types.intp), codegen


@intrinsic
def any_set(typingctx, a):
    """Whether any of the 512 bits is 1."""

    def codegen(context, builder, sig, args):
        # LLVM knows this pair as the processor's own test instruction, whatever stands around it.
        name = "llvm.vector.reduce.or.v8i64"
        reduce_or = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I64, [_WORDS]), name)
        return builder.icmp_unsigned("!=", builder.call(reduce_or, [args[0]]), ir.Constant(_I64, 0))

    return types.boolean(u64x8), codegen


def _bytewise(intrinsic_name: str) -> Any:
    @intrinsic
    def byte_operation(typingctx, a, b):
        def codegen(context, builder, sig, args):
            signature = ir.FunctionType(_BYTES, [_BYTES, _BYTES])
            function = cgutils.get_or_insert_function(builder.module, signature, f"llvm.{intrinsic_name}.v64i8")
            operands = [builder.bitcast(arg, _BYTES) for arg in args]
            return builder.bitcast(builder.call(function, operands), _WORDS)

        return u64x8(u64x8, u64x8), codegen

    return byte_operation


add_saturating = _bytewise("uadd.sat")  # 64 sums of unsigned bytes, at most 255
subtract_saturating = _bytewise("usub.sat")  # 64 differences of unsigned bytes, at least 0
maximum = _bytewise("umax")  # the larger of each pair of unsigned bytes
minimum = _bytewise("umin")  # the smaller of each pair of unsigned bytes


def _spread(builder: Any, word: Any, lanes: Any) -> Any:
    """A vector of booleans, one per lane of the vector type `lanes`: the bits of a word.

    Does not reinterpret the word as a vector of booleans: where LLVM passes such a vector from one part of the code to
    another, it takes it apart bit by bit.
    """
    width = lanes.element.width
    words = ir.VectorType(lanes.element, 64 // width)
    groups = ir.Constant(ir.VectorType(_I32, lanes.count), [lane // width for lane in range(lanes.count)])
    spread = builder.shuffle_vector(builder.bitcast(word, words), ir.Constant(words, ir.Undefined), groups)
    bits = ir.Constant(lanes, [1 << lane % width for lane in range(lanes.count)])
    return builder.icmp_unsigned("!=", builder.and_(spread, bits), ir.Constant(lanes, [0] * lanes.count))


@intrinsic
def bytes_of_mask(typingctx, mask):
    """64 bytes, each 1 where the bit of `mask` is 1 and 0 elsewhere."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(builder.zext(_spread(builder, args[0], _BYTES), _BYTES), _WORDS)

    return u64x8(types.uint64), codegen


@intrinsic
def keep_bytes(typingctx, a, mask):
    """The bytes of `a` where the bit of `mask` is 1, and 0 elsewhere."""

    def codegen(context, builder, sig, args):
        kept = builder.sext(_spread(builder, args[1], _BYTES), _BYTES)
        return builder.and_(args[0], builder.bitcast(kept, _WORDS))

    return u64x8(u64x8, types.uint64), codegen


@intrinsic
def top_bits(typingctx, a):
    """A word with the top bit of each of the 64 bytes."""

    def codegen(context, builder, sig, args):
        negative = builder.icmp_signed("<", builder.bitcast(args[0], _BYTES), ir.Constant(_BYTES, [0] * 64))
        return builder.bitcast(negative, _I64)

    return types.uint64(u64x8), codegen


@intrinsic
def largest_byte(typingctx, a):
    """The largest of the 64 bytes."""

    def codegen(context, builder, sig, args):
        name = "llvm.vector.reduce.umax.v64i8"
        reduce_max = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I8, [_BYTES]), name)
        return builder.zext(builder.call(reduce_max, [builder.bitcast(args[0], _BYTES)]), _I64)

    return types.int64(u64x8), codegen


@intrinsic
def splat_short(typingctx, short):
    """All 32 lanes of 16 bits equal to `short`."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(_broadcast(builder, args[0], _SHORTS), _WORDS)

    return u64x8(types.int16), codegen


@intrinsic
def shorts_of_mask(typingctx, mask):
    """32 lanes of 16 bits, each all ones where the bit of `mask` is 1, else 0; the mask's upper half is not used."""

    def codegen(context, builder, sig, args):
        return builder.bitcast(builder.sext(_spread(builder, args[0], _SHORTS), _SHORTS), _WORDS)

    return u64x8(types.uint64), codegen


@intrinsic
def count_above(typingctx, counts, values, limits):
    """In each of 32 lanes of 16 bits: `counts`, plus 1 where `values` is above `limits`, both signed."""

    def codegen(context, builder, sig, args):
        counts, values, limits = (builder.bitcast(arg, _SHORTS) for arg in args)
        above = builder.icmp_signed(">", values, limits)
        return builder.bitcast(builder.sub(counts, builder.sext(above, _SHORTS)), _WORDS)

    return u64x8(u64x8, u64x8, u64x8), codegen


@intrinsic
def prefetch(typingctx, array, index):
    """Prefetch the cache line of ``array[index]``."""

    def codegen(context, builder, sig, args):
        address = builder.bitcast(builder.gep(data_of(context, builder, sig.args[0], args[0]), [args[1]]), _BYTE)
        signature = ir.FunctionType(ir.VoidType(), [_BYTE, _I32, _I32, _I32])
        function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
        builder.call(function, [address, *(ir.Constant(_I32, value) for value in (0, 3, 1))])
        return context.get_dummy_value()

    return types.void(array, types.intp), codegen


@intrinsic
def narrow(typingctx, low, high):
    """64 bytes: the low bytes of the 32 lanes of 16 bits of `low`, then those of `high`."""

    def codegen(context, builder, sig, args):
        half = ir.VectorType(ir.IntType(8), 32)
        halves = [builder.trunc(builder.bitcast(arg, _SHORTS), half) for arg in args]
        order = ir.Constant(ir.VectorType(_I32, 64), list(range(64)))
        return builder.bitcast(builder.shuffle_vector(*halves, order), _WORDS)

    return u64x8(u64x8, u64x8), codegen


@intrinsic
def popcount_words(typingctx, a):
    """The number of 1 bits of each of the eight words."""

    def codegen(context, builder, sig, args):
        ctpop = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_WORDS, [_WORDS]), "llvm.ctpop.v8i64")
        return builder.call(ctpop, [args[0]])

    return u64x8(u64x8), codegen


@intrinsic
def sum_words(typingctx, a):
    """The sum of the eight words."""

    def codegen(context, builder, sig, args):
        name = "llvm.vector.reduce.add.v8i64"
        reduce_add = cgutils.get_or_insert_function(builder.module, ir.FunctionType(_I64, [_WORDS]), name)
        return builder.call(reduce_add, [args[0]])

    return types.int64(u64x8), codegen


@intrinsic
def count_trailing_zeros(typingctx, word):
    """The index of the lowest 1 bit of a word that is not 0."""

    def codegen(context, builder, sig, args):
        return builder.cttz(args[0], ir.Constant(_I1, 1))

    return types.int64(types.uint64), codegen


@intrinsic
def popcount(typingctx, word):
    """The number of 1 bits of a word."""

    def codegen(context, builder, sig, args):
        return builder.ctpop(args[0])

    return types.int64(types.uint64), codegen
