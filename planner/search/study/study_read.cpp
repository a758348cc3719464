#include "planner/search/study/study_read.h"

#include <cctype>
#include <filesystem>
#include <set>

#include "planner/constants/constants.h"
#include "planner/graph/data_type_choices.h"
#include "sim/base/file_kind.h"
#include "sim/base/hash.h"
#include "sim/base/text_file.h"
#include "sim/hw/config/read_hardware.h"

namespace tilewright {
namespace {

namespace fs = std::filesystem;

// A grid larger than this is a mistake; a sample can be drawn from one up to the second limit.
constexpr std::int64_t kMaxPoints = 1'000'000, kLargestGrid = 1'000'000'000'000;

std::string beside(const std::string& study, const std::string& file) {
  return (fs::path(study).parent_path() / file).lexically_normal().string();
}

// The base chip must be readable; whether it can be built may depend on the parameters.
void read_base(YamlMap& root, Study& study) {
  const std::string file = root.require_text("hardware");
  if (file.empty()) return;
  study.hardware_file = beside(study.file, file);
  read_hardware(study.hardware_file).problems.check();
  study.hardware_text = apply_settings(read_text_file(study.hardware_file), {});
}

void read_parameters(YamlMap& root, Study& study) {
  if (!root.has("parameters")) root.problem("parameters", "missing, expected a list");
  for (YamlMap& map : root.maps("parameters")) study.parameters.push_back(read_study_parameter(map));
}

void read_constraints(YamlMap& root, Study& study) {
  for (YamlMap& map : root.maps("constraints")) {
    const std::string key = map.require_text("figure");
    const std::optional<StudyFigure> figure = parse_figure_key(key);
    if (!key.empty() && !figure) map.expected("figure", figure_keys());
    StudyConstraint constraint{figure.value_or(StudyFigure::kArea), map.number("at_least"), map.number("at_most")};
    if (!map.has("at_least") && !map.has("at_most")) map.problem("at_most", "missing, expected at_most or at_least");
    map.reject_unknown_keys();
    study.constraints.push_back(constraint);
  }
}

const Choices<LanguagePhase> kPhases{{"prefill", LanguagePhase::kPrefill}, {"decode", LanguagePhase::kDecode}};

void read_language_run(YamlMap& map, StudyWorkload& workload) {
  LanguageRun& run = workload.language;
  run.phase = map.choice("phase", kPhases).value_or(run.phase);
  run.context = map.integer("context").value_or(run.context);
  run.new_tokens = map.integer("new").value_or(run.new_tokens);
  if (run.context < 0) map.expected("context", "0 or more");
  if (run.new_tokens < 1) map.expected("new", "1 or more");
  if (run != LanguageRun{} && !is_language_config(workload.file))
    map.problem("file", "phase, context and new are for configurations of language models (.json)");
}

void read_dimensions(YamlMap& map, StudyWorkload& workload) {
  std::optional<YamlMap> dims = map.map("dims");
  if (!dims) return;
  for (const std::string& name : dims->keys()) {
    workload.dimensions[name] = dims->integer(name).value_or(1);
    if (workload.dimensions[name] < 1) dims->expected(name, "1 or more");
  }
  dims->reject_unknown_keys();
  if (fs::path(workload.file).extension() != ".onnx")
    map.problem("dims", "is for ONNX models, whose files may name dimensions without values");
}

// Figures of all workloads together stay finite.
constexpr double kMostWeight = 1e9;

StudyWorkload read_workload(YamlMap& map, const std::string& study_file) {
  StudyWorkload workload;
  const std::string file = map.require_text("file");
  workload.file = beside(study_file, file);
  workload.name = map.text("name").value_or(fs::path(file).stem().string());
  workload.weight = map.number("weight").value_or(1);
  if (workload.weight <= 0 || workload.weight > kMostWeight)
    map.expected("weight", fmt::format("more than 0, and at most {:g}", kMostWeight));
  workload.type = map.choice("type", network_type_choices()).value_or(DataType::kBf16);
  workload.batch = map.integer("batch").value_or(1);
  if (workload.batch < 1) map.expected("batch", "1 or more");
  read_dimensions(map, workload);
  read_language_run(map, workload);
  workload.planner = read_planner(map, study_file);
  map.reject_unknown_keys();
  if (!file.empty() && !is_file(workload.file))
    map.problem("file", fmt::format("no such workload file: {}", workload.file));
  else if (!file.empty())
    workload.hash = fmt::format("{:016x}", fnv1a(read_text_file(workload.file)));
  return workload;
}

void read_workloads(YamlMap& root, Study& study) {
  std::set<std::string> names;
  for (YamlMap& map : root.maps("workloads")) {
    study.workloads.push_back(read_workload(map, study.file));
    if (const std::string& name = study.workloads.back().name; !names.insert(name).second)
      map.problem("name", fmt::format("two workloads are called '{}'", name));
  }
  if (study.workloads.empty()) root.problem("workloads", "expected at least one workload");
}

// A figure that the base chip says nothing about would be 0 everywhere.
void require_section(YamlMap& root, const char* key, StudyFigure figure, const Study& study) {
  const char* section = nullptr;
  if (figure == StudyFigure::kArea || figure == StudyFigure::kCost) section = "area";
  if (figure == StudyFigure::kEnergy || figure == StudyFigure::kEdp) section = "energy";
  if (section == nullptr || study.hardware_text.empty()) return;
  if (!YAML::Load(study.hardware_text)[section])
    root.problem(key,
                 fmt::format("{} needs the section '{}' in {}", info_of(figure).key, section, study.hardware_file));
}

void read_objectives(YamlMap& root, Study& study) {
  std::set<std::string> seen;
  for (const std::string& name : root.texts("objectives").value_or(std::vector<std::string>{})) {
    const std::optional<StudyFigure> figure = parse_objective_name(name);
    if (!figure) root.problem("objectives", fmt::format("got '{}', expected {}", name, objective_names()));
    if (!seen.insert(name).second) root.problem("objectives", fmt::format("'{}' is named twice", name));
    if (figure) study.objectives.push_back(*figure);
  }
  if (!root.has("objectives")) root.problem("objectives", "missing, expected a list of " + objective_names());
  for (StudyFigure figure : study.objectives) require_section(root, "objectives", figure, study);
  for (const StudyConstraint& limit : study.constraints) require_section(root, "constraints", limit.figure, study);
}

const Choices<StudyMethod> kStudyMethods{
    {"grid", StudyMethod::kGrid}, {"random", StudyMethod::kRandom}, {"halving", StudyMethod::kHalving}};

void read_sample(YamlMap& map, Study& study) {
  const std::optional<StudyMethod> method = map.choice("method", kStudyMethods);
  if (!map.has("method")) map.problem("method", "missing, expected grid|random|halving");
  if (method == StudyMethod::kGrid) return;
  if (method == StudyMethod::kHalving && study.workloads.size() < 2)
    map.problem("method", "halving needs two or more workloads: each round measures one more");
  study.method = method.value_or(StudyMethod::kHalving);
  study.sample = map.integer("points").value_or(0);
  if (map.has("points") ? study.sample < 1 : study.method == StudyMethod::kRandom)
    map.problem("points", "expected 1 or more points to draw");
  const std::int64_t seed = map.integer("seed").value_or(1);
  if (seed < 0) map.expected("seed", "0 or more");
  study.seed = static_cast<std::uint64_t>(seed);
}

void read_search(YamlMap& root, Study& study) {
  std::optional<YamlMap> map = root.map("search");
  if (!map) return;
  read_sample(*map, study);
  if (study.method == StudyMethod::kHalving) {
    study.keep = map->number("keep").value_or(constants().study_keep);
    if (study.keep <= 0 || study.keep >= 1) map->expected("keep", "more than 0 and less than 1");
  }
  map->reject_unknown_keys();
}

void read_name(YamlMap& root, Study& study) {
  study.name = root.require_text("name");
  for (const char c : study.name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-') {
      root.expected("name", "letters, digits, '_' and '-'");
      return;
    }
}

void check_size(YamlMap& root, const Study& study) {
  double size = 1;
  for (const StudyParameter& parameter : study.parameters) size *= static_cast<double>(parameter.rows.size());
  const double most = static_cast<double>(study.sample > 0 ? kLargestGrid : kMaxPoints);
  if (size > most) root.problem("parameters", fmt::format("the grid has {} points, expected at most {}", size, most));
}

void read(YamlDocument& document, Study& study) {
  YamlMap root = document.root();
  read_name(root, study);
  read_base(root, study);
  read_parameters(root, study);
  read_constraints(root, study);
  read_workloads(root, study);
  read_objectives(root, study);
  study.planner = read_planner(root, study.file).value_or(StudyPlanner{});
  read_search(root, study);
  check_size(root, study);
  root.reject_unknown_keys();
}

}  // namespace

Study load_study(const std::string& path) {
  const std::unique_ptr<YamlDocument> document = YamlDocument::from_file(path);
  Study study;
  study.file = std::filesystem::path(path).lexically_normal().string();  // however it is spelled
  read(*document, study);
  document->check();
  return study;
}

}  // namespace tilewright
