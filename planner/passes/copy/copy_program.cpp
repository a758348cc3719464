#include "planner/passes/copy/copy_program.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/constants/constants.h"
#include "planner/emit/copy/copy_job.h"
#include "planner/emit/hazard_linker.h"
#include "planner/emit/pipeline.h"
#include "planner/ir/region_allocator.h"
#include "sim/base/error.h"
#include "sim/isa/binary.h"

namespace tilewright {
namespace {

Bytes piece_bytes(const Hardware& hardware, const CopyTensor& tensor, DataType type) {
  return round_up(ceil_div(tensor.layout.physical_size() * bytes_of(type), Bytes{hardware.dram.regions}),
                  constants().tensor_alignment);
}

class ProgramMaker {
 public:
  ProgramMaker(const Hardware& hardware, const CopyJob& job)
      : hardware_(hardware), job_(job), allocator_(hardware), linkers_(hardware.cores()) {
    out_.program.name = job.name;
    out_.program.cores.resize(hardware.cores());
    for (const CopyTensor& tensor : job.tensors) place(tensor);
  }

  CopyProgram make() {
    for (std::size_t i = 0; i < job_.passes.size(); ++i) {
      if (i > 0) separate(static_cast<int>(i));
      add_pass(job_.passes[i]);
    }
    add_fetch_segments();
    return std::move(out_);
  }

 private:
  // Equal pieces at the same offset of every region.
  void place(const CopyTensor& tensor) {
    const Bytes bytes = piece_bytes(hardware_, tensor, job_.type);
    std::vector<Address> addresses;
    for (int region = 0; region < hardware_.dram.regions; ++region)
      addresses.push_back(allocator_.allocate(bytes, region, fmt::format("tensor '{}'", tensor.name)).address);
    addresses_.push_back(addresses[0]);
    for (int region = 0; region < hardware_.dram.regions; ++region)
      SIM_CHECK(addresses[region] == addresses[0] + region * hardware_.dram.region_capacity(),
                "the pieces of '{}' lie at different offsets", tensor.name);
    const auto pieces = pieces_of(hardware_, tensor, job_.type);
    for (std::size_t i = 0; i < pieces.size(); ++i)
      out_.program.segments.push_back({pieces[i].segment, tensor.kind, job_.type, addresses[i],
                                       (pieces[i].end - pieces[i].begin) * bytes_of(job_.type)});
  }

  CopySide side(int tensor, const View& view) const {
    const Bytes element = bytes_of(job_.type);
    CopySide side{job_.tensors[tensor].layout, view, 0, 0};
    if (hardware_.dram.regions == 1) return side;
    side.piece = piece_bytes(hardware_, job_.tensors[tensor], job_.type) / element;
    side.piece_stride = hardware_.dram.region_capacity() / element;
    return side;
  }

  void add_pass(const CopyPass& pass) {
    out_.program.operators.push_back(pass.name);
    const CopySide to = side(pass.to, pass.to_view);
    std::vector<CopyBox> boxes = plan_copy(side(pass.from, pass.from_view), to);
    if (pass.zero_padding)
      for (CopyBox& box : zero_padding(to)) boxes.push_back(std::move(box));
    const auto tiles = distribute(hardware_, job_, pass.tiling, boxes);
    for (std::size_t core = 0; core < tiles.size(); ++core) add_tiles(pass, tiles[core], core);
    out_.boxes.emplace_back();
    for (const CopyBox& box : boxes)
      for (CopyBox& part : limit_loops(box, kBoxDims)) out_.boxes.back().push_back(std::move(part));
  }

  void add_tiles(const CopyPass& pass, const std::vector<StagedTile>& tiles, std::size_t core) {
    if (tiles.empty()) return;
    const auto op = static_cast<std::uint16_t>(out_.program.operators.size() - 1);
    Pipeline pipeline(static_cast<int>(core), op, load_lookahead(hardware_));
    const Bytes area = hardware_.core.buffer_a / constants().copy_areas;
    SlotRing ring(pipeline, 0, area, static_cast<int>(constants().copy_areas));
    const CopyMemory from{Space::kDram, addresses_[pass.from]}, to{Space::kDram, addresses_[pass.to]};
    for (const StagedTile& tile : tiles) {
      const SlotRing::Place place = ring.next();
      const CopyMemory buffer{Space::kBufferA, place.address};
      pipeline.begin_step();
      for (const CopyBox& box : tile.loads)
        for (const Transfer& load : transfers_of(box, TransferKind::kLoad, job_.type, from, buffer))
          pipeline.load(load, place.slot);
      for (const CopyBox& box : tile.stores)
        for (const Transfer& store : transfers_of(box, TransferKind::kStore, job_.type, buffer, to))
          pipeline.emit(Unit::kStore, store, {place.slot}, {});
    }
    const Latest behind_barrier = linkers_[core].last();
    for (Instruction& instruction : pipeline.finish()) linkers_[core].append(std::move(instruction), behind_barrier);
  }

  // The stores of a core come behind the barrier by themselves, its loads by a token.
  void separate(int id) {
    Instruction barrier{.unit = Unit::kStore};
    barrier.payload = Barrier{id, hardware_.cores()};
    for (HazardLinker& linker : linkers_) linker.append(barrier);
  }

  void add_fetch_segments() {
    for (std::size_t core = 0; core < out_.program.cores.size(); ++core) {
      CoreProgram& program = out_.program.cores[core];
      program.instructions = linkers_[core].take();
      if (program.instructions.empty()) continue;
      const std::string name = fmt::format("instructions of core {}", core);
      const int region = hardware_.local_region(hardware_.cluster_of(static_cast<int>(core)));
      const Bytes bytes = encoded_size(program);
      program.fetch_address = allocator_.allocate(bytes, region, name).address;
      out_.program.segments.push_back(
          {name, SegmentKind::kInstructions, DataType::kInt8, program.fetch_address, bytes});
    }
  }

  const Hardware& hardware_;
  const CopyJob& job_;
  RegionAllocator allocator_;
  std::vector<Address> addresses_;     // of each tensor in region 0
  std::vector<HazardLinker> linkers_;  // by core
  CopyProgram out_;
};

}  // namespace

std::vector<CopyPiece> pieces_of(const Hardware& hardware, const CopyTensor& tensor, DataType type) {
  const std::int64_t each = piece_bytes(hardware, tensor, type) / bytes_of(type), size = tensor.layout.physical_size();
  std::vector<CopyPiece> pieces;
  for (std::int64_t at = 0; at < size; at += each)
    pieces.push_back({at + each < size || at > 0 ? fmt::format("{}#{}", tensor.name, pieces.size()) : tensor.name, at,
                      std::min(at + each, size)});
  return pieces;
}

CopyProgram make_copy_program(const Hardware& hardware, const CopyJob& job) {
  return ProgramMaker(hardware, job).make();
}

}  // namespace tilewright
