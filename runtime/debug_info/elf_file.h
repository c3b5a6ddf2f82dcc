// A file of code as the linker wrote it: its sections and its symbols. It is read in place and never changed; the
// bytes stay as long as whoever has them mapped. Freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

namespace norn::debug_info {

struct Section {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

struct Symbol {
  uint64_t begin = 0;
  uint64_t size = 0;
  Text name{};  // as the linker knows it
};

class ElfFile {
 public:
  // False: these bytes are no file of x86-64 code.
  [[nodiscard]] bool open(const uint8_t* data, size_t size);

  // Empty if there is none of that name, or if it is compressed.
  [[nodiscard]] Section section(Text name) const;

  // Whether dynamic linking knows a symbol of that name, here or elsewhere.
  [[nodiscard]] bool names(Text name) const;

  enum class Kind : uint8_t { kFunction, kObject };
  // The symbol that covers an address, as the file counts addresses.
  [[nodiscard]] bool find_symbol(uint64_t address, Kind kind, Symbol& symbol) const;

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
  Section headers_{};  // of sections
  Section names_{};    // of sections
  Section symbols_{};
  Section symbol_names_{};
  Section dynamic_symbols_{};
  Section dynamic_names_{};
};

}  // namespace norn::debug_info
