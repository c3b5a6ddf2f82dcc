#include "trace/trace_writer.h"

namespace norn::trace {
namespace {

constexpr size_t kPayload = kChunkBytes - kChunkHeader;

// Who reads a file that is being written, or whose writer was killed, finds whole items.
void publish(uint8_t* chunk, size_t used) {
  auto* header = reinterpret_cast<ChunkHeader*>(chunk);
  __atomic_store_n(&header->used, static_cast<uint32_t>(used), __ATOMIC_RELEASE);
}

}  // namespace

void TraceWriter::begin(const Host& host) {
  host_ = host;
  stopped_.store(false, std::memory_order_relaxed);
  clock_.store(0, std::memory_order_relaxed);
  streams_.store(0, std::memory_order_relaxed);
  chunks_ = 0;
  table_ = nullptr;
  table_used_ = 0;
}

uint8_t* TraceWriter::take_chunk(ChunkKind kind, ThreadId thread, uint32_t stream, uint64_t timestamp, uint8_t flags) {
  // What follows in the file must be there: a reader ends where a chunk has no magic.
  const SpinLock lock(chunks_mutex_);
  uint8_t* chunk = host_.take(host_.context, chunks_);
  if (chunk == nullptr) return nullptr;
  ++chunks_;
  auto* header = reinterpret_cast<ChunkHeader*>(chunk);
  header->thread = thread;
  header->kind = kind;
  header->flags = flags;
  header->stored = kPayload;
  header->stream = stream;
  header->timestamp = timestamp;
  __atomic_store_n(&header->magic, kChunkMagic, __ATOMIC_RELEASE);
  return chunk;
}

bool TraceWriter::begin_chunk(Stream& stream, ThreadId thread) {
  if (stream.number == 0) stream.number = streams_.fetch_add(1, std::memory_order_relaxed) + 1;
  end(stream);
  const bool untimed = untimed_accesses_.load(std::memory_order_relaxed);
  const uint64_t now = timestamps();
  stream.chunk = take_chunk(ChunkKind::kEvents, thread, stream.number, now, untimed ? kUntimedAccesses : 0);
  if (stream.chunk == nullptr) return false;
  stream.items.begin(stream.chunk + kChunkHeader, kPayload, thread, now, untimed);
  return true;
}

void TraceWriter::put(Stream& stream, Item item) {
  if (!is_writing()) return;
  if (stream.chunk == nullptr || !stream.items.has_room() ||
      stream.items.untimed_accesses() != untimed_accesses_.load(std::memory_order_relaxed)) [[unlikely]] {
    if (!begin_chunk(stream, item.event.thread == kNoThread ? 0 : item.event.thread))
      return stop("there is no room for more");
  }
  item.untimed = stream.items.untimed_accesses() && is_plain_access(item);
  item.timestamp = item.untimed ? timestamps() : clock_.fetch_add(1, std::memory_order_acq_rel);
  stream.items.put(item);
  publish(stream.chunk, stream.items.used());
}

void TraceWriter::append_to_table(Text item) {
  for (size_t i = 0; i < item.size; ++i) {
    table_[kChunkHeader + table_used_ + i] = static_cast<uint8_t>(item[i]);
  }
  table_used_ += item.size;
  publish(table_, table_used_);
}

void TraceWriter::put(Text item) {
  if (!is_writing()) return;
  const SpinLock lock(table_mutex_);
  if (table_ == nullptr || table_used_ + item.size + kForReason > kPayload) {
    uint8_t* fresh = take_chunk(ChunkKind::kTable, 0, 0, 0, 0);
    if (fresh == nullptr) return stop_with_table("there is no room for more");
    if (table_ != nullptr) host_.give_back(host_.context, table_);
    table_ = fresh;
    table_used_ = 0;
  }
  append_to_table(item);
}

void TraceWriter::end(Stream& stream) {
  if (stream.chunk != nullptr && host_.give_back != nullptr) host_.give_back(host_.context, stream.chunk);
  stream.chunk = nullptr;
}

void TraceWriter::stop(Text why) {
  // Who has the table may never come back, which can be why it is to stop.
  Backoff backoff;
  for (unsigned tries = 0; tries < 10000; ++tries) {
    if (table_mutex_.try_lock()) {
      stop_with_table(why);
      return table_mutex_.unlock();
    }
    backoff.pause();
  }
  stopped_.store(true, std::memory_order_relaxed);
}

void TraceWriter::stop_with_table(Text why) {
  if (!is_writing()) return;
  stopped_.store(true, std::memory_order_relaxed);
  if (table_ == nullptr || why.size > kForReason - 16) return;
  // Not by a TableWriter, which is large.
  uint8_t bytes[kForReason];
  bytes[0] = static_cast<uint8_t>(TableKind::kStopped);
  const size_t body = why.size + (why.size < 0x80 ? 1 : 2);
  size_t used = 1;
  const auto number = [&](size_t value) {
    while (value >= 0x80) {
      bytes[used++] = static_cast<uint8_t>(value | 0x80);
      value >>= 7;
    }
    bytes[used++] = static_cast<uint8_t>(value);
  };
  number(body);
  number(why.size);
  for (const char c : why) bytes[used++] = static_cast<uint8_t>(c);
  append_to_table({reinterpret_cast<const char*>(bytes), used});
}

}  // namespace norn::trace
