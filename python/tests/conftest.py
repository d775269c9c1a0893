"""What tests share."""

import os
import shutil
from pathlib import Path

import pytest

import sfumato as sf

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def own_record(tmp_path, monkeypatch):
    """No test touches the record of releases of this machine."""
    monkeypatch.setenv("SFUMATO_RECORD", str(tmp_path / "state" / "releases.jsonl"))


@pytest.fixture(scope="session")
def patients():
    return sf.demo(1000)


@pytest.fixture(scope="session")
def command():
    """The command line, where it is built."""
    named = os.environ.get("SFUMATO_COMMAND")
    places = [named] if named else [ROOT / "target" / kind / "sfumato" for kind in ("release", "debug")]
    built = [Path(place) for place in places if place and Path(place).is_file()]
    newest = max(built, key=lambda place: place.stat().st_mtime, default=None)
    found = str(newest) if newest else shutil.which("sfumato")
    if not found:
        pytest.skip("the command line is not built: cargo build")
    return found


QUASI = {"age": sf.intervals(5, 10, 20), "sex": None, "zip": sf.redact(5)}


@pytest.fixture
def release(patients):
    require = [sf.k_anonymity(5), sf.distinct_l_diversity(2)]
    return sf.publish(patients, quasi=QUASI, sensitive="disease", identifiers="patient", require=require)
