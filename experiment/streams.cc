#include "experiment/streams.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <string_view>

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

std::vector<WrittenStream> read_capture(const std::string& path) {
  using schedule::Capture;
  using schedule::CapturedStream;
  std::ifstream file(path, std::ios::binary);
  Capture header;
  file.read(static_cast<char*>(static_cast<void*>(&header)), sizeof(header));
  if (file.gcount() != sizeof(header) || header.magic != Capture::kMagic || header.pid == 0) return {};
  std::vector<CapturedStream> known(std::min(header.streams, Capture::kMost));
  file.read(static_cast<char*>(static_cast<void*>(known.data())),
            static_cast<std::streamsize>(known.size() * sizeof(CapturedStream)));
  if (!file) return {};
  std::vector<WrittenStream> streams;
  for (uint32_t i = 0; i < known.size(); ++i) {
    const CapturedStream& one = known[i];
    WrittenStream stream = {{one.name, strnlen(one.name, sizeof(one.name))}, one.length, one.hash, ""};
    stream.bytes.resize(std::min({one.kept, one.length, CapturedStream::kMostKept}));
    file.seekg(static_cast<std::streamoff>(Capture::offset_of_bytes(i)));
    file.read(stream.bytes.data(), static_cast<std::streamsize>(stream.bytes.size()));
    if (!file) return {};
    streams.push_back(std::move(stream));
  }
  return streams;
}

bool prepare_capture(const std::string& path) {
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return false;
  const schedule::Capture header;
  const bool ok = write(fd, static_cast<const void*>(&header), sizeof(header)) == sizeof(header) &&
                  ftruncate(fd, static_cast<off_t>(schedule::Capture::file_size())) == 0;
  close(fd);
  return ok;
}

}  // namespace norn::experiment
