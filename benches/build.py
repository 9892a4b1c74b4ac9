"""Build time of a new clone and of this crate alone.

``python benches/build.py`` clones the repository into an empty folder, and runs the first command of the
README there. It needs git and a Rust toolchain, and uses the download caches of cargo and pip. A row of
``benches/results/build.csv`` has the seconds of the command, the units that cargo built, the seconds to
rebuild this crate alone, and the bytes of the wheel and of its library.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import polars as pl

from machine import machine
from rows import append

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results" / "build.csv"


def first_command(readme: str) -> str:
    """Return the line in the code fence after the README's marker of the main job."""
    fenced = readme.split("<!-- main job -->", 1)[1].split("```")[1]
    return fenced.split("\n", 1)[1].strip()


def seconds(command: str, folder: Path) -> float:
    """Run a command in a folder and return its wall-clock time."""
    start = time.perf_counter()
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, stdout=sys.stderr)
    return time.perf_counter() - start


def measured(folder: Path) -> dict[str, str | int | float]:
    """Build a clone in an empty folder."""
    clone = folder / "clone"
    subprocess.run(["git", "clone", "--quiet", str(HERE.parent), str(clone)], check=True)
    waited = seconds(first_command((clone / "README.md").read_text()), clone)
    units = len(list((clone / "target/release/.fingerprint").iterdir()))
    build = "cargo build --release --locked --lib"
    # pip builds with other settings, so a first build compiles the dependencies.
    seconds(build, clone)
    (clone / "src/lib.rs").touch()
    crate = seconds(build, clone)
    seconds(f"{clone}/.venv/bin/pip wheel --quiet --no-deps --wheel-dir wheels .", clone)
    [wheel] = (clone / "wheels").iterdir()
    with zipfile.ZipFile(wheel) as packed:
        [library] = [file for file in packed.infolist() if file.filename.endswith((".so", ".pyd"))]
    revision = subprocess.run(
        ["git", "rev-parse", "--short", "HEAD"], cwd=clone, check=True, capture_output=True, text=True
    )
    rustc = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True)
    return {
        "revision": revision.stdout.strip(),
        "first_command_s": round(waited, 1),
        "units": units,
        "crate_alone_s": round(crate, 1),
        "wheel_bytes": wheel.stat().st_size,
        "library_bytes": library.file_size,
        "rustc": rustc.stdout.split()[1],
        **machine(),
    }


def main() -> None:
    """Measure once and append the row."""
    argparse.ArgumentParser(description=__doc__).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        row = pl.DataFrame([measured(Path(folder))])
    print(row)
    append(row, RESULTS)


if __name__ == "__main__":
    main()
