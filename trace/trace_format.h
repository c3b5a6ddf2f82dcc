// The event log of one process: what its bytes are.
//
// Format (version 3)
// ------------------
// A trace is a directory with one file for each process, NAME.trace; or NAME.raw, while the program writes it or if it
// was never compressed: the same format. Numbers are little-endian. `v` is a varint: seven bits a byte, the lowest
// first, the eighth says that more follow; at most ten bytes. `z` is a signed number as a varint, 0, -1, 1, -2, …. `s`
// is a text: its length as a varint, and so many bytes.
//
//   file    header, chunks until the file ends or a chunk does not begin with its magic
//   header  8  "norntrac"
//           4  version: 3; or 2, which has no chunks of flag 2
//           4  where the first chunk begins: 4096 in a file that is mapped, 32 in one that was compressed
//           8  the size of the file that was compressed; 0 of one that is mapped
//           8  zero
//   chunk   4  "chnk"
//           4  thread: whose events come first. Of a table: 0
//           1  kind: 0 a table, 1 events
//           1  flags: 1 the payload is one zstd frame, 2 its accesses take no timestamp
//           2  zero
//           4  stored: the size of the payload; the next chunk comes after it. At most 1 MiB
//           4  used: how many bytes of the payload, uncompressed, are items. At most 64 KiB. Who writes grows it when
//              an item is complete, so that a program that is killed leaves whole items
//           4  stream: chunks of one stream follow each other in the file
//           8  timestamp of its first item. Of a table: 0
//           .. payload
//
// Each thread of the system writes a stream of its own. A chunk can be read by itself: what deltas refer to is
// forgotten where it begins.
//
// Every item of the events has a timestamp: it comes after all that have smaller ones. Timestamps of a process count up
// from 0, each number is given once, with the operation that it belongs to (core/emitter.h says how), so that merging
// all streams by it gives the order in which the program's own detector heard of them; and a number that is missing
// shows where something is lost. Within a stream an item's timestamp is that of the item before it plus one, plus what
// `skip` says. So operations on one object are ordered, and accesses, too: what some engines make of an access depends
// on those before it (docs/design/trace.md).
//
// In a chunk of flag 2 (the sampling profile) reads and writes take no number: the one that such an item has, by the
// same rule, is the next that was to be given when the access was made. It comes before the item that was given that
// number and after all with smaller ones; how accesses of different streams with one number follow each other is open.
//
// Items of events. An item begins with a byte:
//
//   0x00 .. 0x5f  the event of that number in EventKind. One byte says what follows, in this order:
//                 0x01 details, v: bit 0 mode, 1-2 attempt, 3-5 order, 6 in_loop, 7 timed_out, 8 counts, 9 uses,
//                      10 own (below)
//                 0x02 where, z, from the stream's last one
//                 0x04 address, z, from the last one of the same `where`: of 256 places, `where` modulo 256
//                 0x08 size, v
//                 0x10 other, v
//                 0x20 other_size, v
//                 0x40 the event is no thread's (kNoThread)
//                 What is not there is zero, `where` kNoStack.
//   0x60          a block of the heap is known: flags (one byte: 1 quiet, 2 born at the thread's last birth), where z,
//                 address z, size v
//   0x61          it is given back: address z
//   0x62          which region of code is executed (the trace profile; include/norn/abi.h, "Regions"): the step, one
//                 byte; depth v: how many calls led to the function; the region's number, v (0: it is none of a region)
//   0x63          a loop goes on because of what others may have written, which is no race unless flags=race: whether
//   it
//                 reads atomically (a byte, 0 or 1), where z, address z, size v
//   0x70          the thread that the next items belong to, v. It has no timestamp
//   0x7f          skip: v timestamps are elsewhere. It has no timestamp
//   0x80 .. 0xff  a read or write of 1 to 16 bytes: bit 6 it is a write, 5-3 the logarithm of its size, 2 counts,
//                 1 `where` is the last one, 0 own. Then where z (unless bit 1), address z
//
// `own`: the memory is the task's own that accesses it (OpenMP): iterations of one task do not race there.
//
// Items of tables: a byte, the size of what follows as v, and
//
//   1  process   pid v, parent v, microseconds v (0), program s, directory s, options s, n v, n arguments s,
//                origin s (the file of the process that it was forked from; empty: none), timestamp v (of the fork)
//   2  site      number v, file s, directory s, function s, expression s, inlined v (a site's number plus 1; 0: no),
//                line v, column v, hash 8 bytes, kind v, order v, size v, flags v, module s
//                flags: abi.h's, and kSiteOfStack: hash is the identity of the whole stack that has the site
//   3  stack     StackId v, parent v, site v
//   4  thread    ThreadId v, parent v, created_at v, host v, stack begin v, stack end v, name s. The latest one counts
//   5  variable  address v, size v, name s, file s, directory s, line v, module s, n v, n members: path s, offset v,
//                size v, stride v, count v
//   6  end       exit status v, microseconds v, timestamp v: what comes from there on was not heard any more. The
//   latest
//                one counts
//   7  stopped   why s: nothing is recorded from here on
// An item of another number is passed over.
//
// This file and trace_format.cc are all that reads and writes these bytes. They are freestanding.
#pragma once

