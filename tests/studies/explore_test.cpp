// Whole studies through the built program: the results have the same bytes whoever measured which point when, and a
// point's commands give its cycles again.
#include <fmt/format.h>

#include <csignal>
#include <nlohmann/json.hpp>
#include <set>
#include <thread>

#include "sim/base/hash.h"
#include "tests/support/command_case.h"
#include "tests/support/sanitizer.h"

namespace tilewright::testing_support {
namespace {

const std::string kTiny = "explore tests/studies/tiny.yaml ", kHalving = "explore tests/studies/halving.yaml ",
                  kRandom = "explore tests/studies/random.yaml ";

Outcome expect_success(const std::string& arguments, const fs::path& scratch) {
  const Outcome outcome = run_tilewright(arguments, scratch);
  EXPECT_EQ(outcome.exit_code, 0) << arguments << "\n" << outcome.files.at("stderr");
  return outcome;
}

struct Results {
  std::string json, csv;
  bool operator==(const Results&) const = default;
};

Results results_of(const fs::path& folder) {
  return {read_file(folder / "results.json"), read_file(folder / "results.csv")};
}

// Of the study measured in one go by one process.
Results plain(const std::string& study) {
  const ScratchFolder scratch("plain");
  expect_success(study + "-o OUT --jobs 1", scratch.path());
  return results_of(scratch.path() / "out");
}

TEST(Explore, SlicesGiveTheBytesOfThePlainRun) {
  const ScratchFolder scratch("slices");
  for (const char* slice : {"3/3", "1/3", "2/3"})
    expect_success(kTiny + "-o OUT --jobs 2 --slice " + slice, scratch.path());
  EXPECT_EQ(results_of(scratch.path() / "out"), plain(kTiny));
}

TEST(Explore, SlicesInFoldersOfTheirOwnAreMerged) {
  const ScratchFolder scratch("folders");
  const std::string folder = scratch.path().string();
  for (const char* i : {"1", "2"})
    expect_success(kTiny + "-o " + folder + "/s" + i + " --slice " + i + "/2", scratch.path());
  const std::string merge = "merge " + folder + "/s1 ";
  const Outcome half = run_tilewright(merge, scratch.path());
  EXPECT_EQ(half.exit_code, 2);
  EXPECT_EQ(half.files.at("stderr"),
            "error: merge: 6 of 12 points of round 1 are missing (1, 3, 5, 7, 9, ...); measure them with the same "
            "tilewright explore, or take what is there with --partial\n");
  expect_success(merge + folder + "/s2 -o " + folder + "/all", scratch.path());
  EXPECT_EQ(results_of(scratch.path() / "all"), plain(kTiny));
}

TEST(Explore, HalvingGoesRoundByRoundWhateverTheSlicing) {
  const ScratchFolder scratch("halving");
  const Results wanted = plain(kHalving);
  for (int pass = 0; pass < 2; ++pass)
    for (const char* slice : {"2/2", "1/2"}) expect_success(kHalving + "-o OUT --slice " + slice, scratch.path());
  expect_success("merge " + (scratch.path() / "out").string(), scratch.path());
  EXPECT_EQ(results_of(scratch.path() / "out"), wanted);
  const auto json = nlohmann::json::parse(wanted.json);
  std::map<std::size_t, int> by_workloads;
  for (const auto& point : json.at("points")) ++by_workloads[point.at("workloads").size()];
  EXPECT_EQ(by_workloads, (std::map<std::size_t, int>{{1, 3}, {2, 3}}));
  EXPECT_FALSE(json.at("pareto").empty());
}

std::ptrdiff_t points_in(const fs::path& out) {
  std::error_code none;
  return std::distance(fs::directory_iterator(out / "points", none), fs::directory_iterator());
}

// A process that gets the signal after it has written some points. Its exit code; -1: ended by the signal.
int signal_in_the_middle(const std::string& arguments, const fs::path& out, int signal, std::ptrdiff_t points) {
  const pid_t child = fork();
  if (child == 0) {
    const std::string call = "cd '" TILEWRIGHT_SOURCE_DIR "' && exec '" TILEWRIGHT_BINARY_DIR "/cli/tilewright' " +
                             arguments + " -o '" + out.string() + "' >/dev/null 2>'" + out.string() + ".stderr'";
    execl("/bin/bash", "bash", "-c", call.c_str(), nullptr);
    _exit(127);
  }
  int status = 0;
  pid_t ended = 0;
  while (points_in(out) < points && (ended = waitpid(child, &status, WNOHANG)) == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (ended == 0) {
    kill(child, signal);
    waitpid(child, &status, 0);
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST(Explore, AKilledRunGoesOnWhereItStopped) {
  const ScratchFolder scratch("killed");
  const fs::path out = scratch.path() / "out";
  signal_in_the_middle(kTiny + "--jobs 1", out, SIGKILL, 3);
  EXPECT_FALSE(fs::exists(out / "results.json"));
  const fs::path first = out / "points" / "000000.json";
  ASSERT_TRUE(fs::exists(first));
  const auto written = fs::last_write_time(first);
  expect_success(kTiny + "-o OUT", scratch.path());
  EXPECT_EQ(results_of(out), plain(kTiny));
  EXPECT_EQ(fs::last_write_time(first), written) << "a point that was there was measured again";
}

TEST(Explore, CtrlCLeavesAStudyThatGoesOn) {
  const ScratchFolder scratch("interrupted");
  const fs::path out = scratch.path() / "out";
  EXPECT_EQ(signal_in_the_middle(kRandom + "--jobs 1", out, SIGINT, 2), 130);
  EXPECT_THAT(read_file(out.string() + ".stderr"),
              testing::HasSubstr("interrupted; what was measured is kept, the same command goes on from there\n"));
  EXPECT_FALSE(fs::exists(out / "results.json"));
  EXPECT_LT(points_in(out), 12);
  expect_success(kRandom + "-o OUT", scratch.path());
  EXPECT_EQ(points_in(out), 12);
  EXPECT_EQ(results_of(out), plain(kRandom));
}

// Runs the commands that results.json names for a point of a measured study; how many workloads there were.
std::size_t expect_the_commands_to_agree(const nlohmann::json& point, const fs::path& scratch) {
  EXPECT_EQ(point.at("status"), "measured");
  const std::string file = "point_" + point.at("point").dump() + ".yaml";
  const auto arguments = [&](std::size_t i) {
    const std::string command = point.at("commands").at(i).get<std::string>();
    return replace_all(command.substr(std::string("tilewright ").size()), file, (scratch / file).string());
  };
  expect_success(arguments(0), scratch);
  const auto& workloads = point.at("workloads");
  for (std::size_t i = 0; i < workloads.size(); ++i) {
    const Outcome run = expect_success(arguments(i + 1) + " -o OUT", scratch);
    const auto summary = nlohmann::json::parse(run.files.at("summary.json"));
    EXPECT_EQ(summary.at("total_cycles"), workloads.at(i).at("cycles"));
    EXPECT_EQ(summary.at("energy").at("total_picojoules"), workloads.at(i).at("energy_pj"));
  }
  return workloads.size();
}

TEST(Explore, TheCommandsOfAPointGiveItsCycles) {
  const auto json = nlohmann::json::parse(plain(kTiny).json);
  const ScratchFolder scratch("again");
  EXPECT_EQ(expect_the_commands_to_agree(json.at("points").at(2), scratch.path()), 2U);
}

// Of the results, with the names of points and chips left out.
std::vector<std::string> cycles_and_energies(const nlohmann::json& json) {
  std::vector<std::string> texts;
  for (const auto& point : json.at("points")) {
    texts.emplace_back();
    for (const auto& workload : point.at("workloads"))
      texts.back() += workload.at("cycles").dump() + " " + workload.at("energy_pj").dump() + " ";
  }
  return texts;
}

// Buffers beyond what a planner has a use for: the first chip's runs stand for all. Planned by closed formulas the
// first workload takes longer, and the commands say so.
TEST(Explore, RunsThatAreEqualAreMeasuredOnce) {
  const auto json = nlohmann::json::parse(plain("explore tests/studies/roomy.yaml ").json);
  const auto all = cycles_and_energies(json);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.begin() + 2).size(), 1U);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 2U);
  const ScratchFolder scratch("roomy");
  for (const int point : {1, 3})
    EXPECT_EQ(expect_the_commands_to_agree(json.at("points").at(point), scratch.path()), 2U);
  EXPECT_THAT(json.at("points").at(1).at("commands").at(1).get<std::string>(), testing::EndsWith(" --no-predict"));
  EXPECT_THAT(json.at("points").at(1).at("commands").at(2).get<std::string>(), testing::EndsWith(" --batch 1"));
}

TEST(Explore, TunedPointsAreThoseOfTunedRuns) {
  const auto json = nlohmann::json::parse(plain("explore tests/studies/tuned.yaml ").json);
  const ScratchFolder scratch("tuned");
  EXPECT_THAT(json.at("points").at(1).at("commands").at(1).get<std::string>(), testing::EndsWith(" --tune 16"));
  EXPECT_EQ(expect_the_commands_to_agree(json.at("points").at(1), scratch.path()), 1U);
  const auto closed =
      expect_success("run " + (scratch.path() / "point_1.yaml").string() + " tests/studies/odd.csv --no-refine -o OUT",
                     scratch.path());
  EXPECT_GT(nlohmann::json::parse(closed.files.at("summary.json")).at("total_cycles"),
            json.at("points").at(1).at("workloads").at(0).at("cycles"))
      << "the search changed nothing";
}

TEST(Explore, PointsTakeTheirTilingsFromADatabaseOrSayThatItHasNone) {
  const ScratchFolder scratch("database");
  const std::string folder = scratch.path().string(), chip = folder + "/chip.yaml";
  expect_success("explore tests/studies/tuned.yaml --point 1 --write-hardware " + chip, scratch.path());
  expect_success("db build " + chip + " -o " + folder + "/tiles.db --workload tests/studies/odd.csv --budget 4 " +
                     "--threshold 0 --max-boundary 0 --max-visits 1",
                 scratch.path());
  std::string study = read_file(TILEWRIGHT_SOURCE_DIR "/tests/studies/tuned.yaml");
  study = replace_all(study, "{method: tuned, budget: 16}", "{method: database, file: tiles.db}");
  study = replace_all(study, "../golden", TILEWRIGHT_SOURCE_DIR "/tests/golden");
  std::ofstream(folder + "/study.yaml") << replace_all(study, "odd.csv",
                                                       TILEWRIGHT_SOURCE_DIR "/tests/studies/odd.csv");
  const auto json = nlohmann::json::parse(plain("explore " + folder + "/study.yaml ").json);
  EXPECT_EQ(expect_the_commands_to_agree(json.at("points").at(1), scratch.path()), 1U);
  EXPECT_EQ(json.at("points").at(0).at("status"), "illegal");
  EXPECT_THAT(json.at("points").at(0).at("reason").get<std::string>(),
              testing::HasSubstr("tiles.db: has no record of tuned_0 (fingerprint "));
}

TEST(Explore, EveryKindOfClusterMemoryIsPlannedFor) {
  const auto json = nlohmann::json::parse(plain("explore tests/studies/cache.yaml ").json);
  std::set<std::int64_t> cycles;
  for (const auto& point : json.at("points")) {
    ASSERT_EQ(point.at("status"), "measured") << point.value("reason", "");
    cycles.insert(point.at("workloads").at(0).at("cycles").get<std::int64_t>());
  }
  EXPECT_GE(cycles.size(), 2U) << "the memory makes no difference";
}

TEST(Explore, AnIllegalPointKeepsItsReason) {
  const auto json = nlohmann::json::parse(plain(kTiny).json);
  EXPECT_EQ(json.at("points_by_status"),
            (nlohmann::json{{"measured", 3}, {"excluded", 3}, {"illegal", 6}, {"failed", 0}}));
  EXPECT_EQ(json.at("points").at(1).at("reason"),
            "point_1.yaml:34: network.router.virtual_channels: got '3', expected an even number, half for requests and "
            "half for "
            "replies");
}

std::string refusal(const std::string& arguments, const fs::path& scratch) {
  const Outcome outcome = run_tilewright(arguments, scratch);
  EXPECT_EQ(outcome.exit_code, 2);
  return outcome.files.at("stderr");
}

// Changes a file of a study and signs it anew.
template <typename Change>
void change_signed(const fs::path& file, Change change) {
  auto json = nlohmann::ordered_json::parse(read_file(file));
  json.erase("checksum");
  change(json);
  json["checksum"] = fmt::format("{:016x}", fnv1a(json.dump(2) + "\n"));
  std::ofstream(file) << json.dump(2) << "\n";
}

TEST(Explore, ForeignResultsAreRefused) {
  const ScratchFolder scratch("foreign");
  const fs::path out = scratch.path() / "out";
  expect_success(kTiny + "-o OUT", scratch.path());
  EXPECT_EQ(refusal(kHalving + "-o OUT", scratch.path()),
            "error: OUT: holds results of another study ('tiny' of tests/studies/tiny.yaml, or an earlier version of "
            "this one, its chip or its workloads); choose another folder\n");
  std::string version;
  change_signed(out / "study.json", [&](auto& json) {
    version = json.at("simulator");
    json["simulator"] = "0.0.1-0";
  });
  EXPECT_EQ(refusal(kTiny + "-o OUT", scratch.path()),
            "error: OUT: holds results of simulator version 0.0.1-0, this is " + version + "; choose another folder\n");
}

// A file cut short, an empty one, a changed figure, a missing key: merge refuses them, explore measures the point
// again.
TEST(Explore, DamagedPointsAreMeasuredAgainAndNeverMerged) {
  const ScratchFolder scratch("damaged");
  const fs::path point = scratch.path() / "out" / "points" / "000004.json";
  expect_success(kTiny + "-o OUT", scratch.path());
  const std::string good = read_file(point);
  const std::string no_json = "is damaged: no JSON",
                    changed = "is damaged or was changed: it does not match its checksum";
  const std::pair<std::string, std::string> damages[] = {{good.substr(0, good.size() / 2), no_json},
                                                         {"", no_json},
                                                         {"[]\n", changed},
                                                         {"{}\n", changed},
                                                         {replace_all(good, "\"cycles\": ", "\"cycles\": 1"), changed},
                                                         {replace_all(good, "\"status\"", "\"state\""), changed}};
  for (const auto& [content, fault] : damages) {
    std::ofstream(point) << content;
    EXPECT_EQ(refusal("merge OUT", scratch.path()), "error: OUT/points/000004.json: " + fault + "\n");
    EXPECT_EQ(expect_success(kTiny + "-o OUT", scratch.path())
                  .files.at("stderr")
                  .find("OUT/points/000004.json: " + fault + "; its point is measured again\n"),
              0U);
    EXPECT_EQ(read_file(point), good);
  }
}

TEST(Explore, FoldersThatDisagreeAreNotMerged) {
  const ScratchFolder scratch("disagree");
  const std::string folder = scratch.path().string();
  for (const char* name : {"a", "b"}) expect_success(kTiny + "-o " + folder + "/" + name, scratch.path());
  expect_success("merge " + folder + "/a " + folder + "/b -o " + folder + "/both", scratch.path());
  change_signed(scratch.path() / "b" / "points" / "000004.json", [](auto& json) {
    json["workloads"][0]["cycles"] = json["workloads"][0]["cycles"].template get<int>() + 1;
  });
  for (const std::pair<std::string, std::string> order : {std::pair{"a", "b"}, std::pair{"b", "a"}}) {
    const auto& [first, second] = order;
    EXPECT_EQ(refusal("merge " + folder + "/" + first + " " + folder + "/" + second, scratch.path()),
              "error: " + folder + "/" + second + "/points/000004.json: and " + folder + "/" + first +
                  "/points/000004.json give point 4 different figures\n");
  }
}

// Points beyond a limit have failed and say so; the study ends all the same, and can try them again.
void expect_failed_points(const std::string& limit, const std::string& reason) {
  const ScratchFolder scratch("limits");
  expect_success(kTiny + "-o OUT " + limit, scratch.path());
  const auto json = nlohmann::json::parse(results_of(scratch.path() / "out").json);
  EXPECT_EQ(json.at("points_by_status").at("measured"), 0);
  EXPECT_GE(json.at("points_by_status").at("failed").get<int>(), 3);
  for (const auto& point : json.at("points"))
    EXPECT_EQ(point.at("status") == "failed", point.value("reason", "") == reason);
  expect_success(kTiny + "-o OUT", scratch.path());  // failed points are results
  EXPECT_EQ(nlohmann::json::parse(results_of(scratch.path() / "out").json), json);
  expect_success(kTiny + "-o OUT --retry-failed", scratch.path());
  EXPECT_EQ(results_of(scratch.path() / "out"), plain(kTiny));
}

TEST(Explore, PointsBeyondTheirSecondsFailAndBlockNothing) {
  expect_failed_points("--point-seconds 1e-6", "took more than the 1e-06 seconds allowed");
}

TEST(Explore, PointsBeyondTheirMemoryFailAndBlockNothing) {
  if (test::kAddressSanitizer) GTEST_SKIP() << "the sanitizer's allocator ends the process where others throw";
  expect_failed_points("--point-memory 0.0001", "needs more than the 0.0001 GiB of memory allowed");
}

TEST(Explore, CommandsOfAFolderWithAnyNameAreQuoted) {
  const ScratchFolder scratch("quoted");
  const fs::path folder = scratch.path() / "a$(touch X) b";
  fs::create_directory(folder);
  std::string study = read_file(TILEWRIGHT_SOURCE_DIR "/tests/studies/tiny.yaml");
  study = replace_all(study, "../../", TILEWRIGHT_SOURCE_DIR "/");
  study = replace_all(study, "../", TILEWRIGHT_SOURCE_DIR "/tests/");
  std::ofstream(folder / "study.yaml") << study;
  expect_success("explore '" + (folder / "study.yaml").string() + "' -o OUT", scratch.path());
  const auto json = nlohmann::json::parse(results_of(scratch.path() / "out").json);
  const std::string command = json.at("points").at(0).at("commands").at(0);
  EXPECT_EQ(command.find("tilewright explore '" + (folder / "study.yaml").string() + "' --point 0 "), 0U) << command;
}

TEST(Explore, ForeignPointsAreRefused) {
  const ScratchFolder scratch("foreign_point");
  const fs::path point = scratch.path() / "out" / "points" / "000004.json";
  expect_success(kTiny + "-o OUT", scratch.path());
  const std::string good = read_file(point);
  change_signed(point, [](auto& json) { json["study"] = "0123456789abcdef"; });
  EXPECT_EQ(
      refusal(kTiny + "-o OUT", scratch.path()),
      "error: OUT/points/000004.json: is a point of another study; take it away, its point is then measured here\n");
  fs::remove(point);
  expect_success(kTiny + "-o OUT", scratch.path());
  EXPECT_EQ(read_file(point), good);
}

TEST(Explore, ADryRunListsThePointsAndWritesNothing) {
  const ScratchFolder scratch("dry");
  const Outcome outcome = expect_success(kTiny + "-o OUT --dry-run", scratch.path());
  EXPECT_THAT(outcome.files.at("stdout"), testing::HasSubstr("12 of 12 points of the grid, 2 workloads, 1 round\n"));
  EXPECT_THAT(outcome.files.at("stdout"), testing::HasSubstr("core.buffer_a_kib=128  core.buffer_b_kib=128"));
  EXPECT_THAT(
      outcome.files.at("stdout"),
      testing::ContainsRegex("Estimated time: [0-9]+ s with [0-9]+ process(es)?, from 3 measurements made now"));
  EXPECT_FALSE(fs::exists(scratch.path() / "out"));
}

}  // namespace
}  // namespace tilewright::testing_support
