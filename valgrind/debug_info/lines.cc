// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/debug_info/lines.h"

#include <initializer_list>

namespace norn::vg {
namespace {

// DWARF 5, sections 7.5.6 (forms), 6.2.4 and 6.2.5 (lines).
enum Form : uint64_t {
  kAddr = 0x01,
  kBlock2 = 0x03,
  kBlock4 = 0x04,
  kData2 = 0x05,
  kData4 = 0x06,
  kData8 = 0x07,
  kString = 0x08,
  kBlock = 0x09,
  kBlock1 = 0x0a,
  kData1 = 0x0b,
  kFlag = 0x0c,
  kSdata = 0x0d,
  kStrp = 0x0e,
  kUdata = 0x0f,
  kRefAddr = 0x10,
  kRef1 = 0x11,
  kRef2 = 0x12,
  kRef4 = 0x13,
  kRef8 = 0x14,
  kRefUdata = 0x15,
  kSecOffset = 0x17,
  kExprloc = 0x18,
  kFlagPresent = 0x19,
  kStrx = 0x1a,
  kAddrx = 0x1b,
  kRefSup4 = 0x1c,
  kStrpSup = 0x1d,
  kData16 = 0x1e,
  kLineStrp = 0x1f,
  kRefSig8 = 0x20,
  kImplicitConst = 0x21,
  kLoclistx = 0x22,
  kRnglistx = 0x23,
  kRefSup8 = 0x24,
  kStrx1 = 0x25,
  kStrx2 = 0x26,
  kStrx3 = 0x27,
  kStrx4 = 0x28,
  kAddrx1 = 0x29,
  kAddrx2 = 0x2a,
  kAddrx3 = 0x2b,
  kAddrx4 = 0x2c,
  kGnuRefAlt = 0x1f20,
  kGnuStrpAlt = 0x1f21,
};

constexpr uint64_t kStatements = 0x10;  // DW_AT_stmt_list
constexpr uint64_t kPath = 1;           // DW_LNCT_path
constexpr uint64_t kDirectory = 2;      // DW_LNCT_directory_index

bool is_foreign(uint64_t form) {
  switch (form) {
    case kStrx:
    case kAddrx:
    case kLoclistx:
    case kRnglistx:
      return true;
    default:
      return form >= kStrx1 && form <= kAddrx4;
  }
}

// A place in a section.
class Cursor {
 public:
  Cursor(const DebugSection& section, uint64_t at) : section_(section), at_(at) {}

  [[nodiscard]] uint64_t at() const { return at_; }
  void go_to(uint64_t at) { at_ = at; }
  void skip(uint64_t bytes) {
    if (bytes > section_.size) give_up();
    at_ += bytes;
  }
  uint64_t number(unsigned bytes) {
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) value |= uint64_t{byte_at(section_, at_++)} << 8 * i;
    return value;
  }
  uint64_t leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      if ((byte & 0x80) == 0) return value;
    }
  }
  int64_t signed_leb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      const uint64_t byte = number(1);
      if (shift < 64) value |= (byte & 0x7f) << shift;
      shift += 7;
      if ((byte & 0x80) != 0) continue;
      if ((byte & 0x40) != 0 && shift < 64) value |= ~uint64_t{0} << shift;
      return static_cast<int64_t>(value);
    }
  }
  // A length, and how long offsets are in what it is the length of.
  uint64_t length(unsigned& offset_bytes) {
    const uint64_t value = number(4);
    offset_bytes = value == 0xffffffff ? 8 : 4;
    return offset_bytes == 8 ? number(8) : value;
  }
  void skip_text() {
    while (number(1) != 0) {
    }
  }

 private:
  const DebugSection& section_;
  uint64_t at_;
};

struct Sizes {
  unsigned offset;
  unsigned address;
};

