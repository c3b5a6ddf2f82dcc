#include "trace/trace_format.h"

namespace norn::trace {
namespace {

constexpr uint8_t kBlockByte = 0x60;
constexpr uint8_t kBlockEndByte = 0x61;
constexpr uint8_t kRegionByte = 0x62;
constexpr uint8_t kFlagByte = 0x63;
constexpr uint8_t kThreadByte = 0x70;
constexpr uint8_t kSkipByte = 0x7f;
constexpr uint8_t kAccessByte = 0x80;
static_assert(kEventKinds <= 0x60);

enum Field : uint8_t {
  kDetails = 0x01,
  kWhere = 0x02,
  kAddress = 0x04,
  kSize = 0x08,
  kOther = 0x10,
  kOtherSize = 0x20,
  kNobodys = 0x40,
};

constexpr uint64_t kDetailsOfAccess = 1 << 8 | 1 << 10;  // counts, own

constexpr uint8_t kQuiet = 1;
constexpr uint8_t kBorn = 2;

uint64_t details_of(const Item& item) {
  const Event& e = item.event;
  return static_cast<uint64_t>(e.mode) | static_cast<uint64_t>(e.attempt) << 1 | static_cast<uint64_t>(e.order) << 3 |
         static_cast<uint64_t>(e.in_loop) << 6 | static_cast<uint64_t>(e.timed_out) << 7 |
         static_cast<uint64_t>(e.counts) << 8 | static_cast<uint64_t>(e.uses) << 9 |
         static_cast<uint64_t>(item.own) << 10;
}

// False: there is no such mode, attempt or order.
bool set_details(uint64_t bits, Item& item) {
  Event& e = item.event;
  e.mode = static_cast<LockMode>(bits & 1);
  const uint64_t attempt = bits >> 1 & 3;
  const uint64_t order = bits >> 3 & 7;
  if (bits >> 11 != 0 || attempt > static_cast<uint64_t>(LockAttempt::kTimed) ||
      order > static_cast<uint64_t>(MemoryOrder::kSeqCst)) {
    return false;
  }
  e.attempt = static_cast<LockAttempt>(attempt);
  e.order = static_cast<MemoryOrder>(order);
  e.in_loop = (bits >> 6 & 1) != 0;
  e.timed_out = (bits >> 7 & 1) != 0;
  e.counts = (bits >> 8 & 1) != 0;
  e.uses = (bits >> 9 & 1) != 0;
  item.own = (bits >> 10 & 1) != 0;
  return true;
}

// -1: it is none of 1, 2, 4, 8, 16.
int logarithm(uint64_t size) {
  for (int i = 0; i <= 4; ++i)
    if (size == uint64_t{1} << i) return i;
  return -1;
}

uint64_t to_zigzag(uint64_t value, uint64_t from) {
  const uint64_t difference = value - from;
  return difference << 1 ^ (0 - (difference >> 63));
}

}  // namespace

bool Item::operator==(const Item& other) const {
  const Event& a = event;
  const Event& b = other.event;
  return kind == other.kind && step == other.step && own == other.own && quiet == other.quiet && born == other.born &&
         untimed == other.untimed && timestamp == other.timestamp && a.kind == b.kind && a.mode == b.mode &&
         a.attempt == b.attempt && a.order == b.order && a.in_loop == b.in_loop && a.timed_out == b.timed_out &&
         a.counts == b.counts && a.uses == b.uses && a.thread == b.thread && a.where == b.where &&
         a.address == b.address && a.size == b.size && a.other == b.other && a.other_size == b.other_size;
}

// --- writing events ----------------------------------------------------------------------------------------------

void ItemWriter::begin(uint8_t* bytes, size_t room, ThreadId thread, uint64_t timestamp, bool untimed_accesses) {
  bytes_ = bytes;
  room_ = room;
  used_ = 0;
  thread_ = thread;
  next_ = timestamp;
  untimed_accesses_ = untimed_accesses;
  state_.where = 0;
  for (Address& address : state_.recent) address = 0;
}

void ItemWriter::number(uint64_t value) {
  while (value >= 0x80) {
    byte(static_cast<uint8_t>(value | 0x80));
    value >>= 7;
  }
  byte(static_cast<uint8_t>(value));
}

void ItemWriter::difference(uint64_t value, uint64_t from) { number(to_zigzag(value, from)); }

void ItemWriter::where(StackId value) {
  difference(value, state_.where);
  state_.where = value;
}

void ItemWriter::address(Address value) {
  Address& recent = state_.recent[state_.where % 256];
  difference(value, recent);
  recent = value;
}

bool ItemWriter::put_access(const Item& item) {
  const Event& e = item.event;
  const int size = logarithm(e.size);
  if ((e.kind != EventKind::kRead && e.kind != EventKind::kWrite) || size < 0 || e.thread == kNoThread) return false;
  if ((details_of(item) & ~kDetailsOfAccess) != 0 || e.other != 0 || e.other_size != 0) return false;
  const bool same = e.where == state_.where;
  byte(static_cast<uint8_t>(kAccessByte | (e.kind == EventKind::kWrite ? 0x40 : 0) | size << 3 | (e.counts ? 4 : 0) |
                            (same ? 2 : 0) | (item.own ? 1 : 0)));
  if (!same) where(e.where);
  address(e.address);
  return true;
}

void ItemWriter::put_event(const Item& item) {
  if (put_access(item)) return;
  const Event& e = item.event;
  const uint64_t details = details_of(item);
  byte(static_cast<uint8_t>(e.kind));
  byte(static_cast<uint8_t>((details != 0 ? kDetails : 0) | (e.where != kNoStack ? kWhere : 0) |
                            (e.address != 0 ? kAddress : 0) | (e.size != 0 ? kSize : 0) | (e.other != 0 ? kOther : 0) |
                            (e.other_size != 0 ? kOtherSize : 0) | (e.thread == kNoThread ? kNobodys : 0)));
  if (details != 0) number(details);
  if (e.where != kNoStack) where(e.where);
  if (e.address != 0) address(e.address);
  if (e.size != 0) number(e.size);
  if (e.other != 0) number(e.other);
  if (e.other_size != 0) number(e.other_size);
}

void ItemWriter::put(const Item& item) {
  const Event& e = item.event;
  if (e.thread != thread_ && e.thread != kNoThread) {
    byte(kThreadByte);
    number(e.thread);
    thread_ = e.thread;
  }
  if (item.timestamp != next_) {
    byte(kSkipByte);
    number(item.timestamp - next_);
  }
  next_ = item.timestamp + (untimed_accesses_ && is_plain_access(item) ? 0 : 1);
  switch (item.kind) {
    case ItemKind::kEvent:
      put_event(item);
      break;
    case ItemKind::kBlock:
      byte(kBlockByte);
      byte(static_cast<uint8_t>((item.quiet ? kQuiet : 0) | (item.born ? kBorn : 0)));
      where(e.where);
      address(e.address);
      number(e.size);
      break;
    case ItemKind::kBlockEnd:
      byte(kBlockEndByte);
      address(e.address);
      break;
    case ItemKind::kRegion:
      byte(kRegionByte);
      byte(static_cast<uint8_t>(item.step));
      number(e.other);
      number(e.size);
      break;
    case ItemKind::kFlag:
      byte(kFlagByte);
      byte(e.kind == EventKind::kAtomicLoad ? 1 : 0);
      where(e.where);
      address(e.address);
      number(e.size);
      break;
  }
}

// --- reading -----------------------------------------------------------------------------------------------------

uint64_t ByteReader::long_number() {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    const uint8_t next = byte();
    if (!ok_) return 0;
    value |= uint64_t{next & 0x7fu} << shift;
    if (next < 0x80) return value;
  }
  fail();
  return 0;
}

