// One model of a race report: what every renderer renders and every front end fills in.
//
// The structs are plain views. They own nothing, allocate nothing and need no library, so that the runtime, the
// Valgrind tool and the command line share them; whoever fills them in keeps the memory they point to alive.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn::report {

// Bytes that someone else owns; usually UTF-8, never assumed to be valid UTF-8.
struct Text {
  const char* data = nullptr;
  size_t size = 0;

  constexpr Text() = default;
  constexpr Text(const char* bytes, size_t count) : data(bytes), size(count) {}
  constexpr Text(const char* c_string) : data(c_string) {  // NOLINT: a literal is a text
    while (c_string != nullptr && c_string[size] != '\0') ++size;
  }

  [[nodiscard]] constexpr bool empty() const { return size == 0; }
  constexpr char operator[](size_t i) const { return data[i]; }
  [[nodiscard]] constexpr const char* begin() const { return data; }
  [[nodiscard]] constexpr const char* end() const { return data + size; }
  // The part that starts at `from` and has at most `count` bytes.
  [[nodiscard]] constexpr Text part(size_t from, size_t count = ~size_t{0}) const {
    if (from > size) from = size;
    return {data + from, count < size - from ? count : size - from};
  }
  [[nodiscard]] constexpr bool starts_with(Text start) const { return part(0, start.size) == start; }
  friend constexpr bool operator==(Text a, Text b) {
    if (a.size != b.size) return false;
    for (size_t i = 0; i < a.size; ++i)
      if (a.data[i] != b.data[i]) return false;
    return true;
  }
};

template <class T>
struct List {
  const T* data = nullptr;
  size_t size = 0;

  constexpr List() = default;
  constexpr List(const T* items, size_t count) : data(items), size(count) {}
  template <size_t N>
  constexpr List(const T (&items)[N]) : data(items), size(N) {}  // NOLINT: an array is a list

  [[nodiscard]] constexpr bool empty() const { return size == 0; }
  constexpr const T& operator[](size_t i) const { return data[i]; }
  [[nodiscard]] constexpr const T* begin() const { return data; }
  [[nodiscard]] constexpr const T* end() const { return data + size; }
};

struct Frame {
  Text function{};    // as a reader wants it: demangled, with parameters
  Text linkage{};     // the mangled name where known; Valgrind's suppressions speak it
  Text file{};        // as the compiler was told
  Text directory{};   // where a relative file starts; may be empty
  uint32_t line = 0;  // 0: unknown
  uint32_t column = 0;
  Text module{};  // the file of the executable or library
  uint64_t offset = 0;
  bool library = false;  // not the user's own code: folded in the compact report

  [[nodiscard]] constexpr bool known() const { return !function.empty() || !file.empty() || !module.empty(); }
};

enum class HeldMode : uint8_t { kExclusive, kShared };

struct LockHeld {
  Text name{};  // empty: known only by its address
  uint64_t address = 0;
  HeldMode mode{};
  Frame taken_at{};
};

enum class Op : uint8_t { kRead, kWrite, kAtomicRead, kAtomicWrite, kFree, kAllocation };
// Of a whole block.
[[nodiscard]] constexpr bool is_of_block(Op op) { return op == Op::kFree || op == Op::kAllocation; }

struct Access {
  Op op{};
  uint64_t size = 0;
  uint32_t thread = 0;
  Text thread_name{};
  List<Frame> thread_created_at{};  // innermost first; empty for a root thread
  Frame site{};                     // the statement; left unknown, the stack tells it (site_of)
  List<Frame> stack{};              // innermost first
  bool stack_lost = false;          // whoever called is not known
  List<LockHeld> locks{};
  Text expression{};  // what this access calls the location
  bool has_value = false;
  bool has_old_value = false;
  uint64_t value = 0;  // what was written
  uint64_t old_value = 0;
  uint64_t count = 0;    // how often this access took part
  uint64_t site_id = 0;  // the identity of the statement: the race's id is made of the two; 0: unknown
};

