"""Where the program `tilewright` and the files that come with it lie: above this package, installed or in a build."""

from pathlib import Path

from . import _core


def _find_program() -> str:
    for folder in Path(__file__).absolute().parents:
        for place in ("bin", "cli"):
            program = folder / place / "tilewright"
            if program.is_file() and (folder / "share" / "tilewright").is_dir():
                return str(program)
    return ""


_PROGRAM = _find_program()
_core.set_program_path(_PROGRAM)


def program_path() -> str:
    """The program of the command line that belongs to this package. UserError when it is not installed."""
    if not _PROGRAM:
        raise _core.UserError(f"{__file__}: there is no program 'tilewright' above this package")
    return _PROGRAM


def version() -> str:
    """Version and model, as results carry them: two that differ must not be compared."""
    return _core.simulator_version()
