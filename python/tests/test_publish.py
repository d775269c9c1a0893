"""Publishing from Python: the same as by the command line, and nothing that a gate refused."""

import gc
import json
import os
import shutil
import subprocess
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from sfumato import _native

QUASI = {"age": sf.intervals(5, 10, 20), "sex": None, "zip": sf.redact(5)}
REQUIRE = [sf.k_anonymity(5), sf.distinct_l_diversity(2)]


def test_a_release_is_saved_verified_and_opened(release, tmp_path):
    target = tmp_path / "out"
    release.save(target)
    assert sorted(one.name for one in target.iterdir()) == ["certificate.json", "data.csv", "report.html"]
    assert sf.verify(target)
    assert sf.verify(target, seal=release.seal)
    assert not sf.verify(target, seal="0" * 64)
    opened = sf.Release.open(target)
    assert opened.certificate == release.certificate
    assert opened.report.html == release.report.html
    assert pd.DataFrame(opened.table.to_pandas()).astype(str).equals(release.table.to_pandas().astype(str))
    with pytest.raises(sf.PlanError, match="nothing but what is public"):
        _ = opened.internal
    with pytest.raises(sf.SfumatoError):
        release.save(target)
    release.save(target, replace=True)
    table = target / "data.csv"
    table.write_text(table.read_text().replace("Asthma", "Cancer", 1))
    assert not sf.verify(target)
    with pytest.raises(sf.Refused):
        sf.Release.open(target).save(tmp_path / "copy")
    assert not (tmp_path / "copy").exists()


def test_the_same_table_is_recognised(patients, tmp_path):
    first = sf.publish(patients, quasi=QUASI, sensitive="disease", require=REQUIRE)
    assert first.certificate["earlier_releases"] == []
    first.save(tmp_path / "first")
    second = sf.publish(patients.to_pandas(), quasi={"age": None}, sensitive="disease", require=REQUIRE)
    assert second.certificate["earlier_releases"] == [first.seal]
    unrecorded = sf.publish(patients, quasi={"age": None}, sensitive="disease", require=REQUIRE, record=False)
    assert unrecorded.certificate["earlier_releases"] == []


PLAN = """
[columns]
patient = "identifier"
age = { role = "quasi", hierarchy = { intervals = [5, 10, 20] }, weight = 3 }
sex = "quasi"
zip = { role = "quasi", hierarchy = { redact = 5 } }
disease = "sensitive"

[[require]]
criterion = "k-anonymity"
k = 5

[[require]]
criterion = "entropy-l-diversity"
l = 2.5

[method]
name = "%s"

[release]
max_suppressed = 0.02
"""


@pytest.mark.parametrize("method", ["auto", "optimal", "incognito", "mondrian", "local-recoding", "mdav"])
def test_figures_are_those_of_the_command_line(patients, command, tmp_path, method):
    data, plan = tmp_path / "patients.csv", tmp_path / "plan.toml"
    patients.to_pandas().to_csv(data, index=False)
    # Only methods that choose levels leave records out.
    suppresses = method in ("auto", "optimal", "incognito")
    plan.write_text(PLAN % method if suppresses else (PLAN % method).split("[release]")[0])
    arguments = [command, "publish", plan, "--data", data, "--out", tmp_path / "out", "--no-record", "--json"]
    # Methods that draw lots draw the same ones.
    arguments += ["--insecure-seed", "7"]
    told = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert told.returncode == 0, told.stderr
    expected = json.loads(told.stdout)
    found = sf.publish(patients, sf.Plan.from_file(plan), record=False, insecure_seed=7).certificate
    for key in expected:
        if key not in ("files", "seal"):
            assert found[key] == expected[key], key


def test_plans_in_code_are_plans_in_files(patients):
    made = sf.Plan(
        quasi={"age": sf.Column(sf.intervals(5, 10, 20)), "sex": None, "zip": sf.redact(5)},
        sensitive="disease",
        identifiers=["patient"],
        require=[sf.k_anonymity(5), sf.entropy_l_diversity(2.5)],
        method=sf.methods.optimal(),
        max_suppressed=0.02,
        weights={"age": 3},
    )
    assert made == sf.Plan.from_toml(PLAN % "optimal")
    assert sf.Plan.from_toml(made.to_toml()) == made


