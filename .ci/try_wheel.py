"""Check a wheel in a user's environment, without a compiler: its size, and the README's first query.

``python .ci/try_wheel.py FOLDER``, with the wheel of the folder installed; needs nothing but Polars.
"""

import contextlib
import io
import os
import re
import sys
from pathlib import Path

import polars_auc

LARGEST_WHEEL = 5_000_000
ROOT = Path(__file__).resolve().parents[1]

[wheel] = Path(sys.argv[1]).glob("*.whl")
size = wheel.stat().st_size
if size > LARGEST_WHEEL:
    sys.exit(f"{wheel.name} has {size} bytes, more than {LARGEST_WHEEL}")

os.chdir(ROOT)
readme = Path("README.md").read_text(encoding="utf-8")
[(code, output)] = re.findall(r"```python\n(.*?)```\n```text\n(.*?)```", readme, re.DOTALL)
printed = io.StringIO()
with contextlib.redirect_stdout(printed):
    exec(compile(code, "README.md", "exec"), {})
if printed.getvalue() != output:
    sys.exit(f"README.md prints\n{printed.getvalue()}\nand not\n{output}")

if Path(polars_auc.__file__).is_relative_to(ROOT / "python"):
    sys.exit("the package of the clone was imported, not the wheel")
print(f"{wheel.name}: {size} bytes; the README's query prints what it says")
