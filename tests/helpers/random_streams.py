"""The random streams of the kernels, written a second time in NumPy."""

import numpy as np

SIDES = 32  # binary digits of a probability


def fresh_random(seed):
    """The random words of a machine, uint64 (18,)."""
    return np.random.SeedSequence(seed).generate_state(18, np.uint64)


def _rotated(words, n):
    return (words << np.uint64(n)) | (words >> np.uint64(64 - n))


class Xoroshiro:
    """xoroshiro128++ of Blackman and Vigna, as many generators side by side as the state has lanes."""

    def __init__(self, a, b):
        self.a, self.b = np.array(a, np.uint64, ndmin=1), np.array(b, np.uint64, ndmin=1)

    def next(self):
        a, b = self.a, self.b
        drawn = _rotated(a + b, 17) + a
        b = b ^ a
        self.a = _rotated(a, 49) ^ b ^ (b << np.uint64(21))
        self.b = _rotated(b, 28)
        return drawn


class Streams:
    """Both streams of a machine: the vector of eight generators, and the scalar one."""

    def __init__(self, random):
        self.vector = Xoroshiro(random[:8], random[8:16])
        self.scalar = Xoroshiro(random[16:17], random[17:18])

    def words(self):
        """The state as a machine keeps it, uint64 (18,)."""
        return np.concatenate([self.vector.a, self.vector.b, self.scalar.a, self.scalar.b])

    def uniforms(self, n):
        """The next n numbers of the scalar stream, as multiples of 2**-32 in [0, 1)."""
        return np.array([self.scalar.next()[0] >> np.uint64(32) for _ in range(n)]) / 2**32

    def bernoulli_bits(self, threshold):
        """512 comparisons of a 32-digit number with the threshold: bool (512,).

        Digit i of all numbers is one vector of the stream. All 32 are drawn from a copy, so that the outcome
        does not depend on stopping early; the stream then moves by the digits that settle all the comparisons.
        """
        ahead = Xoroshiro(self.vector.a, self.vector.b)
        digits = np.array([unpacked(ahead.next()) for _ in range(SIDES)])
        values = (digits.astype(np.uint64) << np.arange(SIDES - 1, -1, -1, dtype=np.uint64)[:, None]).sum(axis=0)
        wanted = np.array([threshold >> (SIDES - 1 - i) & 1 for i in range(SIDES)], np.bool_)
        for i in range(SIDES):
            if threshold >= 2**SIDES or not wanted[i:].any() or (digits[:i] != wanted[:i, None]).any(axis=0).all():
                break
            self.vector.next()
        return values < np.uint64(threshold)

    def bits_mask(self, u, threshold):
        """A mask of the sampler "bits": bool (u,)."""
        return np.concatenate([self.bernoulli_bits(threshold) for _ in range(-(-u // 512))])[:u]


def unpacked(words):
    """The bits of words, lowest first: bool (64 * n,)."""
    return np.unpackbits(words.astype("<u8").view(np.uint8), bitorder="little").view(np.bool_)


def packed(bits):
    """Bits, bool (n,), as words, uint64 (ceil(n / 64),), the tail 0."""
    padded = np.zeros(-(-len(bits) // 64) * 64, np.uint64)
    padded[: len(bits)] = bits
    return (padded.reshape(-1, 64) << np.arange(64, dtype=np.uint64)).sum(axis=1, dtype=np.uint64)
