// The life of a tiling database as its users see it: the built program, its messages and its files.
#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fstream>
#include <regex>
#include <thread>

#include "planner/search/database/tiling_database.h"
#include "sim/base/error.h"
#include "tests/support/command_case.h"

namespace tilewright::testing_support {
namespace {

using Mode = TilingDatabase::Mode;

class Database : public testing::Test {
 protected:
  ScratchFolder scratch_{"tiling_database"};

  std::string path(const std::string& name) const { return (scratch_.path() / name).string(); }
  std::string build_arguments(const std::string& name, const std::string& more = "") const {
    return "db build hw_configs/edge_single.yaml -o " + path(name) +
           " --shapes tests/database/shapes.txt --threshold 0.05 --tolerance 0.1 --budget 2 --max-visits 8 --jobs 2 " +
           (more.starts_with("--max-boundary") ? more : "--max-boundary 3 " + more);
  }
  Outcome call(const std::string& arguments) const {
    Outcome outcome = run_tilewright(arguments, scratch_.path());
    for (auto& [name, text] : outcome.files) text = replace_all(text, scratch_.path().string() + "/", "");
    return outcome;
  }
  std::string expect(int exit_code, const std::string& arguments) const {
    const Outcome outcome = call(arguments);
    EXPECT_EQ(outcome.exit_code, exit_code) << arguments << "\n" << outcome.files.at("stderr");
    return outcome.files.at(exit_code == 2 ? "stderr" : "stdout");
  }
  // A database of a graph's operators, NAME.db, of NAME.yaml with this text; and a run of it with the database.
  std::string build_of_graph(const std::string& name, const std::string& graph) const {
    std::ofstream(path(name + ".yaml")) << graph;
    return expect(0, "db build hw_configs/edge_single.yaml -o " + path(name + ".db") + " --workload " +
                         path(name + ".yaml") + " --threshold 0 --max-boundary 0 --budget 2");
  }
  std::string run_of_graph(const std::string& name) const {
    return expect(0, "run hw_configs/edge_single.yaml " + path(name + ".yaml") + " --tilings " + path(name + ".db"));
  }
  std::string exported(const std::string& name) const { return expect(0, "db export " + path(name)); }

