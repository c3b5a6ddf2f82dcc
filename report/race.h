// One model of a race report: what every renderer renders and every front end fills in.
//
// The structs are plain views. They own nothing, allocate nothing and need no library, so that the runtime, the
// Valgrind tool and the command line share them; whoever fills them in keeps the memory they point to alive.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/list.h"
#include "report/facts.h"

namespace norn::report {

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
  Text expression{};     // what this access calls the location
  Values values{};       // when the race was found: of the access that was caught
  bool was_met = false;  // `met` is shown instead, in all reports
  Values met{};          // in the schedule that the confirmation's token stands for
  uint64_t count = 0;    // how often this access took part
  uint64_t site_id = 0;  // the identity of the statement: the race's id is made of the two; 0: unknown
};

enum class LocationKind : uint8_t { kUnknown, kGlobal, kHeap, kStack, kTls };
inline constexpr size_t kLocationKinds = 5;

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

// What reports show of an access: what it did in the schedule that shows the race, if that is known of one of the two.
[[nodiscard]] constexpr const Values& shown_values(const Access& access) {
  return access.was_met ? access.met : access.values;
}
[[nodiscard]] constexpr Values& shown_values(Access& access) { return access.was_met ? access.met : access.values; }

struct Race {
  RaceId id{};
  Detection detection = Detection::kPredicted;
  Location location{};
  Access accesses[2]{};  // the later one first: it is the one that was caught
  uint64_t count = 1;
  bool suppressed = false;
  Text suppressed_by{};  // the rule, as its file has it
  uint64_t rank = 0;     // among the races of its run, by when they were first found
  // No race, but taken for a flag: the later access is a loop's that waits for the earlier one, a write. Not both are
  // atomic.
  bool is_flag = false;
  Text witness{};  // of what is proved: the reordering, as analyze/witness.h writes it
  Confirmation confirmation{};
  Classification classification{};
};

// Why a pair is taken for a flag.
inline constexpr Text kWhyFlag =
    "a loop goes on until it changes, and its value decides nothing else; who leaves the loop is ordered after the "
    "write, which the language does not promise";

// Something besides a race that another schedule may turn into a failure: locks taken in different orders, a lock that
// is given up between two accesses. Or something that happened: a deadlock, in a run under control; a primitive used as
// it must not be.
enum class HazardKind : uint8_t {
  kLockOrder,
  kAtomicity,
  kDeadlock,
  kDestroyLocked,
  kUnlockUnlocked,
  kUnlockForeign,
  kDoubleLock,
  kUseDestroyed,
  kHeldInWrongContext,
  kThreadLeak,
  kSignalUnsafe,
  kSignalErrno,
};

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
  Detection detection = Detection::kPredicted;  // observed: it happened
  Text title{};                                 // "lock order: a, b"
  Text places{};                                // "bank.c:14 / bank.c:21"
  List<uint64_t> sites{};                       // identities of the statements to bring together
  List<HazardStep> steps{};                     // in the order in which they do harm
  Confirmation confirmation{};
};

[[nodiscard]] constexpr Standing standing_of(const Race& race) {
  return standing_of(race.detection, race.confirmation);
}
[[nodiscard]] constexpr Standing standing_of(const Hazard& hazard) {
  return standing_of(hazard.detection, hazard.confirmation);
}

// What is said of each kind, in the order of HazardKind.
struct HazardWords {
  HazardKind kind;
  Text name;      // in JSON and records
  Text words;     // behind its title
  bool happened;  // nothing is left to confirm
};
inline constexpr HazardWords kHazardWords[] = {
    {HazardKind::kLockOrder, "lock-order", " are taken in different orders: possible deadlock", false},
    {HazardKind::kAtomicity, "atomicity", ": the lock is given up between two accesses", false},
    {HazardKind::kDeadlock, "deadlock", "", true},
    {HazardKind::kDestroyLocked, "destroy-locked", " is destroyed while it is locked", true},
    {HazardKind::kUnlockUnlocked, "unlock-unlocked", " is unlocked, but nobody holds it", true},
    {HazardKind::kUnlockForeign, "unlock-foreign", " is unlocked by a thread that does not hold it", true},
    {HazardKind::kDoubleLock, "double-lock", " is locked again by the thread that holds it: it waits for itself", true},
    {HazardKind::kUseDestroyed, "use-destroyed", " is used after it was destroyed", true},
    {HazardKind::kHeldInWrongContext, "held-in-wrong-context", " is held where no lock may be", true},
    {HazardKind::kThreadLeak, "thread-leak", " ended and was neither joined nor detached", true},
    {HazardKind::kSignalUnsafe, "signal-unsafe", " is called in a signal handler, which may have interrupted it", true},
    {HazardKind::kSignalErrno, "signal-errno", " changes errno and does not restore it", true},
};

