"""The stubs say what the package has."""

from __future__ import annotations

import ast
import inspect
from importlib import resources
from typing import Any, get_args, get_type_hints

import gleaner
from gleaner import _gleaner, _types

# What each option takes, as the program has it, and its type in the stubs.
TYPES: dict[str, list[Any]] = {
    "True or False": [bool],
    "an int": [int],
    "an int or a float": [float],
    "a size: an int, or a string such as '64MiB'": [int | str],
    "a string or a path": [str, _types.StrPath],
    "a list of strings": [str | list[str]],
}


def test_the_options_of_a_build_are_those_of_the_command() -> None:
    hints = get_type_hints(gleaner.BuildOptions)
    options = dict(_gleaner._build_options())
    # The stubs have it as an argument, since it changes the result.
    assert options.pop("dry_run") == "True or False"
    assert sorted(hints) == sorted(options)
    for name, takes in options.items():
        hint = hints[name]
        choices = takes.removeprefix("one of the strings ")
        if choices != takes:
            literal = next(kind for kind in get_args(hint) if kind is not type(None))
            assert sorted(get_args(literal)) == sorted(choices.split(", ")), name
        else:
            assert any(hint == kind | None for kind in TYPES[takes]), (name, hint, takes)


def test_docstrings_are_the_same_here_and_in_the_stubs() -> None:
    text = resources.files(gleaner).joinpath("__init__.pyi").read_text(encoding="utf-8")
    count = 0
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
            here = getattr(gleaner, node.name, None)
            if here is not None:
                assert inspect.getdoc(here) == ast.get_docstring(node), node.name
                count += 1
    assert count >= 3


def test_editors_can_show_what_the_extension_has() -> None:
    """The extension has no source that they could read: its stubs have docstrings."""
    text = resources.files(gleaner).joinpath("_gleaner.pyi").read_text(encoding="utf-8")
    documented: set[tuple[str, str]] = set()
    others: set[tuple[str, str]] = set()  # and overloads of a documented function
    for scope in ast.walk(ast.parse(text)):
        if not isinstance(scope, (ast.Module, ast.ClassDef)):
            continue
        owner = scope.name if isinstance(scope, ast.ClassDef) else ""
        for node in scope.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                (documented if ast.get_docstring(node) else others).add((owner, node.name))
    # The stubs of the package itself have those of these.
    elsewhere = {"build", "export", "files", "verify"}
    undocumented = {
        (owner, name)
        for owner, name in others - documented
        if not owner.startswith("_") and not name.startswith("_") and name not in elsewhere
    }
    assert not undocumented
    assert ("Document", "blocks") in documented


def test_everything_public_has_a_docstring() -> None:
    for name in gleaner.__all__:
        if name != "__version__":
            assert inspect.getdoc(getattr(gleaner, name)), name