def test_thresholds_stay_exact():
    texts = {
        0.1: "t = 0.1",
        1e-7: "t = 0.0000001",
        Decimal("0.30"): "t = 0.30",
        Fraction(3, 8): "t = 0.375",
    }
    for value, text in texts.items():
        plan = sf.Plan(quasi="a", sensitive="b", require=sf.t_closeness(value))
        assert text in plan.to_toml()
    with pytest.raises(sf.PlanError, match="the fraction is none"):
        sf.Plan(quasi="a", sensitive="b", require=sf.t_closeness(Fraction(1, 3)))


def test_hierarchies_by_value(tmp_path):
    table = {"city": ["Rome", "Milan", "Paris", "Lyon"] * 5, "disease": ["flu", "cold"] * 10}
    tree = {"Rome": ["Italy", "*"], "Milan": ["Italy", "*"], "Paris": ["France", "*"], "Lyon": ["France", "*"]}
    made = sf.publish(table, quasi={"city": tree}, sensitive="disease", require=sf.k_anonymity(10), method="optimal")
    assert set(made.table.to_pandas()["city"]) == {"Italy", "France"}
    made.plan.save(tmp_path / "plan.toml")
    again = sf.publish(table, sf.Plan.from_file(tmp_path / "plan.toml"))
    assert again.certificate["method"] == made.certificate["method"]


def test_bucketized_releases_have_two_tables(patients):
    made = sf.publish(
        patients, quasi=["age", "sex"], sensitive="disease", form="bucketized", require=sf.distinct_l_diversity(2),
        method="anatomy",
    )  # fmt: skip
    assert sorted(made.tables) == ["quasi", "sensitive"]
    assert "group" in made.tables["quasi"].columns
    with pytest.raises(sf.PlanError, match="two tables"):
        _ = made.table


def test_nothing_that_the_gate_refused_is_reachable(patients):
    with pytest.raises(sf.AttackLimit) as caught:
        sf.publish(
            patients, quasi=QUASI, sensitive="disease", require=sf.k_anonymity(2), max_belief=0.1,
            attacks=["homogeneity"],
        )  # fmt: skip
    assert caught.value.code == "gate/attack-limit"
    assert caught.value.help
    gc.collect()
    reachable = [one for one in gc.get_objects() if isinstance(one, _native.NativeRelease)]
    assert reachable == []
    assert not any(hasattr(caught.value, name) for name in ("table", "release", "publication"))


def test_infeasible_says_what_could_be_met(patients):
    with pytest.raises(sf.Infeasible) as caught:
        sf.publish(patients, quasi=["age"], sensitive="disease", require=sf.entropy_l_diversity(100))
    (one,) = caught.value.could_meet
    assert (one.criterion, one.on) == ("entropy-l-diversity", ("disease",))
    measured = sf.measure(patients.to_pandas().assign(one="1"), quasi="one", sensitive="disease")
    assert one.best == pytest.approx(measured["entropy_l_diversity"], abs=1e-3)


def test_errors_name_no_cell_and_no_line(patients):
    frame = patients.to_pandas()
    frame["age"] = ["SECRET"] * len(frame)
    for kwargs in (
        {"quasi": {"age": sf.intervals(5)}},
        {"quasi": ["nothing"]},
        {"quasi": {"age": sf.intervals()}},
        {"quasi": "age", "sensitive": "age"},
        {"quasi": "age", "method": "optimul"},
        {"quasi": "age", "weights": {"zip": 2}},
    ):
        with pytest.raises(sf.SfumatoError) as caught:
            sf.publish(frame, require=sf.k_anonymity(2), **kwargs)
        assert "SECRET" not in str(caught.value), kwargs
        assert ", line" not in str(caught.value), kwargs
        assert isinstance(caught.value, ValueError), kwargs


def test_a_plan_or_its_words_not_both(patients, release):
    with pytest.raises(sf.PlanError, match="a plan says that itself"):
        sf.publish(patients, release.plan, quasi=["age"])


def test_attacks_and_beliefs(release):
    found = sf.attack(release)
    assert found.verifies
    assert {"linkage", "homogeneity", "minimality"} <= {one["attack"] for one in found.attacks}
    one = sf.attack(release, sf.attacks.homogeneity(threshold=0.5)).attacks[0]
    assert one["attack"] == "homogeneity"
    table = sf.beliefs(release, "background-knowledge").to_pandas()
    assert list(table.columns) == ["on", "first_record", "people", "value", "belief"]
    with pytest.raises(sf.PlanError, match="did you mean"):
        sf.attack(release, "homogenety")


