#include "schedule/log_file.h"

#include <algorithm>
#include <fstream>

namespace norn::schedule {

std::vector<LogEntry> read_log(const std::string& path, uint64_t most) {
  std::ifstream stream(path, std::ios::binary);
  LogHeader header;
  stream.read(static_cast<char*>(static_cast<void*>(&header)), sizeof(header));
  if (stream.gcount() != sizeof(header) || header.magic != LogHeader::kMagic || header.count > uint64_t{1} << 30)
    return {};
  const auto begin = stream.tellg();
  const auto size = stream.seekg(0, std::ios::end).tellg() - begin;
  stream.seekg(begin);
  if (!stream || size < 0) return {};
  // A log that was cut off has fewer than it says.
  std::vector<LogEntry> entries(std::min({header.count, static_cast<uint64_t>(size) / sizeof(LogEntry), most}));
  stream.read(static_cast<char*>(static_cast<void*>(entries.data())),
              static_cast<std::streamsize>(entries.size() * sizeof(LogEntry)));
  entries.resize(static_cast<size_t>(std::max<std::streamsize>(stream.gcount(), 0)) / sizeof(LogEntry));
  return entries;
}

bool write_log(const std::string& path, const std::vector<LogEntry>& entries) {
  LogHeader header;
  header.count = header.capacity = entries.size();
  std::ofstream stream(path, std::ios::binary | std::ios::trunc);
  stream.write(static_cast<const char*>(static_cast<const void*>(&header)), sizeof(header));
  stream.write(static_cast<const char*>(static_cast<const void*>(entries.data())),
               static_cast<std::streamsize>(entries.size() * sizeof(LogEntry)));
  stream.close();
  return !stream.fail();
}

}  // namespace norn::schedule
