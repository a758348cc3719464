// Reads a VCD file far enough to test one.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace tilewright::testing_support {

struct VcdChange {
  std::int64_t time = 0;
  std::string value;  // binary digits, or x
};

struct Vcd {
  std::string timescale;
  std::map<std::string, int> bits;                        // by scope.scope.name
  std::map<std::string, std::vector<VcdChange>> changes;  // in order; the first is the value at the beginning
};

inline void read_declarations(std::istream& in, Vcd& vcd, std::map<std::string, std::string>& name_of_code) {
  std::vector<std::string> scopes;
  for (std::string word; in >> word && word != "$enddefinitions";) {
    if (word == "$timescale") std::getline(in >> std::ws, vcd.timescale);
    if (word == "$upscope") scopes.pop_back();
    std::string kind, name, code;
    int bits = 0;
    if (word == "$scope" && in >> kind >> name) scopes.push_back(name);
    if (word != "$var" || !(in >> kind >> bits >> code >> name)) continue;
    std::string path;
    for (const std::string& scope : scopes) path += scope + ".";
    name_of_code[code] = path + name;
    vcd.bits[path + name] = bits;
  }
}

inline Vcd read_vcd(const std::string& text) {
  Vcd vcd;
  std::istringstream in(text);
  std::map<std::string, std::string> name_of_code;
  read_declarations(in, vcd, name_of_code);
  std::int64_t time = 0;
  std::string line;
  while (std::getline(in, line)) {
    if (line.empty() || std::string("#b01xz").find(line[0]) == std::string::npos) continue;
    if (line[0] == '#') {
      time = std::stoll(line.substr(1));
    } else {
      const std::size_t space = line.find(' ');
      const bool vector = line[0] == 'b';
      const std::string value = vector ? line.substr(1, space - 1) : line.substr(0, 1);
      vcd.changes[name_of_code.at(vector ? line.substr(space + 1) : line.substr(1))].push_back({time, value});
    }
  }
  return vcd;
}

inline bool is_known(const VcdChange& change) { return change.value.find_first_of("xX") == std::string::npos; }

inline std::int64_t number_of(const VcdChange& change) {
  if (!is_known(change)) throw std::invalid_argument("unknown value");
  return std::stoll(change.value, nullptr, 2);
}

}  // namespace tilewright::testing_support
