// From an address of code to the statement it was compiled from: function, file and line, and what that was inlined
// into. Reads versions 2 to 5 of DWARF (dwarfstd.org) as gcc and clang write it into the file itself. What stands
// elsewhere (split or separate debug information) or is compressed is not there for it. Freestanding.
//
// A lookup walks the units of the file until it finds the one with the address, and then through that one. It is meant
// for the few addresses that a report speaks of.
#pragma once

#include "base/text_pool.h"
#include "runtime/debug_info/dwarf_cursor.h"

namespace norn::debug_info {

// A place in the source. `file` is as the compiler was told, `directory` where it starts if it is relative.
struct SourceFrame {
  Text function{};  // with its scopes, without parameters: "bank::Account::deposit"
  Text file{};
  Text directory{};
  uint32_t line = 0;
  uint32_t column = 0;
};

class DwarfReader {
 public:
  constexpr DwarfReader() = default;
  void open(const ElfFile& file);

  // Fills in the statement of an address, then the calls that it was inlined at, outwards. Returns how many there are;
  // 0: the file says nothing of it. Texts are of the file, or in `pool`.
  [[nodiscard]] size_t find(uint64_t address, SourceFrame* frames, size_t most, TextPool& pool);

 private:
  struct Unit {
    uint64_t offset = 0;     // of its header
    uint64_t first_die = 0;  // where its entries begin
    uint64_t end = 0;
    unsigned version = 0;
    unsigned address_bytes = 0;
    unsigned offset_bytes = 0;  // 4, or 8 of 64-bit DWARF
    bool has_code = false;      // not a unit of types, nor a skeleton
    uint64_t abbreviations = 0;
    uint64_t texts_base = 0;
    uint64_t addresses_base = 0;
    uint64_t ranges_base = 0;
    uint64_t low = 0;
    uint64_t lines = 0;
    bool has_lines = false;
    Text directory{};
    Text name{};
  };

  struct Value {
    uint64_t number = 0;
    Text text{};
    bool is_address = false;
    bool is_listed = false;  // an index into a list of ranges
  };

  // An entry, as far as it matters here.
  struct Entry {
    uint64_t offset = 0;
    unsigned tag = 0;  // 0: the end of a list of children
    bool has_children = false;
    bool is_known = false;
    Text name{};
    bool has_low = false;
    bool has_high = false;
    bool has_ranges = false;
    bool high_is_size = false;
    bool ranges_listed = false;
    uint64_t low = 0;
    uint64_t high = 0;
    uint64_t ranges = 0;
    uint64_t origin = 0;  // what this is an instance or a definition of
    uint64_t sibling = 0;
    uint64_t call_file = 0;
    uint32_t call_line = 0;
    uint32_t call_column = 0;
  };

  struct Row {
    uint64_t file = 0;
    uint32_t line = 0;
    uint32_t column = 0;
  };

  static constexpr size_t kMaxInlined = 64;
  static constexpr size_t kAbbreviations = 4096;

  bool read_unit(uint64_t offset, Unit& unit);
  bool find_unit_of_code(uint64_t address, Unit& unit);
  bool find_unit_of_entry(uint64_t offset, Unit& unit);
  Cursor entries(const Unit& unit, uint64_t offset) const;
  void use_abbreviations(const Unit& unit);
  void read_root(Unit& unit, Entry& root);
  void read_entry(Cursor& at, Unit& unit, Entry& entry, bool is_root = false);
  Value read_value(Cursor& at, const Unit& unit, uint64_t form, int64_t constant) const;
  bool covers(const Unit& unit, const Entry& entry, uint64_t address) const;
  bool ranges_cover(const Unit& unit, const Entry& entry, uint64_t address) const;
  bool listed_ranges_cover(const Unit& unit, const Entry& entry, uint64_t address) const;
  uint64_t indexed_address(const Unit& unit, uint64_t index) const;
  size_t find_chain(Unit& unit, uint64_t address);
  Text function_name(const Unit& unit, const Entry& function, TextPool& pool);
  Text with_scopes(Unit& unit, uint64_t offset, Text name, TextPool& pool);

  // line_table.cc
  bool find_row(const Unit& unit, uint64_t address, Row& row) const;
  bool find_file(const Unit& unit, uint64_t number, SourceFrame& frame, TextPool& pool) const;
  struct LineHeader;
  bool read_line_header(const Unit& unit, LineHeader& header) const;

  Section info_{};
  Section abbreviations_{};
  Section lines_{};
  Section texts_{};
  Section line_texts_{};
  Section text_offsets_{};
  Section addresses_{};
  Section ranges_{};
  Section range_lists_{};

  // (A thread that asks may have little stack.)
  Entry chain_[kMaxInlined] = {};

  // Where the description of each code begins, of the table that is in use.
  static constexpr uint64_t kNoTable = ~uint64_t{0};
  uint64_t table_ = kNoTable;
  uint32_t known_[kAbbreviations] = {};
};

}  // namespace norn::debug_info
