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
    return expected_ < end || (expected_ == end && !heads_.empty() && heads_.top().untimed);
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
  void advance(size_t number);

  const TraceFile& file_;
  std::vector<StreamState> streams_;
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