enum class LocationKind : uint8_t { kUnknown, kGlobal, kHeap, kStack, kTls };

struct Location {
  Text name{};    // "account.balance"
  Text object{};  // the variable or block it lies in: "account"
  uint64_t address = 0;
  uint64_t size = 0;         // of the location
  uint64_t object_size = 0;  // of the variable or block
  uint64_t offset = 0;       // of the location in it
  LocationKind kind{};
  Frame declared_at{};         // of a variable: file and line
  List<Frame> allocated_at{};  // heap: the allocation; stack: the frame the variable lives in
  bool has_owner = false;
  uint32_t owner = 0;  // the thread that allocated the block, or whose stack or TLS it is
  Text owner_name{};
};

// From the weakest to the strongest: merging two reports of a race keeps the later one.
enum class Standing : uint8_t { kUnconfirmed, kPredicted, kObserved, kConfirmed };

// 8 to 16 lower-case hexadecimal digits. Text reports put an R before it.
struct RaceId {
  char hex[17] = {};
  [[nodiscard]] constexpr Text text() const { return Text(hex); }
  friend constexpr bool operator==(const RaceId& a, const RaceId& b) { return a.text() == b.text(); }
};

struct Race {
  RaceId id{};
  Standing standing{};
  Location location{};
  Access accesses[2]{};  // the later one first: it is the one that was caught
  uint64_t count = 1;
  bool suppressed = false;
  Text suppressed_by{};  // the rule, as its file has it
  Text replay{};         // the token of a schedule that brings the two together
};

// Something besides a race that another schedule may turn into a failure: locks taken in different orders, a lock that
// is given up between two accesses. Or a deadlock that happened, in a run under control.
enum class HazardKind : uint8_t { kLockOrder, kAtomicity, kDeadlock };

// What one of the threads does for its part.
struct HazardStep {
  uint32_t thread = 0;
  Text thread_name{};
  Text does{};          // "holds a (taken at bank.c:12) and takes b"
  List<Frame> stack{};  // of the program's own code
};

struct Hazard {
  RaceId id{};
  HazardKind kind{};
  Standing standing = Standing::kPredicted;
  Text title{};              // "lock order: a, b"
  Text places{};             // "bank.c:14 / bank.c:21"
  List<uint64_t> sites{};    // identities of the statements to bring together
  List<HazardStep> steps{};  // in the order in which they do harm
  Text replay{};
};

[[nodiscard]] constexpr Text name_of(HazardKind kind) {
  switch (kind) {
    case HazardKind::kLockOrder:
      return "lock-order";
    case HazardKind::kAtomicity:
      return "atomicity";
    case HazardKind::kDeadlock:
      return "deadlock";
  }
  return "";
}

// What is said of it behind its title.
[[nodiscard]] constexpr Text words_of(HazardKind kind) {
  switch (kind) {
    case HazardKind::kLockOrder:
      return " are taken in different orders: possible deadlock";
    case HazardKind::kAtomicity:
      return ": the lock is given up between two accesses";
    case HazardKind::kDeadlock:
      return "";
  }
  return "";
}

struct NamedCount {
  Text name{};
  uint64_t count = 0;
};

struct Stats {
  uint64_t events = 0;
  uint64_t accesses = 0;
  List<NamedCount> sync{};  // by primitive: "locks", "atomics", ...
  uint64_t threads = 0;
  uint64_t microseconds = 0;
  uint64_t peak_rss = 0;  // bytes
};

struct RunSummary {
  Text program{};
  List<Text> command{};  // argv
  Text engine{};
  Text front_end{};  // native, valgrind or trace
  uint32_t pid = 0;
  uint32_t parent = 0;
  int32_t exit = 0;
  bool ended = false;  // false: the program was killed before it could say how it ends
  Stats stats{};
  List<Text> notes{};  // what limits this report: "arena full: oldest history forgotten"
};

