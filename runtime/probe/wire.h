// What a program in the production profile and the agent of its machine say to each other: all of it, byte for byte.
//
// Format (version 1)
// ------------------
// A Unix socket of type SOCK_SEQPACKET; the program connects. Its path is the environment variable NORN_HIVE_SOCKET;
// where that is not set, the first that accepts of $XDG_RUNTIME_DIR/norn/hive.socket and /run/norn/hive.socket; set and
// empty: there is none. One packet is one message. Numbers are little-endian. Sites are the identities of statements
// that races have (`site_id` in findings and reports), tasks are numbered by who gives them, and a number is never
// given twice. Texts are padded with zeros, of which the last byte is always one.
//
//   every message    0  1  'n'
//                    1  1  version, 1
//                    2  1  type, below
//                    3  1  zero
//                    4  4  size of the message, with these eight bytes
//
//   program → agent
//   1  hello         8  4  pid
//      124 bytes    12  4  how many sites have probes in this build
//                   16 20  the build's identity (the file's build id), then zeros
//                   36  1  how many bytes of it count, at most 20; 0: the file has none
//                   37  3  zero
//                   40 64  program: the name of its file, without directories
//                  104 20  zero
//      The first message. With it comes one descriptor (SCM_RIGHTS), the doorbell (doorbell.h).
//   2  result        8  8  task
//      472 bytes    16  4  round of the task
//                   20  1  kind (ResultKind)
//                   21  1  order: which access came first (Order)
//                   22  1  facts (Fact), since the task came
//                   23  1  stages that were on (Stage)
//                   24  4  τ in microseconds
//                   28  4  signal that ended the program (kCrash); else 0
//                   32  8  how often site a was reached, as far as it was counted
//                   40  8  the same of site b
//                   48  8  microseconds that threads were held for this task
//                   56  8  synchronization operations that were followed, of all tasks
//                   64  4  dynamic instances that were watched
//                   68  1  frames of stack a, at most 16
//                   69  1  frames of stack b
//                   70  1  modules, at most 4
//                   71  1  zero
//                   72 128 stack a: 16 frames of 8 bytes, innermost first. Bits 63-56: module, its place in the list
//                          below (255: unknown), 55-0: offset of the return address from where the module is loaded
//                  200 128 stack b: of the other access; of a crash or hang empty
//                  328 128 modules: 4 names of 32 bytes, without directories
//                  456 16  zero
//   3  bye           8  4  how it ended (End)
//      16 bytes     12  4  zero
//      No result comes after it. A connection that ends without it: the program was killed, crashed or executed
//      another; tasks without a final result are then kNotSeen, with the facts of their last result.
//
//   agent → program
//   4  task          8  8  task
//      56 bytes     16  8  site a
//                   24  8  site b
//                   32  4  round: 0, and one more each time that the same task is given anew (with another τ, order or
//                          stage). A new round takes the place of the old one, and one more attempt to steer is made
//                   36  4  τ in microseconds, at most 10 s
//                   40  4  instance: which dynamic instance of the first access is watched (1: the first); 0: the
//                   first,
//                          then the 2nd, 4th, 8th after it and so on, until one is a race
//                   44  1  stages (Stage)
//                   45  1  order to steer to: kPrimary or kAlternate
//                   46 10  zero
//   5  drop          8  8  task
//      16 bytes
//
// Whoever reads refuses a message that is not exactly so: another size, a number out of its range, a byte that has to
// be zero. A version that is not known is refused: the program then goes on as if there were no agent.
//
// This file is all that reads and writes these bytes. It is freestanding.
#pragma once

#include <stddef.h>
#include <stdint.h>

