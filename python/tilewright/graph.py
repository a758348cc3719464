"""Workloads: read from files, taken over from PyTorch, or built operator by operator (docs/workloads.md)."""

from __future__ import annotations

import tempfile
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from .language import language_options, plan_options
from .records import Record, Records

_TYPES = {"float64": "fp32", "float32": "fp32", "float16": "fp16", "int8": "int8", "int32": "int32", "int64": "int32"}


class Tensor:
    """A tensor of a graph: what operators take and give."""

    def __init__(self, graph: "Graph", name: str, shape: Sequence[int]) -> None:
        self.graph = graph
        self.name = name
        self.shape: Tuple[int, ...] = tuple(shape)

    def __add__(self, other: "Operand") -> "Tensor":
        return self.graph.add(self, other)

    def __sub__(self, other: "Operand") -> "Tensor":
        return self.graph.sub(self, other)

    def __mul__(self, other: "Operand") -> "Tensor":
        return self.graph.mul(self, other)

    def __truediv__(self, other: "Operand") -> "Tensor":
        return self.graph.div(self, other)

    def __matmul__(self, other: "Operand") -> "Tensor":
        return self.graph.matmul(self, other)

    def __neg__(self) -> "Tensor":
        return self.graph.neg(self)

    def __repr__(self) -> str:
        return f"<Tensor {self.name} {'x'.join(map(str, self.shape))}>"


Operand = Union[Tensor, ArrayLike]