  // Begins a build as a process of its own.
  pid_t start(const std::string& arguments) const {
    const std::string log = path("log"), call = "cd '" TILEWRIGHT_SOURCE_DIR "' && exec '" TILEWRIGHT_BINARY_DIR
                                                "/cli/tilewright' " +
                                                arguments + " >'" + log + "' 2>&1";
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/bash", "bash", "-c", call.c_str(), nullptr);
      _exit(127);
    }
    return child;
  }
  std::ptrdiff_t answers(const std::string& name) const {
    if (!fs::exists(path(name))) return 0;
    try {
      const TilingDatabase database(path(name), Mode::kRead);
      std::ptrdiff_t count = 0;
      for (const TilingContext& context : database.contexts()) count += std::ssize(database.answers(context));
      return count;
    } catch (const UserError&) {
      return 0;  // not yet made
    }
  }
};
using DatabaseSlow = Database;

TEST_F(DatabaseSlow, ABuildKilledAgainAndAgainGivesTheSameRecords) {
  expect(0, build_arguments("whole.db"));
  const std::ptrdiff_t all = answers("whole.db");
  ASSERT_GT(all, 30);
  int kills = 0, status = 0;
  for (std::ptrdiff_t known = 0; known < all;) {
    const pid_t child = start(build_arguments("killed.db"));
    pid_t ended = 0;
    while (answers("killed.db") < known + 12 && (ended = waitpid(child, &status, WNOHANG)) == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (ended == 0) {
      kill(child, SIGKILL), ++kills;
      waitpid(child, &status, 0);
    }
    ASSERT_GE(answers("killed.db"), known) << "what was measured is lost";
    known = answers("killed.db");
    if (ended != 0) break;
  }
  EXPECT_GT(kills, 1);
  expect(0, build_arguments("killed.db"));
  EXPECT_EQ(exported("killed.db"), exported("whole.db"));
  EXPECT_EQ(expect(0, "db diff " + path("killed.db") + " " + path("whole.db")), "0 differences\n");
}

TEST_F(DatabaseSlow, ShardsAndBuildersAtOnceGiveTheRecordsOfOneBuild) {
  expect(0, build_arguments("whole.db"));
  for (const char* slice : {"1/2", "2/2"})
    expect(0, build_arguments(std::string("shard") + slice[0] + ".db", std::string("--slice ") + slice));
  expect(0, "db merge -o " + path("merged.db") + " " + path("shard2.db") + " " + path("shard1.db"));
  EXPECT_EQ(exported("merged.db"), exported("whole.db"));

  const pid_t other = start(build_arguments("both.db"));
  expect(0, build_arguments("both.db"));
  int status = 0;
  waitpid(other, &status, 0);
  EXPECT_EQ(status, 0) << read_file(path("log"));
  EXPECT_EQ(exported("both.db"), exported("whole.db"));
}

TEST_F(Database, VerifyFailsOnDriftAndDiffNamesIt) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  const std::string good = expect(0, "db verify " + path("a.db") + " hw_configs/edge_single.yaml");
  EXPECT_EQ(good, "4 records measured again, 0 differ\n");
  fs::copy(path("a.db"), path("b.db"));
  TilingRecord drifted;
  {
    TilingDatabase database(path("b.db"), Mode::kChange);
    drifted = database.records().at(0);
    drifted.cost.cycles += 1;
    database.put({drifted});
  }
  const std::string now = std::to_string(drifted.cost.cycles - 1), then = std::to_string(drifted.cost.cycles);
  EXPECT_EQ(expect(1, "db verify " + path("b.db") + " hw_configs/edge_single.yaml"),
            to_string(drifted.shape) + " by simulator " + simulator_version() + ": " + now + " cycles, recorded " +
                then + "\n4 records measured again, 1 differ\n");
  const std::string differences = expect(1, "db diff " + path("a.db") + " " + path("b.db"));
  EXPECT_THAT(differences, testing::HasSubstr(to_string(drifted.shape) + ": " + now + " cycles with"));
  EXPECT_THAT(differences, testing::EndsWith("1 differences\n"));
  EXPECT_EQ(expect(2, "db merge -o " + path("a.db") + " " + path("b.db")),
            "error: b.db: '" + to_string(drifted.shape) + "' has another value in a.db\n");
}

TEST_F(Database, RecordsOfAnotherVersionAreAdoptedWhenTheyMeasureEqual) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  {
    TilingDatabase database(path("a.db"), Mode::kChange);
    std::vector<TilingRecord> records = database.records();
    database.remove(records.at(0).context);
    for (TilingRecord& record : records) record.context.simulator = "0.0.1-of-long-ago";
    ++records.at(2).cost.energy_pj;
    database.put(records);
  }
  const std::string lookup = "db lookup " + path("a.db") + " hw_configs/edge_single.yaml --matmul 1,256,256,64";
  EXPECT_THAT(expect(2, lookup), testing::HasSubstr("has no record of hw_configs/edge_single.yaml"));
  const std::string text = expect(1, "db verify " + path("a.db") + " hw_configs/edge_single.yaml --adopt");
  EXPECT_THAT(text, testing::EndsWith("4 records measured again, 1 differ\n3 records adopted\n"));
  EXPECT_EQ(expect(0, "db prune " + path("a.db") + " --old"), "a.db: 4 of 7 records removed\n");
  EXPECT_EQ(TilingDatabase(path("a.db"), Mode::kRead).records().size(), 3u);
}