void skip_value(Cursor& cursor, uint64_t form, const Sizes& sizes) {
  switch (form) {
    case kFlagPresent:
    case kImplicitConst:
      return;
    case kData1:
    case kFlag:
    case kRef1:
    case kStrx1:
    case kAddrx1:
      return cursor.skip(1);
    case kData2:
    case kRef2:
    case kStrx2:
    case kAddrx2:
      return cursor.skip(2);
    case kStrx3:
    case kAddrx3:
      return cursor.skip(3);
    case kData4:
    case kRef4:
    case kRefSup4:
    case kStrx4:
    case kAddrx4:
      return cursor.skip(4);
    case kData8:
    case kRef8:
    case kRefSig8:
    case kRefSup8:
      return cursor.skip(8);
    case kData16:
      return cursor.skip(16);
    case kAddr:
      return cursor.skip(sizes.address);
    case kStrp:
    case kRefAddr:
    case kSecOffset:
    case kStrpSup:
    case kLineStrp:
    case kGnuRefAlt:
    case kGnuStrpAlt:
      return cursor.skip(sizes.offset);
    case kSdata:
    case kUdata:
    case kRefUdata:
    case kStrx:
    case kAddrx:
    case kLoclistx:
    case kRnglistx:
      static_cast<void>(cursor.leb());
      return;
    case kString:
      return cursor.skip_text();
    case kBlock1:
      return cursor.skip(cursor.number(1));
    case kBlock2:
      return cursor.skip(cursor.number(2));
    case kBlock4:
      return cursor.skip(cursor.number(4));
    case kBlock:
    case kExprloc:
      return cursor.skip(cursor.leb());
    default:
      give_up();
  }
}

uint64_t number_value(Cursor& cursor, uint64_t form, const Sizes& sizes) {
  switch (form) {
    case kData1:
      return cursor.number(1);
    case kData2:
      return cursor.number(2);
    case kData4:
      return cursor.number(4);
    case kData8:
      return cursor.number(8);
    case kUdata:
      return cursor.leb();
    case kSecOffset:
      return cursor.number(sizes.offset);
    default:
      give_up();
  }
}

// The abbreviation with this code: its attributes follow.
void find_abbreviation(Cursor& cursor, uint64_t code) {
  for (;;) {
    const uint64_t present = cursor.leb();
    if (present == 0) give_up();
    static_cast<void>(cursor.leb());  // the tag
    cursor.skip(1);                   // whether it has children
    if (present == code) return;
    for (uint64_t attribute = 1, form = 1; attribute != 0 || form != 0;) {
      attribute = cursor.leb();
      form = cursor.leb();
      if (form == kImplicitConst) static_cast<void>(cursor.signed_leb());
    }
  }
}

// --- lines -------------------------------------------------------------------------------------------------------

constexpr size_t kPathBytes = 1024;
struct Path {
  char text[kPathBytes];
};

// Texts that do not fit are cut.
void read_path(Cursor& cursor, const DebugSections& sections, uint64_t form, const Sizes& sizes, Path& path) {
  const auto copy = [&](Cursor from) {
    size_t size = 0;
    for (char c = static_cast<char>(from.number(1)); c != '\0' && size + 1 < kPathBytes;
         c = static_cast<char>(from.number(1))) {
      path.text[size++] = c;
    }
    path.text[size] = '\0';
  };
  if (form == kString) {
    copy(cursor);
    cursor.skip_text();
  } else if (form == kLineStrp) {
    copy(Cursor(sections.line_texts, cursor.number(sizes.offset)));
  } else if (form == kStrp) {
    copy(Cursor(sections.texts, cursor.number(sizes.offset)));
  } else {
    give_up();
  }
}

void join_paths(const char* directory, const char* name, char* into) {
  size_t size = 0;
  for (const char* part : {directory, "/", name}) {
    for (; *part != '\0' && size + 1 < kPathBytes; ++part) into[size++] = *part;
  }
  into[size] = '\0';
}

struct EntryFormat {
  static constexpr unsigned kMost = 16;
  uint64_t content[kMost];
  uint64_t form[kMost];
  unsigned count;
};

EntryFormat read_format(Cursor& cursor) {
  EntryFormat format = {};
  format.count = static_cast<unsigned>(cursor.number(1));
  if (format.count > EntryFormat::kMost) give_up();
  for (unsigned i = 0; i < format.count; ++i) {
    format.content[i] = cursor.leb();
    format.form[i] = cursor.leb();
  }
  return format;
}