def test_skylines_of_releases_and_of_tables(release):
    of_release = sf.skyline(release, value="Asthma", confidence=0.9)
    of_table = sf.skyline(release.table, value="Asthma", confidence="0.9", quasi=list(QUASI), sensitive="disease")
    assert of_release.points == of_table.points
    with pytest.raises(sf.PlanError, match="no record"):
        sf.skyline(release, value="nothing", confidence=0.9)


def test_releases_are_compared(patients, release, tmp_path):
    other = sf.publish(patients, quasi={"age": None, "sex": None}, sensitive="disease", require=REQUIRE)
    found = sf.compare(release, other)
    assert len(found["releases"]) == 2
    assert len(found["together"]) == 1
    other.save(tmp_path / "other")
    assert str(tmp_path / "other") in sf.compare(release, tmp_path / "other")["releases"]


def test_sets():
    baskets = [["bread", "condom"], ["bread", "milk"], ["milk", "condom"], ["bread", "milk"], []] * 5
    made = sf.publish_sets(baskets, sensitive=["condom"], rho=0.5)
    assert len(made.sets) == 20
    assert made.certificate["criteria"][0]["holds"]
    assert sf.attack(made).verifies
    with pytest.raises(sf.PlanError, match=r"its sets are under"):
        _ = made.table
    with pytest.raises(sf.DataError, match="set 2"):
        sf.publish_sets([["a"], ["b\n"]], sensitive=["a"], rho=0.5)
    odd = [["back pain", "x,y"], ["x,y", "m;n"], ["m;n", "back pain"], ["x,y", "m;n"]] * 5
    items = {item for one in sf.publish_sets(odd, sensitive=["back pain"], rho=0.9).sets for item in one}
    assert items <= {"back pain", "x,y", "m;n"}
    for wrong in ("abc", ["abc"], [["a", None]], [1], pd.DataFrame({"items": [["a"]]}), [None]):
        with pytest.raises((sf.PlanError, sf.DataError)):
            sf.publish_sets(wrong, sensitive=["a"], rho=0.5)


def test_signed_releases(release, tmp_path):
    if not shutil.which("ssh-keygen"):
        pytest.skip("ssh-keygen is not installed")
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    release.save(tmp_path / "out", sign=key)
    assert sf.verify(tmp_path / "out", key=f"{key}.pub")["authenticity"].startswith("signed")


def test_what_a_notebook_shows(patients, release):
    shown = [
        sf.inspect(patients),
        sf.check(patients, quasi="age", sensitive="disease", require=REQUIRE),
        sf.measure(patients, quasi="age", sensitive="disease"),
        release,
        release.table,
        release.report,
        sf.attack(release),
        sf.verify(release),
        sf.skyline(release, value="Asthma", confidence=0.9),
        sf.compare(release),
    ]
    for one in shown:
        assert "<" in one._repr_html_()
        assert repr(one)
    hostile = sf.Table({"<script>alert(1)</script>": ["<b>x</b>"]})
    assert "<script>" not in hostile._repr_html_()
    assert "<b>x" not in hostile._repr_html_()


def test_a_missing_value_is_none_of_those_that_a_label_stands_for():
    table = {"age": [20, 21, None, 22, 23, None], "disease": ["flu", "cold"] * 3}
    wanted = {"quasi": {"age": {age: ["20s"] for age in range(20, 24)}}, "sensitive": "disease", "method": "optimal"}
    made = sf.publish(table, **wanted, require=sf.k_anonymity(3))
    assert set(made.table.to_pandas()["age"]) == {"*"}
    made = sf.publish(table, **wanted, require=sf.k_anonymity(2))
    published = made.table.to_pandas()["age"]
    assert published.isna().sum() == 2
    assert set(published.dropna()) == {"20s"}


def test_hierarchies_by_value_are_checked():
    for tree, said in (
        ({"a": ["x", "*"], "b": ["x"]}, "more labels than others"),
        ({"a": ["x"]}, "hierarchy"),
    ):
        with pytest.raises(sf.SfumatoError) as caught:
            sf.publish({"q": ["a", "b"], "s": ["1", "2"]}, quasi={"q": tree}, sensitive="s", require=sf.k_anonymity(1))
        assert said in str(caught.value)
        assert "/" not in str(caught.value)


