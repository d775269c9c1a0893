"""The examples of the documentation run."""

import doctest
from pathlib import Path

import pytest

PAGES = Path(__file__).resolve().parents[2] / "docs" / "python"
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("page", sorted(PAGES.glob("*.md")), ids=lambda page: page.stem)
def test_examples_of_pages_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    failed, tried = doctest.testfile(str(page), module_relative=False, optionflags=FLAGS, encoding="utf-8")
    assert failed == 0
    assert tried > 0, "a page without an example"


def test_there_are_pages():
    assert len(list(PAGES.glob("*.md"))) >= 5
