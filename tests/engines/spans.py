"""Where expressions match in texts, in bytes, as Python's re or RE2 finds it.

usage: spans.py re|re-bytes|re2 EXPRESSIONS TEXT...

Prints a line for each expression and text that it matches: the numbers of both, and the ranges. Anything that the engine
warns of is an error. Says 'skipped: ...' on standard error where the engine is missing.
"""

import sys
import warnings

name, expressions, *texts = sys.argv[1:]
try:
    import re
    if name == "re2":
        import re2
except ImportError as missing:
    sys.exit(f"skipped: {missing}")
warnings.simplefilter("error")
compile = re2.compile if name == "re2" else re.compile


def read(path):
    with open(path, "rb") as file:
        data = file.read()
    return data if name == "re-bytes" else data.decode()


def places(text):
    """The byte that each character begins at."""
    if isinstance(text, bytes):
        return range(len(text) + 1)
    at = [0]
    for letter in text:
        at.append(at[-1] + len(letter.encode()))
    return at


lines = read(expressions).split(b"\n" if name == "re-bytes" else "\n")
comment = b"#" if name == "re-bytes" else "#"
expressions = [compile(line) for line in lines if line and not line.startswith(comment)]
texts = [read(path) for path in texts]
places = [places(text) for text in texts]
for i, expression in enumerate(expressions):
    for j, text in enumerate(texts):
        at = places[j]
        found = [f"{at[match.start()]}-{at[match.end()]}" for match in expression.finditer(text)]
        if found:
            print(i, j, *found)
