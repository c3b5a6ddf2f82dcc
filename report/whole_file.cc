#include "report/whole_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <vector>

#include "base/text_hash.h"

namespace norn::report {

std::optional<std::string> read_whole_file(const std::string& path, std::string& error) {
  constexpr size_t kMostContents = size_t{512} << 20;
  // Not to wait for whoever writes into a pipe, who may never come.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  const auto fail = [&](const std::string& why) {
    error = fmt::format("{}: {}", path, why);
    if (file >= 0) close(file);
    return std::nullopt;
  };
  struct stat status{};
  if (file < 0 || fstat(file, &status) != 0) return fail(std::strerror(errno));
  if (S_ISDIR(status.st_mode)) return fail("it is a directory, not a file");
  if (!S_ISREG(status.st_mode) && !S_ISCHR(status.st_mode)) return fail("it is a pipe or a socket, not a file");
  const std::string too_large = fmt::format("it is larger than {} MB", kMostContents >> 20);
  if (static_cast<size_t>(status.st_size) > kMostContents) return fail(too_large);
  std::string contents;
  contents.reserve(static_cast<size_t>(status.st_size));
  std::vector<char> block(size_t{1} << 16);
  for (;;) {
    const ssize_t got = read(file, block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail(std::strerror(errno));
    if (got == 0) break;
    if (contents.size() + static_cast<size_t>(got) > kMostContents) return fail(too_large);
    contents.append(block.data(), static_cast<size_t>(got));
  }
  close(file);
  return contents;
}

uint64_t hash_of_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  uint64_t hash = kNoBytes;
  std::vector<char> block(size_t{1} << 20);
  while (file.read(block.data(), static_cast<std::streamsize>(block.size())) || file.gcount() > 0)
    hash = text_hash({block.data(), static_cast<size_t>(file.gcount())}, hash);
  return hash;
}

}  // namespace norn::report
