#include "planner/report/study/scatter_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tilewright {
namespace {

constexpr double kPictureWidth = 640, kPictureHeight = 420, kLeft = 70, kRight = 20, kTop = 50, kBottom = 60;

struct Axis {
  double begin = 0, end = 1, step = 1;
  double share(double value) const { return (value - begin) / (end - begin); }
};

// 1, 2 or 5 times a power of ten: about six steps over the range.
double round_step(double range) {
  const double raw = range / 6, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= raw) return factor * power;
  return 10 * power;
}

Axis axis_of(std::vector<double> values, bool log) {
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double range = std::max(*high - *low, 0.01);
  const double step = log ? 1 : round_step(range);
  return {std::floor(*low / step) * step, std::max(std::ceil(*high / step), std::floor(*low / step) + 1) * step, step};
}

class Plot {
 public:
  explicit Plot(const Scatter& scatter) : s_(scatter) {
    std::vector<double> xs, ys{1};
    for (const ScatterPoint& point : s_.points) xs.push_back(place_x(point.x)), ys.push_back(point.y);
    if (s_.diagonal || xs.empty()) xs.push_back(1);
    x_ = axis_of(xs, s_.log_x), y_ = axis_of(ys, false);
  }

  std::string text() const {
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" font-size=\"12\">\n"
        "<rect width=\"{}\" height=\"{}\" fill=\"white\"/>\n",
        kPictureWidth, kPictureHeight, kPictureWidth, kPictureHeight);
    svg += label(kPictureWidth / 2, 20, s_.title) + label(kPictureWidth / 2, kPictureHeight - 15, s_.x_label);
    svg += fmt::format("<g transform=\"rotate(-90 18 {})\">{}</g>\n", kPictureHeight / 2,
                       label(18, kPictureHeight / 2, s_.y_label));
    return svg + ticks() + line() + points() + legend() + "</svg>\n";
  }

 private:
  double place_x(double value) const { return s_.log_x ? std::log10(value) : value; }
  double at_x(double placed) const { return kLeft + x_.share(placed) * (kPictureWidth - kLeft - kRight); }
  double at_y(double value) const {
    return kPictureHeight - kBottom - y_.share(value) * (kPictureHeight - kTop - kBottom);
  }

  static std::string label(double x, double y, const std::string& text, const char* anchor = "middle") {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
  }
  static std::string stroke(double x1, double y1, double x2, double y2, const char* style) {
    return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }

  std::string ticks() const {
    constexpr const char* kGrid = "stroke=\"#dddddd\"";
    std::string svg;
    for (int i = 0; x_.begin + i * x_.step <= x_.end + x_.step / 2; ++i) {
      const double placed = x_.begin + i * x_.step, x = at_x(placed);
      svg += stroke(x, kTop, x, kPictureHeight - kBottom, kGrid);
      svg += label(x, kPictureHeight - kBottom + 18,
                   s_.log_x ? fmt::format("1e{:.0f}", placed) : fmt::format("{:.3g}", placed));
    }
    for (int i = 0; y_.begin + i * y_.step <= y_.end + y_.step / 2; ++i) {
      const double value = y_.begin + i * y_.step, y = at_y(value);
      svg += stroke(kLeft, y, kPictureWidth - kRight, y, kGrid) +
             label(kLeft - 8, y + 4, fmt::format("{:.3g}", value), "end");
    }
    return svg;
  }

  std::string line() const {
    constexpr const char* kStyle = "stroke=\"#444444\" stroke-dasharray=\"6 4\"";
    if (!s_.diagonal) return stroke(kLeft, at_y(1), kPictureWidth - kRight, at_y(1), kStyle);
    const double low = std::max(x_.begin, y_.begin), high = std::min(x_.end, y_.end);
    return stroke(at_x(low), at_y(low), at_x(high), at_y(high), kStyle);
  }

  static const char* colour(bool first) { return first ? "#1f77b4" : "#d62728"; }

  std::string points() const {
    std::string svg;
    for (const ScatterPoint& point : s_.points)
      svg += fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"{}\" fill-opacity=\"0.5\"/>\n",
                         at_x(place_x(point.x)), at_y(point.y), colour(point.first));
    return svg;
  }

  std::string legend() const {
    std::string svg;
    double x = kLeft;
    for (const bool first : {true, false}) {
      svg += fmt::format("<circle cx=\"{}\" cy=\"36\" r=\"4\" fill=\"{}\"/>\n", x, colour(first));
      svg += label(x + 10, 40, first ? s_.first : s_.second, "start");
      x += 220;
    }
    return svg;
  }

  const Scatter& s_;
  Axis x_, y_;
};

}  // namespace

std::string scatter_svg(const Scatter& scatter) { return Plot(scatter).text(); }

}  // namespace tilewright