#include "base/list.h"
#include "base/text.h"
#include "core/event.h"

namespace norn::trace {

inline constexpr char kMagic[9] = "norntrac";
inline constexpr uint32_t kVersion = 3;
inline constexpr uint32_t kOldestVersion = 2;        // that is read
inline constexpr uint32_t kChunkMagic = 0x6b6e6863;  // "chnk"
inline constexpr size_t kFileHeader = 32;
inline constexpr size_t kMappedHeader = 4096;
inline constexpr size_t kChunkHeader = 32;
inline constexpr size_t kChunkBytes = size_t{64} << 10;  // of a file that is mapped, with the header
inline constexpr size_t kMaxUsed = size_t{64} << 10;
inline constexpr size_t kMaxStored = size_t{1} << 20;
inline constexpr size_t kMaxItem = 96;    // of events, with what stands before it
inline constexpr size_t kMaxText = 2000;  // longer texts are cut when they are written

// Of a site: the Valgrind front end's stacks have sites of their own.
inline constexpr uint32_t kSiteOfStack = 1u << 31;

enum class ChunkKind : uint8_t { kTable, kEvents };
inline constexpr uint8_t kCompressed = 1;
inline constexpr uint8_t kUntimedAccesses = 2;

struct ChunkHeader {
  uint32_t magic = kChunkMagic;
  uint32_t thread = 0;
  ChunkKind kind{};
  uint8_t flags = 0;
  uint16_t zero = 0;
  uint32_t stored = 0;
  uint32_t used = 0;
  uint32_t stream = 0;
  uint64_t timestamp = 0;
};
static_assert(sizeof(ChunkHeader) == kChunkHeader);

struct FileHeader {
  char magic[8] = {'n', 'o', 'r', 'n', 't', 'r', 'a', 'c'};
  uint32_t version = kVersion;
  uint32_t first_chunk = kFileHeader;
  uint64_t size = 0;
  uint64_t zero = 0;
};
static_assert(sizeof(FileHeader) == kFileHeader);

// --- items of events ---------------------------------------------------------------------------------------------

enum class ItemKind : uint8_t { kEvent, kBlock, kBlockEnd, kRegion, kFlag };

// The values of norn_region_step (include/norn/abi.h says what they mean).
enum class RegionStep : uint8_t {
  kFunction,
  kFunctionAlways,
  kAgainAlways,
  kAgainSometimes,
  kAgainNever,
  kLeft,
  kReturn,
  kCaught,
};
inline constexpr unsigned kRegionSteps = 8;

struct Item {
  ItemKind kind{};
  bool own = false;      // of an access
  bool quiet = false;    // of a block
  bool born = false;     // of a block
  bool untimed = false;  // the timestamp is the next item's: an access of a chunk with kUntimedAccesses
  RegionStep step{};     // of a region
  uint64_t timestamp = 0;
  // Of a block: thread, where, address, size; of a flag, too, and `kind`, a read or an atomic load. Of a region:
  // thread, `size` is its number and `other` the depth.
  Event event{};

