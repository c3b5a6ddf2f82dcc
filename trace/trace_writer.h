// Writes the event log of a process (trace_format.h) into memory that belongs to its file. Freestanding.
//
// One thread at a time: who records takes turns (core/emitter.h), and a timestamp is given with each item.
#pragma once

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
  // Where chunks come from.
  struct Host {
    void* context = nullptr;
    // kChunkBytes, zeroed, that stand in the file at kMappedHeader + number * kChunkBytes. Null: there are none.
    uint8_t* (*take)(void* context, uint64_t number) = nullptr;
    // Nothing will be written there any more.
    void (*give_back)(void* context, uint8_t* chunk) = nullptr;
  };

  constexpr TraceWriter() = default;
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  // Of a new file. What was written before, by the process that this one was forked from, is left alone.
  void begin(const Host& host);
  [[nodiscard]] bool is_writing() const { return host_.take != nullptr && !stopped_; }

  // Gives the item its timestamp.
  void put(Stream& stream, Item item);
  // An item of a table (TableWriter).
  void put(Text table_item);
  // The stream's chunk is left as it is, and not used any more.
  void end(Stream& stream);
  // From here on nothing is written; the reason is, if there is room for it.
  void stop(Text why);

  [[nodiscard]] uint64_t timestamps() const { return clock_; }

 private:
  static constexpr size_t kForReason = 256;  // room in the table for why it ends

  [[nodiscard]] uint8_t* take_chunk(ChunkKind kind, ThreadId thread, uint32_t stream, uint64_t timestamp);
  void append_to_table(Text item);

  Host host_;
  bool stopped_ = false;
  uint64_t clock_ = 0;
  uint64_t chunks_ = 0;
  uint32_t streams_ = 0;
  uint8_t* table_ = nullptr;
  size_t table_used_ = 0;
};

}  // namespace norn::trace
