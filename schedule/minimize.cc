#include "schedule/minimize.h"

#include <algorithm>

namespace norn::schedule {
namespace {

// Neighbours of the same thread are one.
std::vector<LogEntry> merged(const std::vector<LogEntry>& segments) {
  std::vector<LogEntry> out;
  for (const LogEntry& entry : segments) {
    if (out.empty() || out.back().thread != entry.thread) {
      out.push_back(entry);
    } else if (out.back().site != kToTheEnd) {
      out.back().site = entry.site == kToTheEnd ? kToTheEnd : out.back().site + entry.site;
    }
  }
  return out;
}

}  // namespace

std::vector<LogEntry> segments_of(const std::vector<LogEntry>& log) {
  std::vector<LogEntry> out;
  for (const LogEntry& entry : log) {
    if (entry.op == LogEntry::kPick) continue;
    if (out.empty() || out.back().thread != entry.thread) out.push_back(segment(entry.thread, 0));
    ++out.back().site;
  }
  return out;
}

std::vector<LogEntry> minimize(std::vector<LogEntry> segments, unsigned budget,
                               const std::function<bool(const std::vector<LogEntry>&)>& still_shows) {
  const auto try_it = [&](const std::vector<LogEntry>& shorter) {
    if (budget == 0) return false;
    --budget;
    if (!still_shows(shorter)) return false;
    segments = shorter;
    return true;
  };
  for (size_t size = std::max<size_t>(segments.size() / 2, 1); budget > 0;) {
    bool shorter = false;
    for (size_t at = 0; at < segments.size() && budget > 0;) {
      std::vector<LogEntry> rest = segments;
      const auto begin = rest.begin() + static_cast<std::ptrdiff_t>(at);
      rest.erase(begin, begin + static_cast<std::ptrdiff_t>(std::min(size, rest.size() - at)));
      if (try_it(merged(rest))) {
        shorter = true;
      } else {
        at += size;
      }
    }
    if (size == 1 && !shorter) break;
    size = std::max<size_t>(shorter ? std::min(size, segments.size() / 2) : size / 2, 1);
  }
  for (size_t at = segments.size(); at-- > 0 && budget > 0;) {
    if (at >= segments.size() || segments[at].site == kToTheEnd) continue;
    std::vector<LogEntry> open = segments;
    open[at].site = kToTheEnd;
    try_it(open);
  }
  return segments;
}

}  // namespace norn::schedule
