"""PyTorch modules: values of the simulated chip against the module's own. Skipped where torch is not installed."""

import numpy as np
import pytest

import tilewright as tw

torch = pytest.importorskip("torch")


@pytest.fixture
def exact():
    chip = tw.Hardware("quad_smp")
    chip.core.matmul.rate.fp32 = 0.25
    return chip


def convolutions():
    return torch.nn.Sequential(torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.BatchNorm2d(8), torch.nn.ReLU(),
                               torch.nn.MaxPool2d(2), torch.nn.Flatten(), torch.nn.Linear(8 * 8 * 8, 10))


def perceptron():
    """Weights of more than 2^20 elements, which files of models keep seeded."""
    return torch.nn.Sequential(torch.nn.Linear(1100, 1000), torch.nn.GELU(), torch.nn.Linear(1000, 7))


def encoder():
    layer = torch.nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    return torch.nn.Sequential(layer)


@pytest.mark.parametrize("make, shape", [(convolutions, (2, 3, 16, 16)), (perceptron, (3, 1100)), (encoder, (2, 9, 32))])
def test_a_module_computes_on_the_chip_what_it_computes_in_torch(exact, make, shape):
    torch.manual_seed(1)
    # A transformer's inference path is one operator of torch's own; its training path, without dropout, is exported.
    module = make().train(make is encoder)
    x = torch.randn(*shape)
    mode = torch.onnx.TrainingMode.TRAINING if make is encoder else torch.onnx.TrainingMode.EVAL
    graph = tw.Graph.from_torch(module, x, input_names=["x"], output_names=["y"], training=mode,
                                do_constant_folding=make is not encoder)
    result = tw.run(exact, graph, type="fp32", inputs={"x": x.numpy()}, check=True)
    assert result.ok
    expected = module(x).detach().numpy()
    np.testing.assert_allclose(result.outputs["y"], expected, atol=2e-5 * np.abs(expected).max())


def test_a_module_that_cannot_be_imported_is_named(exact):
    class Determinant(torch.nn.Module):
        def forward(self, x):
            return torch.det(x)

    with pytest.raises(tw.UserError, match="^Determinant.onnx: .*Det"):
        tw.Graph.from_torch(Determinant(), torch.eye(3))