uint64_t ByteReader::word() {
  uint64_t value = 0;
  for (unsigned i = 0; i < 8; ++i) value |= uint64_t{byte()} << (8 * i);
  return value;
}

Text ByteReader::text() {
  const uint64_t size = number();
  if (size > left()) return fail(), Text();
  const Text found(reinterpret_cast<const char*>(at_), size);
  at_ += size;
  return found;
}

ByteReader ByteReader::part(uint64_t size) {
  if (size > left()) return fail(), ByteReader();
  const ByteReader found(at_, size);
  at_ += size;
  return found;
}

StackId ItemReader::where() {
  state_.where = static_cast<StackId>(bytes_.difference(state_.where));
  return state_.where;
}

Address ItemReader::address() {
  Address& recent = state_.recent[state_.where % 256];
  recent = bytes_.difference(recent);
  return recent;
}

void ItemReader::read_access(uint8_t first, Item& item) {
  Event& e = item.event;
  e.kind = (first & 0x40) != 0 ? EventKind::kWrite : EventKind::kRead;
  e.size = uint64_t{1} << (first >> 3 & 7);
  e.counts = (first & 4) != 0;
  item.own = (first & 1) != 0;
  e.where = (first & 2) != 0 ? state_.where : where();
  e.address = address();
}

void ItemReader::read_event(EventKind kind, Item& item) {
  Event& e = item.event;
  e.kind = kind;
  const uint8_t fields = bytes_.byte();
  if ((fields & kDetails) != 0 && !set_details(bytes_.number(), item)) bytes_.part(~uint64_t{0});  // damaged
  if ((fields & kWhere) != 0) e.where = where();
  if ((fields & kAddress) != 0) e.address = address();
  if ((fields & kSize) != 0) e.size = bytes_.number();
  if ((fields & kOther) != 0) e.other = bytes_.number();
  if ((fields & kOtherSize) != 0) e.other_size = bytes_.number();
  if ((fields & kNobodys) != 0) e.thread = kNoThread;
}

