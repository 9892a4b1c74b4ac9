"""Any text is a configuration file, or it is refused in a sentence."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import atheris
from words import fuzz

with atheris.instrument_imports(include=["polars_auc", "tomllib"]):
    import tomllib  # noqa: F401

    from polars_auc._cli.config import CONFIG, with_config
    from polars_auc._cli.refusal import Refusal, as_refusal
    from polars_auc._commands import main as command_line
    from polars_auc._commands.report_options import ReportRequest
    from polars_auc._frames.inputs import called
    from polars_auc._plugin.errors import FLAGS, OptionError


def main() -> None:
    parser, commands = command_line._parser()
    options_of_commands = command_line._options(commands)

    def read(command: str, file: Path) -> None:
        texts, files, places = with_config([command, CONFIG, str(file)], options_of_commands)
        options = command_line._parsed(parser, commands, texts, files)
        FLAGS.set(command_line._flags(commands.choices[command], places))
        if command == "report":
            with as_refusal(), called("report"):
                request = ReportRequest.of(options)
            request.view()

    with TemporaryDirectory() as folder:
        file = Path(folder, "polars-auc.toml")

        def configuration(data: bytes) -> None:
            file.write_bytes(data)
            for command in options_of_commands:
                edge = FLAGS.set({})
                try:
                    read(command, file)
                except (Refusal, OptionError):
                    pass
                finally:
                    FLAGS.reset(edge)

        fuzz(configuration)


if __name__ == "__main__":
    main()