TEST_F(Database, RecordsOfAnotherChipAreNeverUsed) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  const std::string message =
      expect(2, "db lookup " + path("a.db") + " hw_configs/quad_smp.yaml --matmul 1,256,256,64");
  EXPECT_THAT(message, testing::StartsWith("error: a.db: has no record of hw_configs/quad_smp.yaml (fingerprint "));
  EXPECT_THAT(expect(2, "run hw_configs/quad_smp.yaml traces/tiny_mlp.onnx --tilings " + path("a.db")),
              testing::StartsWith("error: a.db: has no record of hw_configs/quad_smp.yaml"));
  EXPECT_THAT(expect(2, "db verify " + path("a.db") + " hw_configs/quad_smp.yaml"),
              testing::StartsWith("error: a.db: has no record of hw_configs/quad_smp.yaml"));
  const std::string found =
      expect(0, "db lookup " + path("a.db") + " hw_configs/edge_single.yaml --matmul 1,256,512,64");
  EXPECT_THAT(found, testing::HasSubstr("match              multiple of initial\n  record             matmul "
                                        "1_256_256_64 bf16\n"));
  EXPECT_EQ(expect(1, "db lookup " + path("a.db") + " hw_configs/edge_single.yaml --matmul 1,7,7,7"),
            "matmul 1_7_7_7 bf16\n  no record serves this shape\n");
}

// One product that is a record, one far outside a record's linear region, and one that no record serves.
TEST_F(DatabaseSlow, ARunUsesWhatGainsOrAllMatchesOrTheLinearOnes) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  std::ofstream(path("products.csv")) << "Layer, M, N, K,\nsame, 256, 256, 64,\nfar, 2048, 2048, 64,\nnone, 7, 7, 7,\n";
  const std::string run = "run hw_configs/edge_single.yaml " + path("products.csv") + " --tilings " + path("a.db");
  const std::string same = "  same  +initial  +matmul 1_256_256_64 bf16  +linear ",
                    far = "  far  +multiple of initial  +matmul 1_256_256_64 bf16  +outside";
  const auto tilings = [&](const std::string& reach) {
    const std::string text = expect(0, run + reach);
    EXPECT_THAT(text, testing::HasSubstr("Tilings from the database: initial 1, boundary 0, multiple of initial 1, "
                                         "multiple of boundary 0, no record 1\n"));
    EXPECT_THAT(text, testing::HasSubstr("  none                           no record\n"));
    return text.substr(text.find("Tilings from the database"));
  };
  const std::string all = tilings(" --tilings-reach all"), linear = tilings(" --tilings-reach linear");
  EXPECT_THAT(all, testing::ContainsRegex(same + " +used "));
  EXPECT_THAT(all, testing::ContainsRegex(far + " +used "));
  EXPECT_THAT(all, testing::HasSubstr("  2 used, 0 left to the planner; 1 used outside the linear region of their "));
  EXPECT_THAT(linear, testing::ContainsRegex(same + " +used "));
  EXPECT_THAT(linear, testing::ContainsRegex(far + " +not used "));
  EXPECT_THAT(linear, testing::HasSubstr("  1 used, 1 left to the planner\n"));
  // By default what the network is measured to be faster with, or nothing.
  const auto cycles = [&](const std::string& command) {
    const std::string text = expect(0, command);
    std::smatch figures;
    EXPECT_TRUE(std::regex_search(text, figures, std::regex("total time .* = ([0-9,]+) cycles"))) << text;
    std::string digits = figures[1];
    std::erase(digits, ',');
    return std::stoll(digits);
  };
  const long long planned = cycles("run hw_configs/edge_single.yaml " + path("products.csv")), gained = cycles(run);
  const bool used = tilings("").find("  0 used, 2 left to the planner\n") == std::string::npos;
  EXPECT_EQ(used, gained < planned);
  EXPECT_LE(gained, planned);
}

