"""Whether ``sfumato.compat`` gives what pycanon and anjana give, and differs only where its page says so."""

import json
import math
from inspect import signature
from pathlib import Path

import pytest

pd = pytest.importorskip("pandas")
np = pytest.importorskip("numpy")

import sfumato as sf  # noqa: E402
from sfumato.compat import anjana, pycanon  # noqa: E402

#: What pycanon 1.3.6 measures on some tables; `compare.py` beside it writes it anew.
MEASURED = Path(__file__).parents[2] / "tools" / "pycanon"
TABLES = json.loads((MEASURED / "expected.json").read_text())["tables"] if MEASURED.exists() else {}

FRAME = pd.DataFrame(
    {
        "zip": ["1", "1", "1", "2", "2", "2"],
        "stay": [1, 2, 3, 1, 2, 9],
        "disease": ["flu", "flu", "hiv", "hiv", "hiv", "hiv"],
    }
)


@pytest.mark.parametrize("name", TABLES)
def test_figures_are_those_of_pycanon(name):
    case = TABLES[name]
    data = pd.read_csv(MEASURED / "tables" / f"{name}.csv", keep_default_na=False)
    given = data, case["quasi"], [case["sensitive"]]
    theirs = case["measured"]
    k, (alpha, alpha_k), least, entropy, (_, c_l), basic, enhanced, delta, close = pycanon.get_report_values(*given)

    assert (k, alpha_k, least, c_l) == (theirs["k"], theirs["alpha_k"], theirs["distinct_l"], theirs["recursive_l"])
    assert alpha == pytest.approx(theirs["alpha"])
    assert entropy == pytest.approx(theirs["entropy_before_truncation"])
    assert basic == pytest.approx(theirs["basic_beta"])
    assert delta == pytest.approx(theirs["delta"])
    assert close == pytest.approx(theirs["t"])
    # By the definition there is none where a value gains more than -ln of its share.
    assert enhanced == math.inf or enhanced == pytest.approx(theirs["enhanced_beta"])


@pytest.mark.parametrize("name", TABLES)
def test_each_function_gives_what_the_report_has(name):
    case = TABLES[name]
    data = pd.read_csv(MEASURED / "tables" / f"{name}.csv", keep_default_na=False)
    given = data, case["quasi"], np.array([case["sensitive"]])
    for gen in (True, False):
        single = (
            pycanon.k_anonymity(data, np.array(case["quasi"])),
            pycanon.alpha_k_anonymity(*given, gen),
            pycanon.l_diversity(*given, gen),
            pycanon.entropy_l_diversity(*given, gen),
            pycanon.recursive_c_l_diversity(*given, gen=gen),
            pycanon.basic_beta_likeness(*given, gen),
            pycanon.enhanced_beta_likeness(*given, gen),
            pycanon.delta_disclosure(*given, gen),
            pycanon.t_closeness(*given, gen),
        )
        # The texts, because nan is no number that equals itself.
        assert repr(single) == repr(pycanon.get_report_values(*given, gen))


# What pycanon 1.3.6 gives for FRAME, with either meaning of `gen`.
@pytest.mark.parametrize(
    ("gen", "alpha", "beta", "t", "delta"),
    [(True, 1.0, 1.0, 1 / 3, math.log(2)), (False, 1.0, 5.0, 2 / 3, math.log(6))],
)
def test_several_sensitive_attributes(gen, alpha, beta, t, delta):
    frame = FRAME.assign(disease=["x", "x", "y", "y", "y", "y"])
    given = frame, ["zip"], ["stay", "disease"], gen
    assert pycanon.alpha_k_anonymity(*given) == (alpha, 3)
    assert pycanon.l_diversity(*given) == 1
    assert pycanon.basic_beta_likeness(*given) == pytest.approx(beta)
    assert pycanon.t_closeness(*given) == pytest.approx(t)
    assert pycanon.delta_disclosure(*given) == pytest.approx(delta)


def test_types_of_results_are_those_of_pycanon():
    given = FRAME, ["zip"], ["stay"]
    assert type(pycanon.k_anonymity(FRAME, ["zip"])) is int
    assert type(pycanon.l_diversity(*given)) is int
    assert [type(one) for one in pycanon.alpha_k_anonymity(*given)] == [float, int]
    assert [type(one) for one in pycanon.recursive_c_l_diversity(*given)] == [float, int]
    for measure in (pycanon.t_closeness, pycanon.basic_beta_likeness, pycanon.delta_disclosure):
        assert type(measure(*given)) is float


