"""Tables: lists of records that pandas takes over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, List

if TYPE_CHECKING:
    import pandas


def load_pandas() -> Any:
    """The module pandas, which is loaded where it is asked for only; an ImportError says how to get it."""
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas, which is not installed (Debian: apt-get install python3-pandas)",
                          name="pandas") from missing
    return pandas


class Record(Dict[str, Any]):
    """A row; its columns are keys and attributes: row["cycles"], row.cycles."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"no column '{name}'; there are {', '.join(self)}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self]


class Records(List[Record]):
    """A list of rows of the same columns."""

    def column(self, name: str) -> List[Any]:
        return [row[name] for row in self]

    def to_pandas(self) -> "pandas.DataFrame":
        """The rows as a pandas.DataFrame (package python3-pandas)."""
        return load_pandas().DataFrame(list(self))

    def _repr_html_(self) -> str:
        import html

        columns = list(self[0]) if self else []
        head = "".join(f"<th>{html.escape(name)}</th>" for name in columns)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(str(row[name]))}</td>" for name in columns) + "</tr>" for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
