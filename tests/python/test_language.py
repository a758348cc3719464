"""Language models: values against a computation with numpy that knows nothing of tilewright's graphs."""

import json

import numpy as np
import pytest

import tilewright as tw

DECODER = {"hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2, "num_attention_heads": 4,
           "num_key_value_heads": 2, "vocab_size": 50, "rms_norm_eps": 1e-5, "max_position_embeddings": 64}
MODELS = {
    "llama": {"model_type": "llama", **DECODER},
    "llama3": {"model_type": "llama", **DECODER, "tie_word_embeddings": True, "attention_bias": True, "head_dim": 8,
               "rope_theta": 500000.0,
               "rope_scaling": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                "original_max_position_embeddings": 16}},
    "mistral": {"model_type": "mistral", **DECODER, "sliding_window": 5},
    "qwen2": {"model_type": "qwen2", **DECODER},
    "gemma": {"model_type": "gemma", **DECODER, "num_key_value_heads": 1, "head_dim": 10, "hidden_act": "gelu"},
    "mixtral": {"model_type": "mixtral", **DECODER, "num_local_experts": 5, "num_experts_per_tok": 2},
    "gpt2": {"model_type": "gpt2", "n_embd": 24, "n_layer": 2, "n_head": 3, "n_positions": 64, "vocab_size": 50,
             "activation_function": "gelu"},
    "bert": {"model_type": "bert", "hidden_size": 24, "intermediate_size": 40, "num_hidden_layers": 2,
             "num_attention_heads": 3, "vocab_size": 50, "max_position_embeddings": 64},
}


@pytest.fixture
def exact():
    chip = tw.Hardware("quad_smp")
    chip.core.matmul.rate.fp32 = 0.25
    return chip


def config_file(folder, name):
    path = folder / f"{name}.json"
    path.write_text(json.dumps(MODELS[name]))
    return path


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


def gelu(x):
    from math import erf

    return x * 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))


def silu(x):
    return x / (1 + np.exp(-x))


def rms(x, scale, epsilon):
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * scale


def layer_norm(x, scale, bias, epsilon):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * scale + bias


def frequencies(config, size):
    """As transformers' modeling_rope_utils.py."""
    inverse = 1.0 / config.get("rope_theta", 10000.0) ** (np.arange(0, size, 2) / size)
    scaling = config.get("rope_scaling")
    if not scaling:
        return inverse
    wavelength = 2 * np.pi / inverse
    old = scaling["original_max_position_embeddings"]
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    smooth = (old / wavelength - low) / (high - low)
    between = (1 - smooth) * inverse / scaling["factor"] + smooth * inverse
    scaled = np.where(wavelength > old / low, inverse / scaling["factor"], inverse)
    return np.where((wavelength <= old / low) & (wavelength >= old / high), between, scaled)


def rotated(x, positions, config):
    """x [batch, heads, tokens, size]."""
    angles = np.outer(positions, frequencies(config, x.shape[-1]))
    cosine, sine = (np.concatenate([f(angles)] * 2, -1) for f in (np.cos, np.sin))
    half = x.shape[-1] // 2
    return x * cosine + np.concatenate([-x[..., half:], x[..., :half]], -1) * sine


