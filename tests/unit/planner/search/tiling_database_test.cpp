#include "planner/search/database/tiling_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "sim/base/error.h"
#include "tests/support/command_case.h"

namespace tilewright {
namespace {

using testing_support::ScratchFolder;
using Mode = TilingDatabase::Mode;

TilingRecord sample(const std::string& shape = "conv 1_28_28_64_96_3_3_2 bf16 groups=32") {
  TilingRecord r{.shape = parse_operator_shape(shape, "test")};
  r.context = {"0123456789abcdef", "0.1.0", Objective::kEnergy};
  r.kind = RecordKind::kBoundary;
  r.parent = "conv 1_56_28_64_96_3_3_2 bf16 groups=32";
  r.broke = "H 14 -> 7: size ratio 2.0000, cost ratio 1.5000";
  r.cost = {.cycles = 12345, .energy_pj = 67890, .macs = 5, .dram_read = 6, .dram_written = 7, .utilisation = 0.123456};
  r.cost.program_hash = 0xfedcba9876543210;
  r.bound_cycles = 99;
  r.growth_ppm = {1'000'000, 0, 950'000, 1};
  return r;
}

std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

class Database : public testing::Test {
 protected:
  std::string path(const char* name) const { return (scratch_.path() / name).string(); }
  std::string open_fault(const std::string& name, Mode mode = Mode::kRead) const {
    const std::string message = message_of([&] { TilingDatabase database(name, mode); });
    return testing_support::replace_all(message, scratch_.path().string() + "/", "");
  }

 private:
  ScratchFolder scratch_{"tiling_database"};
};

TEST_F(Database, GivesBackWhatWasPut) {
  {
    TilingDatabase database(path("a.db"), Mode::kWrite);
    database.put({sample()});
  }
  const auto records = TilingDatabase(path("a.db"), Mode::kRead).records();
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(record_texts(records[0]), record_texts(sample()));
  EXPECT_EQ(records[0].shape, sample().shape);
  EXPECT_EQ(records[0].cost, sample().cost);
}

TEST_F(Database, KeepsAnswersByContext) {
  TilingDatabase database(path("a.db"), Mode::kWrite);
  database.put_answer(sample().context, "q", "1");
  EXPECT_EQ(database.answers(sample().context).at("q"), "1");
  TilingContext other = sample().context;
  other.hardware = "another";
  EXPECT_TRUE(database.answers(other).empty());
}

TEST_F(Database, RefusesFilesThatAreNoDatabase) {
  std::ofstream(path("text.db")) << std::string(5000, 'x');
  EXPECT_EQ(open_fault(path("text.db")), "text.db: is no tiling database (no SQLite file)");
  EXPECT_EQ(open_fault(path("text.db"), Mode::kWrite), "text.db: is no tiling database (no SQLite file)");
  EXPECT_EQ(open_fault(path("none.db")), "none.db: there is no such file");
  std::filesystem::create_directory(path("folder"));
  EXPECT_EQ(open_fault(path("folder")), "folder: is a folder, expected a tiling database");
}

// Bytes of the file's header that SQLite keeps for its users (https://www.sqlite.org/fileformat.html).
constexpr int kUserVersion = 60, kApplicationId = 68;

void set_big_endian(const std::string& path, int offset, int value) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(offset);
  for (int shift = 24; shift >= 0; shift -= 8) file.put(static_cast<char>(value >> shift));
}

TEST_F(Database, RefusesForeignAndNewerFiles) {
  { TilingDatabase database(path("newer.db"), Mode::kWrite); }
  std::filesystem::copy(path("newer.db"), path("foreign.db"));
  set_big_endian(path("newer.db"), kUserVersion, kTilingSchemaVersion + 1);
  set_big_endian(path("foreign.db"), kApplicationId, 42);
  EXPECT_EQ(open_fault(path("newer.db")), "newer.db: has schema version 3, this program knows 2");
  EXPECT_EQ(open_fault(path("foreign.db")), "foreign.db: is another program's database");
}

TEST_F(Database, RefusesADamagedFile) {
  {
    TilingDatabase database(path("a.db"), Mode::kWrite);
    for (int i = 1; i < 200; ++i) database.put_answer(sample().context, std::to_string(i), std::string(300, 'a'));
  }
  std::fstream file(path("a.db"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(3 * 4096);
  file << std::string(2 * 4096, '\x7f');
  file.close();
  EXPECT_EQ(open_fault(path("a.db")), "a.db: is damaged");
}

// What another program does to the file.
void change(const std::string& path, const std::string& statement) {
  SQLite::Database(path, SQLite::OPEN_READWRITE).exec(statement);
}

TEST_F(Database, RefusesTablesTriggersAndColumnsOfOthers) {
  const std::pair<const char*, const char*> changes[] = {
      {"CREATE TRIGGER t AFTER INSERT ON record BEGIN UPDATE record SET cycles=1; END",
       "has a trigger 't', which no tiling database has"},
      {"CREATE TABLE other(x)", "has a table 'other', which no tiling database has"},
      {"CREATE VIEW v AS SELECT * FROM record", "has a view 'v', which no tiling database has"},
      {"ALTER TABLE record RENAME COLUMN cycles TO clocks",
       "has other columns in its table 'record' than a tiling database"},
      {"DROP TABLE setting", "lacks tables of a tiling database"}};
  for (const auto& [statement, fault] : changes) {
    std::filesystem::remove(path("a.db"));
    { TilingDatabase database(path("a.db"), Mode::kWrite); }
    change(path("a.db"), statement);
    EXPECT_EQ(open_fault(path("a.db")), std::string("a.db: ") + fault);
  }
}

TEST_F(Database, ARecordThatWasChangedIsNeverServed) {
  for (const char* set : {"cycles=-1", "cycles=9223372036854775807", "cycles='nan'", "cycles=12346", "point=''",
                          "source='guessed'", "dims='1_28_28_64_96_3_3_1'", "checksum=''"}) {
    std::filesystem::remove(path("a.db"));
    {
      TilingDatabase database(path("a.db"), Mode::kWrite);
      database.put({sample()});
    }
    change(path("a.db"), std::string("UPDATE record SET ") + set);
    const TilingDatabase database(path("a.db"), Mode::kRead);
    const std::string message = message_of([&] { database.records(); });
    EXPECT_THAT(message, testing::HasSubstr("does not match its checksum: damaged, or changed by another program"))
        << set;
    EXPECT_THAT(message, testing::HasSubstr("a.db: record '0123456789abcdef 0.1.0 energy conv")) << set;
    EXPECT_EQ(database.faults().size(), 1u) << set;
  }
}

TEST_F(Database, AnswersAndSettingsThatWereChangedAreRefused) {
  {
    TilingDatabase database(path("a.db"), Mode::kWrite);
    database.put_answer(sample().context, "q", R"({"cycles":1})");
    database.claim_settings(sample().context, "tolerance 1");
  }
  EXPECT_TRUE(TilingDatabase(path("a.db"), Mode::kRead).faults().empty());
  change(path("a.db"), R"(UPDATE answer SET answer='{"cycles":2}'; UPDATE setting SET settings='')");
  const TilingDatabase database(path("a.db"), Mode::kRead);
  EXPECT_THAT(message_of([&] { database.answers(sample().context); }), testing::HasSubstr("answer '0123456789abcdef"));
  EXPECT_THAT(message_of([&] { database.settings(); }), testing::HasSubstr("setting '0123456789abcdef"));
  EXPECT_EQ(database.faults().size(), 2u);
}

// With a checksum of its own, too.
TEST_F(Database, FiguresThatNoRunHasAreRefused) {
  for (const auto& [column, text] : std::multimap<std::size_t, std::string>{{12, "0"},
                                                                            {12, "-1"},
                                                                            {12, "9223372036854775807"},
                                                                            {13, "-1"},
                                                                            {17, "-5"},
                                                                            {17, "8030962147483648"},
                                                                            {19, "guessed"},
                                                                            {20, "-1"}}) {
    std::vector<std::string> texts = record_texts(sample());
    texts.at(column) = text;
    EXPECT_THAT(message_of([&] { record_from_texts(texts, "here"); }), testing::StartsWith("here: ")) << text;
  }
  EXPECT_EQ(message_of([&] { record_from_texts(record_texts(sample()), "here"); }), "no error");
}

TEST_F(Database, IsReadInAFolderThatNobodyMayWriteInto) {
  namespace fs = std::filesystem;
  const fs::path folder = path("kept # 100%?");
  fs::create_directory(folder);
  const std::string file = (folder / "a.db").string();
  {
    TilingDatabase database(file, Mode::kWrite);
    database.put({sample()});
  }
  fs::permissions(folder, static_cast<fs::perms>(0555));
  const uid_t user = geteuid();
  ASSERT_EQ(seteuid(user == 0 ? 65534 : user), 0);  // whom the rights bind
  const std::string message = message_of([&] { EXPECT_EQ(TilingDatabase(file, Mode::kRead).records().size(), 1u); });
  ASSERT_EQ(seteuid(user), 0);
  fs::permissions(folder, fs::perms::owner_all);
  EXPECT_EQ(message, "no error");
}

TEST_F(Database, ASecondWriterWaitsForTheFirst) {
  TilingDatabase first(path("a.db"), Mode::kWrite), second(path("a.db"), Mode::kWrite);
  std::thread writer([&] {
    for (int i = 0; i < 100; ++i) first.put_answer(sample().context, "first" + std::to_string(i), "x");
  });
  for (int i = 0; i < 100; ++i) second.put_answer(sample().context, "second" + std::to_string(i), "x");
  writer.join();
  EXPECT_EQ(second.answers(sample().context).size(), 200u);
}

TEST_F(Database, RefusesOtherSettingsForTheSameChip) {
  TilingDatabase database(path("a.db"), Mode::kWrite);
  database.claim_settings(sample().context, "tolerance 1");
  database.claim_settings(sample().context, "tolerance 1");
  EXPECT_THAT(message_of([&] { database.claim_settings(sample().context, "tolerance 2"); }),
              testing::HasSubstr("was built with 'tolerance 1' for this chip, got 'tolerance 2'"));
}

TEST_F(Database, MergesEqualAndRefusesUnequalRecords) {
  TilingDatabase a(path("a.db"), Mode::kWrite), b(path("b.db"), Mode::kWrite);
  a.put({sample(), sample("matmul 1_2_3_4 bf16 tb")});
  b.put({sample(), sample("matmul 1_2_3_5 bf16")});
  a.merge(b);
  EXPECT_EQ(a.records().size(), 3u);
  TilingRecord changed = sample();
  ++changed.cost.cycles;
  b.put({changed});
  EXPECT_THAT(message_of([&] { a.merge(b); }), testing::HasSubstr("has another value in"));
  EXPECT_EQ(a.records().size(), 3u);
}

}  // namespace
}  // namespace tilewright