namespace norn::probe::wire {

inline constexpr uint8_t kMagic = 'n';
inline constexpr uint8_t kVersion = 1;
inline constexpr size_t kLargest = 472;  // bytes of a message

enum class Type : uint8_t { kHello = 1, kResult = 2, kBye = 3, kTask = 4, kDrop = 5 };

enum class ResultKind : uint8_t {
  kProgress = 1,    // facts changed; nothing else is known yet
  kContext = 2,     // inference succeeded: the two sites touched one address, from different threads
  kRace = 3,        // final
  kNoRace = 4,      // the watched access came before all other threads; final for its round
  kTimeout = 5,     // nobody came within τ; final for its round
  kNotSeen = 6,     // the program ended, or the task was dropped, without any of the others
  kCrash = 7,       // a signal ended the program after it was steered
  kHang = 8,        // a thread waits and waits after it was steered
  kMisbehaved = 9,  // the user said so when ending a program that was steered
  kBehaved = 10,    // the user said that it did not misbehave
  kNotProbed = 11,  // this build has no probe at one of the sites; final
};
inline constexpr uint8_t kLastResultKind = 11;

enum class Order : uint8_t { kNone = 0, kPrimary = 1, kAlternate = 2, kBoth = 3 };  // a then b; b then a

enum Stage : uint8_t {
  kInfer = 1,   // always on
  kDetect = 2,  // on-demand detection
  kSteer = 4,   // schedule steering
  kAsk = 8,     // the owner allows to ask the user at a terminal
};
inline constexpr uint8_t kAllStages = 15;

enum Fact : uint8_t {
  kReachedA = 1,
  kReachedB = 2,
  kThreads = 4,   // the sites were reached by different threads
  kAliasing = 8,  // at one address, by whichever threads
  kShared = 16,   // at one address by different threads: inference succeeded
};
inline constexpr uint8_t kAllFacts = 31;

enum class End : uint8_t { kExit = 0, kQuickExit = 1, kAbort = 2 };

inline constexpr size_t kBuildBytes = 20;
inline constexpr size_t kNameBytes = 64;
inline constexpr size_t kModuleBytes = 32;
inline constexpr unsigned kFrames = 16;
inline constexpr unsigned kModules = 4;
inline constexpr uint8_t kUnknownModule = 255;
inline constexpr uint32_t kLongestTau = 10'000'000;

struct Hello {
  uint32_t pid = 0;
  uint32_t probes = 0;
  uint8_t build[kBuildBytes] = {};
  uint8_t build_size = 0;
  char program[kNameBytes] = {};
};

struct Frame {
  uint8_t module = kUnknownModule;
  uint64_t offset = 0;  // 56 bits
};

struct Stack {
  Frame frames[kFrames] = {};
  uint8_t count = 0;
};

struct Result {
  uint64_t task = 0;
  uint32_t round = 0;
  ResultKind kind = ResultKind::kProgress;
  Order order = Order::kNone;
  uint8_t facts = 0;
  uint8_t stages = kInfer;
  uint32_t tau = 0;
  uint32_t signal = 0;
  uint64_t reached[2] = {};  // a, b
  uint64_t held = 0;         // microseconds
  uint64_t synchronizations = 0;
  uint32_t watched = 0;
  Stack stacks[2] = {};
  char modules[kModules][kModuleBytes] = {};
  uint8_t module_count = 0;
};

struct Bye {
  End end = End::kExit;
};

struct Task {
  uint64_t task = 0;
  uint64_t sites[2] = {};  // a, b
  uint32_t round = 0;
  uint32_t tau = 0;
  uint32_t instance = 1;
  uint8_t stages = kInfer;
  Order order = Order::kPrimary;
};

struct Drop {
  uint64_t task = 0;
};

// One message, read. Only the member that `type` names counts.
struct Message {
  Type type = Type::kBye;
  Hello hello{};
  Result result{};
  Bye bye{};
  Task task{};
  Drop drop{};
};

// Whether no other result follows for the same round of a task.
[[nodiscard]] constexpr bool is_final(ResultKind kind) {
  return kind == ResultKind::kRace || kind == ResultKind::kNoRace || kind == ResultKind::kTimeout ||
         kind == ResultKind::kNotSeen || kind == ResultKind::kNotProbed;
}

// ---- Bytes ------------------------------------------------------------------------------------------------------

// A message as it lies in the socket. Writes and reads fields one after the other, so that the two directions are one
// description: `Packet::Mode::kRead` takes what `kWrite` puts.
class Packet final {
 public:
  enum class Mode : uint8_t { kWrite, kRead };

