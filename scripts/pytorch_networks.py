"""Networks for scripts/compare_with_pytorch: name -> () -> (module, inputs, opset). Small inputs, untrained weights."""

import torch
import torchvision
from torch import nn
from torch.nn import functional as F

NETWORKS = {}
FOLDED = {}  # False: exported without PyTorch's own constant folding


def network(opset=13, folded=True):
    def add(make):
        NETWORKS[make.__name__] = lambda: (*make(), opset)
        FOLDED[make.__name__] = folded
        return make
    return add


def flattened(value):
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        yield from flattened(list(value.values()))
    else:
        for part in value:
            yield from flattened(part)


def settled(module):
    """Batch normalisations whose statistics are not those of an untrained network's first step."""
    for part in module.modules():
        if isinstance(part, nn.modules.batchnorm._BatchNorm):
            part.running_mean.uniform_(-0.1, 0.1)
            part.running_var.uniform_(0.8, 1.2)
    return module


def image_network(name, size, **options):
    def make():
        module = settled(getattr(torchvision.models, name)(weights=None, **options))
        return module, (torch.randn(1, 3, size, size),), 13
    NETWORKS[name] = make


for _name in ["resnet18", "resnet50", "wide_resnet50_2", "resnext50_32x4d", "densenet121", "mobilenet_v2",
              "mobilenet_v3_small", "mobilenet_v3_large", "shufflenet_v2_x1_0", "squeezenet1_1", "mnasnet1_0",
              "regnet_y_400mf", "regnet_x_400mf", "efficientnet_b0", "efficientnet_v2_s", "convnext_tiny"]:
    image_network(_name, 64)
image_network("alexnet", 224)
image_network("vgg11", 224)
image_network("vgg11_bn", 224)
image_network("googlenet", 64, init_weights=False, aux_logits=False)
image_network("inception_v3", 96, init_weights=False, aux_logits=False)
image_network("vit_b_16", 64, image_size=64)
image_network("swin_t", 64)


@network(opset=12)
def fcn_resnet50():
    net = torchvision.models.segmentation.fcn_resnet50(weights=None, weights_backbone=None)
    return settled(net), (torch.randn(1, 3, 64, 64),)


@network()
def deeplabv3_mobilenet():
    net = torchvision.models.segmentation.deeplabv3_mobilenet_v3_large(weights=None, weights_backbone=None)
    return settled(net), (torch.randn(1, 3, 64, 64),)


@network()
def lraspp_mobilenet():
    net = torchvision.models.segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None)
    return settled(net), (torch.randn(1, 3, 64, 64),)


@network()
def ssdlite_detection():
    net = torchvision.models.detection.ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None)
    return net, (torch.randn(1, 3, 96, 96),)


@network()
def video_r3d_18():
    return settled(torchvision.models.video.r3d_18(weights=None)), (torch.randn(1, 3, 4, 32, 32),)


class Attention(nn.Module):
    def __init__(self, width, heads, causal=False):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x, mask=None):
        b, t, w = x.shape
        q, k, v = self.qkv(x).reshape(b, t, 3, self.heads, w // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / (w // self.heads) ** 0.5
        if self.causal:
            scores = scores.masked_fill(torch.ones(t, t, dtype=torch.bool).triu(1), float("-inf"))
        if mask is not None:
            scores = scores + (1.0 - mask[:, None, None, :].to(scores.dtype)) * torch.finfo(scores.dtype).min
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, w))