[[nodiscard]] constexpr const HazardWords& said_of(HazardKind kind) { return kHazardWords[static_cast<size_t>(kind)]; }
[[nodiscard]] constexpr Text name_of(HazardKind kind) { return said_of(kind).name; }
[[nodiscard]] constexpr Text words_of(HazardKind kind) { return said_of(kind).words; }
[[nodiscard]] constexpr bool has_happened(HazardKind kind) { return said_of(kind).happened; }

constexpr bool hazards_in_order() {
  for (size_t i = 0; i < sizeof(kHazardWords) / sizeof(kHazardWords[0]); ++i)
    if (kHazardWords[i].kind != static_cast<HazardKind>(i)) return false;
  return true;
}
static_assert(hazards_in_order());

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
  bool ended = false;            // false: a process did not come to say how it ends: more may have been to find
  bool becomes_another = false;  // by exec
  bool checked = true;           // false: nothing ran that could be checked
  Stats stats{};
  List<Text> notes{};  // what limits this report: "arena full: oldest history forgotten"
};

[[nodiscard]] constexpr Text name_of(LocationKind kind) {
  constexpr Text kNames[kLocationKinds] = {"unknown", "global", "heap", "stack", "tls"};
  return kNames[static_cast<size_t>(kind)];
}
[[nodiscard]] constexpr Text name_of(HeldMode mode) { return mode == HeldMode::kShared ? "shared" : "exclusive"; }

// How many there are, for whoever looks for one by its name.
[[nodiscard]] constexpr size_t count_of(HazardKind /*kind*/) { return sizeof(kHazardWords) / sizeof(kHazardWords[0]); }
[[nodiscard]] constexpr size_t count_of(LocationKind /*kind*/) { return kLocationKinds; }
[[nodiscard]] constexpr size_t count_of(HeldMode /*mode*/) { return 2; }

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

[[nodiscard]] constexpr bool same_places(List<Frame> a, List<Frame> b) {
  if (a.size != b.size) return false;
  for (size_t i = 0; i < a.size; ++i)
    if (!same_place(a[i], b[i])) return false;
  return true;
}

// Whether all bytes of the one are bytes of the other: of static or mapped memory, or of a block that was allocated in
// the same place (a later block there is the program's next object of that kind). Stacks are not asked: what lies at an
// address changes from call to call.
[[nodiscard]] constexpr bool lies_in(const Location& inner, const Location& outer) {
  if (inner.kind != outer.kind || inner.size == 0 || inner.address < outer.address ||
      inner.address + inner.size > outer.address + outer.size)
    return false;
  if (inner.kind == LocationKind::kGlobal || inner.kind == LocationKind::kUnknown) return inner.object == outer.object;
  return inner.kind == LocationKind::kHeap && inner.object_size == outer.object_size &&
         inner.address - inner.offset == outer.address - outer.offset && !inner.allocated_at.empty() &&
         same_places(inner.allocated_at, outer.allocated_at);
}

// Equal but for the numbers in brackets: "cells[3].x" and "cells[14].x".
[[nodiscard]] constexpr bool same_but_for_indices(Text a, Text b) {
  const auto skip_index = [](Text text, size_t at) {
    while (at < text.size && text[at] >= '0' && text[at] <= '9') ++at;
    return at;
  };
  size_t i = 0, k = 0;
  while (i < a.size && k < b.size) {
    if (a[i] != b[k]) return false;
    const bool opens = a[i] == '[';
    i = opens ? skip_index(a, i + 1) : i + 1;
    k = opens ? skip_index(b, k + 1) : k + 1;
  }
  return i == a.size && k == b.size;
}

// Whether both are the same variable for a reader: the same member of one variable, or of blocks that were allocated in
// one place. The elements of an array are one.
[[nodiscard]] constexpr bool same_variable(const Location& a, const Location& b) {
  if (lies_in(a, b)) return true;
  if (a.kind != b.kind) return false;
  const bool named_alike = !a.name.empty() && same_but_for_indices(a.name, b.name);
  switch (a.kind) {
    case LocationKind::kGlobal:
    case LocationKind::kTls:
      return named_alike && a.object == b.object && same_place(a.declared_at, b.declared_at);
    case LocationKind::kStack:
      return named_alike && !a.object.empty() && a.object == b.object && same_place(a.declared_at, b.declared_at) &&
             same_places(a.allocated_at, b.allocated_at);
    case LocationKind::kHeap:
      return !a.allocated_at.empty() && same_places(a.allocated_at, b.allocated_at) &&
             (named_alike || (a.offset < b.offset + b.size && b.offset < a.offset + a.size));
    case LocationKind::kUnknown:
      return false;
  }
  return false;
}

// The last component of a path.
[[nodiscard]] constexpr Text base_name(Text path) {
  size_t start = path.size;
  while (start > 0 && path[start - 1] != '/') --start;
  return path.part(start);
}

}  // namespace norn::report