  bool operator==(const Item& other) const;
};

// Whether it is an access that takes no timestamp where accesses take none.
[[nodiscard]] constexpr bool is_plain_access(const Item& item) {
  return item.kind == ItemKind::kEvent && (item.event.kind == EventKind::kRead || item.event.kind == EventKind::kWrite);
}

// What deltas refer to.
struct DeltaState {
  StackId where = 0;
  Address recent[256] = {};
};

// Puts items into memory. `thread` and `timestamp` are those of the chunk's beginning, and go on from there.
class ItemWriter {
 public:
  constexpr ItemWriter() = default;
  // `room` is at least kMaxItem.
  void begin(uint8_t* bytes, size_t room, ThreadId thread, uint64_t timestamp, bool untimed_accesses = false);
  // Whether accesses take no timestamp.
  [[nodiscard]] bool untimed_accesses() const { return untimed_accesses_; }
  // Whether any item finds room.
  [[nodiscard]] bool has_room() const { return room_ - used_ >= kMaxItem; }
  void put(const Item& item);
  [[nodiscard]] size_t used() const { return used_; }

 private:
  void byte(uint8_t value) { bytes_[used_++] = value; }
  void number(uint64_t value);
  void difference(uint64_t value, uint64_t from);
  void where(StackId value);
  void address(Address value);
  void put_event(const Item& item);
  [[nodiscard]] bool put_access(const Item& item);

  uint8_t* bytes_ = nullptr;
  size_t room_ = 0;
  size_t used_ = 0;
  ThreadId thread_ = 0;
  uint64_t next_ = 0;  // the timestamp that an item has by itself
  bool untimed_accesses_ = false;
  DeltaState state_;
};

// Reads numbers and texts; after something that is none, `ok()` is false and all is zero.
class ByteReader {
 public:
  constexpr ByteReader() = default;
  ByteReader(const uint8_t* bytes, size_t size) : at_(bytes), end_(bytes + size) {}
  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] size_t left() const { return static_cast<size_t>(end_ - at_); }
  uint8_t byte() {
    if (at_ == end_) return fail(), 0;
    return *at_++;
  }
  uint64_t number() { return at_ != end_ && *at_ < 0x80 ? *at_++ : long_number(); }
  uint64_t difference(uint64_t from) {
    const uint64_t zigzag = number();
    return from + (zigzag >> 1 ^ (0 - (zigzag & 1)));
  }
  uint64_t word();  // 8 bytes
  Text text();      // points into the bytes
  ByteReader part(uint64_t size);

 private:
  void fail() { ok_ = false, at_ = end_; }
  uint64_t long_number();
  const uint8_t* at_ = nullptr;
  const uint8_t* end_ = nullptr;
  bool ok_ = true;
};

enum class Read : uint8_t { kItem, kEnd, kDamaged };

class ItemReader {
 public:
  constexpr ItemReader() = default;
  ItemReader(const uint8_t* bytes, size_t used, ThreadId thread, uint64_t timestamp, bool untimed_accesses = false)
      : bytes_(bytes, used), thread_(thread), next_(timestamp), untimed_accesses_(untimed_accesses) {}
  [[nodiscard]] Read next(Item& item);

 private:
  StackId where();
  Address address();
  void read_event(EventKind kind, Item& item);
  void read_access(uint8_t first, Item& item);

