"""The code of the package's page runs."""

from __future__ import annotations

import re
from pathlib import Path


def test_the_ten_lines_run() -> None:
    page = (Path(__file__).parent.parent / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) == 1
    exec(compile(blocks[0], "README.md", "exec"), {})