Read ItemReader::next(Item& item) {
  item = {};
  for (;;) {
    if (bytes_.at_end()) return bytes_.ok() ? Read::kEnd : Read::kDamaged;
    const uint8_t first = bytes_.byte();
    if (first == kThreadByte) {
      thread_ = static_cast<ThreadId>(bytes_.number());
    } else if (first == kSkipByte) {
      next_ += bytes_.number();
    } else {
      item.event.thread = thread_;
      item.timestamp = next_;
      if (first >= kAccessByte) {
        if ((first >> 3 & 7) > 4) return Read::kDamaged;
        read_access(first, item);
      } else if (first < kEventKinds) {
        read_event(static_cast<EventKind>(first), item);
      } else if (first == kBlockByte) {
        item.kind = ItemKind::kBlock;
        const uint8_t flags = bytes_.byte();
        item.quiet = (flags & kQuiet) != 0;
        item.born = (flags & kBorn) != 0;
        item.event.where = where();
        item.event.address = address();
        item.event.size = bytes_.number();
      } else if (first == kBlockEndByte) {
        item.kind = ItemKind::kBlockEnd;
        item.event.address = address();
      } else if (first == kRegionByte) {
        item.kind = ItemKind::kRegion;
        const uint8_t step = bytes_.byte();
        if (step >= kRegionSteps) return Read::kDamaged;
        item.step = static_cast<RegionStep>(step);
        item.event.other = bytes_.number();
        item.event.size = bytes_.number();
      } else if (first == kFlagByte) {
        item.kind = ItemKind::kFlag;
        const uint8_t atomically = bytes_.byte();
        if (atomically > 1) return Read::kDamaged;
        item.event.kind = atomically != 0 ? EventKind::kAtomicLoad : EventKind::kRead;
        item.event.where = where();
        item.event.address = address();
        item.event.size = bytes_.number();
      } else {
        return Read::kDamaged;
      }
      item.untimed = untimed_accesses_ && is_plain_access(item);
      if (!item.untimed) ++next_;
      return bytes_.ok() ? Read::kItem : Read::kDamaged;
    }
    if (!bytes_.ok()) return Read::kDamaged;
  }
}

