"""Writes the faulty ONNX models of this folder (needs the onnx Python package; the tests read the files only)."""

from onnx import TensorProto, helper


def value(name, shape, kind=TensorProto.FLOAT):
    return helper.make_tensor_value_info(name, kind, shape)


def save(name, nodes, inputs=None, outputs=("y",), initializers=(), opset=17):
    inputs = inputs if inputs is not None else [value("x", [2, 3])]
    graph = helper.make_graph(list(nodes), name, inputs, [value(o, None) for o in outputs], list(initializers))
    opsets = [helper.make_opsetid("", opset)] if opset else [helper.make_opsetid("other", 1)]
    model = helper.make_model(graph, opset_imports=opsets)
    model.ir_version = 8
    with open(f"onnx_{name}.onnx", "wb") as file:
        file.write(model.SerializeToString())
    return model


def node(kind, inputs=("x",), outputs=("y",), **attributes):
    return helper.make_node(kind, list(inputs), list(outputs), name="n_" + outputs[0], **attributes)


def ints(name, values):
    return helper.make_tensor(name, TensorProto.INT64, [len(values)], values)


save("unsupported", [node("Det"), helper.make_node("Attention", ["x"], ["z"], name="n_z", domain="com.microsoft"),
                     node("Det", ["x"], ["w"]), node("Add", ["w", "z"], ["v"]), node("Softmax", ["x"], ["u"], axis=7)],
     outputs=["y", "v", "u"])
save("if_live", [node("If", ["c"], then_branch=helper.make_graph([node("Det", ["x"], ["t"])], "then", [], [value("t", None)]),
                      else_branch=helper.make_graph([node("Neg", ["x"], ["e"])], "else", [], [value("e", None)]))],
     [value("x", [2, 2]), value("c", [], TensorProto.BOOL)])
save("loop_live", [node("Loop", ["n", "", "x"], body=helper.make_graph(
    [node("Identity", ["c"], ["d"]), node("Neg", ["v"], ["w"])], "body",
    [value("i", [], TensorProto.INT64), value("c", [], TensorProto.BOOL), value("v", [2])],
    [value("d", [], TensorProto.BOOL), value("w", [2])]))], [value("x", [2]), value("n", [], TensorProto.INT64)])
save("cast_narrow", [node("Cast", to=TensorProto.UINT8)])
save("double_beyond_float", [node("Add", ["x", "w"])], initializers=[
    helper.make_tensor("w", TensorProto.DOUBLE, [1], [1e200])])
save("no_elements", [node("Add", ["x", "w"])], initializers=[helper.make_tensor("w", TensorProto.FLOAT, [0], [])])
save("batch_norm_statistics", [node("BatchNormalization", ["x", "s", "s", "s", "s"], ["y", "m", "v", "o", "p"])],
     [value("x", [1, 4, 2, 2]), value("s", [4])], opset=9, outputs=["y", "m"])
save("cycle", [node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Neg", ["b"])])
save("undefined_input", [node("Relu", ["absent"])])
save("undefined_output", [node("Relu")], outputs=["z"])
save("output_twice", [node("Relu"), node("Neg")])
save("negative_dimension", [node("Relu")], [value("x", [2, -3])])
save("huge_dimension", [node("Relu")], [value("x", [2**62, 2**62])])
save("symbolic_sequence", [node("Relu")], [value("x", ["batch", "sequence", 8])])
save("no_shape", [node("Relu")], [value("x", None)])
save("element_type", [node("Relu")], [value("x", [2], TensorProto.STRING)])
save("inner_dimensions", [node("MatMul", ["x", "w"])], [value("x", [2, 3]), value("w", [4, 5])])
save("reshape_impossible", [node("Reshape", ["x", "s"])], initializers=[ints("s", [4, -1])])
save("reshape_unknown", [node("Reshape", ["x", "s"])], [value("x", [2, 3]), value("s", [2], TensorProto.INT64)])
save("reshape_huge", [node("Reshape", ["x", "s"])], initializers=[ints("s", [2**40, 2**40])])
save("fill_huge", [node("ConstantOfShape", ["s"])], initializers=[ints("s", [2**20, 2**20])])
save("axis", [node("Softmax", axis=7)])
save("attribute_type", [node("Softmax", axis="last")])
save("pads", [node("MaxPool", kernel_shape=[2, 2], pads=[-1, 0, 0, 0])], [value("x", [1, 1, 4, 4])])
save("conv_groups", [node("Conv", ["x", "w"], group=0)], [value("x", [1, 4, 8, 8]), value("w", [8, 4, 3, 3])])
save("split_lengths", [node("Split", ["x", "l"], ["y", "z"], axis=1)], initializers=[ints("l", [1, 5])], outputs=["y", "z"])
save("slice_empty", [node("Slice", ["x", "a", "b"])], initializers=[ints("a", [2]), ints("b", [1])])
save("input_missing", [node("Add")])
save("no_opset", [node("Relu")], opset=0)
save("no_nodes", [])
save("batch_norm_training", [node("BatchNormalization", ["x", "s", "s", "s", "s"], training_mode=1)],
     [value("x", [1, 4, 2, 2]), value("s", [4])])
save("initializer_length", [node("Add", ["x", "w"])], initializers=[
    TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], raw_data=b"\x00" * 8)])
save("initializer_negative", [node("Add", ["x", "w"])], initializers=[
    TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[-1], raw_data=b"\x00" * 4)])
save("name_twice", [node("Relu")], [value("x", [2]), value("x", [3])])
good = save("truncated", [node("Relu")]).SerializeToString()
with open("onnx_truncated.onnx", "wb") as file:
    file.write(good[:-9])
with open("onnx_random.onnx", "wb") as file:
    file.write(bytes((i * 167 + 13) % 256 for i in range(400)))
open("onnx_empty.onnx", "wb").close()
