#include "trace/trace_reader.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "trace/trace_writer.h"

namespace norn::trace {
namespace {

namespace fs = std::filesystem;

// A file in memory.
struct MemoryFile {
  std::deque<std::vector<uint8_t>> chunks;
  size_t most = 1000;

  [[nodiscard]] TraceWriter::Host host() {
    return {this,
            [](void* context, uint64_t number) -> uint8_t* {
              auto* self = static_cast<MemoryFile*>(context);
              EXPECT_EQ(number, self->chunks.size());
              if (self->chunks.size() == self->most) return nullptr;
              return self->chunks.emplace_back(kChunkBytes).data();
            },
            [](void*, uint8_t*) {}};
  }
  void write(const fs::path& path) const {
    std::ofstream out(path, std::ios::binary);
    std::vector<char> begin(kMappedHeader);
    FileHeader header;
    header.first_chunk = kMappedHeader;
    std::memcpy(begin.data(), &header, sizeof(header));
    out.write(begin.data(), static_cast<std::streamsize>(begin.size()));
    for (const auto& chunk : chunks)
      out.write(reinterpret_cast<const char*>(chunk.data()), static_cast<std::streamsize>(chunk.size()));
  }
};

class TraceFiles : public testing::Test {
 protected:
  TraceFiles() : directory_(fs::temp_directory_path() / ("norn-trace-test-" + std::to_string(getpid()))) {
    fs::create_directories(directory_);
  }
  ~TraceFiles() override { fs::remove_all(directory_); }

  // Two threads, turn about; so many events.
  void write_events(uint64_t count) {
    writer_.begin(memory_.host());
    static TableWriter table;
    const Text command[] = {"./program"};
    writer_.put(table.process({.pid = 5, .command = command}));
    writer_.put(table.stack({1, 0, 0}));
    for (uint64_t i = 0; i < count; ++i) {
      Item item;
      const ThreadId thread = i % 3 == 0 ? 2 : 1;
      item.event = {.kind = EventKind::kWrite, .thread = thread, .where = 1, .address = 0x1000 + i * 64, .size = 8};
      writer_.put(thread == 1 ? first_ : second_, item);
    }
    writer_.put(table.end({0, 1, count}));
    memory_.write(path());
  }
  [[nodiscard]] std::string path() const { return (directory_ / "5.raw").string(); }

  // How many events come in order, and why no more.
  uint64_t read_events(const std::string& file, std::string& cut) {
    std::string error;
    const auto opened = TraceFile::open(file, error);
    if (!opened) {
      cut = error;
      return 0;
    }
    Merge merge(*opened);
    Item item;
    uint64_t count = 0;
    while (merge.next(item)) {
      EXPECT_EQ(item.timestamp, count);
      EXPECT_EQ(item.event.address, 0x1000 + count * 64);
      EXPECT_EQ(item.event.thread, count % 3 == 0 ? 2u : 1u);
      ++count;
    }
    cut = merge.cut();
    return count;
  }