// --- tables ------------------------------------------------------------------------------------------------------

void TableWriter::number(uint64_t value) {
  while (value >= 0x80) {
    bytes_[used_++] = static_cast<uint8_t>(value | 0x80);
    value >>= 7;
  }
  bytes_[used_++] = static_cast<uint8_t>(value);
}

void TableWriter::word(uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) bytes_[used_++] = static_cast<uint8_t>(value >> (8 * i));
}

void TableWriter::text(Text value) {
  value = value.part(0, kMaxText);
  // What is left is for numbers.
  constexpr size_t kForNumbers = 256;
  if (used_ + value.size + kForNumbers > kRoom) value = {};
  number(value.size);
  for (const char c : value) bytes_[used_++] = static_cast<uint8_t>(c);
}

// The size has three bytes whatever it is.
Text TableWriter::finish(TableKind kind) {
  const size_t size = used_ - kBehindSize;
  bytes_[0] = static_cast<uint8_t>(kind);
  bytes_[1] = static_cast<uint8_t>(size | 0x80);
  bytes_[2] = static_cast<uint8_t>(size >> 7 | 0x80);
  bytes_[3] = static_cast<uint8_t>(size >> 14);
  return {reinterpret_cast<const char*>(bytes_), used_};
}

Text TableWriter::process(const ProcessEntry& entry) {
  begin();
  number(entry.pid);
  number(entry.parent);
  number(0);
  text(entry.program);
  text(entry.directory);
  text(entry.options);
  // The origin must find room, whatever the arguments are.
  constexpr size_t kForRest = 4096;
  size_t count = 0;
  size_t bytes = used_;
  while (count < entry.command.size && count < kMaxParts) {
    const size_t size = entry.command[count].size;
    bytes += (size < kMaxText ? size : kMaxText) + 2;
    if (bytes + kForRest > kRoom) break;
    ++count;
  }
  number(count);
  for (size_t i = 0; i < count; ++i) text(entry.command[i]);
  text(entry.origin);
  number(entry.forked_at);
  return finish(TableKind::kProcess);
}

Text TableWriter::site(const SiteEntry& entry) {
  begin();
  number(entry.number);
  text(entry.file);
  text(entry.directory);
  text(entry.function);
  text(entry.expression);
  number(entry.inlined);
  number(entry.line);
  number(entry.column);
  word(entry.hash);
  number(entry.kind);
  number(entry.order);
  number(entry.size);
  number(entry.flags);
  text(entry.module);
  return finish(TableKind::kSite);
}

Text TableWriter::stack(const StackEntry& entry) {
  begin();
  number(entry.id);
  number(entry.parent);
  number(entry.site);
  return finish(TableKind::kStack);
}

Text TableWriter::thread(const ThreadEntry& entry) {
  begin();
  number(entry.id);
  number(entry.parent);
  number(entry.created_at);
  number(entry.host);
  number(entry.stack_begin);
  number(entry.stack_end);
  text(entry.name);
  return finish(TableKind::kThread);
}

Text TableWriter::variable(const VariableEntry& entry) {
  begin();
  number(entry.address);
  number(entry.size);
  text(entry.name);
  text(entry.file);
  text(entry.directory);
  number(entry.line);
  text(entry.module);
  constexpr size_t kNumbers = 64;  // of a member, and behind all
  size_t count = 0;
  size_t bytes = used_ + kNumbers;
  while (count < entry.members.size && count < kMaxParts) {
    const size_t size = entry.members[count].path.size;
    bytes += (size < kMaxText ? size : kMaxText) + kNumbers;
    if (bytes + 512 > kRoom) break;
    ++count;
  }
  number(count);
  for (size_t i = 0; i < count; ++i) {
    const MemberEntry& member = entry.members[i];
    text(member.path);
    number(member.offset);
    number(member.size);
    number(member.stride);
    number(member.count);
  }
  return finish(TableKind::kVariable);
}

