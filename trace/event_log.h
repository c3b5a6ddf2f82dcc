// What every front end that records does alike: a file for the process, a stream for each thread, and each stack and
// thread said in the tables before an event refers to it. How a file is made and mapped, and what a stack is, the front
// end knows. Freestanding; any thread calls it.
#pragma once

#include "base/spin_mutex.h"
#include "trace/trace_writer.h"

namespace norn::trace {

class EventLog {
 public:
  enum class Made : uint8_t { kDone, kExists, kFailed };
  struct Host {
    // Makes a file that begins with these bytes.
    Made (*make)(const char* path, const void* bytes, size_t size) = nullptr;
    // kChunkBytes of it, zeroed, mapped from there on. Null: there is no room.
    uint8_t* (*map)(const char* path, uint64_t offset) = nullptr;
    void (*unmap)(uint8_t* chunk) = nullptr;
    Stream* (*new_stream)() = nullptr;
  };
  static constexpr size_t kStacks = size_t{1} << 28;  // those beyond have no entry
  static constexpr size_t kStackBytes = kStacks / 8;

  constexpr EventLog() = default;
  EventLog(const EventLog&) = delete;
  EventLog& operator=(const EventLog&) = delete;

  // DIRECTORY/PID.raw; or PID-1.raw, … where a process became another by exec. By the one thread there is, like the
  // next three.
  [[nodiscard]] Made make_file(const Host& host, Text directory, uint64_t pid);
  [[nodiscard]] Text file_name() const;  // without the directory
  // `stacks`: kStackBytes, zeroed: which stacks the tables have. `origin`: of a forked process.
  void begin(std::atomic<uint64_t>* stacks, const ProcessEntry& process);
  // In the child of a fork: streams and chunks are the parent's. Its own file begins later, or never.
  void forget();

  [[nodiscard]] bool is_writing() const { return writer_.is_writing(); }
  [[nodiscard]] TraceWriter& writer() { return writer_; }

  // Into the thread's stream, which is kept in `stream`. No memory: into nobody's.
  void put(Stream*& stream, const Item& item);
  // Into nobody's stream.
  void put(const Item& item);
  // The thread writes nothing any more.
  void give_back(Stream*& stream);

  // With the lock of the tables: put(log.table().site(…)), and what is behind it.
  class Tables {
   public:
    explicit Tables(EventLog& log) : log_(log), lock_(log.tables_mutex_) {}
    [[nodiscard]] TableWriter& writer() { return log_.table_; }
    void put(Text item) { log_.writer_.put(item); }
    // The stack and those it stands on, as far as they are not there. `entry_of(stack, entry)` says what one is, and
    // puts its site; false: it is unknown.
    template <class EntryOf>
    void put_stack(StackId stack, EntryOf entry_of) {
      StackEntry entry;
      while (!log_.is_known(stack) && entry_of(stack, entry)) {
        put(writer().stack(entry));
        log_.stacks_[stack / 64].fetch_or(uint64_t{1} << stack % 64, std::memory_order_release);
        stack = entry.parent;
      }
    }

   private:
    EventLog& log_;
    SpinLock lock_;
  };
  [[nodiscard]] bool is_known(StackId stack) const {
    return stack == kNoStack || stack >= kStacks ||
           (stacks_[stack / 64].load(std::memory_order_acquire) >> stack % 64 & 1) != 0;
  }

 private:
  TraceWriter writer_;
  TableWriter table_;
  SpinMutex tables_mutex_;
  SpinMutex streams_mutex_;
  SpinMutex nobodys_mutex_;
  Stream nobodys_;          // of whoever has none
  Stream* idle_ = nullptr;  // of threads that ended
  std::atomic<uint64_t>* stacks_ = nullptr;
  Host host_;
  char path_[4096] = {};
};

// Whether the memory may be the task's own that accesses it (trace_format.h, `own`).
[[nodiscard]] constexpr bool may_be_own(EventKind kind) {
  return kind == EventKind::kRead || kind == EventKind::kWrite || kind == EventKind::kAtomicLoad ||
         kind == EventKind::kAtomicStore || kind == EventKind::kAtomicRmw;
}

// A block of the heap is known, and given back.
[[nodiscard]] Item block_item(ThreadId thread, StackId where, Address address, uint64_t size, bool quiet, bool born);
[[nodiscard]] Item block_end_item(ThreadId thread, Address address);

}  // namespace norn::trace
