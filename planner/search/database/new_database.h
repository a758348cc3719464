// A database that takes its place only when it is whole.
#pragma once

#include <string>

namespace tilewright {

class NewDatabase {
 public:
  // Is to become the file `target`, in whose folder it is made meanwhile.
  explicit NewDatabase(const std::string& target);
  // Deleted unless it has taken its place.
  ~NewDatabase();
  NewDatabase(const NewDatabase&) = delete;
  NewDatabase& operator=(const NewDatabase&) = delete;

  const std::string& path() const { return path_; }
  // Nobody may have it open any more. UserError naming the target when it cannot be replaced.
  void take_place();

 private:
  void remove() const;

  const std::string target_, path_;
};

}  // namespace tilewright
