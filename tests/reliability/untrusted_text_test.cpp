// Names of models, chips and folders are anything: none may become markup, a command, another line or another field of
// what is written.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "sim/base/csv.h"
#include "tests/reliability/process.h"

namespace tilewright::testing_support {
namespace {

using Json = nlohmann::json;
using testing::Each;
using testing::Not;

const std::vector<std::string>& hostile_names() {
  static const std::vector<std::string> kNames{"quotes \"'`",
                                               "$(touch FOUND)",
                                               "`touch FOUND`",
                                               "\"; touch FOUND; \"",
                                               "<script>alert(1)</script>",
                                               "</script><img src=x onerror=alert(1)>",
                                               "&lt;b&gt;",
                                               "line\nbreak",
                                               "tab\tand\rreturn",
                                               "\x1b[31mred",
                                               "größer 漢字 🙂",
                                               "a,b;c#d|e",
                                               "=1+1",
                                               "-rf",
                                               "../../up",
                                               "%s%n{0}{}",
                                               "\\x41 \\n",
                                               std::string(3000, 'x')};
  return kNames;
}

std::string yaml_text(const std::string& name) { return Json(name).dump(); }  // JSON strings are YAML

// A chain of operators of these names.
std::string hostile_network() {
  std::string text = "name: " + yaml_text("net $(touch FOUND) <script>alert(1)</script>\nx") +
                     "\ninputs:\n  - {name: x, shape: [16, 16]}\noperators:\n";
  std::string input = "x";
  for (const std::string& name : hostile_names()) {
    text += "  - {name: " + yaml_text(name) + ", kind: Relu, inputs: [" + yaml_text(input) +
            "], output: " + yaml_text(name + ".out") + "}\n";
    input = name + ".out";
  }
  return text;
}

class UntrustedText : public testing::Test {
 protected:
  UntrustedText() {
    fs::create_directories(folder_);
    write(folder_ / "net.yaml", hostile_network());
    write(folder_ / "study.yaml", "name: study\nhardware: " + std::string(TILEWRIGHT_SOURCE_DIR) +
                                      "/hw_configs/edge_single.yaml\nparameters:\n  - {key: core.buffer_a_kib, "
                                      "values: [16, 32]}\nworkloads:\n  - {file: net.yaml}\nobjectives: [latency]\n");
    std::string chip = read_file(TILEWRIGHT_SOURCE_DIR "/hw_configs/edge_single.yaml");
    const std::size_t name = chip.find("\nname:");
    chip.replace(name, chip.find('\n', name + 1) - name,
                 "\nname: " + yaml_text(hostile_names()[4] + "\n$(touch FOUND)"));
    write(folder_ / "chip.yaml", chip);
  }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  // In the folder of that name.
  void run(const std::string& line) {
    run_to_the_end("cd \"$(cat OUT/where)\" && " + line, scratch_.path(), scratch_.path() / "log");
  }

  ScratchFolder scratch_{"untrusted"};
  const fs::path folder_ = scratch_.path() / "it's $(touch FOUND) `touch FOUND` {slice} \"q\"";
};

TEST_F(UntrustedText, NamesStayNamesInWhateverIsWritten) {
  write(scratch_.path() / "where", folder_.string());
  run("$T run chip.yaml net.yaml -o run --trace --program --check --waveform waves.vcd > printed && $T report run -o "
      "page.html && $T exec chip.yaml run/program.tw > again && $T plan chip.yaml net.yaml > plan && $T labels "
      "chip.yaml net.yaml > labels");

  std::vector<std::string> in_json, in_table;
  const Json summary = Json::parse(read_file(folder_ / "run/summary.json"));
  for (const Json& op : summary["operators"]) in_json.push_back(op["name"]);
  for (const CsvLine& line : read_csv_lines((folder_ / "run/operators.csv").string()))
    in_table.push_back(line.fields.at(0));
  EXPECT_EQ(in_json, hostile_names());
  ASSERT_EQ(in_table.size(), hostile_names().size() + 1);
  EXPECT_TRUE(Json::accept(read_file(folder_ / "run/trace.json")));

  EXPECT_THAT(read_file(folder_ / "page.html"), Not(testing::HasSubstr("</script><img")));
  EXPECT_THAT(read_file(folder_ / "page.html"), Not(testing::HasSubstr("alert(1)</script>")));
  for (const char* printed : {"printed", "again", "plan", "labels"})
    EXPECT_THAT(read_file(folder_ / printed), Each(testing::AnyOf('\n', testing::Ge(' '), testing::Lt('\0'))))
        << printed;
  EXPECT_THAT(read_file(folder_ / "waves.vcd"), Not(testing::HasSubstr("touch FOUND")));
}

// The commands that a study's results propose are for a shell.
TEST_F(UntrustedText, ProposedCommandsRunAsTheyStand) {
  write(scratch_.path() / "where", folder_.string());
  run("$T explore study.yaml -o study > /dev/null && $T report study -o page.html");
  const Json results = Json::parse(read_file(folder_ / "study/results.json"));
  std::string commands = "set -e; tilewright() { $T \"$@\" > /dev/null; }\n";
  for (const std::string command : results["points"][0]["commands"]) commands += command + "\n";
  write(folder_ / "commands", commands);
  run("source ./commands");
  EXPECT_THAT(read_file(folder_ / "page.html"), Not(testing::HasSubstr("alert(1)</script>")));
}

TEST_F(UntrustedText, NothingWasRunAndNothingLiesElsewhere) {
  write(scratch_.path() / "where", folder_.string());
  run("$T explore study.yaml -o study > /dev/null; $T run chip.yaml net.yaml -o run --trace > /dev/null");
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scratch_.path()))
    EXPECT_NE(entry.path().filename(), "FOUND") << entry.path();
  EXPECT_FALSE(fs::exists(TILEWRIGHT_SOURCE_DIR "/FOUND"));
  EXPECT_FALSE(fs::exists(scratch_.path().parent_path() / "up"));
}

}  // namespace
}  // namespace tilewright::testing_support