class Model:
    """The network by its formulas; weights are those of the graph."""

    def __init__(self, graph, config, batch, tokens, first):
        self.w = lambda name: graph.values(name)
        self.have = {row.tensor for row in graph.tensors}
        self.c, self.batch, self.tokens, self.first = config, batch, tokens, first
        self.kind = config["model_type"]
        self.old = self.kind in ("gpt2", "bert")
        self.heads = config.get("num_attention_heads", config.get("n_head"))
        self.kv = self.heads if self.old else config["num_key_value_heads"]
        self.keys = []

    def linear(self, x, name):
        y = x @ self.w(f"{name}.weight")
        return y + self.w(f"{name}.bias") if f"{name}.bias" in self.have else y

    def norm(self, x, name):
        if self.old:
            epsilon = 1e-12 if self.kind == "bert" else 1e-5
            return layer_norm(x, self.w(f"{name}.scale"), self.w(f"{name}.bias"), epsilon)
        return rms(x, self.w(f"{name}.scale"), self.c["rms_norm_eps"])

    def split(self, x, heads):
        return x.reshape(self.batch, self.tokens, heads, -1).transpose(0, 2, 1, 3)

    def attention(self, x, block):
        q = self.split(self.linear(x, f"{block}.query"), self.heads)
        k = self.split(self.linear(x, f"{block}.key"), self.kv)
        v = self.split(self.linear(x, f"{block}.value"), self.kv)
        positions = self.first + np.arange(self.tokens)
        if not self.old:
            q, k = rotated(q, positions, self.c), rotated(k, positions, self.c)
        if f"{block}.past_key" in self.have:
            past = [self.w(f"{block}.past_{name}") for name in ("key", "value")]
            shape = (self.batch, self.kv, -1, k.shape[-1])
            k = np.concatenate([past[0].reshape(shape), k], 2)
            v = np.concatenate([past[1].reshape(shape), v], 2)
        self.keys.append(k)
        k, v = (np.repeat(t, self.heads // self.kv, axis=1) for t in (k, v))
        scores = q @ k.transpose(0, 1, 3, 2) / np.sqrt(q.shape[-1])
        seen = self.first + self.tokens - k.shape[2] + np.arange(k.shape[2])
        distance = positions[:, None] - seen[None, :]
        hidden = np.zeros_like(distance, bool) if self.kind == "bert" else distance < 0
        if "sliding_window" in self.c:
            hidden = hidden | (distance >= self.c["sliding_window"])
        context = softmax(np.where(hidden, -np.inf, scores)) @ v
        return self.linear(context.transpose(0, 2, 1, 3).reshape(self.batch * self.tokens, -1),
                           f"{block}.attention_output")

    def feed_forward(self, x, name):
        act = silu if self.kind in ("llama", "mistral", "qwen2", "mixtral") else gelu
        if self.old:
            return self.linear(act(self.linear(x, f"{name}up")), f"{name}down")
        return self.linear(act(self.linear(x, f"{name}gate")) * self.linear(x, f"{name}up"), f"{name}down")

    def experts(self, x, block, routing):
        logits = x @ self.w(f"{block}.router.weight")
        result = np.zeros_like(x)
        for row, experts in enumerate(routing):
            for gate, expert in zip(softmax(logits[row, experts]), experts):
                result[row] += gate * self.feed_forward(x[row:row + 1], f"{block}.expert{expert}.")[0]
        return result

    def run(self, routing=None):
        x = self.w("embedding")[self.w("tokens").astype(int)]
        if self.kind == "gemma":
            x = x * np.sqrt(self.c["hidden_size"])
        if self.old:
            x = (x.reshape(self.batch, self.tokens, -1) + self.w("positions")).reshape(x.shape)
        if self.kind == "bert":
            x = self.norm(x + self.w("token_type"), "embed.norm")
        for number in range(1, 3):
            block = f"block{number}"
            if self.kind == "bert":
                x = self.norm(x + self.attention(x, block), f"{block}.attention_norm")
                x = self.norm(x + self.feed_forward(x, f"{block}."), f"{block}.feed_forward_norm")
                continue
            x = x + self.attention(self.norm(x, f"{block}.attention_norm"), block)
            y = self.norm(x, f"{block}.feed_forward_norm")
            x = x + (self.experts(y, block, routing) if routing else self.feed_forward(y, f"{block}."))
        if self.kind == "bert":
            return x
        x = self.norm(x.reshape(self.batch, self.tokens, -1)[:, -1], "final_norm")
        return x @ (self.w("head.weight") if "head.weight" in self.have else self.w("embedding").T)


@pytest.mark.parametrize("phase", ["prefill", "decode"])
@pytest.mark.parametrize("name", MODELS)
def test_values_are_those_of_the_formulas(exact, tmp_path, name, phase):
    if (name, phase) == ("bert", "decode"):
        pytest.skip("an encoder has no next token")
    batch, context = 2, 7
    options = {"phase": phase, "context": context, "batch": batch, "type": "fp32"}
    tokens = 1 if phase == "decode" else context
    routing = None
    if name == "mixtral":
        routing = [sorted([row % 5, (row * 2 + 1) % 5 if (row * 2 + 1) % 5 != row % 5 else (row + 3) % 5])
                   for row in range(batch * tokens)]
        options["routing"] = tmp_path / "routing.json"
        options["routing"].write_text(json.dumps(routing))
    path = config_file(tmp_path, name)
    graph = tw.Graph.load(path, **options).fix_values("fp32")
    model = Model(graph, MODELS[name], batch, tokens, context if phase == "decode" else 0)
    expected = model.run(routing)
    result = tw.run(exact, graph, check=True, type="fp32")
    assert result.ok
    output = "block2.feed_forward_norm.out" if name == "bert" else "head.out"
    got = result.outputs[output]
    np.testing.assert_allclose(got, expected, atol=2e-5 * np.abs(expected).max())
    if name != "bert":
        key = next(values for tensor, values in result.outputs.items()
                   if tensor.startswith("block1.key") and values.ndim == 3)
        np.testing.assert_allclose(key.reshape(model.keys[0].shape), model.keys[0], atol=1e-5)


def test_three_blocks_are_simulated_then_four_then_all(tmp_path):
    path = tmp_path / "deep.json"
    for layers, counts in ((2, [2]), (3, [3]), (4, [3, 4]), (6, [3, 4, 6])):
        path.write_text(json.dumps({**MODELS["llama"], "num_hidden_layers": layers}))
        assert tw.language.block_counts(path, True, context=16) == counts
        assert tw.language.block_counts(path, False, context=16) == [layers]


def test_three_blocks_stand_for_all(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text(json.dumps({**MODELS["llama"], "num_hidden_layers": 6, "hidden_size": 1024,
                                "intermediate_size": 4096, "num_attention_heads": 8, "vocab_size": 256,
                                "max_position_embeddings": 128}))
    options = {"phase": "decode", "context": 64, "batch": 32}
    short = tw.run("tpu_v4_like", path, **options)
    whole = tw.run("tpu_v4_like", path, repeat=False, **options)
    assert (short.language.simulated_layers, whole.language.simulated_layers) == (3, 6)
    for figure in ("time_per_token_ps", "dram_read_bytes", "multiply_adds", "total_picojoules"):
        assert short.language[figure] == pytest.approx(whole.language[figure], rel=0.01), figure
    assert whole.language.time_per_token_ps == whole.time_ps
    assert whole.language.total_picojoules == pytest.approx(whole.energy * 1e12)


def test_other_workloads_have_no_such_figures_and_options():
    assert tw.run("edge_single", "tiny_mlp").language is None
    with pytest.raises(tw.UserError, match="--phase, --context, --new, --routing and --weights are for configurations"):
        tw.plan("edge_single", "tiny_mlp", phase="decode")
    with pytest.raises(tw.UserError, match="phase: is for configurations of language models"):
        graph = tw.Graph("g")
        graph.relu(graph.input("x", (4,)))
        tw.plan("edge_single", graph, phase="decode")


def test_names_of_models_that_come_along():
    assert {"llama_3_8b", "mixtral_8x7b", "gpt2"} <= set(tw.workloads())


def test_a_study_takes_the_time_of_all_blocks(tmp_path):
    path = config_file(tmp_path, "llama")
    config = {**MODELS["llama"], "num_hidden_layers": 6, "hidden_size": 256, "intermediate_size": 512,
              "num_attention_heads": 4}
    path.write_text(json.dumps(config))
    file = tmp_path / "study.yaml"
    file.write_text(f"""name: language
hardware: {tw._core.shipped_path("tpu_v4_like", "chip")}
parameters:
  - {{key: core.frequency_mhz, values: [800, 1000]}}
workloads:
  - {{file: {path}, phase: decode, context: 48, batch: 2}}
objectives: [latency, energy]
""")
    found = tw.explore(str(file), output=str(tmp_path / "out"))
    point = next(point for point in found.points if point["point"] == 1)
    alone = tw.run("tpu_v4_like", path, phase="decode", context=48, batch=2)
    assert point["workloads"][0]["time_ps"] == alone.language.time_per_token_ps
    assert point["figures"]["latency_us"] == pytest.approx(alone.language.time_per_token_ps * 1e-6)
    assert point["figures"]["energy_uj"] == pytest.approx(alone.language.total_picojoules * 1e-6)
