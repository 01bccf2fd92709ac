"""The code of the package's page runs, and that of the book."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
PAGES = [ROOT / "python" / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCKS = [
    pytest.param(block, id=f"{page.name}-{number}")
    for page in PAGES
    for number, block in enumerate(re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL))
]


@pytest.mark.parametrize("block", BLOCKS)
def test_a_block_runs(block: str) -> None:
    exec(compile(block, "page", "exec"), {})


def test_pages_have_blocks() -> None:
    names = {str(block.id).split("-")[0] for block in BLOCKS}
    assert {"README.md", "tour", "install.md"} <= names