def test_columns_that_take_no_part_may_hold_anything(patients):
    frame = patients.to_pandas()
    frame["note"] = [1, "two"] * 500
    frame["visits"] = [{"a": 1}] * 1000
    made = sf.publish(frame.drop(columns="visits"), quasi=["age"], sensitive="disease", require=sf.k_anonymity(5))
    assert made.table.columns == ["age", "disease"]


def test_help_speaks_python(patients):
    with pytest.raises(sf.Refused) as caught:
        sf.publish(patients, quasi=QUASI, sensitive="disease", require=sf.k_anonymity(2), max_belief=0.1)
    assert "refuse=False" in caught.value.help
    with pytest.raises(sf.PlanError) as caught:
        sf.publish(patients, quasi=QUASI, sensitive="disease")
    assert "require=" in caught.value.help
    assert "[" not in caught.value.help.replace("[…]", "")


def test_one_criterion_asked_twice_is_told_apart(patients):
    criteria = [sf.beta_likeness(1), sf.beta_likeness(1, variant="enhanced")]
    found = sf.measure(patients, quasi="age", sensitive="disease", criteria=criteria)
    assert len(found) == 2
    assert len(sf.measure(patients, quasi="age", criteria=sf.k_anonymity(1))) == 1


def test_ordinary_mistakes_are_told_in_words(patients, release):
    base = {"quasi": "age", "sensitive": "disease", "require": sf.k_anonymity(2)}
    for mistake in (
        lambda: sf.publish(patients, "plan.toml"),
        lambda: sf.publish(patients, **{**base, "quasi": {"age": "intervals"}}),
        lambda: sf.publish(patients, **{**base, "quasi": {"age": sf.intervals}}),
        lambda: sf.publish(patients, **{**base, "quasi": {"age": {"all": {"a": ["1"]}}}}),
        lambda: sf.publish(patients, **base, method=sf.methods.optimal),
        lambda: sf.publish(patients, **{**base, "require": 5}),
        lambda: sf.publish(patients, **{**base, "require": sf.k_anonymity}),
        lambda: sf.verify(release.table),
        lambda: sf.compare([release, release]),
        lambda: sf.demo(-1),
    ):
        with pytest.raises(sf.PlanError):
            mistake()
    assert sf.publish(patients, **base, attacks="linkage", accept="stay", insensitive="stay")
    assert sf.check(release, quasi=list(QUASI), require=sf.k_anonymity(5))


def test_a_release_that_is_not_saved_is_for_nobody_else(release):
    assert Path(release.path).parent.stat().st_mode & 0o077 == 0


def test_too_frequent_values_say_what_could_be_met():
    table = {"q": list("ababababab"), "s": ["flu"] * 8 + ["cold"] * 2}
    with pytest.raises(sf.Infeasible) as caught:
        sf.publish(table, quasi="q", sensitive="s", require=sf.frequency_l_diversity(2))
    (one,) = caught.value.could_meet
    assert one.best == pytest.approx(1.25)


def test_what_can_be_gone_through_once_counts_as_any_list(patients):
    base = {"quasi": ["age", "sex"], "sensitive": ["disease"], "require": [sf.k_anonymity(5)], "record": False}
    limit = {"attack": "linkage", "max_belief": "0.01"}
    with pytest.raises(sf.AttackLimit):
        sf.publish(patients, **base, attacks=iter([limit]))
    expected = sf.publish(patients, **base).plan
    for key in ("quasi", "sensitive", "require"):
        assert sf.publish(patients, **{**base, key: iter(base[key])}).plan == expected
    assert "missing" in sf.publish(patients, **base, missing=iter(["", "F"])).plan.to_toml()
    assert 'missing = ["NA"]' in sf.Plan(quasi="a", require=sf.k_anonymity(2), missing="NA").to_toml()


def test_nothing_beside_a_plan_is_ignored(patients):
    plan = sf.Plan(quasi="age", sensitive="disease", require=sf.k_anonymity(5))
    for said in (
        {"drop_insensitive": True},
        {"refuse": False},
        {"show_suppressed": True},
        {"quasi": pd.Index(["age"])},
    ):
        with pytest.raises(sf.PlanError, match="a plan says that itself"):
            sf.publish(patients, plan, **said)
    with pytest.raises(sf.PlanError, match="a plan says that itself"):
        sf.publish_sets([["a"]], sf.SetPlan(sensitive=["a"], rho=0.9), rho=0.1)
    with pytest.raises(sf.PlanError, match="say one of them"):
        sf.Plan(quasi="age", insensitive="stay", accept=["stay"], drop_insensitive=True, require=sf.k_anonymity(2))


