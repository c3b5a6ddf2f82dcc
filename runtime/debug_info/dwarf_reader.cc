#include "runtime/debug_info/dwarf_reader.h"

namespace norn::debug_info {
namespace {

// The numbers of DWARF 5, 7.5.
enum Tag : unsigned {
  kClassType = 0x02,
  kStructureType = 0x13,
  kUnionType = 0x17,
  kCompileUnit = 0x11,
  kInlinedSubroutine = 0x1d,
  kSubprogram = 0x2e,
  kNamespace = 0x39,
  kEnumerationType = 0x04,
};
enum Attribute : unsigned {
  kSibling = 0x01,
  kName = 0x03,
  kLines = 0x10,
  kLow = 0x11,
  kHigh = 0x12,
  kDirectory = 0x1b,
  kAbstractOrigin = 0x31,
  kSpecification = 0x47,
  kRanges = 0x55,
  kCallColumn = 0x57,
  kCallFile = 0x58,
  kCallLine = 0x59,
  kTextsBase = 0x72,
  kAddressesBase = 0x73,
  kRangesBase = 0x74,
};
enum Form : unsigned {
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
  kIndirect = 0x16,
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
  kStrx4 = 0x28,
  kAddrx1 = 0x29,
  kAddrx4 = 0x2c,
  kGnuRefAlt = 0x1f20,
  kGnuStrpAlt = 0x1f21,
};

// Units, 7.5.1.
enum UnitType : unsigned { kUnitCompile = 1, kUnitType = 2, kUnitPartial = 3, kUnitSkeleton = 4, kUnitSplit = 5 };

// Lists of ranges, 7.25.
enum RangeEntry : unsigned {
  kEndOfList = 0,
  kBaseAddressx = 1,
  kStartxEndx = 2,
  kStartxLength = 3,
  kOffsetPair = 4,
  kBaseAddress = 5,
  kStartEnd = 6,
  kStartLength = 7,
};

constexpr bool is_scope(unsigned tag) {
  return tag == kNamespace || tag == kClassType || tag == kStructureType || tag == kUnionType ||
         tag == kEnumerationType || tag == kSubprogram;
}

constexpr bool is_reference(uint64_t form) {
  return form == kRef1 || form == kRef2 || form == kRef4 || form == kRef8 || form == kRefUdata;
}

}  // namespace

void DwarfReader::open(const ElfFile& file) {
  info_ = file.section(".debug_info");
  abbreviations_ = file.section(".debug_abbrev");
  lines_ = file.section(".debug_line");
  texts_ = file.section(".debug_str");
  line_texts_ = file.section(".debug_line_str");
  text_offsets_ = file.section(".debug_str_offsets");
  addresses_ = file.section(".debug_addr");
  ranges_ = file.section(".debug_ranges");
  range_lists_ = file.section(".debug_rnglists");
  table_ = kNoTable;  // another file's may begin at the same offset
}

// --- units -----------------------------------------------------------------------------------------------------------

bool DwarfReader::read_unit(uint64_t offset, Unit& unit) {
  Cursor at(info_, offset);
  if (at.at_end()) return false;
  unit = {};
  unit.offset = offset;
  uint64_t size = at.u32();
  unit.offset_bytes = 4;
  if (size == 0xffffffff) {
    size = at.u64();
    unit.offset_bytes = 8;
  }
  if (size == 0 || size > info_.size - at.offset()) return false;
  unit.end = at.offset() + size;
  unit.version = static_cast<unsigned>(at.u16());
  if (unit.version < 2 || unit.version > 5) return true;  // it has no code that can be read here
  unsigned type = kUnitCompile;
  if (unit.version >= 5) {
    type = static_cast<unsigned>(at.u8());
    unit.address_bytes = static_cast<unsigned>(at.u8());
    unit.abbreviations = at.number(unit.offset_bytes);
    constexpr unsigned kIdBytes = 8;
    if (type == kUnitSkeleton || type == kUnitSplit) at.skip(kIdBytes);
  } else {
    unit.abbreviations = at.number(unit.offset_bytes);
    unit.address_bytes = static_cast<unsigned>(at.u8());
  }
  unit.has_code = (type == kUnitCompile || type == kUnitPartial) && unit.address_bytes <= 8;
  unit.first_die = at.offset();
  return true;
}

bool DwarfReader::find_unit_of_code(uint64_t address, Unit& unit) {
  for (uint64_t offset = 0; read_unit(offset, unit); offset = unit.end) {
    if (!unit.has_code) continue;
    Entry root;
    read_root(unit, root);
    if (root.is_known && covers(unit, root, address)) return true;
  }
  return false;
}

bool DwarfReader::find_unit_of_entry(uint64_t offset, Unit& unit) {
  for (uint64_t start = 0; read_unit(start, unit); start = unit.end) {
    if (offset < unit.first_die || offset >= unit.end) continue;
    if (!unit.has_code) return false;
    Entry root;
    read_root(unit, root);
    return true;
  }
  return false;
}

// --- entries ---------------------------------------------------------------------------------------------------------

Cursor DwarfReader::entries(const Unit& unit, uint64_t offset) const {
  Cursor at(info_, offset);
  at.end_at(unit.end);
  return at;
}

void DwarfReader::use_abbreviations(const Unit& unit) {
  if (table_ == unit.abbreviations) return;
  table_ = unit.abbreviations;
  for (uint32_t& place : known_) place = 0;
  Cursor at(abbreviations_, table_);
  while (!at.at_end()) {
    const uint64_t code = at.uleb();
    if (code == 0) break;
    if (code < kAbbreviations) known_[code] = static_cast<uint32_t>(at.offset());
    at.uleb();
    at.u8();
    while (!at.at_end()) {
      const uint64_t name = at.uleb();
      const uint64_t form = at.uleb();
      if (form == kImplicitConst) at.sleb();
      if (name == 0 && form == 0) break;
    }
  }
}

// Twice: what its attributes are relative to is said by others of its attributes.
void DwarfReader::read_root(Unit& unit, Entry& root) {
  for (int i = 0; i < 2; ++i) {
    Cursor at = entries(unit, unit.first_die);
    read_entry(at, unit, root, true);
  }
  if (root.has_low) unit.low = root.low;
  unit.name = root.name;
}

void DwarfReader::read_entry(Cursor& at, Unit& unit, Entry& entry, bool is_root) {
  use_abbreviations(unit);
  entry = {};
  entry.offset = at.offset();
  const uint64_t code = at.uleb();
  if (code == 0) {
    entry.is_known = true;
    return;
  }
  if (code >= kAbbreviations || known_[code] == 0) return;
  entry.is_known = true;
  Cursor description(abbreviations_, known_[code]);
  entry.tag = static_cast<unsigned>(description.uleb());
  entry.has_children = description.u8() != 0;
  while (!description.at_end()) {
    const uint64_t name = description.uleb();
    uint64_t form = description.uleb();
    const int64_t constant = form == kImplicitConst ? description.sleb() : 0;
    if (name == 0 && form == 0) break;
    if (form == kIndirect) form = at.uleb();
    const Value value = read_value(at, unit, form, constant);
    const uint64_t target = is_reference(form) ? unit.offset + value.number : value.number;
    switch (name) {
      case kName:
        entry.name = value.text;
        break;
      case kLow:
        entry.has_low = true;
        entry.low = value.number;
        break;
      case kHigh:
        entry.has_high = true;
        entry.high = value.number;
        entry.high_is_size = !value.is_address;
        break;
      case kRanges:
        entry.has_ranges = true;
        entry.ranges = value.number;
        entry.ranges_listed = value.is_listed;
        break;
      case kAbstractOrigin:
      case kSpecification:
        if (is_reference(form) || form == kRefAddr) entry.origin = target;
        break;
      case kSibling:
        if (is_reference(form)) entry.sibling = target;
        break;
      case kCallFile:
        entry.call_file = value.number;
        break;
      case kCallLine:
        entry.call_line = static_cast<uint32_t>(value.number);
        break;
      case kCallColumn:
        entry.call_column = static_cast<uint32_t>(value.number);
        break;
      case kLines:
        if (!is_root) break;
        unit.lines = value.number;
        unit.has_lines = true;
        break;
      case kDirectory:
        if (is_root) unit.directory = value.text;
        break;
      case kTextsBase:
        if (is_root) unit.texts_base = value.number;
        break;
      case kAddressesBase:
        if (is_root) unit.addresses_base = value.number;
        break;
      case kRangesBase:
        if (is_root) unit.ranges_base = value.number;
        break;
      default:
        break;
    }
  }
}

DwarfReader::Value DwarfReader::read_value(Cursor& at, const Unit& unit, uint64_t form, int64_t constant) const {
  const auto text_at = [](Section section, uint64_t offset) { return Cursor(section, offset).text(); };
  const auto indexed_text = [&](uint64_t index) {
    Cursor place(text_offsets_, unit.texts_base + index * unit.offset_bytes);
    return text_at(texts_, place.number(unit.offset_bytes));
  };
  Value value;
  switch (form) {
    case kAddr:
      value.number = at.number(unit.address_bytes);
      value.is_address = true;
      break;
    case kData1:
    case kFlag:
    case kRef1:
      value.number = at.u8();
      break;
    case kData2:
    case kRef2:
      value.number = at.u16();
      break;
    case kData4:
    case kRef4:
    case kRefSup4:
      value.number = at.u32();
      break;
    case kData8:
    case kRef8:
    case kRefSup8:
    case kRefSig8:
      value.number = at.u64();
      break;
    case kData16:
      at.skip(16);
      break;
    case kSdata:
      value.number = static_cast<uint64_t>(at.sleb());
      break;
    case kUdata:
    case kRefUdata:
    case kLoclistx:
      value.number = at.uleb();
      break;
    case kRnglistx:
      value.number = at.uleb();
      value.is_listed = true;
      break;
    case kImplicitConst:
      value.number = static_cast<uint64_t>(constant);
      break;
    case kFlagPresent:
      value.number = 1;
      break;
    case kSecOffset:
    case kStrpSup:
    case kGnuRefAlt:
    case kGnuStrpAlt:
      value.number = at.number(unit.offset_bytes);
      break;
    case kRefAddr:
      value.number = at.number(unit.version == 2 ? unit.address_bytes : unit.offset_bytes);
      break;
    case kString:
      value.text = at.text();
      break;
    case kStrp:
      value.text = text_at(texts_, at.number(unit.offset_bytes));
      break;
    case kLineStrp:
      value.text = text_at(line_texts_, at.number(unit.offset_bytes));
      break;
    case kStrx:
      value.text = indexed_text(at.uleb());
      break;
    case kAddrx:
      value.number = indexed_address(unit, at.uleb());
      value.is_address = true;
      break;
    case kBlock1:
      at.skip(at.u8());
      break;
    case kBlock2:
      at.skip(at.u16());
      break;
    case kBlock4:
      at.skip(at.u32());
      break;
    case kBlock:
    case kExprloc:
      at.skip(at.uleb());
      break;
    default:
      if (form >= kStrx1 && form <= kStrx4) {
        value.text = indexed_text(at.number(static_cast<unsigned>(form - kStrx1 + 1)));
      } else if (form >= kAddrx1 && form <= kAddrx4) {
        value.number = indexed_address(unit, at.number(static_cast<unsigned>(form - kAddrx1 + 1)));
        value.is_address = true;
      } else {
        at.skip(~uint64_t{0});  // nobody knows where the next one begins
      }
  }
  return value;
}

uint64_t DwarfReader::indexed_address(const Unit& unit, uint64_t index) const {
  return Cursor(addresses_, unit.addresses_base + index * unit.address_bytes).number(unit.address_bytes);
}

// --- what code an entry covers ---------------------------------------------------------------------------------------

bool DwarfReader::covers(const Unit& unit, const Entry& entry, uint64_t address) const {
  if (entry.has_ranges) {
    return unit.version >= 5 ? listed_ranges_cover(unit, entry, address) : ranges_cover(unit, entry, address);
  }
  if (!entry.has_low || !entry.has_high || entry.low == 0) return false;  // 0: the linker left it out
  const uint64_t end = entry.high_is_size ? entry.low + entry.high : entry.high;
  return address >= entry.low && address < end;
}

bool DwarfReader::ranges_cover(const Unit& unit, const Entry& entry, uint64_t address) const {
  const uint64_t highest = unit.address_bytes == 8 ? ~uint64_t{0} : 0xffffffff;
  uint64_t base = unit.low;
  Cursor at(ranges_, entry.ranges);
  while (!at.at_end()) {
    const uint64_t begin = at.number(unit.address_bytes);
    const uint64_t end = at.number(unit.address_bytes);
    if (begin == 0 && end == 0) break;
    if (begin == highest) {
      base = end;
    } else if (address >= base + begin && address < base + end) {
      return true;
    }
  }
  return false;
}

bool DwarfReader::listed_ranges_cover(const Unit& unit, const Entry& entry, uint64_t address) const {
  uint64_t offset = entry.ranges;
  if (entry.ranges_listed) {
    Cursor place(range_lists_, unit.ranges_base + entry.ranges * unit.offset_bytes);
    offset = unit.ranges_base + place.number(unit.offset_bytes);
  }
  uint64_t base = unit.low;
  Cursor at(range_lists_, offset);
  while (!at.at_end()) {
    uint64_t begin = 0;
    uint64_t end = 0;
    switch (at.u8()) {
      case kBaseAddressx:
        base = indexed_address(unit, at.uleb());
        continue;
      case kBaseAddress:
        base = at.number(unit.address_bytes);
        continue;
      case kStartxEndx:
        begin = indexed_address(unit, at.uleb());
        end = indexed_address(unit, at.uleb());
        break;
      case kStartxLength:
        begin = indexed_address(unit, at.uleb());
        end = begin + at.uleb();
        break;
      case kOffsetPair:
        begin = base + at.uleb();
        end = base + at.uleb();
        break;
      case kStartEnd:
        begin = at.number(unit.address_bytes);
        end = at.number(unit.address_bytes);
        break;
      case kStartLength:
        begin = at.number(unit.address_bytes);
        end = begin + at.uleb();
        break;
      case kEndOfList:
      default:
        return false;
    }
    if (address >= begin && address < end && begin != 0) return true;
  }
  return false;
}

// --- functions -------------------------------------------------------------------------------------------------------

// The function with that code, and the ones inlined around the address, inwards.
size_t DwarfReader::find_chain(Unit& unit, uint64_t address) {
  size_t count = 0;
  size_t depth = 0;
  size_t function_depth = 0;
  Cursor at = entries(unit, unit.first_die);
  while (!at.at_end()) {
    Entry entry;
    read_entry(at, unit, entry);
    if (!entry.is_known) break;
    if (entry.tag == 0) {
      if (depth <= 1) break;
      --depth;
      if (count != 0 && depth <= function_depth) break;  // the function is over
      continue;
    }
    const bool is_code = entry.tag == kSubprogram || entry.tag == kInlinedSubroutine;
    if (is_code && covers(unit, entry, address) && (entry.tag == kSubprogram) == (count == 0)) {
      if (count == 0) function_depth = depth;
      if (count < kMaxInlined) chain_[count++] = entry;
      if (!entry.has_children) break;
    }
    if (entry.has_children) ++depth;
  }
  return count;
}

Text DwarfReader::function_name(const Unit& unit, const Entry& function, TextPool& pool) {
  Unit owner = unit;
  Entry at = function;
  constexpr int kMostSteps = 8;  // from an instance to what it was declared as
  for (int i = 0; i < kMostSteps && at.origin != 0; ++i) {
    if (at.origin < owner.first_die || at.origin >= owner.end) {
      if (!find_unit_of_entry(at.origin, owner)) break;
    }
    Cursor cursor = entries(owner, at.origin);
    const Text name = at.name;
    read_entry(cursor, owner, at);
    if (!at.is_known) return name;
    if (at.name.empty()) at.name = name;
  }
  return at.name.empty() ? Text() : with_scopes(owner, at.offset, at.name, pool);
}

// The scopes that an entry stands in are those whose children have not ended where it begins.
Text DwarfReader::with_scopes(Unit& unit, uint64_t offset, Text name, TextPool& pool) {
  constexpr size_t kMostDepth = 64;
  Text scopes[kMostDepth] = {};
  size_t depth = 0;
  Cursor at = entries(unit, unit.first_die);
  while (!at.at_end() && at.offset() < offset) {
    Entry entry;
    read_entry(at, unit, entry);
    if (!entry.is_known) return name;
    if (entry.tag == 0) {
      if (depth > 0) --depth;
      continue;
    }
    if (!entry.has_children) continue;
    if (entry.sibling > at.offset() && entry.sibling <= offset) {
      at = entries(unit, entry.sibling);
      continue;
    }
    if (depth >= kMostDepth) return name;
    Text scope;
    if (is_scope(entry.tag)) {
      scope = entry.name;
      if (scope.empty() && entry.tag == kNamespace) scope = "(anonymous namespace)";
    }
    scopes[depth++] = scope;
  }
  size_t used = 0;
  char* bytes = pool.bytes();
  const auto put = [&](Text text) {
    for (size_t i = 0; i < text.size && used < pool.room(); ++i) bytes[used++] = text[i];
  };
  for (size_t i = 0; i < depth; ++i) {
    if (scopes[i].empty()) continue;
    put(scopes[i]);
    put("::");
  }
  if (used == 0) return name;
  put(name);
  if (used >= pool.room()) return name;
  pool.take(used);
  return {bytes, used};
}

size_t DwarfReader::find(uint64_t address, SourceFrame* frames, size_t most, TextPool& pool) {
  Unit unit;
  if (info_.size == 0 || most == 0 || !find_unit_of_code(address, unit)) return 0;
  const size_t count = find_chain(unit, address);
  Row row;
  const bool has_row = unit.has_lines && find_row(unit, address, row);
  if (count == 0 && !has_row) return 0;
  frames[0] = {};
  if (has_row) {
    find_file(unit, row.file, frames[0], pool);
    frames[0].line = row.line;
    frames[0].column = row.column;
  }
  // Each inlined function says where it was called; who called is the next one outwards.
  size_t made = 1;
  for (size_t i = count; i-- > 0;) {
    frames[made - 1].function = function_name(unit, chain_[i], pool);
    if (i == 0 || made == most) break;
    frames[made] = {};
    find_file(unit, chain_[i].call_file, frames[made], pool);
    frames[made].line = chain_[i].call_line;
    frames[made].column = chain_[i].call_column;
    ++made;
  }
  return made;
}

}  // namespace norn::debug_info