class Bert(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.words, self.places = nn.Embedding(500, width), nn.Embedding(32, width)
        self.norm, self.attention = nn.LayerNorm(width), Attention(width, 4)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.pool = nn.Linear(width, width)

    def forward(self, ids, mask):
        x = self.norm(self.words(ids) + self.places(torch.arange(ids.shape[1])[None]))
        x = self.norm1(x + self.attention(x, mask))
        x = self.norm2(x + self.mlp(x))
        return x, torch.tanh(self.pool(x[:, 0]))


@network(folded=False)
def bert():
    mask = torch.ones(2, 16, dtype=torch.long)
    mask[1, 10:] = 0
    return Bert(), (torch.randint(0, 500, (2, 16)), mask)


@network()
def roberta_positions():
    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(500, 32, padding_idx=1), nn.Embedding(40, 32, padding_idx=1)

        def forward(self, ids):
            mask = ids.ne(1).int()
            return self.words(ids) + self.places((torch.cumsum(mask, 1) * mask).long() + 1)
    return Positions(), (torch.randint(0, 500, (2, 16)),)


class Gpt2(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.norm, self.out = nn.LayerNorm(width), nn.Linear(width, width)
        self.qkv = nn.Linear(width, 3 * width)

    def forward(self, x, key, value):
        b, t, w = x.shape
        q, k, v = self.qkv(self.norm(x)).split(w, 2)
        q, k, v = (part.view(b, t, 4, w // 4).transpose(1, 2) for part in (q, k, v))
        k, v = torch.cat([key, k], 2), torch.cat([value, v], 2)
        known = k.shape[2]
        mask = torch.tril(torch.ones(known, known, dtype=torch.bool))[known - t:known][None, None]
        scores = torch.where(mask, q @ k.transpose(-1, -2) / 4.0, torch.tensor(-1e4))
        x = x + self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, w))
        return x + 0.5 * x * (1 + torch.tanh(0.79788456 * (x + 0.044715 * x.pow(3)))), k, v


@network(opset=14, folded=False)
def gpt2_block():
    return Gpt2(), (torch.randn(1, 4, 64), torch.randn(1, 4, 8, 16), torch.randn(1, 4, 8, 16))


class Llama(nn.Module):
    def __init__(self, width=64, heads=4, groups=2):
        super().__init__()
        self.heads, self.groups, self.head = heads, groups, width // heads
        self.scale = nn.Parameter(torch.rand(width) + 0.5)
        self.q, self.kv = nn.Linear(width, width, bias=False), nn.Linear(width, 2 * groups * self.head, bias=False)
        self.o, self.up, self.gate, self.down = (nn.Linear(a, b, bias=False) for a, b in
                                                 ((width, width), (width, 128), (width, 128), (128, width)))

    def norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.scale

    def rotated(self, x):
        t, d = x.shape[2], x.shape[3]
        angle = torch.arange(t).float()[:, None] * 10000.0 ** (-torch.arange(0, d, 2).float() / d)
        angle = torch.cat([angle, angle], 1)
        half = torch.cat([-x[..., d // 2:], x[..., :d // 2]], -1)
        return x * angle.cos() + half * angle.sin()

    def forward(self, x):
        b, t, w = x.shape
        n = self.norm(x)
        q = self.rotated(self.q(n).view(b, t, self.heads, self.head).transpose(1, 2))
        k, v = self.kv(n).view(b, t, 2 * self.groups, self.head).transpose(1, 2).chunk(2, 1)
        k = self.rotated(k)
        k, v = (part[:, :, None].expand(b, self.groups, self.heads // self.groups, t, self.head).reshape(
            b, self.heads, t, self.head) for part in (k, v))
        scores = q @ k.transpose(-1, -2) / self.head ** 0.5 + torch.full((t, t), float("-inf")).triu(1)
        x = x + self.o((scores.softmax(-1) @ v).transpose(1, 2).reshape(b, t, w))
        n = self.norm(x)
        return x + self.down(F.silu(self.gate(n)) * self.up(n))


@network(opset=14, folded=False)
def llama_block():
    return Llama(), (torch.randn(1, 12, 64),)


@network()
def whisper_encoder():
    class Encoder(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1, self.conv2 = nn.Conv1d(20, 64, 3, padding=1), nn.Conv1d(64, 64, 3, stride=2, padding=1)
            self.layer = nn.TransformerEncoderLayer(64, 4, 128, activation="gelu", batch_first=True, norm_first=True)

        def forward(self, mel):
            x = F.gelu(self.conv2(F.gelu(self.conv1(mel)))).permute(0, 2, 1)
            position = torch.arange(x.shape[1]).float()[:, None] * torch.exp(-torch.arange(32).float() * 0.3)
            return self.layer(x + torch.cat([position.sin(), position.cos()], 1))
    return Encoder(), (torch.randn(1, 20, 32),)


class Unet(nn.Module):
    def __init__(self, up):
        super().__init__()
        self.a, self.b = nn.Conv2d(3, 16, 3, padding=1), nn.Conv2d(16, 32, 3, padding=1)
        self.c = nn.Conv2d(48, 8, 3, padding=1)
        self.up = up

    def forward(self, x):
        a = F.leaky_relu(self.a(x), 0.1)
        return self.c(torch.cat([a, self.up(F.elu(self.b(F.max_pool2d(a, 2))))], 1))


@network()
def unet_transposed():
    return Unet(nn.ConvTranspose2d(32, 32, 4, 2, 1)), (torch.randn(1, 3, 32, 32),)


@network()
def unet_bilinear():
    return Unet(nn.Upsample(scale_factor=2, mode="bilinear", align_corners=False)), (torch.randn(1, 3, 32, 32),)


@network()
def unet_nearest():
    return Unet(nn.Upsample(scale_factor=2, mode="nearest")), (torch.randn(1, 3, 32, 32),)


@network()
def unet_bicubic():
    return Unet(nn.Upsample(scale_factor=2, mode="bicubic", align_corners=True)), (torch.randn(1, 3, 32, 32),)


@network()
def diffusion_block():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.conv = nn.GroupNorm(8, 32), nn.Conv2d(32, 32, 3, padding=1)
            self.time, self.attention = nn.Linear(32, 32), Attention(32, 2)

        def forward(self, x, t):
            f = torch.exp(-torch.arange(16).float() * 0.5)[None] * t[:, None]
            x = x + self.conv(F.silu(self.norm(x))) + self.time(torch.cat([f.sin(), f.cos()], 1))[:, :, None, None]
            b, c, h, w = x.shape
            return x + self.attention(x.flatten(2).transpose(1, 2)).transpose(1, 2).reshape(b, c, h, w)
    return Block(), (torch.randn(1, 32, 8, 8), torch.tensor([3.0]))


@network()
def lstm():
    class Tagger(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.lstm = nn.Embedding(100, 16), nn.LSTM(16, 24, 2, bidirectional=True)
            self.out = nn.Linear(48, 5)

        def forward(self, ids):
            return F.log_softmax(self.out(self.lstm(self.words(ids))[0]), -1)
    return Tagger(), (torch.randint(0, 100, (6, 2)),)


class Recurrent(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell = cell

    def forward(self, x):
        y, h = self.cell(x)
        return y, h


@network()
def gru():
    return Recurrent(nn.GRU(16, 24)), (torch.randn(5, 2, 16),)


@network()
def rnn():
    return Recurrent(nn.RNN(16, 24)), (torch.randn(5, 2, 16),)


@network()
def dlrm():
    class Dlrm(nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = nn.ModuleList(nn.Embedding(50, 16) for _ in range(4))
            self.bottom = nn.Sequential(nn.Linear(8, 16), nn.ReLU())
            self.top = nn.Sequential(nn.Linear(26, 1), nn.Sigmoid())

        def forward(self, dense, ids):
            x = self.bottom(dense)
            rows = torch.stack([x] + [table(ids[:, i]) for i, table in enumerate(self.tables)], 1)
            pairs = torch.bmm(rows, rows.transpose(1, 2))
            i, j = torch.tril_indices(5, 5, -1)
            return self.top(torch.cat([x, pairs[:, i, j]], 1))
    return Dlrm(), (torch.randn(4, 8), torch.randint(0, 50, (4, 4)))


@network()
def mixture_of_experts():
    class Moe(nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = nn.Linear(32, 4)
            experts = (nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 32)) for _ in range(4))
            self.experts = nn.ModuleList(experts)

        def forward(self, x):
            weights, chosen = self.gate(x).softmax(-1).topk(2, -1)
            result = torch.zeros_like(x)
            for i, expert in enumerate(self.experts):
                share = torch.where(chosen == i, weights, torch.zeros_like(weights)).sum(-1, keepdim=True)
                result = result + share * expert(x)
            return result
    return Moe(), (torch.randn(6, 32),)


@network()
def qdq_convolutions():
    class Qdq(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3, padding=1)

        def forward(self, x):
            x = torch.fake_quantize_per_tensor_affine(x, 0.03, 0, -128, 127)
            w = torch.fake_quantize_per_tensor_affine(self.a.weight, 0.01, 0, -128, 127)
            x = torch.fake_quantize_per_tensor_affine(F.relu(F.conv2d(x, w, self.a.bias, padding=1)), 0.02, 0, 0, 255)
            return x + self.b(x)
    return Qdq(), (torch.randn(1, 3, 16, 16),)


@network(opset=14)
def activations():
    class Zoo(nn.Module):
        def forward(self, x):
            parts = [F.hardswish(x), F.hardsigmoid(x), F.elu(x), F.selu(x), F.softplus(x), F.leaky_relu(x, 0.2),
                     F.mish(x),
                     F.relu6(x), F.silu(x), F.softsign(x), F.celu(x, 0.7), F.hardtanh(x), F.gelu(x),
                     F.prelu(x, torch.tensor([0.3]))]
            return torch.stack(parts, 1)
    return Zoo(), (3 * torch.randn(2, 40),)


@network()
def reductions():
    class Zoo(nn.Module):
        def forward(self, x):
            return (x.sum(1), x.amax((1, 2)), x.amin(-1, keepdim=True), x.mean(), x.norm(dim=1), x.prod(2),
                    x.logsumexp(1), x.argmax(1), x.argmin(2), x.std(1), x.cumsum(1))
    return Zoo(), (torch.randn(2, 9, 7),)


@network(opset=14, folded=False)
def indexing():
    class Zoo(nn.Module):
        def forward(self, x, rows):
            return (x.gather(1, rows), torch.roll(x, 2, 1), x.flip(1), x[:, ::2], x.repeat(1, 2),
                    x.scatter(1, torch.tensor([[1, 3]]), torch.tensor([[9.0, 8.0]])), F.one_hot(rows, 6),
                    x.tril(-1),
                    x.index_select(1, torch.tensor([3, 0])), torch.where(x > 0, x, -x), x.masked_fill(x.lt(0.1), 5.0))
    return Zoo(), (torch.randn(5, 6), torch.randint(0, 6, (5, 3)))


@network()
def sorting():
    class Zoo(nn.Module):
        def forward(self, x):
            values, places = x.topk(4, 1)
            low, where = x.topk(3, 1, largest=False)
            return values, places, low, where, *x.sort(1, descending=True)
    return Zoo(), (torch.randn(3, 20),)


@network()
def super_resolution():
    net = nn.Sequential(nn.Conv2d(1, 16, 5, padding=2), nn.Tanh(), nn.Conv2d(16, 9, 3, padding=1), nn.PixelShuffle(3))
    return net, (torch.randn(1, 1, 12, 12),)


@network()
def style_transfer():
    net = nn.Sequential(nn.ReflectionPad2d(2), nn.Conv2d(3, 8, 5), nn.InstanceNorm2d(8, affine=True), nn.PReLU(8),
                        nn.ReplicationPad2d(1), nn.Conv2d(8, 8, 3, stride=2), nn.ZeroPad2d((1, 0, 1, 0)),
                        nn.Upsample(scale_factor=2), nn.Conv2d(8, 3, 3, padding=1))
    return net, (torch.randn(1, 3, 20, 20),)


@network()
def wavenet():
    class Wave(nn.Module):
        def __init__(self):
            super().__init__()
            self.convs = nn.ModuleList(nn.Conv1d(8, 16, 2, dilation=2 ** i) for i in range(3))
            self.out = nn.ConvTranspose1d(8, 4, 3, stride=2)

        def forward(self, x):
            for i, conv in enumerate(self.convs):
                a, b = conv(F.pad(x, (2 ** i, 0))).chunk(2, 1)
                x = x + torch.tanh(a) * torch.sigmoid(b)
            return self.out(x)
    return Wave(), (torch.randn(1, 8, 24),)


@network()
def einsum_attention():
    class Mix(nn.Module):
        def forward(self, q, k, v):
            scores = torch.einsum("bthd,bshd->bhts", q, k).softmax(-1)
            return (torch.einsum("bhts,bshd->bthd", scores, v), torch.einsum("bthd->hb", q),
                    torch.einsum("i,j->ij", q[0, 0, 0], k[0, 0, 0]))
    return Mix(), tuple(torch.randn(2, 6, 3, 8) for _ in range(3))


@network(opset=14, folded=False)
def branches_and_loops():
    @torch.jit.script
    def repeated(x, times: int):
        for i in range(times):
            if i % 2 == 0:
                x = x + float(i)
            else:
                x = x * 2.0
        return x

    class Loops(nn.Module):
        def forward(self, x):
            return repeated(x, 4)
    return Loops(), (torch.randn(3, 4),)


@network()
def autoencoder_1d():
    net = nn.Sequential(nn.Conv1d(2, 8, 4, 2, 1), nn.BatchNorm1d(8), nn.ReLU(), nn.AvgPool1d(2), nn.MaxPool1d(2),
                        nn.Flatten(), nn.Linear(32, 6), nn.LogSoftmax(-1))
    return settled(net), (torch.randn(2, 2, 32),)


@network()
def mlp_mixer():
    class Mixer(nn.Module):
        def __init__(self):
            super().__init__()
            self.patch, self.norm = nn.Conv2d(3, 32, 4, 4), nn.LayerNorm(32)
            self.tokens, self.channels = nn.Linear(16, 16), nn.Linear(32, 32)

        def forward(self, x):
            x = self.patch(x).flatten(2).transpose(1, 2)
            x = x + self.tokens(self.norm(x).transpose(1, 2)).transpose(1, 2)
            return (x + F.gelu(self.channels(self.norm(x)))).mean(1)
    return Mixer(), (torch.randn(1, 3, 16, 16),)


@network()
def constants_and_passes():
    class Odd(nn.Module):
        def forward(self, x):
            halves = torch.div((x * 3).to(torch.long), 2, rounding_mode="trunc")
            return x, torch.arange(5), x.to(torch.int32).to(torch.float32), torch.full((2, 3), 2.5), halves
    return Odd(), (4 * torch.randn(3, 4),)


@network()
def squeeze_excite():
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv2d(8, 8, 3, padding=1, groups=8)
            self.down, self.up = nn.Conv2d(8, 2, 1), nn.Conv2d(2, 8, 1)

        def forward(self, x):
            y = self.conv(x)
            return x + y * torch.sigmoid(self.up(F.hardswish(self.down(F.adaptive_avg_pool2d(y, 1)))))
    return Block(), (torch.randn(1, 8, 12, 12),)


@network()
def cross_attention():
    class Cross(nn.Module):
        def __init__(self):
            super().__init__()
            self.attention, self.norm = nn.MultiheadAttention(32, 4, batch_first=True), nn.LayerNorm(32)

        def forward(self, x, memory):
            return self.norm(x + self.attention(x, memory, memory, need_weights=False)[0])
    return Cross(), (torch.randn(2, 5, 32), torch.randn(2, 7, 32))


@network()
def point_cloud():
    class Points(nn.Module):
        def __init__(self):
            super().__init__()
            self.net, self.out = nn.Sequential(nn.Conv1d(3, 16, 1), nn.ReLU(), nn.Conv1d(16, 32, 1)), nn.Linear(32, 4)

        def forward(self, x):
            return F.softmax(self.out(self.net(x).max(2)[0]), -1)
    return Points(), (torch.randn(2, 3, 40),)


@network()
def contrastive_pair():
    class Pair(nn.Module):
        def __init__(self):
            super().__init__()
            self.image, self.scale = nn.Linear(24, 16), nn.Parameter(torch.tensor(2.0))
            self.words = nn.Embedding(60, 16)

        def forward(self, image, ids):
            a, b = F.normalize(self.image(image), dim=-1), F.normalize(self.words(ids).mean(1), dim=-1)
            return self.scale.exp() * a @ b.t()
    return Pair(), (torch.randn(3, 24), torch.randint(0, 60, (4, 6)))