// Records of a workload know its operators with what is fused into them; a shape by itself is another record.
TEST_F(Database, AWorkloadIsKeptAsItIsFused) {
  EXPECT_THAT(build_of_graph("biased", R"(name: biased
inputs: [{name: x, shape: [256, 64]}]
constants: [{name: w, shape: [64, 256]}, {name: b, shape: [256]}]
operators:
  - {name: product, kind: MatMul, inputs: [x, w], output: p}
  - {name: bias, kind: Add, inputs: [p, b], output: s}
  - {name: relu, kind: Relu, inputs: [s], output: y}
outputs: [y]
)"),
              testing::HasSubstr("2 initial shapes entered of 2 "));
  const std::string records = exported("biased.db");
  EXPECT_THAT(records, testing::HasSubstr("matmul,1_256_256_64,bf16,,row_major,"));
  EXPECT_THAT(records, testing::HasSubstr("matmul,1_256_256_64,bf16,+Add=channel +Relu,row_major,"));
  EXPECT_THAT(run_of_graph("biased"),
              testing::ContainsRegex("product +initial +matmul 1_256_256_64 bf16 .Add=channel .Relu +linear "));
}

TEST_F(Database, ConvolutionsThatAreNotAlikeOnAllSidesHaveRecordsOfTheirOwn) {
  build_of_graph("uneven", R"(name: uneven
inputs: [{name: image, shape: [1, 16, 16, 16]}]
constants: [{name: first, shape: [16, 16, 3, 3]}, {name: second, shape: [16, 16, 3, 3]}]
operators:
  - {name: pads, kind: Conv, inputs: [image, first], output: between, strides: [1, 1], pads: [0, 0, 1, 1]}
  - {name: strides, kind: Conv, inputs: [between, second], output: y, strides: [2, 1], pads: [1, 1, 1, 1]}
outputs: [y]
)");
  const std::string records = exported("uneven.db");
  EXPECT_THAT(records, testing::HasSubstr("conv,1_16_16_16_16_3_3_1,bf16,pad=0_0_1_1,row_major,"));
  EXPECT_THAT(records, testing::HasSubstr("conv,1_15_15_16_16_3_3_2,bf16,stride_w=1,row_major,"));
  EXPECT_THAT(run_of_graph("uneven"), testing::HasSubstr("Tilings from the database: initial 2, "));
}

// The network is planned as without a database, siblings that become one and groups included.
TEST_F(Database, ARunThatNoRecordServesIsThatOfThePlanner) {
  std::ofstream(path("other.txt")) << "matmul 1_640_32_32 bf16\n";
  expect(0, "db build hw_configs/quad_numa.yaml -o " + path("other.db") + " --shapes " + path("other.txt") +
                " --threshold 0 --max-boundary 0 --budget 1");
  const std::string run = "run hw_configs/quad_numa.yaml tests/database/inception.yaml";
  const std::string without = expect(0, run), with = expect(0, run + " --tilings " + path("other.db"));
  const std::size_t end = with.find("Tilings from the database");
  ASSERT_NE(end, std::string::npos) << with;
  EXPECT_THAT(with.substr(end), testing::HasSubstr("initial 0, boundary 0, multiple of initial 0, "));
  EXPECT_EQ(with.substr(0, with.find_last_not_of('\n', end - 1) + 1),
            without.substr(0, without.find_last_not_of('\n') + 1));
}

TEST_F(Database, ManyShapesAreLookedUpAtOnce) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  std::ofstream(path("shapes.txt")) << "matmul 1_256_256_64 bf16  # a record\nmatmul 1_7_7_7 bf16\n";
  const std::string lookup = "db lookup " + path("a.db") + " hw_configs/edge_single.yaml ";
  const std::string csv = expect(0, lookup + "--batch " + path("shapes.txt"));
  EXPECT_THAT(csv,
              testing::StartsWith("shape,match,record,tiling,linear_region,rounds,padding,proportional_cycles,"
                                  "predicted_cycles,error_bound,energy_pj\nmatmul 1_256_256_64 bf16,initial,matmul "));
  EXPECT_THAT(csv, testing::EndsWith("\nmatmul 1_7_7_7 bf16,no record,,,,,,,,,\n"));
  EXPECT_THAT(expect(2, lookup), testing::HasSubstr("needs --conv, --matmul, --shape or --batch"));
}

