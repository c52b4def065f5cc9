"""The notebooks of examples/, run from beginning to end without a screen."""
import glob
import os

import nbformat
import pytest
from nbclient import NotebookClient

EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples")


@pytest.mark.parametrize("path", sorted(glob.glob(os.path.join(EXAMPLES, "*.ipynb"))), ids=os.path.basename)
def test_notebook(path, tmp_path):
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=1800, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}).execute()
    pictures = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
                if "image/png" in output.get("data", {})]
    assert len(pictures) >= 2, "a picture of the world and a plot"


def test_notebooks_are_kept_without_output():
    for path in glob.glob(os.path.join(EXAMPLES, "*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        assert not any(cell.get("outputs") for cell in notebook.cells), path
