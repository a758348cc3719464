#include "sim/base/csv.h"

#include <csv.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "sim/base/error.h"
#include "sim/base/number_text.h"
#include "sim/base/text_file.h"

namespace tilewright {
namespace {

constexpr std::size_t kMaxLineLength = 4096;

bool is_comment(std::string_view line) {
  const std::size_t first = line.find_first_not_of(" \t");
  return first != std::string_view::npos && line[first] == '#';
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r\n") == std::string_view::npos; }

// libcsv, fed line by line so that errors and rows know where they stand.
class CsvReader {
 public:
  explicit CsvReader(std::string path) : path_(std::move(path)) {
    SIM_CHECK(csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) == 0, "libcsv does not know its own options");
  }
  ~CsvReader() { csv_free(&parser_); }
  CsvReader(const CsvReader&) = delete;
  CsvReader& operator=(const CsvReader&) = delete;

  // `text` with its line end, which only the last line may lack.
  void line(std::string_view text) {
    ++number_;
    if (!row_is_open_ && (is_comment(text) || is_blank(text))) return;
    if (text.size() > kMaxLineLength)
      fail(number_, fmt::format("the line has {} characters, at most {} expected", text.size(), kMaxLineLength));
    if (!row_is_open_) begin_row();
    if (csv_parse(&parser_, text.data(), text.size(), add_field, end_row, this) != text.size())
      fail(number_, "a quote inside a field; put the whole field in quotes and double the quotes inside it");
  }

  std::vector<CsvLine> finish() {
    if (csv_fini(&parser_, add_field, end_row, this) != 0) fail(first_, "a quote that is never closed");
    return std::move(lines_);
  }

 private:
  static void add_field(void* field, std::size_t size, void* self) {
    static_cast<CsvReader*>(self)->lines_.back().fields.emplace_back(static_cast<const char*>(field), size);
  }
  static void end_row(int, void* self) { static_cast<CsvReader*>(self)->row_is_open_ = false; }

  void begin_row() {
    row_is_open_ = true;
    first_ = number_;
    lines_.push_back({place(number_), {}});
  }
  std::string place(int line) const { return fmt::format("{}:{}", path_, line); }
  [[noreturn]] void fail(int line, const std::string& what) const { throw UserError(place(line), what); }

  std::string path_;
  csv_parser parser_{};
  std::vector<CsvLine> lines_;
  int number_ = 0, first_ = 0;  // lines, from 1: the one being read and the first of its row
  bool row_is_open_ = false;
};

std::shared_ptr<const CsvRow::Columns> columns_of(const CsvLine& header) {
  auto columns = std::make_shared<CsvRow::Columns>();
  for (const std::string& name : header.fields)
    if (!columns->emplace(name, columns->size()).second)
      throw UserError(header.where, fmt::format("column '{}' appears twice", name));
  return columns;
}

template <typename T>
T parsed(const CsvRow& row, const std::string& column, std::string_view expected) {
  const std::string& field = row.text(column);
  if (const auto value = number_of<T>(field)) return *value;
  throw UserError(row.where(), fmt::format("{}: got '{}', expected {}", column, field, expected));
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_line(const std::vector<std::string>& fields) {
  std::vector<std::string> quoted;
  std::transform(fields.begin(), fields.end(), std::back_inserter(quoted), csv_field);
  return fmt::format("{}\n", fmt::join(quoted, ","));
}

std::vector<CsvLine> read_csv_lines(const std::string& path) {
  const std::string text = read_text_file(path);
  CsvReader reader(path);
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size() - 1) + 1;
    reader.line(rest.substr(0, end));
    rest.remove_prefix(end);
  }
  return reader.finish();
}

CsvRow::CsvRow(std::shared_ptr<const Columns> columns, CsvLine line)
    : columns_(std::move(columns)), line_(std::move(line)) {
  if (line_.fields.size() != columns_->size())
    throw UserError(where(), fmt::format("got {} fields, expected {}", line_.fields.size(), columns_->size()));
}

const std::string& CsvRow::text(const std::string& column) const {
  const auto found = columns_->find(column);
  if (found == columns_->end()) throw UserError(where(), fmt::format("the table has no column '{}'", column));
  return line_.fields[found->second];
}

double CsvRow::number(const std::string& column) const { return parsed<double>(*this, column, "a number"); }

double CsvRow::number_or(const std::string& column, double fallback) const {
  return text(column).empty() ? fallback : number(column);
}

std::int64_t CsvRow::count(const std::string& column) const {
  const auto value = parsed<std::int64_t>(*this, column, "a whole number from 1");
  if (value < 1) throw UserError(where(), fmt::format("{}: got {}, expected a whole number from 1", column, value));
  return value;
}

std::vector<CsvRow> read_csv_table(const std::string& path) {
  std::vector<CsvLine> lines = read_csv_lines(path);
  if (lines.size() < 2) throw UserError(path, "holds no rows below a header");
  const auto columns = columns_of(lines.front());
  std::vector<CsvRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) rows.emplace_back(columns, std::move(lines[i]));
  return rows;
}

}  // namespace tilewright