constexpr uint64_t kMostDirectories = 512;
constexpr uint64_t kMostFiles = 4096;
constinit Path directories[kMostDirectories] = {};
constinit unsigned files[kMostFiles] = {};

uint64_t read_entry(Cursor& cursor, const DebugSections& sections, const EntryFormat& format, const Sizes& sizes,
                    Path& path) {
  uint64_t directory = 0;
  path.text[0] = '\0';
  for (unsigned i = 0; i < format.count; ++i) {
    if (format.content[i] == kPath) {
      read_path(cursor, sections, format.form[i], sizes, path);
    } else if (format.content[i] == kDirectory) {
      directory = number_value(cursor, format.form[i], sizes);
    } else {
      skip_value(cursor, format.form[i], sizes);
    }
  }
  return directory;
}

// How many there are. The first directory is the one that the compiler was in.
uint64_t read_directories(Cursor& cursor, const DebugSections& sections, const Sizes& sizes) {
  static constinit Path path = {};
  const EntryFormat format = read_format(cursor);
  const uint64_t count = cursor.leb();
  for (uint64_t i = 0; i < count; ++i) {
    static_cast<void>(read_entry(cursor, sections, format, sizes, path));
    if (i >= kMostDirectories) continue;
    if (i == 0 || path.text[0] == '/') {
      directories[i] = path;
    } else {
      join_paths(directories[0].text, path.text, directories[i].text);
    }
  }
  return count < kMostDirectories ? count : kMostDirectories;
}

uint64_t read_files(Cursor& cursor, const DebugSections& sections, const Sizes& sizes, uint64_t directory_count,
                    const DebugLines& into) {
  static constinit Path path = {};
  const EntryFormat format = read_format(cursor);
  const uint64_t count = cursor.leb();
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t directory = read_entry(cursor, sections, format, sizes, path);
    if (i >= kMostFiles) continue;
    const bool has_directory = path.text[0] != '/' && directory < directory_count;
    files[i] = into.add_file(path.text, has_directory ? directories[directory].text : nullptr);
  }
  return count < kMostFiles ? count : kMostFiles;
}

struct Row {
  uint64_t address;
  uint64_t file;
  int64_t line;
};

// The state machine of section 6.2.2, as far as lines go.
class LineProgram {
 public:
  LineProgram(const DebugLines& into, uint64_t file_count) : into_(into), file_count_(file_count) {}

  void advance(uint64_t bytes, int64_t lines) {
    row_.address += bytes;
    row_.line += lines;
  }
  void set_address(uint64_t address) { row_.address = address; }
  void set_file(uint64_t file) { row_.file = file; }

  void emit() {
    if (has_last_ && row_.address > last_.address && last_.line > 0 && last_.file < file_count_) {
      into_.add_line(files[last_.file], last_.address, row_.address, static_cast<int>(last_.line));
    }
    last_ = row_;
    has_last_ = true;
  }
  void end() {
    emit();
    row_ = kFirst;
    has_last_ = false;
  }

 private:
  static constexpr Row kFirst = {0, 1, 1};
  const DebugLines& into_;
  uint64_t file_count_;
  Row row_ = kFirst;
  Row last_ = {};
  bool has_last_ = false;
};

void extended_opcode(Cursor& cursor, LineProgram& program) {
  const uint64_t size = cursor.leb();
  const uint64_t end = cursor.at() + size;
  const uint64_t opcode = size == 0 ? 0 : cursor.number(1);
  if (opcode == 1) {  // DW_LNE_end_sequence
    program.end();
  } else if (opcode == 2 && size <= 9) {  // DW_LNE_set_address
    program.set_address(cursor.number(static_cast<unsigned>(size - 1)));
  }
  cursor.go_to(end);
}

}  // namespace