  ByteReader bytes_;
  ThreadId thread_ = 0;
  uint64_t next_ = 0;
  bool untimed_accesses_ = false;
  DeltaState state_;
};

// --- items of tables ---------------------------------------------------------------------------------------------

enum class TableKind : uint8_t {
  kProcess = 1,
  kSite = 2,
  kStack = 3,
  kThread = 4,
  kVariable = 5,
  kEnd = 6,
  kStopped = 7,
};

struct ProcessEntry {
  uint32_t pid = 0;
  uint32_t parent = 0;
  Text program{};
  Text directory{};
  Text options{};
  List<Text> command{};
  Text origin{};
  uint64_t forked_at = 0;
};

struct SiteEntry {
  uint32_t number = 0;
  Text file{};
  Text directory{};
  Text function{};
  Text expression{};
  uint32_t inlined = 0;
  uint32_t line = 0;
  uint32_t column = 0;
  uint64_t hash = 0;
  uint8_t kind = 0;
  uint8_t order = 0;
  uint16_t size = 0;
  uint32_t flags = 0;
  Text module{};
};

struct StackEntry {
  StackId id = 0;
  StackId parent = 0;
  uint32_t site = 0;
};

struct ThreadEntry {
  ThreadId id = 0;
  ThreadId parent = 0;
  StackId created_at = 0;
  ThreadId host = 0;
  Address stack_begin = 0;
  Address stack_end = 0;
  Text name{};
};

struct MemberEntry {
  Text path{};
  uint64_t offset = 0;
  uint64_t size = 0;
  uint64_t stride = 0;
  uint64_t count = 0;
};

struct VariableEntry {
  Address address = 0;
  uint64_t size = 0;
  Text name{};
  Text file{};
  Text directory{};
  uint32_t line = 0;
  Text module{};
  List<MemberEntry> members{};
};

struct EndEntry {
  int exit = 0;
  uint64_t microseconds = 0;
  uint64_t timestamp = 0;
};

// Writes one item of a table at a time, into memory of its own.
class TableWriter {
 public:
  constexpr TableWriter() = default;
  static constexpr size_t kRoom = 32 << 10;
  static constexpr size_t kMaxParts = 256;  // arguments, members; more are left out

  // The whole item; it holds until the next one.
  [[nodiscard]] Text process(const ProcessEntry& entry);
  [[nodiscard]] Text site(const SiteEntry& entry);
  [[nodiscard]] Text stack(const StackEntry& entry);
  [[nodiscard]] Text thread(const ThreadEntry& entry);
  [[nodiscard]] Text variable(const VariableEntry& entry);
  [[nodiscard]] Text end(const EndEntry& entry);
  [[nodiscard]] Text stopped(Text why);

 private:
  void begin() { used_ = kBehindSize; }
  void number(uint64_t value);
  void word(uint64_t value);
  void text(Text value);
  [[nodiscard]] Text finish(TableKind kind);

  static constexpr size_t kBehindSize = 4;  // room for the byte and the size, which is put right before the item
  uint8_t bytes_[kRoom] = {};
  size_t used_ = 0;
};

// What is read points into the bytes. Lists are kept by the caller.
struct TableItem {
  TableKind kind{};
  ByteReader body{};
};
[[nodiscard]] Read next_table_item(ByteReader& bytes, TableItem& item);
[[nodiscard]] bool read(ByteReader body, SiteEntry& entry);
[[nodiscard]] bool read(ByteReader body, StackEntry& entry);
[[nodiscard]] bool read(ByteReader body, ThreadEntry& entry);
[[nodiscard]] bool read(ByteReader body, EndEntry& entry);
// Of those with lists: at most `most` of them.
[[nodiscard]] bool read(ByteReader body, ProcessEntry& entry, Text* arguments, size_t most);
[[nodiscard]] bool read(ByteReader body, VariableEntry& entry, MemberEntry* members, size_t most);

}  // namespace norn::trace
