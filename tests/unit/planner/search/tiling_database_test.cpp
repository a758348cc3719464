#include "planner/search/database/tiling_database.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <thread>

#include "planner/search/database/database_migration.h"
#include "planner/search/database/row_check.h"
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
  r.settings = "tolerance 1";
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
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(open_fault(path("pipe"), Mode::kWrite), "pipe: is a device or a pipe, expected a tiling database");
  EXPECT_FALSE(std::filesystem::exists(path("pipe-journal")));
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
  EXPECT_EQ(open_fault(path("newer.db")), "newer.db: has schema version 4, this program knows 3");
  EXPECT_EQ(open_fault(path("foreign.db")), "foreign.db: is another program's database");
}

TEST_F(Database, RefusesADamagedFile) {
  {
    TilingDatabase database(path("a.db"), Mode::kWrite);
    for (int i = 1; i < 200; ++i) database.put_answer(sample().context, std::to_string(i), std::string(300, 'a'));
  }
  std::fstream file(path("a.db"), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(4 * 4096);
  file << std::string(2 * 4096, '\x7f');
  file.close();
  const TilingDatabase database(path("a.db"), Mode::kRead);
  EXPECT_EQ(message_of([&] { database.answers(sample().context); }), path("a.db") + ": is damaged");
  EXPECT_EQ(message_of([&] { database.records(); }), path("a.db") + ": is damaged");
  EXPECT_FALSE(database.faults().empty());
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
      {"DROP INDEX place", "lacks tables of a tiling database"},
      {"DROP TABLE answer", "lacks tables of a tiling database"}};
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

TEST_F(Database, AnswersThatWereChangedAreRefused) {
  {
    TilingDatabase database(path("a.db"), Mode::kWrite);
    database.put_answer(sample().context, "q", R"({"cycles":1})");
  }
  EXPECT_TRUE(TilingDatabase(path("a.db"), Mode::kRead).faults().empty());
  change(path("a.db"), R"(UPDATE answer SET answer='{"cycles":2}')");
  const TilingDatabase database(path("a.db"), Mode::kRead);
  EXPECT_THAT(message_of([&] { database.answers(sample().context); }), testing::HasSubstr("answer '0123456789abcdef"));
  EXPECT_EQ(database.faults().size(), 1u);
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

// With other settings another tiling may be found: the better one stays, in whichever order they come.
TEST_F(Database, OfRecordsBuiltWithOtherSettingsTheBetterStays) {
  TilingRecord better = sample(), worse = sample();
  better.settings = "budget 64";
  worse.cost.energy_pj += 1;  // the objective of the context
  for (const auto& order : {std::vector{better, worse}, std::vector{worse, better}}) {
    std::filesystem::remove(path("a.db"));
    TilingDatabase database(path("a.db"), Mode::kWrite);
    for (const TilingRecord& record : order) database.put({record});
    ASSERT_EQ(database.records().size(), 1u);
    EXPECT_EQ(database.records()[0].settings, "budget 64");
  }
}

std::vector<std::unique_ptr<TilingDatabase>> opened(const std::vector<std::string>& paths) {
  std::vector<std::unique_ptr<TilingDatabase>> databases;
  for (const std::string& path : paths) databases.push_back(std::make_unique<TilingDatabase>(path, Mode::kRead));
  return databases;
}

TEST_F(Database, MergesEqualAndRefusesUnequalRecords) {
  TilingDatabase a(path("a.db"), Mode::kWrite), b(path("b.db"), Mode::kWrite), c(path("c.db"), Mode::kWrite);
  a.put({sample(), sample("matmul 1_2_3_4 bf16 tb")});
  b.put({sample(), sample("matmul 1_2_3_5 bf16")});
  b.put_answer(sample().context, "q", "1");
  a.merge(opened({path("b.db")}));
  EXPECT_EQ(a.size(), 3);
  EXPECT_EQ(a.answers(sample().context).at("q"), "1");
  TilingRecord changed = sample();
  ++changed.cost.cycles;
  b.put({changed});
  c.put({sample("matmul 1_2_3_6 bf16")});
  // All or nothing: what came before the fault is not there either.
  EXPECT_THAT(message_of([&] {
                a.merge(opened({path("c.db"), path("b.db")}));
              }),
              testing::HasSubstr("b.db: 'conv 1_28_28_64_96_3_3_2 bf16 groups=32' has another value in"));
  EXPECT_EQ(a.size(), 3);
}

TEST_F(Database, BasesOfOtherSettingsMerge) {
  TilingDatabase a(path("a.db"), Mode::kWrite), b(path("b.db"), Mode::kWrite);
  TilingRecord other = sample();
  other.settings = "tolerance 2", other.cost.energy_pj -= 1;
  a.put({sample()});
  b.put({other, sample("matmul 1_2_3_5 bf16")});
  a.merge(opened({path("b.db")}));
  ASSERT_EQ(a.size(), 2);
  EXPECT_EQ(a.records()[0].settings, "tolerance 2");
}

// What the first edition and the second wrote.
TEST_F(Database, OlderSchemasAreBroughtUpToDate) {
  for (const int version : {1, 2}) {
    std::filesystem::remove(path("old.db"));
    {
      SQLite::Database db(path("old.db"), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      std::vector<std::string> record = record_texts(sample());
      record.pop_back();  // settings
      const std::vector<std::string> context{record[0], record[1], record[2], record[7]};
      std::vector<std::string> answer = context, setting = context;
      answer.insert(answer.end(), {"q", "1"}), setting.push_back("tolerance 1");
      const std::map<std::string, std::vector<std::string>> rows{
          {"record", record}, {"answer", answer}, {"setting", setting}};
      for (auto [table, texts] : rows) {
        if (version == 2) texts.push_back(row_checksum(table, texts));
        std::string columns, values;
        for (std::size_t i = 0; i < texts.size(); ++i) {
          columns += (i == 0 ? "c" : ", c") + std::to_string(i);
          values += (i == 0 ? "'" : ", '") + texts[i] + "'";
        }
        db.exec("CREATE TABLE " + table + "(" + columns + ")");
        db.exec("INSERT INTO " + table + " VALUES(" + values + ")");
      }
      db.exec("PRAGMA application_id=1415005250; PRAGMA user_version=" + std::to_string(version));
    }
    EXPECT_EQ(open_fault(path("old.db")), "old.db: has schema version " + std::to_string(version) +
                                              ", this program knows 3: 'tilewright db migrate' brings it up to date");
    EXPECT_TRUE(migrate_database(path("old.db")));
    EXPECT_FALSE(migrate_database(path("old.db")));
    const TilingDatabase database(path("old.db"), Mode::kRead);
    ASSERT_EQ(database.size(), 1);
    EXPECT_EQ(record_texts(database.records()[0]), record_texts(sample()));
    EXPECT_EQ(database.answers(sample().context).at("q"), "1");
  }
}

}  // namespace
}  // namespace tilewright
