"""A thousand random frames against plain readings of the definitions."""

import math
import random
from collections import Counter, defaultdict
from fractions import Fraction

import polars as pl
import pytest

import sfumato as sf

FRAMES = 1000


def random_frame(seed):
    """A small table with missing values, equal rows and skewed columns."""
    chance = random.Random(seed)
    rows = chance.randint(1, 40)

    def column(values):
        weights = [chance.random() ** 3 + 0.01 for _ in values]
        return chance.choices(values, weights, k=rows)

    return pl.DataFrame(
        {
            "age": column([20, 30, 40, None]),
            "zip": column(["130", "148", "", "é"]),
            "disease": column(["flu", "cold", "hiv", "asthma", None][: chance.randint(1, 5)]),
        }
    )


def groups_of(frame):
    """Sensitive values of each group. A missing value is a value; an empty text is missing."""
    groups = defaultdict(Counter)
    for age, place, disease in frame.iter_rows():
        groups[age, place or None][disease or None] += 1
    return list(groups.values())


def entropy_l(group):
    size = sum(group.values())
    return math.exp(-sum(n / size * math.log(n / size) for n in group.values()))


def distance(group, table):
    """The distance of a group's shares from the table's, values being equally far apart."""
    size, total = sum(group.values()), sum(table.values())
    return sum(abs(Fraction(group[v], size) - Fraction(table[v], total)) for v in table) / 2


def recursive_c(group, tail_from=2):
    """The c that is not reached: the most frequent value over the tail."""
    counts = sorted(group.values(), reverse=True)
    tail = sum(counts[tail_from - 1 :])
    return Fraction(counts[0], tail) if tail else None


def gain(group, table):
    size, total = sum(group.values()), sum(table.values())
    return max(Fraction(group[v], size) / Fraction(table[v], total) - 1 for v in group)


def expected(frame):
    groups = groups_of(frame)
    table = sum(groups, Counter())
    size = [sum(group.values()) for group in groups]
    worst = max(Fraction(max(group.values()), n) for group, n in zip(groups, size, strict=True))
    tails = [recursive_c(group) for group in groups]
    return {
        "k_anonymity": min(size),
        "distinct_l_diversity": min(len(group) for group in groups),
        "frequency_l_diversity": float(1 / worst),
        "entropy_l_diversity": min(map(entropy_l, groups)),
        "recursive_cl_diversity": None if None in tails else float(max(tails)),
        "t_closeness": float(max(distance(group, table) for group in groups)),
        "beta_likeness": float(max(gain(group, table) for group in groups)),
    }


def test_measures_are_those_of_the_definitions():
    for seed in range(FRAMES):
        frame = random_frame(seed)
        found = sf.measure(frame, quasi=["age", "zip"], sensitive="disease")
        for name, value in expected(frame).items():
            if value is None:
                assert found[name] is None, (seed, name)
            else:
                assert found[name] == pytest.approx(value, rel=1e-9, abs=1e-12), (seed, name)


def test_what_holds_is_measured_as_such():
    """Entropy is a sum of logarithms: rounding must not put it below the number of values that are equally frequent."""
    for values in range(1, 12):
        for times in range(1, 20):
            table = {"a": ["x"] * values * times, "b": [str(n) for n in range(values)] * times}
            found = sf.measure(table, quasi="a", sensitive="b", criteria=sf.entropy_l_diversity(values))
            assert found["entropy_l_diversity"] == values
            assert found.details[0]["holds"]


def test_what_is_published_satisfies_the_definitions():
    published = 0
    for seed in range(200):
        frame = random_frame(seed)
        k, l = 2 + seed % 3, 1 + seed % 2  # noqa: E741
        try:
            release = sf.publish(
                frame, quasi=["age", "zip"], sensitive="disease", record=False,
                require=[sf.k_anonymity(k), sf.distinct_l_diversity(l)],
            )  # fmt: skip
        except sf.Infeasible:
            groups = groups_of(frame)
            together = sum(groups, Counter())
            assert sum(together.values()) < k or len(together) < l, seed
            continue
        groups = defaultdict(Counter)
        for row in release.table.to_arrow().to_pylist():
            groups[row["age"], row["zip"]][row["disease"]] += 1
        assert all(sum(group.values()) >= k and len(group) >= l for group in groups.values()), seed
        assert sum(sum(group.values()) for group in groups.values()) == frame.height, seed
        published += 1
    assert published > 100
