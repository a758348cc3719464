#include "planner/import/language/json_keys.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "sim/base/error.h"
#include "sim/base/json_levels.h"

namespace tilewright {

using Json = nlohmann::json;

namespace {

constexpr std::int64_t kMaxCount = std::int64_t{1} << 30;

// What the file holds, short enough for a message.
std::string shown(const Json& value) {
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

}  // namespace

Json read_json(const std::string& path) {
  const std::string text = read_json_text(path);
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(std::min(error.byte, text.size()));
    throw UserError(fmt::format("{}:{}", path, 1 + std::count(text.begin(), at, '\n')), "is no JSON");
  } catch (const Json::out_of_range&) {
    throw UserError(path, "a number is beyond 1.8e308");
  }
}

JsonKeys::JsonKeys(std::string file, const Json& object, std::string prefix)
    : file_(std::move(file)), prefix_(std::move(prefix)), object_(&object) {
  if (!object.is_object()) throw UserError(file_, fmt::format("got {}, expected an object of keys", shown(object)));
}

bool JsonKeys::has(const char* key) const { return object_->contains(key) && !(*object_)[key].is_null(); }

template <typename Test>
const Json* JsonKeys::find(const char* key, const char* expected, bool required, Test test) {
  if (!has(key)) {
    if (required) problem(fmt::format("{}{}: is missing", prefix_, key));
    return nullptr;
  }
  const Json& value = (*object_)[key];
  if (test(value)) return &value;
  problem(fmt::format("{}{}: got {}, expected {}", prefix_, key, shown(value), expected));
  return nullptr;
}

std::int64_t JsonKeys::count(const char* key, std::int64_t least) {
  const std::string expected = fmt::format("a count from {}", least);
  const Json* value = find(key, expected.c_str(), true, [&](const Json& v) {
    return v.is_number_integer() && v.get<double>() >= static_cast<double>(least) &&
           v.get<double>() <= static_cast<double>(kMaxCount);
  });
  return value ? value->get<std::int64_t>() : least;
}

std::int64_t JsonKeys::count_or(const char* key, std::int64_t missing) { return has(key) ? count(key) : missing; }

bool JsonKeys::minus_one(const char* key) const { return has(key) && (*object_)[key] == -1; }

double JsonKeys::number(const char* key) {
  const Json* value = find(key, "a number above 0", true,
                           [](const Json& v) { return v.is_number() && std::isfinite(v.get<double>()) && v > 0; });
  return value ? value->get<double>() : 1;
}

double JsonKeys::number_or(const char* key, double missing) { return has(key) ? number(key) : missing; }

bool JsonKeys::flag_or(const char* key, bool missing) {
  const Json* value = find(key, "true or false", false, [](const Json& v) { return v.is_boolean(); });
  return value ? value->get<bool>() : missing;
}

std::string JsonKeys::text_or(const char* key, const std::string& missing) {
  const Json* value = find(key, "a text", false, [](const Json& v) { return v.is_string(); });
  return value ? value->get<std::string>() : missing;
}

std::optional<JsonKeys> JsonKeys::object(const char* key) const {
  if (!has(key)) return std::nullopt;
  return JsonKeys(file_, (*object_)[key], fmt::format("{}{}.", prefix_, key));
}

void JsonKeys::take_problems(const JsonKeys& other) {
  problems_.insert(problems_.end(), other.problems_.begin(), other.problems_.end());
}

void JsonKeys::check() const {
  if (!problems_.empty()) throw UserError(file_, fmt::format("{}", fmt::join(problems_, "; ")));
}

}  // namespace tilewright
