"""``python -m polars_auc`` is ``polars-auc``."""

from polars_auc._commands.main import main

if __name__ == "__main__":
    raise SystemExit(main())
