"""The tour runs from its first cell to its last one."""

from __future__ import annotations

from pathlib import Path

import pytest


def test_the_tour_runs() -> None:
    client = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    folder = Path(__file__).parent.parent
    tour = nbformat.read(folder / "tour.ipynb", as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    client.NotebookClient(tour, timeout=300, resources=resources).execute()
    pictures = [
        output
        for cell in tour.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    assert pictures, "the tour shows a plot"