// examples/database_lookup.cpp, whose reader sees what `db lookup` says.
TEST_F(Database, TheExampleOfTheLibraryFindsWhatLookupFinds) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  const std::string shapes[] = {"matmul 1_256_256_64 bf16", "matmul 1_2048_2048_64 bf16", "matmul 1_7_7_7 bf16"};
  const auto example = [&](const std::string& chip) {
    std::string words = "cd '" TILEWRIGHT_SOURCE_DIR "' && '" TILEWRIGHT_BINARY_DIR "/examples/database_lookup' " +
                        chip + " '" + path("a.db") + "'";
    for (const std::string& shape : shapes) words += " '" + shape + "'";
    return WEXITSTATUS(std::system((words + " >'" + path("said") + "' 2>&1").c_str()));
  };
  ASSERT_EQ(example("hw_configs/edge_single.yaml"), 0) << read_file(path("said"));
  std::string wanted;
  for (const std::string& shape : shapes) {
    const std::string text =
        call("db lookup " + path("a.db") + " hw_configs/edge_single.yaml --shape '" + shape + "'").files.at("stdout");
    std::smatch said;
    if (std::regex_search(text, said,
                          std::regex("  match +(.*)\n  record +(.*)\n  tiling +(.*)\n  measured +cost +([0-9]+) "
                                     "[^@]*  predicted cost +([0-9]+) cycles (± [0-9]+ %)")))
      wanted += shape + "\n  record     " + said.str(2) + " (" + said.str(1) + ")\n  tiling     " + said.str(3) +
                "\n  measured   " + said.str(4) + " cycles, the record itself\n  predicted  " + said.str(5) +
                " cycles " + said.str(6) + "\n";
    else
      wanted += text;
  }
  EXPECT_EQ(read_file(path("said")), wanted);
  EXPECT_THAT(wanted, testing::HasSubstr("(multiple of initial)\n"));
  EXPECT_EQ(example("hw_configs/quad_smp.yaml"), 2);
  EXPECT_THAT(read_file(path("said")), testing::HasSubstr("has no record of this chip"));
}

TEST_F(Database, RecordsGoThroughJsonAndBack) {
  expect(0, build_arguments("a.db", "--max-boundary 1"));
  std::ofstream(path("a.json")) << expect(0, "db export --format json " + path("a.db"));
  expect(0, "db import " + path("a.json") + " -o " + path("b.db"));
  EXPECT_EQ(expect(0, "db diff " + path("a.db") + " " + path("b.db")), "0 differences\n");
  EXPECT_EQ(exported("b.db"), exported("a.db"));
}

TEST_F(Database, JsonThatIsNoRecordIsRefusedAsAWhole) {
  const std::pair<const char*, const char*> cases[] = {
      {"[", "error: a.json: is no JSON: "},
      {"{}", "error: a.json: expected a list of records, as 'db export --format json' writes it\n"},
      {"[1]", "error: a.json: record 1: is no object\n"},
      {R"([{"hardware": 1}])", "error: a.json: record 1: 'hardware' is no text\n"},
      {"[{}]", "error: a.json: record 1: lacks 'hardware'\n"}};
  for (const auto& [text, message] : cases) {
    std::ofstream(path("a.json")) << text;
    EXPECT_THAT(expect(2, "db import " + path("a.json") + " -o " + path("b.db")), testing::StartsWith(message));
    EXPECT_FALSE(fs::exists(path("b.db")));
  }
}

