#include "planner/import/npy.h"

#include <fmt/format.h>

#include <array>
#include <charconv>

#include "sim/base/error.h"

namespace tilewright {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// In the order of ValueType. numpy has no bfloat16: such outputs are written as float32.
constexpr std::array<std::string_view, kValueTypeCount> kDescriptions{"<f4", "<f8", "<f2", "<f4", "|i1", "<i2", "<i4",
                                                                      "<i8", "|u1", "<u2", "<u4", "<u8", "|b1"};

// What stands behind 'key': up to the next comma that is in no parentheses.
std::string_view field(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(fmt::format("'{}':", key));
  if (at == std::string_view::npos) throw UserError("", fmt::format("the header has no '{}'", key));
  std::string_view rest = dictionary.substr(at + key.size() + 3);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  const std::size_t end = rest.starts_with('(') ? rest.find(')') + 1 : rest.find_first_of(",}");
  return rest.substr(0, end);
}

ValueType parse_description(std::string_view text) {
  for (std::size_t i = 0; i < kDescriptions.size(); ++i)
    if (text.size() > 2 && text.substr(1, text.size() - 2) == kDescriptions[i]) return static_cast<ValueType>(i);
  throw UserError("", fmt::format("element type {}, expected little-endian floats, integers or bool", text));
}

Shape parse_shape(std::string_view text) {
  Shape shape;
  for (std::size_t at = text.find_first_of("0123456789"); at < text.size(); at = text.find_first_of("0123456789", at)) {
    std::int64_t dim = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), dim);
    if (error != std::errc() || shape.size() >= 16 || dim > (std::int64_t{1} << 40))
      throw UserError("", fmt::format("shape {}", text));
    shape.push_back(dim);
    at = static_cast<std::size_t>(end - text.data());
  }
  return shape;
}

}  // namespace

NpyHeader parse_npy_header(std::string_view file) {
  if (!file.starts_with(kMagic) || file.size() < 12) throw UserError("", "is not an .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(file[i])); };
  const bool wide = byte(6) >= 2;
  const std::size_t length = byte(8) | byte(9) << 8 | (wide ? byte(10) << 16 | byte(11) << 24 : 0);
  NpyHeader header{.bytes = (wide ? 12 : 10) + length};
  if (header.bytes > file.size()) throw UserError("", "ends inside its header");
  const std::string_view dictionary = file.substr(wide ? 12 : 10, length);
  header.type = parse_description(field(dictionary, "descr"));
  header.fortran_order = field(dictionary, "fortran_order") == "True";
  header.shape = parse_shape(field(dictionary, "shape"));
  return header;
}

std::string npy_header(const Shape& shape, ValueType type) {
  std::string dims;
  for (const std::int64_t dim : shape) dims += fmt::format("{}, ", dim);
  if (shape.size() > 1) dims.resize(dims.size() - 2);
  if (shape.size() == 1) dims.pop_back();
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                       kDescriptions[static_cast<std::size_t>(type)], dims);
  dictionary.append(63 - (kMagic.size() + 4 + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  const auto length = static_cast<unsigned>(dictionary.size());
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(length & 0xff), static_cast<char>(length >> 8)};
  return header + dictionary;
}

}  // namespace tilewright