def test_missing_quasi_identifiers_count():
    # pycanon leaves out their rows if there is one quasi-identifier, as pandas groups them.
    frame = pd.DataFrame({"zip": ["1", "1", "2", "2", None], "disease": ["flu", "hiv", "flu", "hiv", "gout"]})
    assert pycanon.k_anonymity(frame, ["zip"]) == 1  # pycanon: 2
    assert pycanon.l_diversity(frame, ["zip"], ["disease"]) == 1  # pycanon: 2


def test_the_index_does_not_matter():
    frame = pd.DataFrame({"zip": list("111222"), "disease": ["flu", "flu", "flu", "flu", "hiv", "cancer"]})
    given = ["zip"], ["disease"]
    assert pycanon.l_diversity(frame.sort_values("disease"), *given) == 1  # pycanon: 2
    assert pycanon.l_diversity(frame.set_index(pd.Index(list("abcdef"))), *given) == 1  # pycanon: ValueError
    assert pycanon.l_diversity(frame[frame.zip == "2"], *given) == 3  # pycanon: IndexError


def test_entropy_l_is_not_truncated():
    frame = pd.DataFrame({"zip": ["1"] * 4, "disease": ["flu", "hiv"] * 2})
    assert pycanon.entropy_l_diversity(frame, ["zip"], ["disease"]) == 2  # pycanon: 1


def test_recursive_diversity_follows_the_definition():
    frame = pd.DataFrame({"zip": ["1"] * 10, "disease": ["flu"] * 8 + ["hiv", "gout"]})
    c, least = pycanon.recursive_c_l_diversity(frame, ["zip"], ["disease"])
    assert (c, least) == (8, 3)  # pycanon: (1, 3)
    asked = {"quasi": "zip", "sensitive": "disease"}
    assert not sf.check(frame, require=sf.recursive_cl_diversity(8, 3), **asked)
    assert sf.check(frame, require=sf.recursive_cl_diversity(8.01, 3), **asked)


def test_recursive_diversity_without_diversity(capsys):
    frame = pd.DataFrame({"zip": ["1", "1"], "disease": ["flu", "flu"]})
    c, least = pycanon.recursive_c_l_diversity(frame, ["zip"], ["disease"], imp=True)
    assert math.isnan(c)
    assert least == 1
    assert capsys.readouterr().out == "c for (c,l)-diversity cannot be calculated as l=1\n"


def test_enhanced_beta_has_no_value_where_no_beta_holds():
    frame = pd.DataFrame({"zip": list("111222"), "disease": ["flu"] * 3 + ["hiv"] * 3})
    assert pycanon.enhanced_beta_likeness(frame, ["zip"], ["disease"]) == math.inf  # pycanon: 0.69
    report = json.loads(pycanon.get_json_report(frame, ["zip"], ["disease"]))
    assert report["enhanced_beta_likeness"] == {"beta": None}
    assert report["recursive_c_l_diversity"] == {"c": None, "l": 1}


def test_columns_that_are_not_named_may_hold_anything():
    frame = FRAME.assign(mixed=[1, "a", None, 2.5, [], {}])
    assert pycanon.k_anonymity(frame, ["zip"]) == 3


def test_names_of_columns_need_not_be_texts():
    frame = pd.DataFrame({0: ["a", "a", "b", "b"], 1: [1, 2, 1, 2]})
    assert pycanon.k_anonymity(frame, [0]) == 2
    assert pycanon.t_closeness(frame, [0], [1]) == 0


@pytest.mark.parametrize("quasi", [["nowhere"], []])
def test_unknown_columns_are_value_errors(quasi):
    with pytest.raises(ValueError, match=r"quasi-identifier|no column"):
        pycanon.k_anonymity(FRAME, quasi)


def test_other_frames_are_read_too():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.Table.from_pandas(FRAME)
    for sensitive in (["stay"], ["disease"]):
        assert pycanon.t_closeness(table, ["zip"], sensitive) == pycanon.t_closeness(FRAME, ["zip"], sensitive)


