"""Installs a wheel or a source distribution of gleaner in a new virtual environment, and uses it.

    python infra/test_wheel.py FILE_OR_FOLDER

A folder must hold one such file. The Python that runs this is the one of the environment. Needs nothing but Python; a
source distribution also needs Rust.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

PAGE = """<!DOCTYPE html><html lang=en><title>Tides</title><ul><li><a href=/>Home</a><li><a href=/log>Log</a></ul>
<h1>Tides</h1><p>The sea rises and falls twice a day, because the moon and the sun pull at it.</p>
<p>Where the coast is steep, the water comes up a few metres; in wide bays it comes up more.</p></html>"""

SENTENCE = "The sea rises and falls twice a day"

CHECK = """
import sys, gleaner
text = gleaner.extract(open(sys.argv[1], "rb").read(), "https://sea.example/tides")
assert sys.argv[2] in text and "Log" not in text, text
print("gleaner", gleaner.__version__)
"""


def package(place: Path) -> Path:
    """The file to install."""
    if place.is_file():
        return place
    found = sorted([*place.glob("*.whl"), *place.glob("*.tar.gz")])
    if len(found) != 1:
        sys.exit(f"{place} must hold one wheel or one source distribution, and holds {len(found)}: name the file")
    return found[0]


def run(*command: object) -> str:
    """What a command prints; ends this script if the command fails."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        sys.exit(f"{command[0]} ended with status {done.returncode}")
    return done.stdout


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    file = package(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        environment, page = Path(folder, "environment"), Path(folder, "page.html")
        page.write_text(PAGE, encoding="utf-8")
        venv.create(environment, with_pip=True)
        programs = environment / ("Scripts" if sys.platform == "win32" else "bin")
        python = programs / "python"
        run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", file.resolve())
        version = run(python, "-c", CHECK, page, SENTENCE).strip()
        for command in [(python, "-m", "gleaner"), (programs / "gleaner",)]:
            assert run(*command, "--version").strip() == version, version
            assert SENTENCE in run(*command, "clean", page), command
    print(f"{file.name}: works")


if __name__ == "__main__":
    main()
