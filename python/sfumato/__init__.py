"""sfumato: releases of tables about people, with a stated privacy guarantee.

sfumato turns a table about people into a release with a stated privacy guarantee, attacks that release before anyone
else can, and publishes only what survives.

>>> import sfumato as sf
>>> release = sf.publish(
...     sf.demo(1000),
...     quasi={"age": sf.intervals(5, 10, 20), "sex": None, "zip": sf.redact(5)},
...     sensitive="disease",
...     require=[sf.k_anonymity(5), sf.entropy_l_diversity(3)],
...     record=False,
... )
>>> release.table.columns
['age', 'sex', 'zip', 'disease']

Criteria and hierarchies are here by name; ``sfumato.methods``, ``sfumato.attacks``, ``sfumato.metrics`` and
``sfumato.skews`` have the others. All of them come from the library's own lists.
"""

import atexit

from . import (
    _native,
    attacks,
    criteria,
    errors,
    hierarchies,
    methods,
    metrics,
    skews,
    transaction_attacks,
    transaction_criteria,
    transaction_methods,
    transaction_metrics,
)
from ._api import attack, beliefs, check, compare, demo, inspect, measure, publish, publish_sets, verify
from ._frames import Table
from ._members import Member
from ._native import __version__
from ._plan import Column, Plan, SetPlan
from ._results import Audit, Comparison, Findings, Inspection, Measures, Population, Release, Skyline, Verification
from .criteria import *  # noqa: F403
from .errors import (
    AttackLimit,
    DataError,
    FileError,
    Infeasible,
    InternalError,
    PlanError,
    Refused,
    ResourceError,
    SfumatoError,
)
from .hierarchies import *  # noqa: F403

# Of two things with one name, the function is at the top; the member is where its family is
# (`sfumato.criteria.skyline`, `sfumato.hierarchies.population`).
from ._api import population, skyline  # type: ignore[assignment]  # isort: skip

# Work that was interrupted ends at its next step: its temporary files go before the process does.
atexit.register(_native.settle, 60.0)

__all__ = [
    "AttackLimit",
    "Audit",
    "Column",
    "Comparison",
    "DataError",
    "FileError",
    "Findings",
    "Infeasible",
    "Inspection",
    "InternalError",
    "Measures",
    "Member",
    "Plan",
    "PlanError",
    "Population",
    "Refused",
    "Release",
    "ResourceError",
    "SetPlan",
    "SfumatoError",
    "Skyline",
    "Table",
    "Verification",
    "__version__",
    "attack",
    "attacks",
    "beliefs",
    "check",
    "compare",
    "criteria",
    "demo",
    "errors",
    "hierarchies",
    "inspect",
    "measure",
    "methods",
    "metrics",
    "population",
    "publish",
    "publish_sets",
    "skews",
    "skyline",
    "transaction_attacks",
    "transaction_criteria",
    "transaction_methods",
    "transaction_metrics",
    "verify",
]
__all__ += criteria.__all__
__all__ += hierarchies.__all__
