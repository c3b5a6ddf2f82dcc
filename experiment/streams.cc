#include "experiment/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>

#include "base/string_sink.h"
#include "base/text_hash.h"
#include "report/whole_file.h"
#include "schedule/capture.h"

namespace norn::experiment {
namespace {

std::string line_at(std::string_view text, size_t begin) {
  if (begin >= text.size()) return "";
  return std::string(text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin));
}

std::optional<StreamDifference> difference_of(const WrittenStream& before, const WrittenStream& now) {
  if (before.length == now.length && before.hash == now.hash) return std::nullopt;
  StreamDifference found;
  found.stream = before.name.empty() ? now.name : before.name;
  const size_t common = std::min(before.bytes.size(), now.bytes.size());
  size_t at = 0, begin = 0;
  found.line = 1;
  for (; at < common && before.bytes[at] == now.bytes[at]; ++at)
    if (now.bytes[at] == '\n') ++found.line, begin = at + 1;
  found.offset = at;
  const bool is_kept = at < common || before.bytes.size() == before.length || now.bytes.size() == now.length;
  if (!is_kept) return found.line = 0, found;
  found.before = line_at(before.bytes, begin);
  found.now = line_at(now.bytes, begin);
  return found;
}

}  // namespace

std::string StreamDifference::text() const {
  if (line == 0) return fmt::format("{}, behind byte {}", stream, offset);
  const auto quoted = [](const std::string& text) { return text.empty() ? "nothing" : fmt::format("\"{}\"", text); };
  return fmt::format("{}, line {}: {} instead of {}", stream, line, quoted(now), quoted(before));
}

std::optional<StreamDifference> first_difference(const std::vector<WrittenStream>& before,
                                                 const std::vector<WrittenStream>& now) {
  const WrittenStream none = {"", 0, kNoBytes, ""};
  const auto find = [&](const std::vector<WrittenStream>& streams, const std::string& name) -> const WrittenStream& {
    const auto found = std::find_if(streams.begin(), streams.end(), [&](const auto& one) { return one.name == name; });
    return found == streams.end() ? none : *found;
  };
  for (const WrittenStream& stream : before)
    if (const auto found = difference_of(stream, find(now, stream.name))) return found;
  for (const WrittenStream& stream : now)
    if (const auto found = difference_of(find(before, stream.name), stream)) return found;
  return std::nullopt;
}

WrittenStream stream_of(std::string name, std::string bytes) {
  return {std::move(name), bytes.size(), text_hash(text_of(bytes)), bytes};
}

std::vector<WrittenStream> read_capture(const std::string& path, const std::string& own) {
  using schedule::Capture;
  std::ifstream file(path, std::ios::binary);
  const auto header = std::make_unique<Capture>();
  file.read(static_cast<char*>(static_cast<void*>(header.get())), sizeof(*header));
  if (file.gcount() != sizeof(*header) || header->magic != Capture::kMagic) return {};
  std::vector<WrittenStream> streams;
  for (uint32_t i = 0; i < std::min(header->count, Capture::kMost); ++i) {
    const schedule::CapturedFile& one = header->files[i];
    const std::string name(one.name, strnlen(one.name, sizeof(one.name)));
    std::string error;
    if (name.starts_with(own + "/")) continue;
    if (auto bytes = report::read_whole_file(name, error)) {
      streams.push_back(stream_of(name, std::move(*bytes)));
    } else {
      const size_t kept = std::min<size_t>(one.kept, sizeof(one.bytes));
      streams.push_back({name, one.length, one.hash, std::string(one.bytes, kept)});
    }
  }
  return streams;
}

bool prepare_capture(const std::string& path) {
  constexpr schedule::Capture kEmpty;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(static_cast<const char*>(static_cast<const void*>(&kEmpty)), offsetof(schedule::Capture, files));
  file.close();
  std::error_code error;
  std::filesystem::resize_file(path, sizeof(schedule::Capture), error);
  return !file.fail() && !error;
}

}  // namespace norn::experiment