  fs::path directory_;
  MemoryFile memory_;
  TraceWriter writer_;
  Stream first_;
  Stream second_;
};

TEST_F(TraceFiles, StreamsAreMergedByTime) {
  write_events(50000);
  EXPECT_GT(memory_.chunks.size(), 4u);
  std::string cut;
  EXPECT_EQ(read_events(path(), cut), 50000u);
  EXPECT_EQ(cut, "");
}

TEST_F(TraceFiles, CompressedItIsTheSameAndSmaller) {
  write_events(50000);
  std::string error;
  const uintmax_t before = fs::file_size(path());
  ASSERT_TRUE(compress_trace(path(), error)) << error;
  EXPECT_FALSE(fs::exists(path()));
  const std::string compressed = (directory_ / "5.trace").string();
  EXPECT_LT(fs::file_size(compressed), before / 4);
  std::string cut;
  EXPECT_EQ(read_events(compressed, cut), 50000u);
  EXPECT_EQ(cut, "");
  EXPECT_EQ(traces_in(directory_.string()), std::vector{compressed});
}

TEST_F(TraceFiles, AFileThatIsCutIsReadUpToThere) {
  write_events(50000);
  const uintmax_t size = fs::file_size(path());
  uint64_t before = 0;
  for (int part = 1; part < 16; ++part) {
    fs::resize_file(path(), size);
    memory_.write(path());
    fs::resize_file(path(), size * static_cast<unsigned>(part) / 16 + 7);
    std::string cut;
    const uint64_t count = read_events(path(), cut);
    EXPECT_NE(cut, "") << part;
    EXPECT_LE(count, 50000u);  // of its last chunk not all is used
    EXPECT_GE(count, before);
    before = count;
  }
  EXPECT_GT(before, 20000u);
}

// Threads that write at once, without turns: what synchronizes is in the order in which it was done, and each access
// between the two operations of its thread that it was made between.
TEST_F(TraceFiles, AccessesTakeNoTimestampAndKeepTheirPlace) {
  constexpr uint64_t kThreads = 4;
  constexpr uint64_t kRounds = 3000;
  writer_.begin(memory_.host());
  writer_.untime_accesses();
  static Stream streams[kThreads];
  std::mutex mutex;
  uint64_t turn = 0;
  std::vector<std::thread> threads;
  for (uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (uint64_t i = 0; i < kRounds; ++i) {
        Item item;
        item.event = {.kind = EventKind::kWrite, .thread = static_cast<ThreadId>(t + 1), .address = i, .size = 8};
        writer_.put(streams[t], item);
        const std::lock_guard<std::mutex> lock(mutex);
        item.event.kind = EventKind::kLockAcquire;
        item.event.other = ++turn;
        writer_.put(streams[t], item);
        item.event.kind = EventKind::kRead;
        writer_.put(streams[t], item);
        item.event.kind = EventKind::kLockRelease;
        item.event.other = ++turn;
        writer_.put(streams[t], item);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  memory_.write(path());
  std::string error;
  for (const std::string suffix : {".raw", ".trace"}) {
    if (suffix == ".trace") ASSERT_TRUE(compress_trace(path(), error)) << error;
    const auto file = TraceFile::open((directory_ / ("5" + suffix)).string(), error);
    ASSERT_TRUE(file) << error;
    Merge merge(*file);
    Item item;
    uint64_t seen = 0;
    uint64_t accesses = 0;
    uint64_t next[kThreads] = {};  // of four in a round
    while (merge.next(item)) {
      const uint64_t at = next[item.event.thread - 1]++;
      constexpr EventKind kRound[] = {EventKind::kWrite, EventKind::kLockAcquire, EventKind::kRead,
                                      EventKind::kLockRelease};
      ASSERT_EQ(item.event.kind, kRound[at % 4]);
      ASSERT_EQ(item.event.address, at / 4);
      ASSERT_EQ(item.untimed, is_plain_access(item));
      ASSERT_EQ(item.timestamp, seen);
      if (item.untimed) {
        ++accesses;
        // Nobody else has the lock while it is read.
        if (item.event.kind == EventKind::kRead) ASSERT_EQ(item.event.other, seen);
      } else {
        ASSERT_EQ(item.event.other, ++seen);
      }
    }
    EXPECT_EQ(merge.cut(), "");
    EXPECT_EQ(seen, kThreads * kRounds * 2);
    EXPECT_EQ(accesses, kThreads * kRounds * 2);
  }
}

TEST_F(TraceFiles, AProgramThatIsKilledLosesNothing) {
  writer_.begin(memory_.host());
  for (uint64_t i = 0; i < 100; ++i) {
    Item item;
    item.event = {.kind = EventKind::kWrite, .thread = i % 3 == 0 ? 2u : 1u, .address = 0x1000 + i * 64, .size = 8};
    writer_.put(i % 3 == 0 ? second_ : first_, item);
  }
  memory_.write(path());  // as it stands, with no end
  std::string cut;
  EXPECT_EQ(read_events(path(), cut), 100u);
  EXPECT_EQ(cut, "");
}

TEST_F(TraceFiles, WhereThereIsNoRoomRecordingStopsAndSaysWhy) {
  memory_.most = 3;
  write_events(100000);
  EXPECT_FALSE(writer_.is_writing());
  std::string error;
  const auto file = TraceFile::open(path(), error);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->tables().stopped, "there is no room for more");
  std::string cut;
  EXPECT_GT(read_events(path(), cut), 1000u);
}

TEST_F(TraceFiles, DamageIsNoTrouble) {
  write_events(3000);
  std::ifstream in(path(), std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(in)), {});
  uint64_t random = 1;
  for (int round = 0; round < 300; ++round) {
    std::string bad = good;
    for (int i = 0; i < 4; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const size_t at =
          round % 2 == 0 ? (random >> 33) % 80 + (i % 2 == 0 ? 0 : kMappedHeader) : (random >> 33) % bad.size();
      bad[at] = static_cast<char>(random >> 20);
    }
    std::ofstream(path(), std::ios::binary) << bad;
    std::string error;
    const auto file = TraceFile::open(path(), error);
    if (!file) {
      EXPECT_NE(error, "");
      EXPECT_EQ(error.find('\n'), std::string::npos);
      continue;
    }
    Merge merge(*file);
    Item item;
    uint64_t count = 0;
    while (merge.next(item)) ++count;
    EXPECT_LE(count, 3000u * 4);
    std::string packed_error;
    (void)compress_trace(path(), packed_error);
    fs::remove(directory_ / "5.trace");
  }
}

TEST_F(TraceFiles, WhatIsNoTraceIsSaidInOneLine) {
  std::string error;
  EXPECT_FALSE(TraceFile::open((directory_ / "none").string(), error));
  EXPECT_NE(error.find("cannot be read"), std::string::npos);
  std::ofstream(path()) << "hello";
  EXPECT_FALSE(TraceFile::open(path(), error));
  EXPECT_NE(error.find("is not a trace"), std::string::npos);
  EXPECT_FALSE(TraceFile::open(directory_.string(), error));
  write_events(1);
  std::fstream file(path(), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(8);
  file.put(9);
  file.close();
  EXPECT_FALSE(TraceFile::open(path(), error));
  EXPECT_NE(error.find("version 9"), std::string::npos);
}

}  // namespace
}  // namespace norn::trace