  explicit Packet(uint8_t* bytes) : bytes_(bytes), mode_(Mode::kWrite) {}
  Packet(const uint8_t* bytes, size_t size) : bytes_(const_cast<uint8_t*>(bytes)), size_(size), mode_(Mode::kRead) {}

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] size_t at() const { return at_; }
  [[nodiscard]] bool reads() const { return mode_ == Mode::kRead; }
  void require(bool holds) { ok_ = ok_ && holds; }

  template <class Number>
  void number(Number& value, size_t bytes = sizeof(Number)) {
    uint64_t whole = reads() ? 0 : static_cast<uint64_t>(value);
    for (size_t i = 0; i < bytes; ++i) byte(whole, i);
    if (reads()) value = static_cast<Number>(whole);
  }
  void text(char* text, size_t size) {
    for (size_t i = 0; i < size; ++i) number(text[i], 1);
    require(text[size - 1] == '\0');
  }
  void zeros(size_t count) {
    for (size_t i = 0; i < count; ++i) {
      uint8_t zero = 0;
      number(zero);
      require(zero == 0);
    }
  }

 private:
  void byte(uint64_t& whole, size_t i) {
    if (reads() && at_ >= size_) {
      ok_ = false;
      return;
    }
    if (reads()) {
      whole |= uint64_t{bytes_[at_]} << (8 * i);
    } else {
      bytes_[at_] = static_cast<uint8_t>(whole >> (8 * i));
    }
    ++at_;
  }

  uint8_t* bytes_;
  size_t size_ = kLargest;
  size_t at_ = 0;
  Mode mode_;
  bool ok_ = true;
};

