"""Writes tests/testthat/rng-reference.txt: the first words of some streams.

An implementation of its own of xoshiro256++ (Blackman and Vigna 2021) and of
the seeding in inst/include/pseudosynth/rng.hpp, in exact integers.

    python3 tools/rng-reference.py > tests/testthat/rng-reference.txt
"""

MASK = 2**64 - 1


def split_mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    z = x
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return x, z ^ (z >> 31)


def rotate(x, k):
    return ((x << k) | (x >> (64 - k))) & MASK


def words(seed, stream, n):
    _, mixed = split_mix(seed)
    x = mixed ^ ((stream * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) & MASK)
    s = []
    for _ in range(4):
        x, z = split_mix(x)
        s.append(z)
    for _ in range(n):
        yield (rotate((s[0] + s[3]) & MASK, 23) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)


print("seed stream high low")
for seed, stream in [(0, 0), (1, 0), (1, 1), (2**52 + 1, 3)]:
    for word in words(seed, stream, 6):
        print(seed, stream, word >> 32, word & 0xFFFFFFFF)
