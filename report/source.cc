#include "report/source.h"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "report/race.h"
#include "report/record_reader.h"

namespace norn::report {

std::string SourceFiles::path(const Frame& frame) {
  const std::filesystem::path file(view(frame.file));
  if (file.is_absolute() || frame.directory.empty()) return file.lexically_normal().string();
  return (std::filesystem::path(view(frame.directory)) / file).lexically_normal().string();
}

std::string SourceFiles::line(const Frame& frame, uint32_t number) {
  if (frame.file.empty() || number == 0) return {};
  const auto [found, is_new] = files_.try_emplace(path(frame));
  if (is_new) {
    std::error_code error;
    // A device or a pipe in place of the file would never end.
    if (std::filesystem::is_regular_file(found->first, error)) {
      std::ifstream stream(found->first);
      for (std::string text; std::getline(stream, text);) found->second.push_back(text);
    }
  }
  return number <= found->second.size() ? found->second[number - 1] : std::string();
}

size_t SourceFiles::read_line(void* context, const Frame& frame, char* buffer, size_t capacity) {
  const std::string text = static_cast<SourceFiles*>(context)->line(frame, frame.line);
  const size_t size = std::min(text.size(), capacity);
  std::copy_n(text.data(), size, buffer);
  return size;
}

}  // namespace norn::report