namespace layout {

constexpr size_t kSizes[] = {0, 124, 472, 16, 56, 16};  // by type

inline void head(Packet& packet, Type& type) {
  uint8_t magic = kMagic;
  uint8_t version = kVersion;
  auto number = static_cast<uint8_t>(type);
  uint8_t zero = 0;
  uint32_t size = number < sizeof(kSizes) / sizeof(kSizes[0]) ? static_cast<uint32_t>(kSizes[number]) : 0;
  packet.number(magic);
  packet.number(version);
  packet.number(number);
  packet.number(zero);
  packet.number(size);
  packet.require(magic == kMagic && version == kVersion && zero == 0);
  packet.require(number >= 1 && number <= 5);
  if (packet.ok()) packet.require(size == kSizes[number]);
  if (packet.ok()) type = static_cast<Type>(number);
}

inline void body(Packet& packet, Hello& hello) {
  packet.number(hello.pid);
  packet.number(hello.probes);
  for (uint8_t& byte : hello.build) packet.number(byte);
  packet.number(hello.build_size);
  packet.require(hello.build_size <= kBuildBytes);
  packet.zeros(3);
  packet.text(hello.program, kNameBytes);
  packet.zeros(20);
}

inline void stack(Packet& packet, Stack& stack) {
  constexpr uint64_t kOffset = (uint64_t{1} << 56) - 1;
  for (Frame& frame : stack.frames) {
    uint64_t word = uint64_t{frame.module} << 56 | (frame.offset & kOffset);
    packet.number(word);
    if (packet.reads()) frame = {static_cast<uint8_t>(word >> 56), word & kOffset};
  }
}

inline void body(Packet& packet, Result& result) {
  packet.number(result.task);
  packet.number(result.round);
  packet.number(result.kind);
  packet.require(static_cast<uint8_t>(result.kind) >= 1 && static_cast<uint8_t>(result.kind) <= kLastResultKind);
  packet.number(result.order);
  packet.require(static_cast<uint8_t>(result.order) <= 3);
  packet.number(result.facts);
  packet.require((result.facts & ~kAllFacts) == 0);
  packet.number(result.stages);
  packet.require((result.stages & ~kAllStages) == 0);
  packet.number(result.tau);
  packet.require(result.tau <= kLongestTau);
  packet.number(result.signal);
  packet.require(result.signal <= 64);
  for (uint64_t& count : result.reached) packet.number(count);
  packet.number(result.held);
  packet.number(result.synchronizations);
  packet.number(result.watched);
  for (Stack& stack : result.stacks) {
    packet.number(stack.count);
    packet.require(stack.count <= kFrames);
  }
  packet.number(result.module_count);
  packet.require(result.module_count <= kModules);
  packet.zeros(1);
  for (Stack& each : result.stacks) stack(packet, each);
  for (Stack& each : result.stacks) {
    for (unsigned i = 0; packet.ok() && i < each.count; ++i)
      packet.require(each.frames[i].module == kUnknownModule || each.frames[i].module < result.module_count);
  }
  for (char(&name)[kModuleBytes] : result.modules) packet.text(name, kModuleBytes);
  packet.zeros(16);
}

inline void body(Packet& packet, Bye& bye) {
  auto end = static_cast<uint32_t>(bye.end);
  packet.number(end);
  packet.require(end <= 2);
  if (packet.ok()) bye.end = static_cast<End>(end);
  packet.zeros(4);
}

inline void body(Packet& packet, Task& task) {
  packet.number(task.task);
  for (uint64_t& site : task.sites) packet.number(site);
  packet.number(task.round);
  packet.number(task.tau);
  packet.require(task.tau <= kLongestTau);
  packet.number(task.instance);
  packet.number(task.stages);
  packet.require((task.stages & ~kAllStages) == 0);
  packet.number(task.order);
  packet.require(task.order == Order::kPrimary || task.order == Order::kAlternate);
  packet.zeros(10);
}

inline void body(Packet& packet, Drop& drop) { packet.number(drop.task); }

template <class Body>
[[nodiscard]] size_t put(Type type, Body value, uint8_t (&bytes)[kLargest]) {
  Packet packet(bytes);
  head(packet, type);
  body(packet, value);
  return packet.ok() ? packet.at() : 0;
}

}  // namespace layout

// Each returns the size of the message, 0 if it would break the rules above.
[[nodiscard]] inline size_t write(const Hello& hello, uint8_t (&bytes)[kLargest]) {
  return layout::put(Type::kHello, hello, bytes);
}
[[nodiscard]] inline size_t write(const Result& result, uint8_t (&bytes)[kLargest]) {
  return layout::put(Type::kResult, result, bytes);
}
[[nodiscard]] inline size_t write(const Bye& bye, uint8_t (&bytes)[kLargest]) {
  return layout::put(Type::kBye, bye, bytes);
}
[[nodiscard]] inline size_t write(const Task& task, uint8_t (&bytes)[kLargest]) {
  return layout::put(Type::kTask, task, bytes);
}
[[nodiscard]] inline size_t write(const Drop& drop, uint8_t (&bytes)[kLargest]) {
  return layout::put(Type::kDrop, drop, bytes);
}

// False: it is no message of this version; `message` is not to be used.
[[nodiscard]] inline bool read(const uint8_t* bytes, size_t size, Message& message) {
  Packet packet(bytes, size);
  layout::head(packet, message.type);
  if (!packet.ok() || size != layout::kSizes[static_cast<uint8_t>(message.type)]) return false;
  switch (message.type) {
    case Type::kHello:
      layout::body(packet, message.hello);
      break;
    case Type::kResult:
      layout::body(packet, message.result);
      break;
    case Type::kBye:
      layout::body(packet, message.bye);
      break;
    case Type::kTask:
      layout::body(packet, message.task);
      break;
    case Type::kDrop:
      layout::body(packet, message.drop);
      break;
  }
  return packet.ok() && packet.at() == size;
}

}  // namespace norn::probe::wire
