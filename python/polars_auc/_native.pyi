from typing import TypedDict

__version__: str

class Parameter(TypedDict):
    name: str
    column: bool
    annotation: str
    by_name: bool
    default: str
    text: str

class Field(TypedDict):
    columns: list[str]
    dtypes: list[str]
    text: str

class Function(TypedDict):
    kind: str
    text: str
    parameters: list[Parameter]
    records: list[list[Field]]

class Declarations(TypedDict):
    expressions: list[tuple[str, str, list[str]]]
    standard: list[Parameter]
    functions: dict[str, Function]

def declarations() -> Declarations: ...
def begin_batches() -> int: ...
def calls() -> int: ...
def check(name: str, keywords: bytes) -> tuple[str, str, str | None] | None: ...
def groups_of_batches(number: int) -> int: ...
def end_batches(number: int) -> None: ...
def period_order(names: list[str]) -> list[int]: ...
def render(text: str, flags: dict[str, str] | None = None) -> str: ...
