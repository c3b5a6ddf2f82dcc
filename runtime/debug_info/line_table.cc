// The line numbers of a unit: DWARF 5, 6.2; versions 2 to 4 have another header. (valgrind/debug_info/lines.h says why
// the Valgrind tool does not read them by this.)
#include "runtime/debug_info/dwarf_reader.h"

namespace norn::debug_info {
namespace {

enum ContentType : unsigned { kPath = 1, kDirectoryIndex = 2 };
enum Standard : unsigned {
  kCopy = 1,
  kAdvancePc = 2,
  kAdvanceLine = 3,
  kSetFile = 4,
  kSetColumn = 5,
  kConstAddPc = 8,
  kFixedAdvancePc = 9,
};
enum Extended : unsigned { kEndSequence = 1, kSetAddress = 2 };

bool is_absolute(Text path) { return !path.empty() && path[0] == '/'; }

}  // namespace

struct DwarfReader::LineHeader {
  unsigned version = 0;
  unsigned offset_bytes = 4;
  unsigned least_instruction = 1;
  int line_base = 0;
  unsigned line_range = 1;
  unsigned opcode_base = 1;
  uint8_t lengths[256] = {};  // of the operands of standard opcodes
  Cursor tables;              // of directories and files
  Cursor program;
};

bool DwarfReader::read_line_header(const Unit& unit, LineHeader& header) const {
  Cursor at(lines_, unit.lines);
  uint64_t size = at.u32();
  if (size == 0xffffffff) {
    size = at.u64();
    header.offset_bytes = 8;
  }
  at.end_at(at.offset() + size);
  header.version = static_cast<unsigned>(at.u16());
  if (header.version < 2 || header.version > 5) return false;
  if (header.version >= 5) at.skip(2);  // sizes of addresses and segments
  const uint64_t rest = at.number(header.offset_bytes);
  header.program = at;
  header.program.skip(rest);
  header.least_instruction = static_cast<unsigned>(at.u8());
  if (header.version >= 4) at.skip(1);  // operations of a long instruction
  at.skip(1);                           // whether rows are statements
  header.line_base = static_cast<int8_t>(at.u8());
  header.line_range = static_cast<unsigned>(at.u8());
  header.opcode_base = static_cast<unsigned>(at.u8());
  for (unsigned i = 1; i < header.opcode_base; ++i) header.lengths[i] = static_cast<uint8_t>(at.u8());
  header.tables = at;
  return header.line_range != 0;
}

bool DwarfReader::find_row(const Unit& unit, uint64_t address, Row& row) const {
  LineHeader header;
  if (!read_line_header(unit, header)) return false;
  Cursor at = header.program;
  struct Registers {
    uint64_t address = 0;
    uint64_t file = 1;
    int64_t line = 1;
    uint64_t column = 0;
  };
  Registers now;
  Registers before;
  bool has_before = false;
  // A row stands for the code up to the next one of its sequence.
  const auto emit = [&](bool ends) {
    const bool found = has_before && before.address != 0 && address >= before.address && address < now.address;
    if (found) {
      row = {before.file, static_cast<uint32_t>(before.line), static_cast<uint32_t>(before.column)};
    }
    before = now;
    has_before = !ends;
    return found;
  };
  const auto advance = [&](uint64_t operations) { now.address += operations * header.least_instruction; };
  while (!at.at_end()) {
    const auto opcode = static_cast<unsigned>(at.u8());
    if (opcode >= header.opcode_base) {
      const unsigned adjusted = opcode - header.opcode_base;
      advance(adjusted / header.line_range);
      now.line += header.line_base + static_cast<int>(adjusted % header.line_range);
      if (emit(false)) return true;
      continue;
    }
    switch (opcode) {
      case 0: {
        const uint64_t size = at.uleb();
        Cursor operands = at;
        at.skip(size);
        const uint64_t kind = size == 0 ? 0 : operands.u8();
        if (kind == kSetAddress && size <= 9) now.address = operands.number(static_cast<unsigned>(size - 1));
        if (kind != kEndSequence) break;
        if (emit(true)) return true;
        now = {};
        break;
      }
      case kCopy:
        if (emit(false)) return true;
        break;
      case kAdvancePc:
        advance(at.uleb());
        break;
      case kAdvanceLine:
        now.line += at.sleb();
        break;
      case kSetFile:
        now.file = at.uleb();
        break;
      case kSetColumn:
        now.column = at.uleb();
        break;
      case kConstAddPc:
        advance((255 - header.opcode_base) / header.line_range);
        break;
      case kFixedAdvancePc:
        now.address += at.u16();
        break;
      default:
        for (unsigned i = 0; i < header.lengths[opcode]; ++i) at.uleb();
    }
  }
  return false;
}

bool DwarfReader::find_file(const Unit& unit, uint64_t number, SourceFrame& frame, TextPool& pool) const {
  LineHeader header;
  if (!unit.has_lines || !read_line_header(unit, header)) return false;
  Cursor at = header.tables;
  Text name;
  Text directory;
  bool in_unit_directory = false;
  if (header.version >= 5) {
    // Two tables of the same form: descriptions, a count, entries.
    const auto read_table = [&](uint64_t wanted, Text& path, uint64_t& directory_index) {
      struct Field {
        uint64_t type;
        uint64_t form;
      } fields[16];
      const uint64_t described = at.u8();
      for (uint64_t i = 0; i < described; ++i) {
        const Field field = {at.uleb(), at.uleb()};
        if (i < 16) fields[i] = field;
      }
      if (described > 16) return false;
      const uint64_t count = at.uleb();
      for (uint64_t i = 0; i < count && !at.at_end(); ++i) {
        for (uint64_t k = 0; k < described; ++k) {
          const Value value = read_value(at, unit, fields[k].form, 0);
          if (i != wanted) continue;
          if (fields[k].type == kPath) path = value.text;
          if (fields[k].type == kDirectoryIndex) directory_index = value.number;
        }
      }
      return wanted < count;
    };
    const Cursor directories = at;
    Text ignored;
    uint64_t index = 0;
    if (!read_table(~uint64_t{0} - 1, ignored, index) && at.at_end()) return false;
    if (!read_table(number, name, index)) return false;
    at = directories;
    uint64_t none = 0;
    read_table(index, directory, none);
    in_unit_directory = index == 0;
  } else {
    if (number == 0) return false;
    const Cursor directories = at;
    while (!at.at_end() && !at.text().empty()) {
    }
    uint64_t index = 0;
    for (uint64_t i = 1; !at.at_end(); ++i) {
      const Text path = at.text();
      if (path.empty()) return false;
      const uint64_t place = at.uleb();
      at.uleb();
      at.uleb();
      if (i != number) continue;
      name = path;
      index = place;
      break;
    }
    at = directories;
    for (uint64_t i = 1; i <= index; ++i) directory = at.text();
    in_unit_directory = index == 0;
  }
  frame.directory = unit.directory;
  if (is_absolute(name) || in_unit_directory || directory.empty() || directory == unit.directory) {
    frame.file = name;
  } else {
    char* bytes = pool.bytes();
    const size_t size = directory.size + 1 + name.size;
    if (size >= pool.room()) {
      frame.file = name;
      return true;
    }
    for (size_t i = 0; i < directory.size; ++i) bytes[i] = directory[i];
    bytes[directory.size] = '/';
    for (size_t i = 0; i < name.size; ++i) bytes[directory.size + 1 + i] = name[i];
    pool.take(size);
    frame.file = {bytes, size};
  }
  if (is_absolute(frame.file)) frame.directory = {};
  return true;
}

}  // namespace norn::debug_info
