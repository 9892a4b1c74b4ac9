__file__: str
__version__: str

def expressions() -> list[str]: ...
