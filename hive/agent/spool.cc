#include "hive/agent/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace norn::hive {

Spool::~Spool() {
  if (results_ >= 0) close(results_);
  if (sent_file_ >= 0) close(sent_file_);
}

bool Spool::open(const std::string& directory, std::string& error) {
  std::error_code code;
  std::filesystem::create_directories(directory, code);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all, code);
  results_ = ::open((directory + "/results").c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  sent_file_ = ::open((directory + "/sent").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (results_ < 0 || sent_file_ < 0) {
    error = fmt::format("{} cannot be written: {}", directory, std::strerror(errno));
    return false;
  }
  if (flock(results_, LOCK_EX | LOCK_NB) != 0) {
    error = fmt::format("{} is another agent's; say another --spool", directory);
    return false;
  }
  struct stat about{};
  fstat(results_, &about);
  size_ = static_cast<uint64_t>(about.st_size);
  char digits[32] = {};
  if (pread(sent_file_, digits, sizeof(digits) - 1, 0) > 0) sent_ = std::strtoull(digits, nullptr, 10);
  // It was killed after it had emptied the file.
  if (sent_ > size_) sent_ = 0;
  // What a machine that went down left is cut off, so that the next line stands alone.
  char last = '\n';
  if (size_ > 0 && pread(results_, &last, 1, static_cast<off_t>(size_ - 1)) == 1 && last != '\n')
    size_ += static_cast<uint64_t>(std::max<ssize_t>(write(results_, "\n", 1), 0));
  return true;
}

bool Spool::add(const std::string& line) {
  const std::string whole = line + "\n";
  if (size_ + whole.size() > most_ ||
      write(results_, whole.data(), whole.size()) != static_cast<ssize_t>(whole.size())) {
    ++lost_;
    return false;
  }
  size_ += whole.size();
  return true;
}

std::vector<std::string> Spool::oldest(size_t number, uint64_t& end) const {
  std::vector<std::string> lines;
  end = sent_;
  constexpr size_t kChunk = size_t{512} << 10;  // what a request may be, with room
  std::string chunk(std::min<uint64_t>(kChunk, size_ - sent_), '\0');
  const ssize_t got = pread(results_, chunk.data(), chunk.size(), static_cast<off_t>(sent_));
  chunk.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
  for (size_t at = 0; lines.size() < number;) {
    const size_t stop = chunk.find('\n', at);
    if (stop == std::string::npos) break;
    if (stop > at) lines.push_back(chunk.substr(at, stop - at));
    at = stop + 1;
    end = sent_ + at;
  }
  return lines;
}

void Spool::taken(uint64_t end) {
  sent_ = std::min(end, size_);
  if (sent_ == size_ && ftruncate(results_, 0) == 0) size_ = sent_ = 0;
  write_sent();
}

void Spool::write_sent() const {
  // As wide as ever, so that one write replaces all of it.
  const std::string digits = fmt::format("{:020}\n", sent_);
  // If it fails, what was taken is sent again, which changes nothing.
  [[maybe_unused]] const ssize_t written = pwrite(sent_file_, digits.data(), digits.size(), 0);
}

}  // namespace norn::hive
