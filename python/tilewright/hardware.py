"""A chip: its attributes are the keys of the hardware file (docs/hardware.md)."""

from __future__ import annotations

import json
from os import PathLike, fspath
from typing import Any, Dict, Iterator, List, Mapping, Tuple, Union

from . import _core
from ._core import Hardware as _CoreHardware

_KEYS = _core.hardware_keys()
_SECTIONS = {key.rsplit(".", depth)[0] for key in _KEYS for depth in range(1, key.count(".") + 1)}


class UnknownKey(_core.UserError, AttributeError):
    """A key that hardware files do not have; also an AttributeError."""


def _yaml(value: Any) -> str:
    """A value as YAML on one line. None takes the key out, so that its default holds again."""
    if value is None:
        return "~"
    if hasattr(value, "item"):  # numpy's numbers
        value = value.item()
    return json.dumps(value)


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[Tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(f"{prefix}{key}.", value)
        else:
            yield f"{prefix}{key}", _yaml(value)


class Section:
    """A section of a hardware file, e.g. `chip.core.matmul`. Reads resolved values, writes checked ones."""

    _chip: "Hardware"
    _path: str

    def __init__(self, chip: "Hardware", path: str) -> None:
        object.__setattr__(self, "_chip", chip)
        object.__setattr__(self, "_path", path)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._chip._value(f"{self._path}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        self._chip.update({f"{self._path}.{name}": value})

    def __dir__(self) -> List[str]:
        prefix = f"{self._path}."
        return sorted({key[len(prefix) :].split(".")[0] for key in _KEYS if key.startswith(prefix)})

    def __bool__(self) -> bool:
        """Whether the chip has this section, e.g. a cluster memory."""
        return bool(self.to_dict())

    def to_dict(self) -> Dict[str, Any]:
        """All values of the section, defaults filled in."""
        values: Any = self._chip.to_dict()
        for part in self._path.split("."):
            values = values.get(part, {})
        return dict(values)

    def __repr__(self) -> str:
        return f"<{self._path} of {self._chip.name}: {self.to_dict()}>"


class Hardware:
    """A chip, from a name (`chips()` lists them) or a hardware file.

    Attributes are the keys of the file: `chip.clusters`, `chip.core.matmul.rows`. Reading gives the value in use,
    defaults filled in (None: there is none); setting checks the whole chip as the file reader does and raises UserError
    with its message, the chip then being as it was. Keys that only fit together are set at once with update().
    """

    _core: _CoreHardware
    _values: Dict[str, Any]

    def __init__(self, chip: Union[str, "PathLike[str]", "Hardware"] = "quad_numa") -> None:
        core = chip._core if isinstance(chip, Hardware) else _CoreHardware.from_file(fspath(chip))
        self._take(core)

    def _take(self, core: _CoreHardware) -> None:
        object.__setattr__(self, "_core", core)
        object.__setattr__(self, "_values", core.values())

    @classmethod
    def from_yaml(cls, text: str, source: str = "hardware.yaml") -> "Hardware":
        """From the text of a hardware file; `source` names it in messages."""
        chip = cls.__new__(cls)
        chip._take(_CoreHardware.from_text(text, source))
        return chip

    def update(self, values: Mapping[str, Any]) -> "Hardware":
        """Sets several keys at once, e.g. {"dram.channels": 8, "core": {"buffer_a_kib": 512}}; None: the default."""
        self._take(self._core.with_settings(list(_flat("", values))))
        return self

    def copy(self) -> "Hardware":
        return Hardware(self)

    __copy__ = copy

    def __deepcopy__(self, memo: Dict[int, Any]) -> "Hardware":
        return self.copy()

    def __reduce__(self) -> Any:
        return (_from_yaml, (self._core.text, self._core.source))

    @property
    def cores(self) -> int:
        """Cores of the chip: clusters times cores_per_cluster."""
        return self._core.cores

    @property
    def fingerprint(self) -> str:
        """16 hex digits, equal for chips that no program can tell apart."""
        return f"{self._core.fingerprint:016x}"

    def to_yaml(self) -> str:
        """The hardware file with every default filled in; reading it again gives the same chip."""
        return self._core.to_yaml()

    def to_dict(self) -> Dict[str, Any]:
        """The same as nested dictionaries."""
        return self._values

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self._value(name)

    def __setattr__(self, name: str, value: Any) -> None:
        self.update({name: value})

    def __dir__(self) -> List[str]:
        return sorted(set(super().__dir__()) | {key.split(".")[0] for key in _KEYS})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Hardware) and self.to_yaml() == other.to_yaml()

    __hash__ = None  # type: ignore[assignment]  # it can change

    def __repr__(self) -> str:
        return f"<Hardware {self.name}: {self.clusters} x {self.cores_per_cluster} cores>"

    def _value(self, path: str) -> Any:
        if path in _SECTIONS:
            return Section(self, path)
        if path not in _KEYS:
            raise UnknownKey(self._message_for(path))
        values: Any = self._values
        for part in path.split("."):
            values = values.get(part) if isinstance(values, dict) else None
        return values

    def _message_for(self, path: str) -> str:
        """What the file reader says of a key that it does not know."""
        try:
            self._core.with_settings([(path, "0")])
        except _core.UserError as error:
            return str(error)
        return path


def _from_yaml(text: str, source: str) -> Hardware:
    return Hardware.from_yaml(text, source)
