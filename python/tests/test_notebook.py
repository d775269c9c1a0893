"""Whether the notebook of the documentation runs, and shows what it says."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="the notebook needs nbformat")
nbclient = pytest.importorskip("nbclient", reason="the notebook needs nbclient")
pytest.importorskip("ipykernel", reason="the notebook needs ipykernel")

NOTEBOOK = Path(__file__).parents[2] / "docs" / "python" / "demo.ipynb"


@pytest.fixture(scope="module")
def outputs():
    if not NOTEBOOK.exists():
        pytest.skip("the documentation is not at hand")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    return [(cell.source, cell.outputs) for cell in notebook.cells if cell.cell_type == "code"]


def shown(outputs, source):
    """Give what the last cell that has this text shows."""
    return next(found for code, found in reversed(outputs) if source in code)


def test_the_notebook_is_kept_without_outputs():
    if not NOTEBOOK.exists():
        pytest.skip("the documentation is not at hand")
    cells = nbformat.read(NOTEBOOK, as_version=4).cells
    assert all(not cell.outputs and cell.execution_count is None for cell in cells if cell.cell_type == "code")


def test_nothing_is_written_to_the_error_stream(outputs):
    texts = [out.text for _, found in outputs for out in found if out.output_type == "stream" and out.name == "stderr"]
    # The line of progress may move, and is taken away at the end.
    assert all("Traceback" not in text and "Warning" not in text for text in texts)


@pytest.mark.parametrize(
    "source",
    [
        "people = sf.demo",
        "sf.inspect(people)",
        "sf.measure(",
        "release = sf.publish(",
        "release.table",
        "sf.check(",
        "release.report",
        "sf.attack(release)",
        "sf.skyline(",
        "sf.verify(",
        "sf.compare(",
    ],
)
def test_results_have_pictures_or_tables(outputs, source):
    (out,) = [one for one in shown(outputs, source) if one.output_type == "execute_result"]
    assert "text/html" in out.data
    assert "text/plain" in out.data


def test_criteria_hold_and_the_release_verifies(outputs):
    assert "All criteria hold" in shown(outputs, "sf.check(")[-1].data["text/html"]
    assert "The release verifies" in shown(outputs, "sf.verify(")[-1].data["text/html"]
    assert "entropy-l-diversity" in shown(outputs, "except sf.Infeasible")[-1].text