class Graph:
    """An operator graph.

    Operands are tensors of the graph or arrays: an array becomes a constant whose values are used when a run carries
    values. The element type a run computes floats in is its own (`run(type=...)`); a tensor's is that of its data.
    Shapes follow ONNX; a shape that does not fit raises UserError when the operator is added.
    """

    def __init__(self, name: str = "graph", *, core: Optional[_core.Graph] = None) -> None:
        self._core = core if core is not None else _core.Graph(name)
        self._numbers: Dict[str, int] = {}

    # ---- From elsewhere

    @classmethod
    def load(cls, source: Union[str, "PathLike[str]", bytes], *, type: str = "bf16", batch: int = 1,
             dims: Optional[Mapping[str, int]] = None, name: str = "model.onnx", blocks: int = 0, values: bool = False,
             **language: Any) -> "Graph":
        """A workload by name, a file (.onnx, .yaml, .csv, .json), or the bytes of an ONNX model, called `name`.

        `batch` is the value of a symbolic batch dimension, `dims` has those of other dimensions that an ONNX file names,
        `type` is the element type of a CSV list's operands. Of a
        language model's config.json: phase, context, new, routing, routing_seed, weights, group_size as plan() has them, and the first
        `blocks` blocks (0: all). `values`: keep all values of an ONNX model given as bytes, however many; else constants
        of more than 2^20 elements get seeded ones.
        """
        if not isinstance(source, bytes):
            options = plan_options(type, batch, {"dim": dims, **language_options(**language)})
            return cls(core=_core.import_workload(fspath(source), options, blocks))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / Path(name).name
            path.write_bytes(source)
            return cls._read(path, name, type, batch, dims, values)

    @classmethod
    def from_torch(cls, module: Any, *arguments: Any, batch: int = 1, dims: Optional[Mapping[str, int]] = None,
                   name: Optional[str] = None, **export: Any) -> "Graph":
        """A torch.nn.Module with its weights, by torch.onnx.export with these example arguments; `export` goes to it."""
        import torch

        label = f"{name or type(module).__name__}.onnx"
        with tempfile.TemporaryDirectory() as folder:  # the exporter may write weights into a file beside the model
            path = Path(folder) / label
            torch.onnx.export(module, arguments, str(path), **export)
            return cls._read(path, label, "bf16", batch, dims, True)

    @classmethod
    def _read(cls, path: Path, name: str, type: str, batch: int, dims: Optional[Mapping[str, int]],
              values: bool) -> "Graph":
        """An ONNX file that is not kept, called `name` in messages."""
        try:
            return cls(core=_core.Graph.from_file(str(path), type, batch, dict(dims or {}), values))
        except _core.UserError as error:
            raise _core.UserError(str(error).replace(str(path), name)) from None

    # ---- What there is

    @property
    def name(self) -> str:
        return self._core.name

    @property
    def tensors(self) -> Records:
        """Columns tensor, shape, type, kind (input, constant, hidden, output)."""
        return Records(Record(zip(("tensor", "shape", "type", "kind"), row)) for row in self._core.tensors())

    @property
    def operators(self) -> Records:
        """Columns operator, kind (ONNX's name), inputs, output, multiply_adds."""
        columns = ("operator", "kind", "inputs", "output", "multiply_adds")
        return Records(Record(zip(columns, row)) for row in self._core.operators())

    def __repr__(self) -> str:
        return f"<Graph {self.name}: {len(self._core.operators())} operators>"

    def fix_values(self, type: str = "fp32") -> "Graph":
        """Makes up values for the inputs and constants that have none, as a run in `type` would: values() has them."""
        self._core.fix_values(type)
        return self

    def values(self, name: str) -> NDArray[np.float64]:
        """The values of an input or constant. UserError for one that has none (fix_values)."""
        return self._core.values(name)

    # ---- Tensors

    def input(self, name: str, shape: Sequence[int], type: str = "fp32", index: bool = False) -> Tensor:
        """An input of the network. `index`: integers that address other data (gather)."""
        self._core.add_tensor(name, list(shape), "int32" if index else type, False, index, None)
        return Tensor(self, name, shape)

    def constant(self, values: ArrayLike, name: Optional[str] = None, index: bool = False) -> Tensor:
        """A constant of these values."""
        array = np.asarray(values)
        name = name or self._fresh("constant")
        kind = _TYPES.get(str(array.dtype))
        if kind is None:
            raise _core.UserError(f"{name}: got values of type {array.dtype}, expected {'|'.join(_TYPES)}")
        self._core.add_tensor(name, list(array.shape), kind, True, index, array)
        return Tensor(self, name, array.shape)

    def weights(self, name: str, shape: Sequence[int], type: str = "fp32") -> Tensor:
        """A constant whose values do not matter: runs that carry values make up seeded ones."""
        self._core.add_tensor(name, list(shape), type, True, False, None)
        return Tensor(self, name, shape)

    def output(self, tensor: Tensor) -> Tensor:
        """Makes a tensor an output of the network, besides those that no operator reads."""
        self._core.mark_output(tensor.name)
        return tensor

    # ---- Operators

    def operator(self, kind: str, *operands: Operand, name: Optional[str] = None,
                 shape: Optional[Sequence[int]] = None, type: Optional[str] = None, **attributes: Any) -> Tensor:
        """Any kind of operator by ONNX's name; attributes as in docs/workloads.md. Its output tensor."""
        name = name or self._fresh(kind.lower())
        inputs = [self._operand(operand, kind).name for operand in operands]
        known = {key: value for key, value in attributes.items() if value is not None}
        made = self._core.add_operator(name, kind, inputs, f"{name}.out", known,
                                       list(shape) if shape is not None else None, type)
        return Tensor(self, f"{name}.out", made)

    def matmul(self, a: Operand, b: Operand, bias: Optional[Operand] = None, *, transpose_a: bool = False,
               transpose_b: bool = False, name: Optional[str] = None) -> Tensor:
        """[..., M, K] x [..., K, N] -> [..., M, N], batches broadcast; `bias` [N]."""
        operands = (a, b) if bias is None else (a, b, bias)
        return self.operator("MatMul", *operands, name=name, transpose_a=transpose_a, transpose_b=transpose_b)

    def conv(self, x: Operand, w: Operand, bias: Optional[Operand] = None, *, stride: int = 1,
             pad: Optional[int] = None, dilation: int = 1, groups: int = 1, name: Optional[str] = None) -> Tensor:
        """[N, C, H, W] x [O, C/groups, kh, kw] -> [N, O, H', W'].

        `pad` is that of every side, by default so that a stride of 1 keeps the size.
        """
        weights = self._operand(w, "Conv")
        kernel = weights.shape[-2:]
        sides = [dilation * (size - 1) // 2 if pad is None else pad for size in kernel]
        operands = (x, weights) if bias is None else (x, weights, bias)
        return self.operator("Conv", *operands, name=name, window=list(kernel), strides=[stride, stride],
                             dilations=[dilation, dilation], pads=sides + sides, groups=groups)

    def add(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Add", a, b, name=name)

    def sub(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Sub", a, b, name=name)

    def mul(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Mul", a, b, name=name)

    def div(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Div", a, b, name=name)

    def pow(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Pow", a, b, name=name)

    def max(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Max", a, b, name=name)

    def min(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Min", a, b, name=name)

    def equal(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        """1 where equal, else 0, as integers."""
        return self.operator("Equal", a, b, name=name)

    def less(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        """1 where less, else 0, as integers."""
        return self.operator("Less", a, b, name=name)

    def mask(self, a: Operand, b: Operand, name: Optional[str] = None) -> Tensor:
        """The first where the second is not 0, else 0."""
        return self.operator("Mask", a, b, name=name)

    def relu(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Relu", x, name=name)

    def gelu(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Gelu", x, name=name)

    def gelu_tanh(self, x: Operand, name: Optional[str] = None) -> Tensor:
        """GELU's approximation by tanh."""
        return self.operator("GeluTanh", x, name=name)

    def erf(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Erf", x, name=name)

    def tanh(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Tanh", x, name=name)

    def sigmoid(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Sigmoid", x, name=name)

    def silu(self, x: Operand, name: Optional[str] = None) -> Tensor:
        """x * sigmoid(x)."""
        return self.operator("Silu", x, name=name)

    def sqrt(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Sqrt", x, name=name)

    def exp(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Exp", x, name=name)

    def neg(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Neg", x, name=name)

    def reciprocal(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Reciprocal", x, name=name)

    def log(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Log", x, name=name)

    def sin(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Sin", x, name=name)

    def cos(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Cos", x, name=name)

    def atan(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Atan", x, name=name)

    def floor(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Floor", x, name=name)

    def truncate(self, x: Operand, name: Optional[str] = None) -> Tensor:
        """Towards zero."""
        return self.operator("Truncate", x, name=name)

    def round(self, x: Operand, name: Optional[str] = None) -> Tensor:
        """Halves to even."""
        return self.operator("Round", x, name=name)

    def identity(self, x: Operand, name: Optional[str] = None) -> Tensor:
        return self.operator("Identity", x, name=name)

    def cast(self, x: Operand, type: str, name: Optional[str] = None) -> Tensor:
        return self.operator("Cast", x, name=name, type=type)

    def clip(self, x: Operand, low: Optional[float] = None, high: Optional[float] = None,
             name: Optional[str] = None) -> Tensor:
        return self.operator("Clip", x, name=name, low=low, high=high)

    def softmax(self, x: Operand, axis: int = -1, name: Optional[str] = None) -> Tensor:
        x = self._operand(x, "Softmax")
        return self.operator("Softmax", x, name=name, axis=_axis(axis, x))

    def layer_norm(self, x: Operand, scale: Operand, bias: Optional[Operand] = None, *, axis: int = -1,
                   epsilon: float = 1e-5, name: Optional[str] = None) -> Tensor:
        """Normalised over `axis` to the last dimension."""
        x = self._operand(x, "LayerNormalization")
        operands = (x, scale) if bias is None else (x, scale, bias)
        return self.operator("LayerNormalization", *operands, name=name, axis=_axis(axis, x), epsilon=epsilon)

    def rms_norm(self, x: Operand, scale: Operand, *, axis: int = -1, epsilon: float = 1e-5,
                 name: Optional[str] = None) -> Tensor:
        """x / sqrt(mean of squares + epsilon) * scale over `axis` to the last dimension."""
        x = self._operand(x, "RMSNormalization")
        return self.operator("RMSNormalization", x, scale, name=name, axis=_axis(axis, x), epsilon=epsilon)

    def batch_norm(self, x: Operand, scale: Operand, bias: Operand, mean: Operand, variance: Operand, *,
                   epsilon: float = 1e-5, name: Optional[str] = None) -> Tensor:
        """Each operand but x has one value per channel (dimension 1)."""
        return self.operator("BatchNormalization", x, scale, bias, mean, variance, name=name, epsilon=epsilon)

    def max_pool(self, x: Operand, window: int, *, stride: Optional[int] = None, pad: int = 0, ceil_mode: bool = False,
                 name: Optional[str] = None) -> Tensor:
        return self._pool("MaxPool", x, window, stride, pad, name, ceil_mode=ceil_mode)

    def average_pool(self, x: Operand, window: int, *, stride: Optional[int] = None, pad: int = 0,
                     ceil_mode: bool = False, count_include_pad: bool = False, name: Optional[str] = None) -> Tensor:
        return self._pool("AveragePool", x, window, stride, pad, name, ceil_mode=ceil_mode,
                          count_include_pad=count_include_pad)

    def _reduced(self, kind: str, x: Operand, axes: Union[int, Sequence[int]], keepdims: bool,
                 name: Optional[str]) -> Tensor:
        x = self._operand(x, kind)
        wanted = [axes] if isinstance(axes, int) else list(axes)
        return self.operator(kind, x, name=name, axes=[_axis(axis, x) for axis in wanted], keepdims=keepdims)

    def reduce_mean(self, x: Operand, axes: Union[int, Sequence[int]], *, keepdims: bool = True,
                    name: Optional[str] = None) -> Tensor:
        return self._reduced("ReduceMean", x, axes, keepdims, name)

    def reduce_sum(self, x: Operand, axes: Union[int, Sequence[int]], *, keepdims: bool = True,
                   name: Optional[str] = None) -> Tensor:
        return self._reduced("ReduceSum", x, axes, keepdims, name)

    def reduce_max(self, x: Operand, axes: Union[int, Sequence[int]], *, keepdims: bool = True,
                   name: Optional[str] = None) -> Tensor:
        return self._reduced("ReduceMax", x, axes, keepdims, name)

    def transpose(self, x: Operand, permutation: Optional[Sequence[int]] = None, name: Optional[str] = None) -> Tensor:
        """By default the dimensions in reverse."""
        x = self._operand(x, "Transpose")
        order = list(permutation) if permutation is not None else list(range(len(x.shape)))[::-1]
        return self.operator("Transpose", x, name=name, permutation=order)

    def reshape(self, x: Operand, shape: Sequence[int], name: Optional[str] = None) -> Tensor:
        """The same elements in the same order; one dimension may be -1."""
        x = self._operand(x, "Reshape")
        wanted = list(shape)
        if wanted.count(-1) == 1:
            known = int(np.prod([size for size in wanted if size != -1]))
            wanted[wanted.index(-1)] = int(np.prod(x.shape)) // max(known, 1)
        return self.operator("Reshape", x, name=name, shape=wanted)

    def concat(self, tensors: Sequence[Operand], axis: int = -1, name: Optional[str] = None) -> Tensor:
        operands = [self._operand(tensor, "Concat") for tensor in tensors]
        return self.operator("Concat", *operands, name=name, axis=_axis(axis, operands[0]))

    def slice(self, x: Operand, starts: Sequence[int], ends: Sequence[int], axes: Sequence[int],
              steps: Optional[Sequence[int]] = None, name: Optional[str] = None) -> Tensor:
        x = self._operand(x, "Slice")
        return self.operator("Slice", x, name=name, starts=list(starts), ends=list(ends),
                             axes=[_axis(axis, x) for axis in axes], steps=list(steps or [1] * len(axes)))

    def gather(self, x: Operand, indices: Operand, axis: int = 0, name: Optional[str] = None) -> Tensor:
        """`indices`: an input made with index=True, or integers."""
        x = self._operand(x, "Gather")
        if not isinstance(indices, Tensor):
            indices = self.constant(np.asarray(indices, dtype=np.int64), index=True)
        return self.operator("Gather", x, indices, name=name, axis=_axis(axis, x))

    # ---- Inside

    def _pool(self, kind: str, x: Operand, window: int, stride: Optional[int], pad: int, name: Optional[str],
              **attributes: Any) -> Tensor:
        step = stride if stride is not None else window
        return self.operator(kind, x, name=name, window=[window, window], strides=[step, step], pads=[pad] * 4,
                             **attributes)

    def _operand(self, operand: Operand, kind: str) -> Tensor:
        if not isinstance(operand, Tensor):
            return self.constant(operand, self._fresh(f"{kind.lower()}.constant"))
        if operand.graph is not self:
            raise _core.UserError(f"{operand.name}: is a tensor of graph '{operand.graph.name}', not of '{self.name}'")
        return operand

    def _fresh(self, stem: str) -> str:
        self._numbers[stem] = self._numbers.get(stem, 0) + 1
        return f"{stem}_{self._numbers[stem]}"


def _axis(axis: int, tensor: Tensor) -> int:
    rank = len(tensor.shape)
    if not -rank <= axis < rank:
        raise _core.UserError(f"{tensor.name}: axis {axis} of a tensor of rank {rank}")
    return axis % rank


Workload = Union[str, "PathLike[str]", bytes, Graph]


def graph_of(workload: Workload, type: str, batch: int) -> _core.Graph:
    """What a run takes: a workload that was built is finished here."""
    if isinstance(workload, Graph):
        return workload._core.finished()
    return Graph.load(workload, type=type, batch=batch)._core


def name_of(workload: Workload) -> str:
    """As results call it."""
    if isinstance(workload, Graph):
        return workload.name
    return "model" if isinstance(workload, bytes) else Path(fspath(workload)).stem


__all__: List[str] = ["Graph", "Operand", "Tensor", "Workload"]
