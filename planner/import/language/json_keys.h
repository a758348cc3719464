// Keys of a JSON object, read one by one; all that is wrong is reported together.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

// UserError("file[:line]", ...) when the file cannot be read, is no JSON, or has a number that no double holds.
nlohmann::json read_json(const std::string& path);

class JsonKeys {
 public:
  // `prefix` stands before the keys in messages. UserError when `object` is none.
  JsonKeys(std::string file, const nlohmann::json& object, std::string prefix = "");

  // Whether the key is there and not null.
  bool has(const char* key) const;
  // Whole numbers from `least` to 2^30; a problem, and `least`, for anything else.
  std::int64_t count(const char* key, std::int64_t least = 1);
  std::int64_t count_or(const char* key, std::int64_t missing);
  // Whether it is -1, which stands for all.
  bool minus_one(const char* key) const;
  double number(const char* key);
  double number_or(const char* key, double missing);
  bool flag_or(const char* key, bool missing);
  std::string text_or(const char* key, const std::string& missing);
  std::optional<JsonKeys> object(const char* key) const;

  void problem(const std::string& what) { problems_.push_back(what); }
  void take_problems(const JsonKeys& other);
  // UserError with all problems, if there are any.
  void check() const;

 private:
  template <typename Test>
  const nlohmann::json* find(const char* key, const char* expected, bool required, Test test);

  std::string file_, prefix_;
  const nlohmann::json* object_;
  std::vector<std::string> problems_;
};

}  // namespace tilewright
