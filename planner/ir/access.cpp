#include "planner/ir/access.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/ir/storage_order.h"
#include "sim/base/error.h"

namespace tilewright {
namespace {

// One dimension of a transfer while it is being folded.
struct Dim {
  std::int64_t extent, pad_low, pad_high, dram_stride, chip_stride;
  bool padded() const { return pad_low != 0 || pad_high != 0; }
};

struct Walk {
  Address dram, chip;
  std::vector<Dim> dims;  // outermost first
};

int first_real_dimension(const Shape& shape) {
  const auto it = std::find_if(shape.begin(), shape.end(), [](std::int64_t size) { return size != 1; });
  return it == shape.end() ? 0 : static_cast<int>(it - shape.begin());
}

std::int64_t inner_elements(const Shape& shape, int dimension) {
  return std::accumulate(shape.begin() + std::min<std::ptrdiff_t>(dimension + 1, std::ssize(shape)), shape.end(),
                         std::int64_t{1}, std::multiplies<>());
}

// Neighbouring dimensions that are one run on both sides become one; dimensions of one element vanish.
std::vector<Dim> fold(const std::vector<Dim>& dims) {
  std::vector<Dim> folded;
  for (const Dim& dim : dims) {
    if (dim.extent == 1 && !dim.padded()) continue;
    if (!folded.empty()) {
      Dim& outer = folded.back();
      if (!outer.padded() && !dim.padded() && outer.dram_stride == dim.dram_stride * dim.extent &&
          outer.chip_stride == dim.chip_stride * dim.extent) {
        outer = {outer.extent * dim.extent, 0, 0, dim.dram_stride, dim.chip_stride};
        continue;
      }
    }
    folded.push_back(dim);
  }
  return folded;
}

Transfer make_transfer(const Walk& walk, const TensorRegion& region, Space space, TransferKind kind, DataType type) {
  Transfer transfer{.kind = kind, .type = type, .pad_value = region.pad_value, .cached = region.cached};
  Box dram{Space::kDram, walk.dram, {}}, chip{space, walk.chip, {}};
  std::size_t at = kBoxDims - walk.dims.size();
  for (const Dim& dim : walk.dims) {
    transfer.shape[at] = dim.extent;
    transfer.pad_low[at] = dim.pad_low;
    transfer.pad_high[at] = dim.pad_high;
    dram.stride[at] = dim.dram_stride;
    chip.stride[at++] = dim.chip_stride;
  }
  transfer.source = kind == TransferKind::kLoad ? dram : chip;
  transfer.target = kind == TransferKind::kLoad ? chip : dram;
  return transfer;
}

// Unrolls the outermost unpadded dimension until five are left.
void append_transfers(Walk walk, const TensorRegion& region, Space space, TransferKind kind, DataType type,
                      std::vector<Transfer>& out) {
  if (walk.dims.size() <= kBoxDims) {
    out.push_back(make_transfer(walk, region, space, kind, type));
    return;
  }
  const auto it = std::find_if(walk.dims.begin(), walk.dims.end(), [](const Dim& dim) { return !dim.padded(); });
  SIM_CHECK(it != walk.dims.end(), "more than {} padded dimensions", kBoxDims);
  const Dim unrolled = *it;
  walk.dims.erase(it);
  for (std::int64_t i = 0; i < unrolled.extent; ++i) {
    append_transfers(walk, region, space, kind, type, out);
    walk.dram += unrolled.dram_stride;
    walk.chip += unrolled.chip_stride;
  }
}

std::int64_t step_of(const TensorRegion& region, std::size_t d) { return region.step.empty() ? 1 : region.step[d]; }
std::int64_t low_pad(const TensorRegion& region, std::size_t d) {
  return region.pad_low.empty() ? 0 : region.pad_low[d];
}
std::int64_t high_pad(const TensorRegion& region, std::size_t d) {
  return region.pad_high.empty() ? 0 : region.pad_high[d];
}

// The part of the region in one piece of `view`, dimensions as they lie there; no dims when they do not meet. Padding
// goes with the outermost elements.
std::optional<Walk> walk_piece(const TensorRegion& region, const ChipBox& chip, const PlacedView& view,
                               std::size_t index, int element_bytes) {
  const PlacedPiece& piece = view.pieces[index];
  Walk walk{piece.address, chip.address, {}};
  const std::vector<std::int64_t> strides = view.strides_of(index);
  for (const int dimension : view.nesting) {
    const auto d = static_cast<std::size_t>(dimension);
    const std::int64_t dram_stride = strides[d] * element_bytes;
    const Range whole = region.box[d];
    const std::int64_t step = step_of(region, d), count = ceil_div(whole.size(), step);
    std::int64_t first = 0, last = count, origin = 0;
    if (dimension == view.split_dimension) {
      first = piece.range.begin <= whole.begin ? 0 : ceil_div(piece.range.begin - whole.begin, step);
      last = std::min(count, piece.range.end <= whole.begin ? 0 : ceil_div(piece.range.end - whole.begin, step));
      origin = piece.range.begin;
    }
    const bool only_padding = count == 0 && low_pad(region, d) > 0 && origin == 0;
    if (first >= last && !only_padding) return std::nullopt;
    const std::int64_t pad_low = first == 0 ? low_pad(region, d) : 0;
    const std::int64_t pad_high = last == count ? high_pad(region, d) : 0;
    const std::int64_t skipped = first == 0 ? 0 : first + low_pad(region, d);
    if (!only_padding) walk.dram += (whole.begin + first * step - origin) * dram_stride;
    walk.chip += skipped * chip.stride[d];
    walk.dims.push_back({last - first + pad_low + pad_high, pad_low, pad_high, dram_stride * step, chip.stride[d]});
  }
  return walk;
}

}  // namespace

TensorId storage_of(const Plan& plan, TensorId tensor) {
  while (plan.tensors.at(tensor).alias_of >= 0) tensor = plan.tensors[tensor].alias_of;
  return tensor;
}

std::vector<TensorId> storages_of(const Plan& plan, TensorId tensor) {
  if (plan.tensors.at(tensor).parts.empty()) return {storage_of(plan, tensor)};
  std::vector<TensorId> storages;
  for (const TensorId part : plan.tensors[tensor].parts) storages.push_back(storage_of(plan, part));
  return storages;
}

std::vector<PartOfBox> parts_of_box(const Plan& plan, TensorId whole, const BoxRange& box) {
  const int along = plan.tensors.at(whole).parted_along;
  std::vector<PartOfBox> found;
  std::int64_t first = 0;
  for (const TensorId part : plan.tensors[whole].parts) {
    const std::int64_t size = plan.graph.tensor(part).shape[along];
    const Range common{std::max(box[along].begin, first), std::min(box[along].end, first + size)};
    if (common.size() > 0) {
      found.push_back({part, box, common.begin - box[along].begin});
      found.back().box[along] = {common.begin - first, common.end - first};
    }
    first += size;
  }
  return found;
}

bool lies_in_cluster_memory(const Plan& plan, TensorId tensor) {
  const auto& pieces = plan.tensors[storage_of(plan, tensor)].pieces;
  return !pieces.empty() && !pieces.front().in_dram();
}

std::vector<PlacedPiece> view_pieces(const TensorPlan& root, const Shape& root_shape, const Shape& shape,
                                     int* dimension) {
  if (root_shape == shape) {
    *dimension = root.split_dimension;
    return root.pieces;
  }
  *dimension = first_real_dimension(shape);
  if (root.pieces.size() == 1) {
    const std::int64_t size = shape.empty() ? 1 : shape[*dimension];
    PlacedPiece piece = root.pieces[0];
    piece.range = {0, size};
    return {piece};
  }
  if (root.split_dimension > first_real_dimension(root_shape)) return {};
  const std::int64_t from = inner_elements(root_shape, root.split_dimension), to = inner_elements(shape, *dimension);
  std::vector<PlacedPiece> pieces = root.pieces;
  for (PlacedPiece& piece : pieces) {
    if (piece.range.begin * from % to != 0 || piece.range.end * from % to != 0) return {};
    piece.range = {piece.range.begin * from / to, piece.range.end * from / to};
  }
  return pieces;
}

namespace {

// `nesting` empty: as in the shape.
PlacedView view_of(int split, std::vector<PlacedPiece> pieces, const Shape& shape, std::vector<int> nesting) {
  PlacedView view{split, std::move(pieces), shape, std::move(nesting), {}, {}};
  if (view.nesting.empty()) {
    view.nesting.resize(shape.size());
    std::iota(view.nesting.begin(), view.nesting.end(), 0);
  }
  for (const PlacedPiece& piece : view.pieces) view.along.push_back(piece.range.size());
  return view;
}

// What a part of `shape`, from `first` on along a dimension, sees of the pieces of the whole.
PlacedView part_of_view(const PlacedView& whole, const TensorPlan& part, const Shape& shape) {
  const int along = part.joined_along, cut = whole.split_dimension;
  const std::int64_t end = part.first + shape[along];
  PlacedView view{cut, {}, whole.held, whole.nesting, {}, {}};
  for (std::size_t i = 0; i < whole.pieces.size(); ++i) {
    PlacedPiece piece = whole.pieces[i];
    const std::int64_t stride = whole.strides_of(i)[along] * bytes_of(part.type);
    if (cut == along) {
      const Range common{std::max(piece.range.begin, part.first), std::min(piece.range.end, end)};
      if (common.size() <= 0) continue;
      piece.address += (common.begin - piece.range.begin) * stride;
      piece.range = {common.begin - part.first, common.end - part.first};
    } else {
      piece.address += part.first * stride;
    }
    view.pieces.push_back(piece);
    view.along.push_back(whole.along[i]);
    view.rows.push_back(whole.rows[i]);
  }
  return view;
}

// Where a tensor begins within the memory that it shares, by dimension; empty: it is no part.
std::vector<std::int64_t> first_within(const Plan& plan, TensorId tensor) {
  std::vector<std::int64_t> first;
  for (; plan.tensors.at(tensor).alias_of >= 0; tensor = plan.tensors[tensor].alias_of) {
    const TensorPlan& own = plan.tensors[tensor];
    if (own.joined_along < 0) continue;
    first.resize(plan.graph.tensor(tensor).shape.size(), 0);
    first[own.joined_along] += own.first;
  }
  return first;
}

}  // namespace

std::vector<std::int64_t> PlacedView::strides_of(std::size_t index) const {
  std::vector<std::int64_t> strides(held.size());
  std::int64_t stride = 1;
  for (std::size_t at = nesting.size(); at-- > 0;) {
    const int d = nesting[at];
    strides[d] = stride;
    stride *= d == split_dimension ? along[index] : held[d];
    if (stride == rows[index]) stride += pieces[index].gap;
  }
  return strides;
}

bool seen_alike(const Plan& plan, TensorId a, TensorId b) {
  return plan.graph.tensor(a).shape == plan.graph.tensor(b).shape &&
         plan.tensors[a].permuted == plan.tensors[b].permuted && first_within(plan, a) == first_within(plan, b);
}

PlacedView placed_view(const Plan& plan, TensorId tensor) {
  const TensorId storage = storage_of(plan, tensor);
  const TensorPlan& own = plan.tensors[tensor];
  const Shape& shape = plan.graph.tensor(tensor).shape;
  SIM_CHECK(own.permuted.empty(), "'{}' lies in the order of '{}'", plan.graph.tensor(tensor).name,
            plan.graph.tensor(storage).name);
  if (own.joined_along >= 0) return part_of_view(placed_view(plan, own.alias_of), own, shape);
  int dimension = 0;
  auto pieces = view_pieces(plan.tensors[storage], plan.graph.tensor(storage).shape, shape, &dimension);
  SIM_CHECK(!pieces.empty(), "tensor '{}' has no place", plan.graph.tensor(tensor).name);
  const std::vector<int>& nesting = plan.tensors[storage].nesting;
  SIM_CHECK(nesting.empty() || shape == plan.graph.tensor(storage).shape, "'{}' is seen in another shape",
            plan.graph.tensor(storage).name);
  PlacedView view = view_of(dimension, std::move(pieces), shape, nesting);
  for (const PlacedPiece& piece : plan.tensors[storage].pieces)
    view.rows.push_back(row_of(plan.tensors[storage], plan.graph.tensor(storage).shape, piece));
  return view;
}

std::int64_t row_of(const TensorPlan& tensor, const Shape& shape, const PlacedPiece& piece) {
  if (shape.empty()) return 1;
  const int innermost = tensor.nesting.empty() ? static_cast<int>(shape.size()) - 1 : tensor.nesting.back();
  return innermost == tensor.split_dimension ? piece.range.size() : shape[innermost];
}

Bytes piece_bytes(const TensorPlan& tensor, const Shape& shape, const PlacedPiece& piece) {
  const std::int64_t whole = shape.empty() ? 1 : shape[tensor.split_dimension];
  const std::int64_t elements = element_count(shape) / whole * piece.range.size();
  const std::int64_t gaps = piece.gap == 0 ? 0 : elements / row_of(tensor, shape, piece) * piece.gap;
  return (elements + gaps) * bytes_of(tensor.type);
}

std::vector<std::int64_t> TensorRegion::extents() const {
  std::vector<std::int64_t> result(box.size());
  for (std::size_t d = 0; d < box.size(); ++d)
    result[d] = ceil_div(box[d].size(), step_of(*this, d)) + low_pad(*this, d) + high_pad(*this, d);
  return result;
}

std::vector<std::int64_t> packed_strides(const std::vector<std::int64_t>& extents, int element_bytes) {
  std::vector<std::int64_t> strides(extents.size());
  std::int64_t stride = element_bytes;
  for (std::size_t d = extents.size(); d-- > 0; stride *= extents[d]) strides[d] = stride;
  return strides;
}

std::int64_t product_of(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

namespace {

// Box by box, as regions of the storage.
std::vector<Transfer> permuted_transfers(const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                                         TransferKind kind) {
  SIM_CHECK(region.step.empty() && region.pad_low.empty() && region.pad_high.empty(),
            "steps or padding in '{}', whose elements lie in another order", plan.graph.tensor(region.tensor).name);
  const StorageOrder order(plan, region.tensor);
  std::vector<Transfer> out;
  for (const StorageBox& part : order.boxes(region.box)) {
    ChipBox from{chip.space, chip.address, order.strides(chip.stride)};
    for (std::size_t d = 0; d < part.offset.size(); ++d) from.address += part.offset[d] * chip.stride[d];
    TensorRegion storage{.tensor = order.storage(), .box = part.box};
    storage.cached = region.cached;
    const auto transfers = transfers_of(plan, storage, from, kind);
    out.insert(out.end(), transfers.begin(), transfers.end());
  }
  return out;
}

// Part by part.
std::vector<Transfer> parted_transfers(const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                                       TransferKind kind) {
  const auto along = static_cast<std::size_t>(plan.tensors[region.tensor].parted_along);
  SIM_CHECK(step_of(region, along) == 1 && low_pad(region, along) == 0 && high_pad(region, along) == 0,
            "steps or padding across the parts of '{}'", plan.graph.tensor(region.tensor).name);
  std::vector<Transfer> out;
  for (PartOfBox& part : parts_of_box(plan, region.tensor, region.box)) {
    TensorRegion own = region;
    own.tensor = part.tensor;
    own.box = std::move(part.box);
    const ChipBox at{chip.space, chip.address + part.skipped * chip.stride[along], chip.stride};
    const auto transfers = transfers_of(plan, own, at, kind);
    out.insert(out.end(), transfers.begin(), transfers.end());
  }
  return out;
}

}  // namespace

std::vector<Transfer> transfers_of(const Plan& plan, const TensorRegion& region, const ChipBox& chip,
                                   TransferKind kind) {
  const DataType type = plan.tensors[region.tensor].type;
  SIM_CHECK(region.box.size() == plan.graph.tensor(region.tensor).shape.size(), "a box of {} dimensions in '{}' of {}",
            region.box.size(), plan.graph.tensor(region.tensor).name, plan.graph.tensor(region.tensor).shape.size());
  if (!plan.tensors[region.tensor].parts.empty()) return parted_transfers(plan, region, chip, kind);
  if (!plan.tensors[region.tensor].permuted.empty()) return permuted_transfers(plan, region, chip, kind);
  const PlacedView view = placed_view(plan, region.tensor);
  std::vector<Transfer> out;
  for (std::size_t i = 0; i < view.pieces.size(); ++i) {
    auto walk = walk_piece(region, chip, view, i, bytes_of(type));
    if (!walk) continue;
    walk->dims = fold(walk->dims);
    append_transfers(*walk, region, chip.space, kind, type, out);
  }
  return out;
}

std::string piece_name(const std::string& tensor, const TensorPlan& placed, std::size_t piece) {
  return placed.pieces.size() == 1 ? tensor : fmt::format("{}#{}", tensor, piece);
}

std::string copy_name(const std::string& piece, std::size_t copy) { return fmt::format("{}@{}", piece, copy + 2); }

}  // namespace tilewright
