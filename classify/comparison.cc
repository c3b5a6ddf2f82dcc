#include "classify/comparison.h"

#include <fmt/format.h>

#include <algorithm>

namespace norn::classify {
namespace {

using experiment::stream_of;
using experiment::WrittenStream;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

WrittenStream* find(Visible& in, const std::string& name) {
  const auto found =
      std::find_if(in.streams.begin(), in.streams.end(), [&](const WrittenStream& one) { return one.name == name; });
  return found == in.streams.end() ? nullptr : &*found;
}

const WrittenStream* find(const Visible& in, const std::string& name) { return find(const_cast<Visible&>(in), name); }

bool same(const WrittenStream& a, const WrittenStream& b) { return a.length == b.length && a.hash == b.hash; }

std::string blanked(const std::string& text, const std::vector<bool>& noisy) {
  std::string out;
  const std::vector<std::string> lines = lines_of(text);
  for (size_t i = 0; i < lines.size(); ++i) out += (i < noisy.size() && noisy[i] ? "" : lines[i]) + "\n";
  return out;
}

void erase(Visible& in, const std::string& name) {
  std::erase_if(in.streams, [&](const WrittenStream& one) { return one.name == name; });
}

bool same_lines(const WrittenStream& a, const WrittenStream& b) {
  if (a.length != a.bytes.size() || b.length != b.bytes.size()) return false;  // not all of it is there
  std::vector<std::string> one = lines_of(a.bytes), other = lines_of(b.bytes);
  std::sort(one.begin(), one.end());
  std::sort(other.begin(), other.end());
  return one == other;
}

}  // namespace

Visible visible_in(const experiment::StagedRun& run) {
  Visible visible{.status = run.exit, .streams = run.streams};
  if (visible.streams.empty())
    visible.streams = {stream_of("standard output", run.output), stream_of("standard error", run.errors)};
  return visible;
}

std::optional<Difference> difference(const Visible& before, const Visible& now) {
  if (const auto stream = experiment::first_difference(before.streams, now.streams))
    return Difference{false, stream->text()};
  if (before.status == now.status) return std::nullopt;
  return Difference{true, fmt::format("exit status {} instead of {}", now.status, before.status)};
}

void leave_out_noise(Visible& one, const Visible& again, Visible& other) {
  for (size_t i = one.streams.size(); i-- > 0;) {
    WrittenStream& stream = one.streams[i];
    const std::string name = stream.name;
    const WrittenStream* repeated = find(again, name);
    if (repeated != nullptr && same(stream, *repeated)) continue;
    WrittenStream* there = find(other, name);
    const std::vector<std::string> a = lines_of(stream.bytes);
    const std::vector<std::string> b = repeated == nullptr ? a : lines_of(repeated->bytes);
    const bool is_whole = stream.length == stream.bytes.size();
    if (repeated == nullptr || a.size() != b.size() || there == nullptr || !is_whole) {
      erase(other, name);
      erase(one, name);
      continue;
    }
    std::vector<bool> noisy(a.size());
    for (size_t line = 0; line < a.size(); ++line) noisy[line] = a[line] != b[line];
    stream = stream_of(name, blanked(stream.bytes, noisy));
    *there = stream_of(name, blanked(there->bytes, noisy));
  }
}

bool differ_in_order_only(const Visible& a, const Visible& b) {
  if (a.status != b.status || a.streams.size() != b.streams.size()) return false;
  bool differ = false;
  for (const WrittenStream& stream : a.streams) {
    const WrittenStream* other = find(b, stream.name);
    if (other == nullptr) return false;
    if (same(stream, *other)) continue;
    if (!same_lines(stream, *other)) return false;
    differ = true;
  }
  return differ;
}

}  // namespace norn::classify