# Parameters of pycanon 1.3.6 and of anjana 1.2.3.
MEASURES = ["data", "quasi_ident", "sens_att", "gen"]
PUBLISHES = ["data", "ident", "quasi_ident", "sens_att", "k", "supp_level", "hierarchies"]


def test_signatures_are_those_of_pycanon():
    for name in pycanon.__all__:
        expected = {
            "k_anonymity": MEASURES[:2],
            "recursive_c_l_diversity": ["data", "quasi_ident", "sens_att", "imp", "gen"],
        }
        assert list(signature(getattr(pycanon, name)).parameters) == expected.get(name, MEASURES), name


@pytest.mark.parametrize(
    ("name", "own"),
    [
        ("alpha_k_anonymity", ["alpha"]),
        ("l_diversity", ["l_div"]),
        ("entropy_l_diversity", ["l_div"]),
        ("recursive_c_l_diversity", ["c", "l_div"]),
        ("t_closeness", ["t"]),
        ("basic_beta_likeness", ["beta"]),
        ("enhanced_beta_likeness", ["beta"]),
        ("delta_disclosure", ["delta"]),
    ],
)
def test_signatures_are_those_of_anjana(name, own):
    assert list(signature(getattr(anjana, name)).parameters) == [*PUBLISHES[:5], *own, *PUBLISHES[5:]]


PEOPLE = pd.DataFrame(
    {
        "name": list("ABCDEFG"),
        "age": [21, 22, 23, 31, 32, 33, 77],
        "zip": ["13053"] * 7,
        "disease": ["flu", "hiv", "flu", "flu", "gout", "flu", "gout"],
        "phone": range(7),
    }
)


def hierarchies(people=PEOPLE):
    age = people["age"].values
    return {
        "age": {0: age, 1: anjana.generate_intervals(age, 0, 100, 10), 2: np.array(["*"] * len(age))},
        "zip": {0: people["zip"].values, 1: ["1305*"] * len(age)},
    }


def test_k_anonymity_publishes_one_level_for_each_column():
    published = anjana.k_anonymity(PEOPLE, ["name"], ["age", "zip"], 3, 20, hierarchies())
    assert list(published.columns) == ["age", "zip", "disease", "phone"]
    assert published["age"].value_counts().to_dict() == {"[20, 30)": 3, "[30, 40)": 3}
    assert not any(isinstance(kind, pd.CategoricalDtype) for kind in published.dtypes)
    assert list(PEOPLE["name"]) == list("ABCDEFG"), "the data is as it was"


def test_without_suppression_levels_are_higher():
    published = anjana.k_anonymity(PEOPLE, ["name"], ["age", "zip"], 3, 0, hierarchies())
    assert set(published["age"]) == {"*"}
    assert len(published) == len(PEOPLE)


@pytest.mark.parametrize(
    ("name", "own", "criterion"),
    [
        ("alpha_k_anonymity", [0.7], sf.alpha_k_anonymity(0.7, 2)),
        ("l_diversity", [2], sf.distinct_l_diversity(2)),
        ("entropy_l_diversity", [2], sf.entropy_l_diversity(2)),
        ("recursive_c_l_diversity", [3, 2], sf.recursive_cl_diversity(3, 2)),
        ("t_closeness", [0.3], sf.t_closeness(0.3)),
        ("basic_beta_likeness", [1.5], sf.beta_likeness(1.5)),
        ("enhanced_beta_likeness", [1.5], sf.beta_likeness(1.5, variant="enhanced")),
        ("delta_disclosure", [0.7], sf.delta_disclosure(0.7, absent="ignore")),
    ],
)
@pytest.mark.filterwarnings("ignore:published as they stand")
def test_what_is_asked_for_holds(name, own, criterion):
    publish = getattr(anjana, name)
    published = publish(PEOPLE, ["name"], ["age", "zip"], "disease", 2, *own, 20, hierarchies())
    assert len(published) >= 6
    require = [sf.k_anonymity(2), criterion]
    assert sf.check(published, quasi=["age", "zip"], sensitive="disease", require=require)


def test_t_closeness_of_numbers_is_ordered():
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "stay": [1, 3, 2, 4]})
    published = anjana.t_closeness(frame, [], ["age"], "stay", 2, 0.2, 0, {})
    assert set(published["age"].astype(str)) == {"1", "2"}, "0.5 by equal distances, 0.17 in order"


