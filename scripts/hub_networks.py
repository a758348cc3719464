"""Networks as their libraries define them today (transformers, timm, torchvision) and small modules around single functions,
for scripts/export_networks: name -> a function that makes the module and its inputs. What is not installed is left out.

Sizes are small: the graphs are those of the full networks with fewer blocks and channels.
"""

import torch
import torch.nn as nn
import torch.nn.functional as F

NETWORKS = {}
# Dimensions of the inputs that a second export leaves open, by name.
OPEN = {}


class First(nn.Module):
    """The first result of a module that returns several."""

    def __init__(self, module, key=None):
        super().__init__()
        self.module, self.key = module, key

    def forward(self, *inputs):
        result = self.module(*inputs)
        for key in (self.key, "logits", "last_hidden_state", "out"):
            if key and (hasattr(result, key) or (isinstance(result, dict) and key in result)):
                return getattr(result, key) if hasattr(result, key) else result[key]
        return result[0] if isinstance(result, (tuple, list)) else result


class Function(nn.Module):
    """A function of modules and inputs."""

    def __init__(self, function, *modules):
        super().__init__()
        self.function, self.parts = function, nn.ModuleList(modules)

    def forward(self, *inputs):
        return self.function(self.parts, *inputs)


def tokens(*shape, most=128):
    return torch.randint(0, most, shape)


def image(side=64, channels=3):
    return torch.randn(1, channels, side, side)


