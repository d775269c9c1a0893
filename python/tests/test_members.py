"""Constructors, stubs and documentation come from the library's lists."""

import inspect
from pathlib import Path

import pytest

import sfumato as sf
from sfumato import _members, _native, _stubs

FAMILIES = [(family, member) for family in _stubs.MODULES for member in _members.families()[family]["members"]]


@pytest.mark.parametrize("family", _stubs.MODULES)
def test_stubs_are_what_the_lists_say(family):
    assert _stubs.path(family).read_text(encoding="utf-8") == _stubs.stub(family), "run: python -m sfumato._stubs"


@pytest.mark.parametrize(("family", "member"), FAMILIES, ids=[f"{f}-{m['name']}" for f, m in FAMILIES])
def test_every_member_has_a_constructor(family, member):
    module = getattr(sf, family.replace("-", "_"))
    make = getattr(module, _members.python_name(member["name"]))
    assert member["summary"] in make.__doc__
    for param in member["params"]:
        assert param["summary"] in make.__doc__
    assert inspect.signature(make).return_annotation is _members.Member


def test_criteria_of_the_lists_are_criteria_of_plans():
    for member in _members.families()["criteria"]["members"]:
        make = getattr(sf.criteria, _members.python_name(member["name"]))
        on = {"column": {"on": "disease"}, "columns": {"on": ["disease", "drug"]}, "records": {}}[member["subject"]]
        required = make(**member["settings"], **on)
        text = sf.Plan(quasi="zip", sensitive=["disease", "drug"], require=required).to_toml()
        assert f'criterion = "{member["name"]}"' in text


def test_wrong_arguments_are_refused_like_those_of_functions():
    with pytest.raises(TypeError):
        sf.k_anonymity()
    with pytest.raises(TypeError):
        sf.k_anonymity(5, m=3)
    with pytest.raises(sf.PlanError, match="below 1"):
        sf.Plan(quasi="a", require=sf.k_anonymity(0))
    with pytest.raises(sf.PlanError, match="is no hierarchy"):
        sf.Plan(quasi={"a": sf.k_anonymity(3)})


def test_names_at_the_top():
    assert sf.k_anonymity is sf.criteria.k_anonymity
    assert sf.intervals is sf.hierarchies.intervals
    assert sf.skyline is not sf.criteria.skyline
    assert sf.population is not sf.hierarchies.population
    for name in sf.__all__:
        assert hasattr(sf, name)


def test_the_native_stub_knows_every_name():
    text = (Path(sf.__file__).parent / "_native.pyi").read_text(encoding="utf-8")
    for name in dir(_native):
        if not name.startswith("__") or name == "__version__":
            assert name in text, name
            made = getattr(_native, name)
            for inner in vars(made) if isinstance(made, type) else ():
                if not inner.startswith("__") or inner.startswith("__arrow"):
                    assert f" {inner}(" in text, (name, inner)
