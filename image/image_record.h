// A record of the image: what one object, or one link, adds to the sections that carry a program with the program.
//
//   offset  bytes
//   0       8      "norn.img"
//   8       4      version of this format, little-endian like all numbers here
//   12      4      kind: 1 a module, 2 a recipe
//   16      8      length of the body, as it stands here
//   24      8      length of the body, unpacked
//   32      8      XXH3 (64 bits) of bytes 0 to 31, then of the body
//   40             the body, packed by zstd: fields, one after the other
//
// A field is the length of its name (4 bytes), its name, the length of its value (8 bytes), its value. Names may come
// more than once; their order counts.
//
//   module   source, llvm, flag*, function*, bitcode
//   recipe   driver, then argument | library | input | option, in the order of the command line (recipe.h)
//
// Linkers concatenate sections of one name, so each record says where it ends, and zeros may stand between records.
// The checksum tells damage; it is no signature.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace norn::image {

inline constexpr const char* kModuleSection = ".norn.image";
inline constexpr const char* kRecipeSection = ".norn.recipe";

// Whose bitcode it is that norn reads and writes.
inline constexpr const char* kLlvm = "19";

enum class RecordKind : uint32_t { kModule = 1, kRecipe = 2 };

struct Field {
  std::string name;
  std::string value;
};

struct Record {
  RecordKind kind = RecordKind::kModule;
  std::vector<Field> fields{};
  uint64_t packed_size = 0;    // with its header, in the file
  uint64_t unpacked_size = 0;  // of the body

  // The first value of that name, or nothing.
  [[nodiscard]] std::string_view value(std::string_view name) const;
  [[nodiscard]] std::vector<std::string> values(std::string_view name) const;
};

// The bytes of a record. The same fields give the same bytes.
[[nodiscard]] std::string packed(RecordKind kind, const std::vector<Field>& fields);

// All records of a section's bytes. On nothing, `error` says what is wrong with them, as half a sentence.
[[nodiscard]] std::optional<std::vector<Record>> unpacked(std::string_view section, std::string& error);

}  // namespace norn::image