// The identity of a race: the same for (a, b) and (b, a), whatever the run, the build or the machine. 48 bits: a fleet
// with a hundred thousand races mixes two of them up with a chance of 2 in 100,000.
[[nodiscard]] constexpr RaceId race_id(uint64_t site_a, uint64_t site_b) {
  const uint64_t low = site_a < site_b ? site_a : site_b;
  const uint64_t high = site_a < site_b ? site_b : site_a;
  // splitmix64's finalizer over each half in turn, so that (a, a) and (b, b) differ and equal halves don't cancel.
  uint64_t hash = 0x9e3779b97f4a7c15;
  const uint64_t halves[] = {low, high};
  for (const uint64_t half : halves) {
    hash += half;
    hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
    hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
    hash ^= hash >> 31;
  }
  RaceId id{};
  for (int digit = 0; digit < 12; ++digit) id.hex[digit] = "0123456789abcdef"[(hash >> (60 - 4 * digit)) & 15];
  return id;
}

// FNV-1a: what a front end without a compiler (and its site table) makes a site's stable hash of.
[[nodiscard]] constexpr uint64_t text_hash(Text text, uint64_t seed = 0xcbf29ce484222325) {
  for (const char c : text) seed = (seed ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return seed;
}

[[nodiscard]] constexpr Text name_of(Op op) {
  constexpr Text kNames[] = {"read", "write", "atomic-read", "atomic-write", "free", "allocation"};
  return kNames[static_cast<size_t>(op)];
}
[[nodiscard]] constexpr Text name_of(LocationKind kind) {
  constexpr Text kNames[] = {"unknown", "global", "heap", "stack", "tls"};
  return kNames[static_cast<size_t>(kind)];
}
[[nodiscard]] constexpr Text name_of(Standing standing) {
  constexpr Text kNames[] = {"unconfirmed", "predicted", "observed", "confirmed"};
  return kNames[static_cast<size_t>(standing)];
}
[[nodiscard]] constexpr Text name_of(HeldMode mode) { return mode == HeldMode::kShared ? "shared" : "exclusive"; }

// The statement an access stands in: the front end's word, else the innermost frame of the user's own code.
[[nodiscard]] constexpr const Frame& site_of(const Access& access) {
  if (access.site.known() || access.stack.empty()) return access.site;
  for (const Frame& frame : access.stack)
    if (!frame.library) return frame;
  return access.stack[0];
}

[[nodiscard]] constexpr bool same_place(const Frame& a, const Frame& b) {
  return a.line == b.line && a.offset == b.offset && a.function == b.function && a.file == b.file &&
         a.module == b.module;
}

// Whether all bytes of the one are bytes of the other: of static or mapped memory, or of a block that was allocated in
// the same place (a later block there is the program's next object of that kind). Stacks are not asked: what lies at an
// address changes from call to call.
[[nodiscard]] constexpr bool lies_in(const Location& inner, const Location& outer) {
  if (inner.kind != outer.kind || inner.size == 0 || inner.address < outer.address ||
      inner.address + inner.size > outer.address + outer.size)
    return false;
  if (inner.kind == LocationKind::kGlobal || inner.kind == LocationKind::kUnknown) return inner.object == outer.object;
  if (inner.kind != LocationKind::kHeap || inner.object_size != outer.object_size ||
      inner.address - inner.offset != outer.address - outer.offset ||
      inner.allocated_at.size != outer.allocated_at.size || inner.allocated_at.empty())
    return false;
  for (size_t i = 0; i < inner.allocated_at.size; ++i)
    if (!same_place(inner.allocated_at[i], outer.allocated_at[i])) return false;
  return true;
}

// The last component of a path.
[[nodiscard]] constexpr Text base_name(Text path) {
  size_t start = path.size;
  while (start > 0 && path[start - 1] != '/') --start;
  return path.part(start);
}

}  // namespace norn::report