Unit unit_at(const DebugSections& sections, uint64_t at) {
  constexpr uint64_t kSkeleton = 4;
  constexpr uint64_t kSplitCompile = 5;
  constexpr uint64_t kType = 2;
  constexpr uint64_t kSplitType = 6;
  Unit unit = {};
  Sizes sizes = {4, 8};
  Cursor cursor(sections.units, at);
  const uint64_t length = cursor.length(sizes.offset);
  if (length > sections.units.size) give_up();
  unit.size = cursor.at() - at + length;
  const uint64_t version = cursor.number(2);
  uint64_t abbreviations = 0;
  if (version >= 5) {
    const uint64_t type = cursor.number(1);
    sizes.address = static_cast<unsigned>(cursor.number(1));
    abbreviations = cursor.number(sizes.offset);
    if (type == kSkeleton || type == kSplitCompile) cursor.skip(8);
    if (type == kType || type == kSplitType) cursor.skip(8 + uint64_t{sizes.offset});
  } else {
    abbreviations = cursor.number(sizes.offset);
    sizes.address = static_cast<unsigned>(cursor.number(1));
  }
  const uint64_t code = cursor.leb();
  if (code == 0) return unit;
  Cursor attributes(sections.abbreviations, abbreviations);
  find_abbreviation(attributes, code);
  for (;;) {
    const uint64_t attribute = attributes.leb();
    const uint64_t form = attributes.leb();
    if (attribute == 0 && form == 0) return unit;
    if (form == kImplicitConst) static_cast<void>(attributes.signed_leb());
    unit.foreign |= is_foreign(form);
    if (attribute == kStatements) {
      unit.lines = number_value(cursor, form, sizes);
      unit.has_lines = true;
    } else {
      skip_value(cursor, form, sizes);
    }
  }
}

void read_lines(const DebugSections& sections, uint64_t at, const DebugLines& into) {
  Sizes sizes = {4, 8};
  Cursor cursor(sections.lines, at);
  const uint64_t length = cursor.length(sizes.offset);
  const uint64_t end = cursor.at() + length;
  if (cursor.number(2) != 5) return;
  sizes.address = static_cast<unsigned>(cursor.number(1));
  cursor.skip(1);  // segment selectors
  const uint64_t header = cursor.number(sizes.offset);
  const uint64_t begin = cursor.at() + header;
  const uint64_t instruction = cursor.number(1);
  cursor.skip(2);  // operations of an instruction, whether rows begin statements
  const auto line_base = static_cast<int8_t>(cursor.number(1));
  const uint64_t line_range = cursor.number(1);
  const uint64_t opcode_base = cursor.number(1);
  uint8_t operands[256] = {};
  for (uint64_t i = 1; i < opcode_base; ++i) operands[i] = static_cast<uint8_t>(cursor.number(1));
  if (line_range == 0 || opcode_base == 0) give_up();
  const uint64_t directory_count = read_directories(cursor, sections, sizes);
  LineProgram program(into, read_files(cursor, sections, sizes, directory_count, into));

  cursor.go_to(begin);
  while (cursor.at() < end) {
    const uint64_t opcode = cursor.number(1);
    if (opcode >= opcode_base) {
      const uint64_t step = opcode - opcode_base;
      program.advance(step / line_range * instruction, line_base + static_cast<int64_t>(step % line_range));
      program.emit();
      continue;
    }
    switch (opcode) {
      case 0:
        extended_opcode(cursor, program);
        break;
      case 1:  // DW_LNS_copy
        program.emit();
        break;
      case 2:  // DW_LNS_advance_pc
        program.advance(cursor.leb() * instruction, 0);
        break;
      case 3:  // DW_LNS_advance_line
        program.advance(0, cursor.signed_leb());
        break;
      case 4:  // DW_LNS_set_file
        program.set_file(cursor.leb());
        break;
      case 8:  // DW_LNS_const_add_pc
        program.advance((255 - opcode_base) / line_range * instruction, 0);
        break;
      case 9:  // DW_LNS_fixed_advance_pc
        program.advance(cursor.number(2), 0);
        break;
      default:
        for (unsigned i = 0; i < operands[opcode]; ++i) static_cast<void>(cursor.leb());
        break;
    }
  }
}

}  // namespace norn::vg
