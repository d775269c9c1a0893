#!/usr/bin/env python3
"""What pycanon measures on the tables beside this file, and on Adult if its path is given.

    python3 -m venv venv && venv/bin/pip install pycanon==1.3.6
    venv/bin/python compare.py                        print the figures as JSON
    venv/bin/python compare.py --write                write them to expected.json
    venv/bin/python compare.py --adult adult.data     Adult besides, grouped by sex and race

`cli/tests/suite/pycanon.rs` reads expected.json and asks `sfumato check` the same; README.md says where definitions differ.
"""

import argparse
import json
import math
import warnings
from pathlib import Path

import pandas as pd
from importlib.metadata import version
from pycanon import anonymity

HERE = Path(__file__).parent

# Quasi-identifiers and sensitive column of each table.
TABLES = {
    "homogeneous": (["zip", "age"], "disease"),
    "ties": (["zip"], "disease"),
    "numbers": (["zip", "sex"], "salary"),
    "lacking": (["job"], "disease"),
    "missing": (["zip", "age"], "disease"),
    "random": (["a", "b"], "s"),
}

ADULT = [
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation",
    "relationship", "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
]


def plain(value):
    """A figure as JSON has it; nothing where there is none."""
    value = float(value)
    return None if math.isnan(value) or math.isinf(value) else value


def entropy_before_truncation(data, quasi, sensitive):
    """What entropy_l_diversity truncates: the least exp(entropy) of a group."""
    def effective(group):
        shares = group.value_counts() / len(group)
        return math.exp(-sum(p * math.log(p) for p in shares))
    return min(effective(group) for _, group in data.groupby(quasi, dropna=False)[sensitive])


def measure(data, quasi, sensitive):
    alpha, k = anonymity.alpha_k_anonymity(data, quasi, [sensitive])
    c, l = anonymity.recursive_c_l_diversity(data, quasi, [sensitive])
    return {
        "k": int(anonymity.k_anonymity(data, quasi)),
        "alpha": plain(alpha),
        "alpha_k": int(k),
        "distinct_l": int(anonymity.l_diversity(data, quasi, [sensitive])),
        "entropy_l": int(anonymity.entropy_l_diversity(data, quasi, [sensitive])),
        "entropy_before_truncation": plain(entropy_before_truncation(data, quasi, sensitive)),
        "recursive_c": plain(c),
        "recursive_l": int(l),
        "t": plain(anonymity.t_closeness(data, quasi, [sensitive])),
        "basic_beta": plain(anonymity.basic_beta_likeness(data, quasi, [sensitive])),
        "enhanced_beta": plain(anonymity.enhanced_beta_likeness(data, quasi, [sensitive])),
        "delta": plain(anonymity.delta_disclosure(data, quasi, [sensitive])),
    }


def described(data, quasi, sensitive):
    numeric = bool(pd.api.types.is_numeric_dtype(data[sensitive]))
    return {"quasi": quasi, "sensitive": sensitive, "numeric": numeric, "measured": measure(data, quasi, sensitive)}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true", help="write expected.json")
    arguments.add_argument("--adult", metavar="FILE", help="adult.data of the UCI repository")
    given = arguments.parse_args()
    warnings.simplefilter("ignore")
    tables = {}
    for name, (quasi, sensitive) in TABLES.items():
        data = pd.read_csv(HERE / "tables" / f"{name}.csv", dtype={column: str for column in quasi})
        tables[name] = described(data, quasi, sensitive)
    document = {"pycanon": version("pycanon"), "tables": tables}
    if given.write:
        (HERE / "expected.json").write_text(json.dumps(document, indent=2) + "\n")
    if given.adult:
        data = pd.read_csv(given.adult, names=ADULT, skipinitialspace=True)
        document["adult"] = described(data, ["sex", "race"], "occupation")
    print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
