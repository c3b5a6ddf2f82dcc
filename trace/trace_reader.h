// Reads the event log of a process (trace_format.h), for tools.
//
// Chunks are looked up when a file is opened and read one by one, so that memory does not grow with the trace; the
// tables are kept. A trace that is cut or damaged gives what comes before that, in order, and says so.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "trace/trace_format.h"

namespace norn::trace {

struct Variable {
  VariableEntry entry;
  std::vector<MemberEntry> members;
};

// What a trace says beside its events. Texts hold as long as it does.
struct Tables {
  ProcessEntry process;
  std::vector<Text> command;
  std::unordered_map<uint32_t, SiteEntry> sites;
  std::unordered_map<StackId, StackEntry> stacks;
  std::map<ThreadId, ThreadEntry> threads;
  std::map<Address, Variable> variables;
  std::optional<EndEntry> end;  // nothing: the program was killed, or goes on
  std::string stopped;          // why nothing was recorded any more; empty: that did not happen

  [[nodiscard]] const SiteEntry* site(uint32_t number) const;
  [[nodiscard]] const StackEntry* stack(StackId id) const;
  // Calls visit(site) for the sites of a stack, innermost first, with what was inlined, until it says no.
  template <class Visit>
  void for_each_site(StackId id, Visit visit) const {
    // A damaged table may go round.
    constexpr int kMost = 4096;
    int left = kMost;
    for (const StackEntry* at = stack(id); at != nullptr; at = stack(at->parent)) {
      for (const SiteEntry* found = site(at->site); found != nullptr && --left > 0;
           found = found->inlined == 0 ? nullptr : site(found->inlined - 1)) {
        if (!visit(*found)) return;
      }
      if (--left <= 0) return;
    }
  }

  // Adds what another trace says; what is here already stays.
  void add_missing(const Tables& other);

  std::shared_ptr<std::deque<std::string>> texts = std::make_shared<std::deque<std::string>>();
};

class TraceFile {
 public:
  // Nothing and one line in `error` if it is no trace.
  [[nodiscard]] static std::unique_ptr<TraceFile> open(const std::string& path, std::string& error);
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const Tables& tables() const { return tables_; }
  [[nodiscard]] uint64_t bytes() const { return size_; }
  // What is wrong with the file as such; empty: nothing.
  [[nodiscard]] const std::string& damage() const { return damage_; }

  struct Chunk {
    ChunkHeader header;
    uint64_t offset = 0;     // of its payload
    uint32_t available = 0;  // bytes of it that are there
  };
  [[nodiscard]] const std::vector<Chunk>& chunks() const { return chunks_; }
  // The items' bytes. False: they cannot be had; what can be is there.
  [[nodiscard]] bool read(const Chunk& chunk, std::vector<uint8_t>& bytes) const;

 private:
  TraceFile() = default;
  void find_chunks();
  void read_tables();
  void read_table(const Chunk& chunk);
  Text keep(Text text);

  std::string path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  std::string damage_;
  std::vector<Chunk> chunks_;
  Tables tables_;
};

// Calls visit(stream, item) for all items that can be read, each stream's in its order. Of several streams nothing is
// said about what comes first: this is cheaper than Merge.
template <class Visit>
void for_each_item(const TraceFile& file, Visit visit) {
  std::vector<uint8_t> bytes;
  Item item;
  for (const TraceFile::Chunk& chunk : file.chunks()) {
    if (chunk.header.kind != ChunkKind::kEvents) continue;
    (void)file.read(chunk, bytes);
    ItemReader reader(bytes.data(), bytes.size(), chunk.header.thread, chunk.header.timestamp,
                      (chunk.header.flags & kUntimedAccesses) != 0);
    while (reader.next(item) == Read::kItem) visit(chunk.header.stream, item);
  }
}

// The items of a file in the order of their timestamps; accesses that took none where theirs says.
class Merge {
 public:
  explicit Merge(const TraceFile& file);
  // False: there are no more; cut() says whether there should be.
  [[nodiscard]] bool next(Item& item);
  // Empty: the whole trace was there.
  [[nodiscard]] const std::string& cut() const { return cut_; }
  // The timestamp that comes next, and whether what comes next stands before another one.
  [[nodiscard]] uint64_t position() const { return expected_; }
  [[nodiscard]] bool is_before(uint64_t end) const {
    return expected_ < end || (expected_ == end && (is_untimed(current_) || (!heads_.empty() && heads_.top().untimed)));
  }

 private:
  struct StreamState {
    std::vector<size_t> chunks;  // of the file
    size_t at = 0;
    std::vector<uint8_t> bytes;
    ItemReader reader;
    Item head;
  };
  struct Head {
    uint64_t timestamp;
    bool untimed;
    size_t stream;
    // The queue gives the greatest.
    bool operator<(const Head& other) const {
      return std::tuple(other.timestamp, !other.untimed, other.stream) < std::tuple(timestamp, !untimed, stream);
    }
  };
  static constexpr size_t kNone = ~size_t{0};
  // Reads the stream's next head. False: it has none.
  [[nodiscard]] bool advance(size_t number);
  [[nodiscard]] bool is_untimed(size_t number) const { return number != kNone && streams_[number].head.untimed; }
  [[nodiscard]] Head head_of(size_t number) const {
    return {streams_[number].head.timestamp, streams_[number].head.untimed, number};
  }
  // Makes the stream whose head comes first the current one. False: all are at their ends.
  [[nodiscard]] bool choose();

  const TraceFile& file_;
  std::vector<StreamState> streams_;
  // A thread does many things in a row: the stream that was read last stands beside the queue of the others.
  size_t current_ = kNone;
  std::priority_queue<Head> heads_;
  uint64_t expected_ = 0;
  std::string cut_;
  bool ended_ = false;
  bool damaged_ = false;  // of some stream the rest could not be read
};

// Compresses a file that a program has written: PATH.raw becomes PATH.trace. On false `error` is one line, and the file
// is as it was.
[[nodiscard]] bool compress_trace(const std::string& raw, std::string& error);

// The traces in a directory, by name.
[[nodiscard]] std::vector<std::string> traces_in(const std::string& directory);

}  // namespace norn::trace