// The output of a merge that fails is what it was: not there.
TEST_F(Database, AMergeThatFailsLeavesNothing) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  fs::copy(path("a.db"), path("b.db"));
  SQLite::Database(path("b.db"), SQLite::OPEN_READWRITE).exec("UPDATE record SET cycles=cycles+1");
  EXPECT_THAT(expect(2, "db merge -o " + path("c.db") + " " + path("a.db") + " " + path("b.db")),
              testing::HasSubstr("error: b.db: record '"));
  for (const auto& entry : fs::directory_iterator(scratch_.path()))
    EXPECT_EQ(entry.path().filename().string().find("c.db"), std::string::npos) << entry.path();
}

TEST_F(Database, CheckIntegrityNamesEveryChangedRow) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  const auto kept = answers("a.db");
  EXPECT_EQ(expect(0, "db check-integrity " + path("a.db")), "a.db: 4 records, every row as it was written\n");
  SQLite::Database(path("a.db"), SQLite::OPEN_READWRITE)
      .exec("UPDATE record SET cycles=cycles+1; UPDATE answer SET answer=''");
  const std::string text = expect(2, "db check-integrity " + path("a.db"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 4 + kept);
  EXPECT_THAT(text, testing::HasSubstr("error: a.db: record '"));
  EXPECT_THAT(text, testing::HasSubstr("' does not match its checksum: damaged, or changed by another program\n"));
  EXPECT_THAT(expect(2, "db export " + path("a.db")), testing::HasSubstr("error: a.db: record '"));
  EXPECT_THAT(expect(2, "db merge -o " + path("b.db") + " " + path("a.db")),
              testing::HasSubstr("error: a.db: record '"));
}

TEST_F(DatabaseSlow, AnotherChipsTilingsBeginTheSearches) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  const std::string other = replace_all(build_arguments("b.db", "--max-boundary 0"), "edge_single", "gemmini_8x8"),
                    seeded = other + " --from " + path("a.db");
  EXPECT_THAT(expect(0, seeded), testing::HasSubstr("4 of 4 searches began with tilings of a.db\n"));
  const std::string records = exported("b.db");
  EXPECT_THAT(expect(0, seeded), testing::HasSubstr("\n0 measurements and searches done, "));
  EXPECT_EQ(exported("b.db"), records);
  EXPECT_THAT(expect(0, "db stats " + path("b.db")), testing::ContainsRegex("  4  built with .* boundary 0 seeds "));
  EXPECT_EQ(expect(0, "db verify " + path("b.db") + " hw_configs/gemmini_8x8.yaml"),
            "4 records measured again, 0 differ\n");
  // Without them it is another search.
  EXPECT_THAT(expect(0, other), testing::Not(testing::HasSubstr("\n0 measurements and searches done, ")));

  const Outcome none = call("db build hw_configs/edge_single.yaml -o " + path("c.db") +
                            " --random 1 --min-macs 9000 --max-macs 20000 --from " + path("a.db"));
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_THAT(none.files.at("stderr"),
              testing::HasSubstr("a.db: has no record of any of the shapes: the searches begin without\n"));
  EXPECT_EQ(expect(2, build_arguments("a.db", "--from " + path("a.db"))),
            "error: --from: 'a.db' is the database that is built, expected another one\n");
}

TEST_F(Database, PruneRemovesAllOfAChip) {
  expect(0, build_arguments("a.db", "--max-boundary 0"));
  EXPECT_EQ(expect(0, "db prune " + path("a.db") + " --old --answers"), "a.db: 0 of 4 records removed\n");
  EXPECT_EQ(answers("a.db"), 0);
  const std::string chip = TilingDatabase(path("a.db"), Mode::kRead).records().at(0).context.hardware;
  EXPECT_EQ(expect(0, "db prune " + path("a.db") + " --chip " + chip), "a.db: 4 of 4 records removed\n");
  EXPECT_EQ(expect(0, "db stats " + path("a.db")), "a.db: schema version 3\n");
}

}  // namespace
}  // namespace tilewright::testing_support
