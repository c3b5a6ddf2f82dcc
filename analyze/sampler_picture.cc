// Figures 4 and 5 of LiteRace: bars, a group for each program and a bar in it for each sampler.
#include <fmt/format.h>

#include <functional>

#include "analyze/sampler_comparison.h"

namespace norn::analyze {
namespace {

constexpr const char* kColours[] = {"#1b4f8f", "#5b8fd6", "#b3541e", "#e39a5f",
                                    "#6b7f3f", "#a9bd78", "#8a8a8a", "#7a1f5c"};
constexpr int kBar = 9;
constexpr int kGap = 14;
constexpr int kHeight = 160;
constexpr int kLeft = 46;
constexpr int kPanel = kHeight + 92;

std::string escaped(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '"')
      safe += "&quot;";
    else if (static_cast<unsigned char>(c) < 0x20)
      safe += ' ';
    else
      safe += c;
  }
  return safe;
}

struct Group {
  std::string name;
  std::vector<std::optional<double>> bars{};
};

int width_of(const std::vector<Group>& groups, size_t bars) {
  return kLeft + static_cast<int>(groups.size()) * (static_cast<int>(bars) * kBar + kGap) + kGap;
}

std::string panel(int x, int y, const std::string& title, const std::vector<Group>& groups) {
  std::string svg = fmt::format("<g transform=\"translate({},{})\"><text x=\"0\" y=\"14\" class=\"t\">{}</text>\n", x,
                                y, escaped(title));
  const int top = 28;
  for (int line = 0; line <= 4; ++line) {
    const int at = top + kHeight - kHeight * line / 4;
    svg += fmt::format(
        "<line x1=\"{0}\" x2=\"{1}\" y1=\"{2}\" y2=\"{2}\" class=\"r\"/><text x=\"{3}\" y=\"{4}\" class=\"n\">{5} "
        "%</text>\n",
        kLeft, width_of(groups, groups.empty() ? 0 : groups[0].bars.size()), at, kLeft - 4, at + 4, 25 * line);
  }
  int left = kLeft + kGap;
  for (const Group& group : groups) {
    for (size_t i = 0; i < group.bars.size(); ++i) {
      const std::optional<double> share = group.bars[i];
      if (!share) continue;
      const double height = *share * kHeight;
      svg += fmt::format(
          "<rect x=\"{}\" y=\"{:.1f}\" width=\"{}\" height=\"{:.1f}\" fill=\"{}\"><title>{:.1f} %</title></rect>\n",
          left + static_cast<int>(i) * kBar, top + kHeight - height, kBar - 1, height,
          kColours[i % (sizeof(kColours) / sizeof(kColours[0]))], *share * 100);
    }
    const int middle = left + static_cast<int>(group.bars.size()) * kBar / 2;
    svg += fmt::format("<text x=\"{0}\" y=\"{1}\" class=\"g\" transform=\"rotate(-20 {0} {1})\">{2}</text>\n", middle,
                       top + kHeight + 16, escaped(group.name));
    left += static_cast<int>(group.bars.size()) * kBar + kGap;
  }
  return svg + "</g>\n";
}

std::vector<Group> groups_of(const Comparison& comparison,
                             const std::function<std::optional<double>(const Rates&)>& value) {
  std::vector<Group> groups;
  const auto add = [&](const std::string& name, const std::vector<Rates>& samplers) {
    Group group{name};
    bool any = false;
    for (const Rates& rates : samplers) {
      group.bars.push_back(value(rates));
      any |= group.bars.back().has_value();
    }
    if (any) groups.push_back(std::move(group));
  };
  for (const ProgramRates& program : comparison.programs) add(program.program, program.samplers);
  add("mean", comparison.means);
  return groups;
}

}  // namespace

std::string picture_of(const Comparison& comparison) {
  std::vector<Group> found = groups_of(comparison, [](const Rates& rates) { return rates.all; });
  Group logged{"logged (weighted)"};
  for (const double share : comparison.weighted) logged.bars.emplace_back(share);
  found.push_back(logged);
  const std::vector<Group> rare = groups_of(comparison, [](const Rates& rates) { return rates.rare; });
  const std::vector<Group> frequent = groups_of(comparison, [](const Rates& rates) { return rates.frequent; });
  const size_t bars = comparison.samplers.size();
  const int half = width_of(rare, bars) + 30;
  const int width = std::max({width_of(found, bars), half + width_of(frequent, bars), 560}) + 20;
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\">\n"
      "<style>text{{font:11px sans-serif;fill:#222}}.t{{font-size:13px;font-weight:bold}}.n{{text-anchor:end}}"
      ".g{{text-anchor:end}}.r{{stroke:#ccc}}</style>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, 2 * kPanel + 34);
  for (size_t i = 0; i < bars; ++i) {
    const int x = 10 + static_cast<int>(i) * 68;
    svg += fmt::format(
        "<rect x=\"{}\" y=\"8\" width=\"10\" height=\"10\" fill=\"{}\"/><text x=\"{}\" y=\"17\">{}</text>\n", x,
        kColours[i % (sizeof(kColours) / sizeof(kColours[0]))], x + 14, escaped(comparison.samplers[i]));
  }
  svg += panel(10, 30, "Races found, and accesses logged", found);
  svg += panel(10, 30 + kPanel, "Rare races found", rare);
  svg += panel(10 + half, 30 + kPanel, "Frequent races found", frequent);
  return svg + "</svg>\n";
}

}  // namespace norn::analyze
