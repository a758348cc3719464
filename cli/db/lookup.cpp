// tilewright db lookup DATABASE HARDWARE SHAPE: which record serves a shape, and what it predicts.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>

#include "cli/db/db.h"
#include "planner/graph/data_type_choices.h"
#include "planner/report/run/text.h"
#include "sim/base/csv.h"
#include "sim/base/error.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

struct LookupCommand : DatabaseOptions {
  std::vector<std::int64_t> conv, matmul;
  std::string shape, batch, type = "bf16";
  LookupOptions lookup;
};

OperatorShape shape_of(const LookupCommand& command) {
  if (command.conv.empty() && command.matmul.empty() && command.shape.empty())
    throw UserError("", "needs --conv, --matmul, --shape or --batch");
  if (!command.shape.empty()) return parse_operator_shape(command.shape, "--shape");
  const bool conv = !command.conv.empty();
  const auto& dims = conv ? command.conv : command.matmul;
  return parse_operator_shape(fmt::format("{} {} {}", conv ? "conv" : "matmul", fmt::join(dims, "_"), command.type),
                              conv ? "--conv" : "--matmul");
}

void print(const OperatorShape& shape, const Hit& hit) {
  const TilingRecord& record = *hit.record;
  fmt::print("{}\n", to_string(shape));
  fmt::print("  match              {}\n", name_of(hit.match));
  fmt::print("  record             {}\n", to_string(record.shape));
  if (!record.parent.empty()) fmt::print("  boundary of        {} ({})\n", record.parent, record.broke);
  fmt::print("  tiling             {}\n", to_string(record.point));
  fmt::print("  {} cost      {} cycles, {}, utilisation {:.1f} %, program {:016x}\n",
             record.measured ? "measured " : "predicted", record.cost.cycles,
             energy_text(static_cast<double>(record.cost.energy_pj)), 100 * record.cost.utilisation,
             record.cost.program_hash);
  fmt::print("  in proportion      {:.0f} cycles, {}: {:g} times the record's\n", hit.proportional.cycles,
             energy_text(hit.proportional.energy_pj), hit.rounds);
  const std::string energy_bound =
      hit.energy_error_bound ? fmt::format(" ± {:.0f} %", 100 * *hit.energy_error_bound) : "";
  fmt::print("  predicted cost     {:.0f} cycles ± {:.0f} %, {}{}: as {} grows from the record\n", hit.predicted.cycles,
             100 * hit.error_bound, energy_text(hit.predicted.energy_pj), energy_bound,
             hit.by_queue_model ? "the queue model" : "the planner's model of time");
  std::string extents;
  for (std::size_t i = 0; i < hit.padded.size(); ++i)
    extents += fmt::format("{}{} {}", i == 0 ? "" : ", ", extent_names(shape)[i], hit.padded[i]);
  fmt::print("  counted as         {} ({:.1f} % padding)\n", extents, 100 * hit.padding);
  fmt::print("  linear region      {} (predicted linearity {})\n", hit.linear ? "yes" : "no",
             hit.linearity == 0 ? "unknown" : fmt::format("{:.3f}", hit.linearity));
}

// One line per shape, in their order.
std::string csv_row(const OperatorShape& shape, const std::optional<Hit>& hit) {
  if (!hit) return fmt::format("{},no record,,,,,,,,,\n", to_string(shape));
  return fmt::format("{},{},{},{},{},{:.6g},{:.4f},{:.0f},{:.0f},{:.4f},{:.0f}\n", to_string(shape),
                     name_of(hit->match), to_string(hit->record->shape), csv_field(to_string(hit->record->point)),
                     hit->linear ? "yes" : "no", hit->rounds, hit->padding, hit->proportional.cycles,
                     hit->predicted.cycles, hit->error_bound, hit->predicted.energy_pj);
}

int look_up_all(const LookupCommand& command, const Hardware& hardware) {
  const std::vector<OperatorShape> shapes = read_shapes(command.batch);
  const auto index = load_index(command, hardware);
  std::string csv =
      "shape,match,record,tiling,linear_region,rounds,padding,proportional_cycles,predicted_cycles,error_bound,energy_"
      "pj\n";
  for (const OperatorShape& shape : shapes) csv += csv_row(shape, lookup_on(*index, shape, hardware, command.lookup));
  fmt::print("{}", csv);
  return 0;
}

int run(const LookupCommand& command) {
  const Hardware hardware = load_hardware(command.hardware);
  if (!command.batch.empty()) return look_up_all(command, hardware);
  const OperatorShape shape = shape_of(command);
  const auto index = load_index(command, hardware);
  const auto hit = lookup_on(*index, shape, hardware, command.lookup);
  if (!hit) {
    fmt::print("{}\n  no record serves this shape\n", to_string(shape));
    return 1;
  }
  print(shape, *hit);
  return 0;
}

}  // namespace

void add_db_lookup(CLI::App& db, int& result) {
  auto c = std::make_shared<LookupCommand>();
  CLI::App* sub = db.add_subcommand("lookup", "Which record serves a shape, and what it predicts; exit code 1: none");
  add_database(*sub, *c);
  add_hardware(*sub, *c);
  CLI::Option* conv = sub->add_option("--conv", c->conv, "N,H,W,Ci,Co,Kh,Kw,S")->delimiter(',');
  CLI::Option* matmul = sub->add_option("--matmul", c->matmul, "B,M,N,K")->delimiter(',')->excludes(conv);
  CLI::Option* shape =
      sub->add_option("--shape", c->shape, "a shape with attributes, e.g. 'conv 1_56_56_64_64_3_3_1 bf16 groups=64'")
          ->excludes(conv)
          ->excludes(matmul);
  sub->add_option("--batch", c->batch,
                  "file of shapes, one per line: a CSV line for each; exit code 0 whatever is found")
      ->type_name("FILE")
      ->excludes(conv)
      ->excludes(matmul)
      ->excludes(shape);
  sub->add_option("--type", c->type, "element type of --conv and --matmul")->check(CLI::IsMember(network_type_names()));
  add_objective(*sub, *c);
  add_lookup_options(*sub, c->lookup);
  sub->callback([c, &result] { result = run(*c); });
}

}  // namespace tilewright
