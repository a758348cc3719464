// A scatter plot as an SVG file: two kinds of points over two axes, and a line that says where they should lie.
#pragma once

#include <string>
#include <vector>

namespace tilewright {

struct ScatterPoint {
  double x = 0, y = 0;
  bool first = true;  // which kind
};

struct Scatter {
  std::string title, x_label, y_label;
  std::string first, second;  // names of the two kinds
  bool log_x = false;         // powers of ten; every x above 0
  bool diagonal = false;      // the line is y = x, else y = 1
  std::vector<ScatterPoint> points;
};

// The same points give the same bytes. The axes begin and end at round numbers around the points and the line.
std::string scatter_svg(const Scatter& scatter);

}  // namespace tilewright
