"""Instruction programs (docs/program_format.md)."""

from __future__ import annotations

from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Optional, Union

from . import _core

if TYPE_CHECKING:
    from .planning import Chip
    from .result import Result
    from .running import Waveform


class Program:
    """A program for all cores of a chip, from its text. UserError names the line of the first error."""

    def __init__(self, text: str, name: str = "program") -> None:
        made = _core.Program.from_text(text, name)
        self._bare, self._checked, self.name = made.bare, made, name

    @classmethod
    def load(cls, file: Union[str, "PathLike[str]"]) -> "Program":
        """From a file, text or binary, or a program that comes with tilewright, by name."""
        made = _core.Program.from_file(fspath(file))
        program = cls._of(made.bare, Path(made.source).stem)
        program._checked = made
        return program

    @classmethod
    def _of(cls, bare: _core.BareProgram, name: str) -> "Program":
        program = cls.__new__(cls)
        program._bare, program._checked, program.name = bare, None, name
        return program

    _bare: _core.BareProgram
    _checked: Optional[_core.Program]

    @property
    def text(self) -> str:
        """As text; Program(program.text) is the same program."""
        return self._bare.text

    @property
    def hash(self) -> str:
        """16 hex digits over the binary form."""
        return f"{self._bare.hash:016x}"

    def __len__(self) -> int:
        """Instructions, all cores together."""
        return len(self._bare)

    def verify(self, chip: "Chip") -> None:
        """UserError with the first instruction that is illegal on this chip: operands, tokens, races."""
        from .planning import chip_of

        checked = self._checked or _core.Program.from_text(self.text, self.name)
        checked.verify(chip_of(chip)._core.resolved)

    def run(self, chip: "Chip", *, trace: bool = False,
            waveform: Optional["Waveform"] = None) -> "Result":
        """Verifies and simulates, as `tilewright exec`."""
        from .planning import chip_of
        from .result import Result
        from .running import waveform_options

        self.verify(chip)
        hardware = chip_of(chip)._core.resolved
        return Result(_core.run_program(self._bare, hardware, self.name, trace, waveform_options(waveform)))

    def __repr__(self) -> str:
        return f"<Program {self.name}: {len(self)} instructions, {self._bare.cores} cores>"
