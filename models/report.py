#!/usr/bin/env python3
"""Writes the page of each model from models/results.toml.

    python3 models/report.py            # writes models/NAME.md
    python3 models/report.py --check    # exit status 1 if a page or a quoted figure is not up to date

results.toml has a table [models.NAME] for each page: title, about, facts, limits and a list of tables, each with the command that
measures it. Numbers are printed with 3 digits, or as many as the table says. A figure that another page quotes is checked, too.
"""
import sys
import tomllib
from pathlib import Path

MODELS = Path(__file__).resolve().parent
WRITTEN = "<!-- Written by models/report.py from models/results.toml. -->"


def main():
    results = tomllib.loads((MODELS / "results.toml").read_text(encoding="utf-8"))
    pages = {MODELS / f"{name}.md": page(model) for name, model in results["models"].items()}
    if sys.argv[1:] == ["--check"]:
        faults = [*stale_pages(pages), *stale_quotes(results)]
        sys.exit("\n".join(faults) or 0)
    if sys.argv[1:]:
        sys.exit(__doc__)
    for path, text in pages.items():
        path.write_text(text, encoding="utf-8")


def stale_pages(pages):
    """Pages that differ from the results."""
    for path, text in pages.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield f"models/{path.name} differs from models/results.toml: run python3 models/report.py"


def stale_quotes(results):
    """Figures on other pages that differ from the results. Line breaks do not count."""
    for quote in results["quotes"]:
        text = quote["text"].format(**results["models"][quote["model"]]["values"])
        there = (MODELS.parent / quote["file"]).read_text(encoding="utf-8")
        if text not in " ".join(there.split()):
            yield f"{quote['file']} must say '{text}', as models/results.toml has it"


def page(model):
    """The page of a model."""
    parts = [f"# {model['title']}", WRITTEN, model["about"].strip(), facts(model["facts"])]
    for table in model["tables"]:
        parts += [f"## {table['title']}", table["text"].strip()]
        if "command" in table:
            parts.append(f"    {table['command']}")
        parts.append(rows(table["columns"], table["rows"], table.get("digits", 3)))
        if "note" in table:
            parts.append(table["note"].strip())
    parts += ["## Weak points", model["limits"].strip()]
    parts.append("What was tried and left out: [docs/experiments.md](../docs/experiments.md).")
    return "\n\n".join(parts) + "\n"


def facts(named):
    return rows(["", ""], list(named.items()), 0)


def rows(columns, values, digits):
    """A table in Markdown."""
    lines = ["| " + " | ".join(columns) + " |", "|" + "---|" * len(columns)]
    for row in values:
        if len(row) != len(columns):
            sys.exit(f"a row of models/results.toml has {len(row)} values for {len(columns)} columns: {row}")
        lines.append("| " + " | ".join(cell(value, digits) for value in row) + " |")
    return "\n".join(lines)


def cell(value, digits):
    return f"{value:.{digits}f}" if isinstance(value, float) else str(value)


if __name__ == "__main__":
    main()
