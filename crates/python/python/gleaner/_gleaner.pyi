# What the extension has. What users import from the package has its types there.

from collections.abc import Callable, Iterable

from ._types import Progress, StrPath, Verified

__version__: str

def _build_options() -> list[tuple[str, str]]: ...
def _main(arguments: list[str]) -> int: ...
def _panic(message: str) -> None: ...
def build(
    inputs: StrPath | Iterable[StrPath],
    out: StrPath,
    *,
    progress: Callable[[Progress], object] | None = None,
    **options: object,
) -> object: ...
def files(corpus: StrPath, table: str) -> list[str]: ...
def verify(
    corpus: StrPath, *, progress: Callable[[Progress], object] | None = None
) -> Verified: ...
