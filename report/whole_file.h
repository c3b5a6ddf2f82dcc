// Reading a file that may be anything.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace norn::report {

// The whole of a file; nothing and one line in `error` if it cannot be read, is no file, or is larger than 512 MB.
[[nodiscard]] std::optional<std::string> read_whole_file(const std::string& path, std::string& error);

// The hash of its bytes (base/text_hash.h), however large it is; of nothing if it cannot be read.
[[nodiscard]] uint64_t hash_of_file(const std::string& path);

}  // namespace norn::report