def test_an_opened_release_shows_no_other_file(release, tmp_path):
    release.save(tmp_path / "out")
    (tmp_path / "secret.csv").write_text("a\n1\n")
    certificate = tmp_path / "out" / "certificate.json"
    certificate.write_text(certificate.read_text().replace('"data.csv": {', '"../secret.csv": {'))
    with pytest.raises(sf.SfumatoError):
        _ = sf.Release.open(tmp_path / "out").tables


def test_a_child_leaves_the_release_to_its_parent(patients, tmp_path):
    if not hasattr(os, "fork"):
        pytest.skip("there is no fork here")
    made = sf.publish(
        patients, quasi={"sex": {"F": ["any"], "M": ["any"]}}, sensitive="disease", require=sf.k_anonymity(5)
    )
    child = os.fork()
    if child == 0:
        del made
        gc.collect()
        os._exit(0)
    os.waitpid(child, 0)
    made.save(tmp_path / "out")
    made.plan.save(tmp_path / "plan.toml")
    assert sf.Plan.from_file(tmp_path / "plan.toml")


def test_plans_with_hierarchies_by_value_differ_by_them():
    def plan(labels):
        return sf.Plan(quasi={"sex": {True: [labels], False: [labels]}}, require=sf.k_anonymity(2))

    assert plan("x") == plan("x")
    assert plan("x") != plan("y")
    with pytest.raises(sf.PlanError, match="empty"):
        sf.Plan(quasi={"sex": {}}, require=sf.k_anonymity(2))


def test_exact_whatever_the_context():
    with localcontext() as context:
        context.prec = 5
        plan = sf.Plan(quasi="a", sensitive="b", require=sf.t_closeness(Fraction(123456789, 10**9)))
    assert "t = 0.123456789" in plan.to_toml()
    for value in (np.float32(0.1), np.float16(0.1)):
        assert "t = 0.1\n" in sf.Plan(quasi="a", sensitive="b", require=sf.t_closeness(value)).to_toml()
    with pytest.raises(sf.PlanError):
        sf.Plan(quasi="a", require=sf.k_anonymity(np.bool_(True)))


def test_a_table_is_the_table_that_was_read():
    spellings = {"q": ["1.50", "1.5", "1.50", "1.5"]}
    assert sf.measure(spellings, quasi="q") == sf.measure(sf.Table(spellings), quasi="q")
    assert sf.Table(spellings).to_arrow().column("q").to_pylist() == spellings["q"]


@pytest.mark.parametrize("missing", [["a", None] * 6, [1, None] * 6])
def test_the_table_is_that_of_the_file(tmp_path, missing):
    table = {"q": missing, "s": ["x", "y", "z"] * 4}
    made = sf.publish(table, quasi={"q": sf.suppress()}, sensitive="s", require=sf.k_anonymity(2))
    made.save(tmp_path / "out")
    opened = sf.Release.open(tmp_path / "out").table.to_arrow()
    assert made.table.to_arrow().schema == opened.schema
    assert made.table.to_arrow().to_pylist() == opened.to_pylist()
    assert made.table.to_pandas()["q"].isna().sum() == 6


@pytest.mark.parametrize("key", ["trim = true", "header = false", 'delimiter = ";"', 'names = ["a"]', 'sheet = "one"'])
def test_keys_about_files_are_refused_of_frames(patients, key):
    plan = sf.Plan.from_toml(f"[data]\n{key}\n" + (PLAN % "optimal"))
    for data in (patients, patients.to_polars()):
        with pytest.raises(sf.PlanError, match="has no effect"):
            sf.publish(data, plan)


def test_spellings_that_a_plan_declares_are_heeded():
    table = {"q": ["01.02.1990", "02.01.1991"] * 3, "s": ["x", "y", "z"] * 2}
    text = '[columns]\nq = { role = "quasi", dates = "DD.MM.YYYY" }\ns = "sensitive"\n'
    text += '[[require]]\ncriterion = "k-anonymity"\nk = 2\n'
    for data in (table, sf.Table(table)):
        made = sf.publish(data, sf.Plan.from_toml(text))
        assert {str(day) for day in made.table.to_arrow().column("q").to_pylist()} == {"1990-02-01", "1991-01-02"}
