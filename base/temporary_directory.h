// A directory of its own below the system's for temporary files, which goes with its scope. For tools.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <string>

namespace norn {

class TemporaryDirectory final {
 public:
  // Its name begins so.
  explicit TemporaryDirectory(const std::string& name) {
    std::error_code code;
    std::string path = (std::filesystem::temp_directory_path(code) / (name + "-XXXXXX")).string();
    if (mkdtemp(path.data()) != nullptr) path_ = path;
  }
  ~TemporaryDirectory() {
    std::error_code code;
    if (!path_.empty()) std::filesystem::remove_all(path_, code);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

  // Empty: it could not be made.
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace norn
