// Reads single records of a database by where they stand (record_place.h), without reading the others.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "planner/search/database/record_place.h"
#include "planner/search/database/tiling_database.h"

namespace tilewright {

// What is known of a record before it is read.
struct PlacedRecord {
  ShapeExtents extents, granules;
  std::int64_t rate = 0;
};

// Records of one family whose extents are alike.
struct RecordCell {
  std::string cell;
  std::int64_t rate = 0;  // of the cheapest
};

// The records of one context. Every record that is read is checked; UserError naming the file for a damaged one.
class PlacedRecords {
 public:
  PlacedRecords(std::shared_ptr<const TilingDatabase> database, const TilingContext& context);
  ~PlacedRecords();

  bool empty() const;
  // Those of this very shape.
  std::vector<TilingRecord> same(const OperatorShape& shape, RecordKind kind) const;
  // The cells that a family, of shapes of so many extents, has records in. Remembered until another process changes the
  // file.
  const std::vector<RecordCell>& cells(const std::string& family, std::size_t extents, RecordKind kind) const;
  // The cheapest first, until `visit` says false. `read` gives the record that is visited.
  using Read = std::function<TilingRecord()>;
  void visit(const std::string& family, RecordKind kind, const std::string& cell,
             const std::function<bool(const PlacedRecord& record, const Read& read)>& visit) const;
  // Runs `work`, which sees the file as it is at its beginning.
  void at_once(const std::function<void()>& work) const;

 private:
  struct Statements;
  std::vector<RecordCell> find_cells(const std::string& family, RecordKind kind) const;
  TilingRecord read_found() const;

  const std::shared_ptr<const TilingDatabase> database_;
  const TilingContext context_;
  const std::unique_ptr<Statements> statements_;
  mutable std::map<std::pair<std::string, RecordKind>, std::vector<RecordCell>> cells_;
  mutable int version_ = 0;  // of the file, that cells_ are of
};

}  // namespace tilewright