def test_columns_that_no_criterion_protects_are_named():
    with pytest.warns(UserWarning, match='"phone"'):
        anjana.l_diversity(PEOPLE, ["name"], ["age", "zip"], "disease", 2, 2, 20, hierarchies())


def test_what_cannot_be_published_is_an_error():
    with pytest.raises(sf.Infeasible) as caught:
        anjana.k_anonymity(PEOPLE, ["name"], ["age", "zip"], 9, 0, hierarchies())
    assert caught.value.could_meet[0].best == 7


def test_recursive_diversity_is_not_promised_where_it_fails():
    # anjana publishes this table: "verifies recursive (c,l)-diversity with l=3, c=1".
    frame = pd.DataFrame({"age": [20] * 10, "disease": ["flu"] * 8 + ["hiv", "gout"]})
    with pytest.raises(sf.Infeasible):
        anjana.recursive_c_l_diversity(frame, [], ["age"], "disease", 2, 1, 2, 0, {"age": {0: [20], 1: ["*"]}})


def test_two_equally_frequent_values_have_entropy_two():
    frame = pd.DataFrame({"age": [20] * 4, "disease": ["flu", "hiv"] * 2})
    published = anjana.entropy_l_diversity(frame, [], ["age"], "disease", 2, 2, 0, {"age": {0: [20], 1: ["*"]}})
    assert len(published) == 4  # anjana: none


def test_missing_quasi_identifiers_are_published_or_suppressed_as_others():
    people = PEOPLE.assign(zip=[None, *PEOPLE["zip"][1:]])
    published = anjana.k_anonymity(people, ["name"], ["age", "zip"], 3, 20, hierarchies())
    assert sf.check(published, quasi=["age", "zip"], require=sf.k_anonymity(3))


def test_a_missing_quasi_identifier_is_not_overlooked():
    # anjana publishes this table: "verifies k-anonymity with k=2".
    frame = pd.DataFrame({"age": [20, 20, None], "disease": ["flu", "hiv", "gout"]})
    published = anjana.k_anonymity(frame, [], ["age"], 2, 0, {"age": {0: [20], 1: ["20s"]}})
    assert set(published["age"]) == {"*"}


def test_data_may_be_generalized_already():
    first = anjana.k_anonymity(PEOPLE, ["name"], ["age", "zip"], 3, 20, hierarchies())
    again = anjana.k_anonymity(first, [], ["age", "zip"], 6, 0, hierarchies())
    assert set(again["age"]) == {"*"}


def test_numbers_of_hierarchies_may_be_floats():
    levels = {"age": {0: PEOPLE["age"].astype(float).values, 1: ["*"] * 7}}
    assert len(anjana.k_anonymity(PEOPLE, ["name", "zip"], ["age"], 7, 0, levels)) == 7


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({0: [21, 22], 1: ["a", "a"]}, "values that its hierarchy lacks"),
        ({0: PEOPLE["age"], 1: ["a"]}, "differ in length"),
        ({0: [*PEOPLE["age"], 21], 1: ["a"] * 7 + ["b"]}, "in two ways"),
        ({0: PEOPLE["age"], 1: ["a"] * 6 + [None]}, "missing labels"),
    ],
)
def test_odd_hierarchies_are_refused_without_quoting_cells(levels, message):
    with pytest.raises(sf.PlanError, match=message) as caught:
        anjana.k_anonymity(PEOPLE, ["name"], ["age"], 2, 0, {"age": levels})
    assert "21" not in str(caught.value)
    assert "77" not in str(caught.value)


@pytest.mark.parametrize("level", [-1, 101])
def test_suppression_is_a_percentage(level):
    with pytest.raises(ValueError, match="suppressed"):
        anjana.k_anonymity(PEOPLE, ["name"], ["age"], 2, level, hierarchies())


def test_intervals_hold_their_numbers():
    assert anjana.generate_intervals([0, 5, 20, 99, 100], 0, 100, 5) == [
        "[0, 5)", "[5, 10)", "[20, 25)", "[95, 100)", "[100, 105)",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="between 0 and 100"):
        anjana.generate_intervals([101], 0, 100, 5)