def add_language_models():
    import transformers as hub

    size = {"vocab_size": 128, "hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96,
            "max_position_embeddings": 64}
    special = {"use_cache": False, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}

    def decoder(name, family, **more):
        model, config = getattr(hub, f"{family}ForCausalLM"), getattr(hub, f"{family}{more.pop('config', '')}Config")
        NETWORKS[f"hf_{name}"] = lambda: (First(model(config(**{**size, **special, **more}))), (tokens(1, 16),))

    def encoder(name, family, **more):
        model, config = getattr(hub, f"{family}Model"), getattr(hub, f"{family}Config")
        NETWORKS[f"hf_{name}"] = lambda: (First(model(config(**{**size, **more}))), (tokens(2, 16),))

    grouped = {"num_key_value_heads": 2}
    decoder("llama", "Llama", **grouped)
    decoder("mistral", "Mistral", sliding_window=8, **grouped)
    decoder("qwen2", "Qwen2", **grouped)
    decoder("qwen3", "Qwen3", head_dim=16, **grouped)
    decoder("gemma", "Gemma", num_key_value_heads=1, head_dim=16)
    decoder("gemma2", "Gemma2", head_dim=16, sliding_window=8, **grouped)
    decoder("gemma3", "Gemma3", config="Text", head_dim=16, sliding_window=8, **grouped)
    decoder("phi", "Phi")
    decoder("phi3", "Phi3", **grouped)
    decoder("olmo", "Olmo")
    decoder("neox", "GPTNeoX")
    decoder("falcon", "Falcon")
    decoder("granite", "Granite", **grouped)
    decoder("smollm3", "SmolLM3", **grouped)
    decoder("starcoder2", "Starcoder2", **grouped)
    decoder("stablelm", "StableLm", **grouped)
    decoder("mixtral", "Mixtral", num_local_experts=4, experts_implementation="batched_mm", **grouped)
    encoder("bert", "Bert")
    encoder("roberta", "Roberta")
    encoder("electra", "Electra", embedding_size=32)
    encoder("albert", "Albert", embedding_size=32)
    encoder("mpnet", "MPNet")
    encoder("deberta2", "DebertaV2", relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"])
    encoder("modernbert", "ModernBert", pad_token_id=0, cls_token_id=1, sep_token_id=2)
    NETWORKS["hf_distilbert"] = lambda: (First(hub.DistilBertModel(hub.DistilBertConfig(
        vocab_size=128, dim=64, n_layers=2, n_heads=4, hidden_dim=96, max_position_embeddings=64))), (tokens(2, 16),))
    NETWORKS["hf_opt"] = lambda: (First(hub.OPTForCausalLM(hub.OPTConfig(
        vocab_size=128, hidden_size=64, num_hidden_layers=2, num_attention_heads=4, ffn_dim=96, max_position_embeddings=64,
        word_embed_proj_dim=64, use_cache=False))), (tokens(1, 16),))
    NETWORKS["hf_bloom"] = lambda: (First(hub.BloomForCausalLM(hub.BloomConfig(
        vocab_size=128, hidden_size=64, n_layer=2, n_head=4, use_cache=False))), (tokens(1, 16),))
    NETWORKS["hf_gpt2"] = lambda: (First(hub.GPT2LMHeadModel(hub.GPT2Config(
        vocab_size=128, n_embd=64, n_layer=2, n_head=4, n_positions=64, use_cache=False))), (tokens(1, 16),))
    NETWORKS["hf_mamba"] = lambda: (First(hub.MambaForCausalLM(hub.MambaConfig(
        vocab_size=128, hidden_size=32, num_hidden_layers=1, state_size=4, use_cache=False))), (tokens(1, 8),))
    t5 = {"vocab_size": 128, "d_model": 64, "d_kv": 16, "d_ff": 96, "num_layers": 1, "num_heads": 4, "use_cache": False}
    NETWORKS["hf_t5enc"] = lambda: (First(hub.T5EncoderModel(hub.T5Config(**t5))), (tokens(1, 16),))
    NETWORKS["hf_t5"] = lambda: (
        Function(lambda m, a, b: m[0](input_ids=a, decoder_input_ids=b).last_hidden_state, hub.T5Model(hub.T5Config(**t5))),
        (tokens(1, 8), tokens(1, 6)))
    NETWORKS["hf_whisper_enc"] = lambda: (First(hub.WhisperModel(hub.WhisperConfig(
        vocab_size=128, d_model=64, encoder_layers=2, decoder_layers=1, encoder_attention_heads=4,
        decoder_attention_heads=4, encoder_ffn_dim=96, decoder_ffn_dim=96, num_mel_bins=16, max_source_positions=32,
        max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2, decoder_start_token_id=1)).encoder),
        (torch.randn(1, 16, 64),))
    NETWORKS["hf_wav2vec2"] = lambda: (First(hub.Wav2Vec2Model(hub.Wav2Vec2Config(
        hidden_size=32, num_hidden_layers=1, num_attention_heads=2, intermediate_size=64, conv_dim=(16, 16, 16),
        conv_stride=(5, 2, 2), conv_kernel=(10, 3, 3), num_feat_extract_layers=3, num_conv_pos_embeddings=16,
        num_conv_pos_embedding_groups=4))), (torch.randn(1, 1600),))

    def cached(name, family, **more):
        model, config = getattr(hub, f"{family}ForCausalLM"), getattr(hub, f"{family}Config")

        def step(parts, ids, *past):
            cache = hub.DynamicCache()
            for layer in range(2):
                cache.update(past[2 * layer], past[2 * layer + 1], layer)
            return parts[0](input_ids=ids, past_key_values=cache, use_cache=True).logits

        NETWORKS[f"hf_{name}_cache"] = lambda: (
            Function(step, model(config(**{**size, **special, **grouped, **more, "use_cache": True}))),
            (tokens(1, 1), *(torch.randn(1, 2, 12, 16) for _ in range(4))))

    cached("llama", "Llama")
    cached("qwen3", "Qwen3", head_dim=16)
    for name in ("llama", "qwen3", "gemma2", "gpt2", "bert", "t5enc", "opt", "distilbert", "roberta", "modernbert"):
        OPEN[f"hf_{name}"] = [{0: "batch", 1: "tokens"}]
    OPEN["hf_wav2vec2"] = [{0: "batch", 1: "samples"}]


def add_image_transformers():
    import transformers as hub

    size = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 96, "image_size": 64,
            "patch_size": 16}

    def add(name, family, config=None, model="Model", **more):
        make, options = getattr(hub, family + model), getattr(hub, f"{config or family}Config")
        NETWORKS[f"hf_{name}"] = lambda: (First(make(options(**more))), (image(),))

    add("vit", "ViT", **size)
    add("dinov2", "Dinov2", **size)
    add("beit", "Beit", use_relative_position_bias=True, **size)
    add("clip_vision", "CLIPVision", **size)
    add("siglip", "SiglipVision", **size)
    add("yolos", "Yolos", **{**size, "image_size": [64, 64]}, num_detection_tokens=8)
    window = {"image_size": 64, "patch_size": 4, "embed_dim": 24, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}
    add("swin", "Swin", **window)
    add("swinv2", "Swinv2", **window)
    add("segformer", "Segformer", model="ForSemanticSegmentation", hidden_sizes=[16, 32, 40, 64], depths=[1, 1, 1, 1],
        decoder_hidden_size=32, num_labels=5)
    add("convnextv2", "ConvNextV2", hidden_sizes=[16, 32, 64, 96], depths=[1, 1, 2, 1], image_size=64)
    NETWORKS["hf_dpt"] = lambda: (First(hub.DPTForDepthEstimation(hub.DPTConfig(
        hidden_size=32, num_hidden_layers=4, num_attention_heads=2, intermediate_size=48, image_size=64, patch_size=16,
        backbone_out_indices=[0, 1, 2, 3], neck_hidden_sizes=[8, 8, 16, 16], fusion_hidden_size=16,
        reassemble_factors=[4, 2, 1, 0.5])), "predicted_depth"), (image(),))
    OPEN["hf_segformer"] = [{0: "batch"}]


