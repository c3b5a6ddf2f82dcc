// Writes the event log of a process (trace_format.h) into memory that belongs to its file. Freestanding.
//
// Threads write at once, each into a stream of its own, and meet in one number alone: the next timestamp, which one
// atomic addition gives and takes. Whoever wants the trace in the very order in which a detector hears of events gives
// threads turns around both (core/emitter.h). Where accesses take no timestamp (untime_accesses) they look at the
// number and leave it as it is.
#pragma once

#include <atomic>

#include "base/spin_mutex.h"
#include "trace/trace_format.h"

namespace norn::trace {

// What one thread of the system writes. Made of zeroes.
struct Stream {
  ItemWriter items;
  uint8_t* chunk = nullptr;
  uint32_t number = 0;  // from 1 on; 0: it was not used yet
  Stream* next = nullptr;
};

class TraceWriter {
 public:
  // Where chunks come from. One thread at a time asks.
  struct Host {
    void* context = nullptr;
    // kChunkBytes, zeroed, that stand in the file at kMappedHeader + number * kChunkBytes. Null: there are none.
    uint8_t* (*take)(void* context, uint64_t number) = nullptr;
    // Nothing will be written there any more. Threads may say so at once.
    void (*give_back)(void* context, uint8_t* chunk) = nullptr;
  };

  constexpr TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Of a new file, by the one thread there is. What was written before, by the process that this one was forked from,
  // is left alone.
  void begin(const Host& host);
  [[nodiscard]] bool is_writing() const { return host_.take != nullptr && !stopped_.load(std::memory_order_relaxed); }
  // From here on, for good: reads and writes say which timestamp is the next, and take none.
  void untime_accesses() { untimed_accesses_.store(true, std::memory_order_relaxed); }

  // Gives the item its timestamp. A stream has one user at a time.
  void put(Stream& stream, Item item);
  // An item of a table (TableWriter).
  void put(Text table_item);
  // The stream's chunk is left as it is, and not used any more.
  void end(Stream& stream);
  // From here on nothing is written; the reason is, if there is room for it.
  void stop(Text why);

  [[nodiscard]] uint64_t timestamps() const { return clock_.load(std::memory_order_acquire); }

 private:
  static constexpr size_t kForReason = 256;  // room in the table for why it ends

  [[nodiscard]] bool begin_chunk(Stream& stream, ThreadId thread);
  [[nodiscard]] uint8_t* take_chunk(ChunkKind kind, ThreadId thread, uint32_t stream, uint64_t timestamp,
                                    uint8_t flags);
  void append_to_table(Text item);
  void stop_with_table(Text why);

  Host host_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> untimed_accesses_{false};
  std::atomic<uint32_t> streams_{0};
  SpinMutex table_mutex_;  // before chunks_mutex_
  SpinMutex chunks_mutex_;
  uint64_t chunks_ = 0;
  uint8_t* table_ = nullptr;
  size_t table_used_ = 0;
  // Every event of every thread changes it.
  alignas(64) std::atomic<uint64_t> clock_{0};
};

}  // namespace norn::trace