Text TableWriter::end(const EndEntry& entry) {
  begin();
  number(static_cast<uint32_t>(entry.exit));
  number(entry.microseconds);
  number(entry.timestamp);
  return finish(TableKind::kEnd);
}

Text TableWriter::stopped(Text why) {
  begin();
  text(why);
  return finish(TableKind::kStopped);
}

Read next_table_item(ByteReader& bytes, TableItem& item) {
  if (bytes.at_end()) return bytes.ok() ? Read::kEnd : Read::kDamaged;
  item.kind = static_cast<TableKind>(bytes.byte());
  const uint64_t size = bytes.number();
  if (!bytes.ok()) return Read::kDamaged;
  item.body = bytes.part(size);
  return bytes.ok() ? Read::kItem : Read::kDamaged;
}

namespace {

template <class Number>
void take(ByteReader& body, Number& value) {
  value = static_cast<Number>(body.number());
}
void take(ByteReader& body, Text& value) { value = body.text(); }

}  // namespace

bool read(ByteReader body, SiteEntry& entry) {
  take(body, entry.number);
  take(body, entry.file);
  take(body, entry.directory);
  take(body, entry.function);
  take(body, entry.expression);
  take(body, entry.inlined);
  take(body, entry.line);
  take(body, entry.column);
  entry.hash = body.word();
  take(body, entry.kind);
  take(body, entry.order);
  take(body, entry.size);
  take(body, entry.flags);
  take(body, entry.module);
  return body.ok();
}

bool read(ByteReader body, StackEntry& entry) {
  take(body, entry.id);
  take(body, entry.parent);
  take(body, entry.site);
  return body.ok();
}

bool read(ByteReader body, ThreadEntry& entry) {
  take(body, entry.id);
  take(body, entry.parent);
  take(body, entry.created_at);
  take(body, entry.host);
  take(body, entry.stack_begin);
  take(body, entry.stack_end);
  take(body, entry.name);
  return body.ok();
}

bool read(ByteReader body, EndEntry& entry) {
  entry.exit = static_cast<int>(static_cast<uint32_t>(body.number()));
  take(body, entry.microseconds);
  take(body, entry.timestamp);
  return body.ok();
}

bool read(ByteReader body, ProcessEntry& entry, Text* arguments, size_t most) {
  uint64_t zero = 0;
  take(body, entry.pid);
  take(body, entry.parent);
  take(body, zero);
  take(body, entry.program);
  take(body, entry.directory);
  take(body, entry.options);
  const uint64_t count = body.number();
  if (count > most || count > body.left()) return false;
  for (uint64_t i = 0; i < count; ++i) take(body, arguments[i]);
  entry.command = {arguments, count};
  take(body, entry.origin);
  take(body, entry.forked_at);
  return body.ok();
}

bool read(ByteReader body, VariableEntry& entry, MemberEntry* members, size_t most) {
  take(body, entry.address);
  take(body, entry.size);
  take(body, entry.name);
  take(body, entry.file);
  take(body, entry.directory);
  take(body, entry.line);
  take(body, entry.module);
  const uint64_t count = body.number();
  if (count > most || count > body.left()) return false;
  for (uint64_t i = 0; i < count; ++i) {
    take(body, members[i].path);
    take(body, members[i].offset);
    take(body, members[i].size);
    take(body, members[i].stride);
    take(body, members[i].count);
  }
  entry.members = {members, count};
  return body.ok();
}

}  // namespace norn::trace