def add_image_networks():
    import timm
    import torchvision

    fixed = {"coat_lite_tiny", "levit_128s", "xcit_nano_12_p16_224"}
    for name in """mobilenetv3_small_050 efficientnet_lite0 regnety_002 ghostnet_050 convnext_atto mobilevit_xxs
                   mnasnet_small resnet10t tf_efficientnetv2_b0 repvgg_a0 hardcorenas_a edgenext_xx_small fastvit_t8
                   poolformer_s12 lcnet_050 eca_nfnet_l0 coat_lite_tiny xcit_nano_12_p16_224 levit_128s
                   efficientvit_b0 tinynet_e semnasnet_075 dla34 resnest14d cspresnet50 inception_next_atto
                   mobileone_s0 mobilenetv4_conv_small""".split():
        NETWORKS[f"timm_{name}"] = lambda name=name: (
            timm.create_model(name, pretrained=False, num_classes=10), (image(224 if name in fixed else 96),))
    vision = torchvision.models
    for name in ("shufflenet_v2_x0_5", "squeezenet1_1", "resnet18", "mobilenet_v2"):
        NETWORKS[f"tv_{name}"] = lambda name=name: (getattr(vision, name)(weights=None, num_classes=10), (image(96),))
    NETWORKS["tv_googlenet"] = lambda: (
        First(vision.googlenet(weights=None, num_classes=10, init_weights=False, aux_logits=False)), (image(96),))
    NETWORKS["tv_lraspp"] = lambda: (First(vision.segmentation.lraspp_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5)), (image(96),))
    NETWORKS["tv_swin"] = lambda: (vision.swin_transformer.SwinTransformer(
        [4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=10), (image(),))
    for name in ("tv_resnet18", "timm_mobilenetv3_small_050", "tv_lraspp"):
        OPEN[name] = [{0: "batch", 2: "height", 3: "width"}]


def add_functions():
    def add(name, function, inputs, *modules):
        NETWORKS[f"op_{name}"] = lambda: (Function(function, *(module() for module in modules)), inputs())

    def floats(*shapes):
        return lambda: tuple(torch.randn(*shape) for shape in shapes)

    rows = floats((4, 12))
    add("lstm", lambda m, x: m[0](x)[0], floats((2, 8, 16)), lambda: nn.LSTM(16, 32, 2, batch_first=True, bidirectional=True))
    add("gru", lambda m, x: m[0](x)[0], floats((2, 8, 16)), lambda: nn.GRU(16, 32, batch_first=True))
    add("rnn", lambda m, x: m[0](x)[0], floats((8, 2, 16)), lambda: nn.RNN(16, 32))
    add("mha", lambda m, x: m[0](x, x, x)[0], floats((2, 8, 32)), lambda: nn.MultiheadAttention(32, 4, batch_first=True))
    add("encoder_layer", lambda m, x: m[0](x), floats((2, 8, 32)),
        lambda: nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True))
    add("decoder_layer", lambda m, x, y: m[0](x, y), floats((2, 8, 32), (2, 6, 32)),
        lambda: nn.TransformerDecoderLayer(32, 4, 64, batch_first=True))
    add("conv1d", lambda m, x: m[1](F.gelu(m[0](x))), floats((2, 16, 40)), lambda: nn.Conv1d(16, 32, 5, padding=2),
        lambda: nn.ConvTranspose1d(32, 8, 4, 2))
    add("conv3d", lambda m, x: F.relu(m[0](x)).mean((2, 3, 4)), floats((1, 3, 8, 12, 12)),
        lambda: nn.Conv3d(3, 8, 3, padding=1))
    add("conv_same", lambda m, x: m[0](x) + m[1](x), floats((1, 4, 9, 9)),
        lambda: nn.Conv2d(4, 4, 3, padding="same", dilation=2),
        lambda: nn.Conv2d(4, 4, (1, 5), padding="same", padding_mode="circular"))
    add("deconv", lambda m, x: m[1](F.relu(m[0](x))), floats((1, 8, 7, 7)), lambda: nn.ConvTranspose2d(8, 16, 4, 2, 1),
        lambda: nn.ConvTranspose2d(16, 4, 3, 1, 1, groups=2))
    add("norms", lambda m, x: m[2](m[1](m[0](x))), floats((2, 16, 10, 10)), lambda: nn.GroupNorm(4, 16),
        lambda: nn.InstanceNorm2d(16, affine=True), lambda: nn.BatchNorm2d(16))
    add("rmsnorm", lambda m, x: m[0](x), floats((2, 8, 32)), lambda: nn.RMSNorm(32))
    add("geglu", lambda m, x: F.gelu(m[0](x), approximate="tanh") * m[1](x), floats((4, 32)), lambda: nn.Linear(32, 48),
        lambda: nn.Linear(32, 48))
    add("prelu_bn1d", lambda m, x: m[1](m[0](x)), floats((2, 8, 16)), lambda: nn.PReLU(8), lambda: nn.BatchNorm1d(8))
    add("embedding", lambda m, i, x: torch.cat([m[0](i).sum(1), m[1](x)], 1),
        lambda: (tokens(4, 6, most=50), torch.randn(4, 8)), lambda: nn.Embedding(50, 16), lambda: nn.Linear(8, 16))
    add("upsample", lambda m, x: torch.cat([
        F.interpolate(x, scale_factor=2, mode="nearest"),
        F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=False),
        F.interpolate(x, scale_factor=2, mode="bilinear", align_corners=True),
        F.interpolate(x, scale_factor=2, mode="bicubic", align_corners=False)], 1), floats((1, 4, 9, 7)))
    add("shuffles", lambda m, x: F.pixel_unshuffle(F.pixel_shuffle(x, 2), 4), floats((1, 16, 8, 8)))
    add("pads", lambda m, x: torch.cat([F.pad(x, (1, 2, 3, 1), mode=mode) for mode in (
        "constant", "reflect", "replicate")], 1), floats((1, 4, 9, 7)))
    add("pools", lambda m, x: torch.cat([F.adaptive_avg_pool2d(x, (3, 3)), F.avg_pool2d(x, 4), F.max_pool2d(x, 4)], 1),
        floats((1, 4, 12, 12)))
    add("pools_1d_3d", lambda m, x, y: (F.max_pool1d(x, 3, 2, 1) - F.avg_pool1d(x, 3, 2, 1)).mean()
        + F.max_pool3d(y, 2) + F.avg_pool3d(y, 2), floats((1, 8, 21), (1, 4, 8, 8, 8)))
    add("unfold", lambda m, x: F.unfold(x, 3, padding=1), floats((1, 4, 8, 8)))
    add("reductions", lambda m, x: torch.stack([
        x.amax(-1), x.amin(-1), x.sum(-1), x.mean(-1), x.std(-1), x.norm(dim=-1), x.logsumexp(-1), x.var(-1)]),
        floats((4, 6, 12)))
    add("argmax", lambda m, x: x.argmax(-1) + x.argmin(-1), floats((4, 6, 12)))
    add("topk", lambda m, x: torch.topk(x, 3, -1)[0], rows)
    add("sort", lambda m, x: torch.sort(x, -1)[0], rows)
    add("where", lambda m, x, y: torch.where(x > y, x, y.exp()), floats((4, 12), (4, 12)))
    add("masks", lambda m, x: x.masked_fill(x < 0, float("-inf")).softmax(-1).nan_to_num(), rows)
    add("logic", lambda m, x, y: ((x > 0) & (y > 0) | ~(x < y)).float() + torch.logical_xor(x > 0, y > 0),
        floats((4, 12), (4, 12)))
    add("integers", lambda m, i, j: (i // 3 + j % 5 - (i * 2)).float(), lambda: (tokens(4, 6), tokens(4, 6)))
    add("gather", lambda m, x, i: torch.gather(x, 1, i), lambda: (torch.randn(4, 12), tokens(4, 5, most=12)))
    add("index", lambda m, x, i: x[i], lambda: (torch.randn(10, 12), tokens(5, most=10)))
    add("scatter", lambda m, x, i, v: x.scatter(1, i, v),
        lambda: (torch.randn(4, 12), tokens(4, 1, most=12), torch.randn(4, 1)))
    add("cumsum", lambda m, x: torch.cumsum(x, 1), rows)
    add("einsum", lambda m, x, y: torch.einsum("bhqd,bhkd->bhqk", x, y), floats((2, 2, 5, 8), (2, 2, 6, 8)))
    add("triangles", lambda m, x: torch.tril(x) + torch.triu(x, 2), floats((3, 8, 8)))
    add("roll_flip", lambda m, x: torch.roll(x, (1, -2), (2, 3)) + x.flip(2), floats((1, 4, 8, 8)))
    add("split", lambda m, x: torch.cat([part * (i + 1) for i, part in enumerate(torch.split(x, [2, 3, 7], 1))][::-1], 1), rows)
    add("repeat", lambda m, x: x.unsqueeze(1).expand(4, 3, 12).repeat_interleave(2, 1), rows)
    add("normalise", lambda m, x: F.normalize(x, dim=1) + F.log_softmax(x, 1) + F.softmax(x, 0), rows)
    add("cosine", lambda m, x, y: F.cosine_similarity(x, y), floats((4, 12), (4, 12)))
    add("activations", lambda m, x: torch.stack([
        F.gelu(x), F.gelu(x, approximate="tanh"), F.silu(x), F.mish(x), F.hardswish(x), F.hardsigmoid(x), F.leaky_relu(x),
        F.elu(x), F.selu(x), F.softplus(x), F.relu6(x), torch.tanh(x), F.celu(x), F.softsign(x), F.logsigmoid(x)]), rows)
    add("mathematics", lambda m, x: torch.stack([
        x.abs().sqrt(), x.sin(), x.cos(), x.exp(), (x.abs() + 1).log(), x.abs() ** 1.5, torch.erf(x), x.floor(), x.ceil(),
        x.round(), x.sign(), x.clamp(-1, 1), torch.atan(x), (x.abs() + .1).rsqrt(), x.reciprocal(), torch.fmod(x, 2.0)]), rows)
    heads = (1, 4, 12, 16)
    add("attention_causal", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        floats(heads, heads, heads))
    add("attention_grouped", lambda m, q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        floats(heads, (1, 2, 12, 16), (1, 2, 12, 16)))
    add("grid_sample", lambda m, x, g: F.grid_sample(x, g.clamp(-1, 1), align_corners=False),
        floats((1, 4, 8, 8), (1, 5, 5, 2)))
    add("fft", lambda m, x: torch.fft.rfft(x).abs(), floats((4, 16)))
    OPEN["op_conv1d"] = [{0: "batch", 2: "length"}]
    OPEN["op_upsample"] = [{0: "batch", 2: "height", 3: "width"}]
    OPEN["op_encoder_layer"] = [{0: "batch", 1: "steps"}]
    OPEN["op_attention_causal"] = [{0: "batch", 2: "tokens"}] * 3


def add_installed():
    for add in (add_functions, add_language_models, add_image_transformers, add_image_networks):
        try:
            add()
        except ImportError as missing:
            print(f"left out: {missing}")
        except AttributeError as missing:  # an older library
            print(f"left out, with what comes behind: {missing}")


add_installed()
