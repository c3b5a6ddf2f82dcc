// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/summaries.h"

#include "base/hash.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/lookahead/targets.h"
#include "valgrind/tool/tool_state.h"

namespace norn::vg {
namespace {

using loops::CallKind;

constexpr unsigned kLargest = 48;  // blocks
constexpr unsigned kDeepestCalls = 10;

struct Known {
  Address callee;
  Summary summary;
  Known* next;
};
constexpr unsigned kBuckets = 4096;
constinit Known* known[kBuckets] = {};

Known*& bucket_of(Address callee) { return known[hash_word(callee >> 4) >> 52]; }

constinit Summary unresolved = {CallKind::kUnresolved, false, false, 0, {}, 0, {}, 0, {}};
constinit Summary effects = {};

Words in_words(Flow& flow, Node node, unsigned depth = 0) {
  Words words;
  const PlaceInFlow at = flow.place(node);
  if (at.base == kNoNode) {
    words.steps = 1;
    words.offsets[0] = at.offset;
    return words;
  }
  const NodeData base = flow.data(at.base);
  if (base.kind == NodeKind::kOuter) {
    for (unsigned i = 0; i < Flow::kArguments; ++i) {
      if (base.value != Flow::argument_slot(i)) continue;
      words.argument = static_cast<int>(i);
      words.steps = 1;
      words.offsets[0] = at.offset;
    }
    return words;
  }
  if (base.kind == NodeKind::kLoad && depth + 1 < Words::kMostSteps) {
    words = in_words(flow, base.operands[0], depth + 1);
    if (words.steps == 0 || words.steps == Words::kMostSteps) return {};
    words.offsets[words.steps++] = at.offset;
  }
  return words;
}

bool operator==(const Words& a, const Words& b) {
  if (a.argument != b.argument || a.steps != b.steps) return false;
  for (unsigned i = 0; i < a.steps; ++i) {
    if (a.offsets[i] != b.offsets[i]) return false;
  }
  return true;
}

// A callee's words in its caller's: what its argument is, and then its own steps.
Words in_caller(const Words& words, Flow& flow, BlockId block) {
  if (words.steps == 0 || words.argument < 0) return words;
  Words outer = in_words(flow, flow.before_call(block, Flow::argument_slot(static_cast<unsigned>(words.argument))));
  if (outer.steps == 0 || outer.steps + words.steps - 1 > Words::kMostSteps) return {};
  outer.offsets[outer.steps - 1] += words.offsets[0];
  for (unsigned i = 1; i < words.steps; ++i) outer.offsets[outer.steps++] = words.offsets[i];
  return outer;
}

class Summarizer {
 public:
  Summarizer(GuestCode& code, unsigned depth) : code_(code), depth_(depth) {}

  Summary run(Address callee) {
    Summary none;
    if (!flow_.build(code_, callee, kLargest) || flow_.blocks.size() == kLargest) return none;
    summary_.knows_writes = true;
    find_rounds();
    for (BlockId i = 0; i < flow_.blocks.size(); ++i) {
      ++summary_.blocks;
      for (uint32_t k = 0; k < flow_.blocks[i].event_count; ++k) visit(flow_.events[flow_.blocks[i].first_event + k]);
      if (flow_.blocks[i].calls) visit_call(i);
      if (flow_.blocks[i].system) summary_.knows_writes = reads_only_ = false;
    }
    if (reads_only_ && summary_.knows_writes) summary_.kind = CallKind::kAccessor;
    return summary_;
  }

 private:
  void add_write(const Words& words) {
    // Only what is at a fixed place from an argument or anywhere is said.
    if (words.steps != 1 || summary_.write_count == Summary::kMostPlaces) {
      summary_.knows_writes = false;
      reads_only_ = false;
      return;
    }
    if (words.argument < 0) reads_only_ = false;
    for (unsigned i = 0; i < summary_.write_count; ++i) {
      if (summary_.writes[i] == words) return;
    }
    summary_.writes[summary_.write_count++] = words;
  }

  void add_read(const Words& words) {
    if (words.steps == 0 || summary_.read_count == Summary::kMostPlaces) return;
    for (unsigned i = 0; i < summary_.read_count; ++i) {
      if (summary_.reads[i] == words) return;
    }
    summary_.reads[summary_.read_count++] = words;
  }

  void visit(const MemoryEvent& event) {
    const PlaceInFlow at = flow_.place(event.address);
    if (flow_.is_frame(at)) return;
    const Words words = in_words(flow_, event.address);
    switch (event.what) {
      case MemoryEvent::What::kLoad:
        add_read(words);
        break;
      case MemoryEvent::What::kStore:
      case MemoryEvent::What::kClobber:
        add_write(words);
        break;
      case MemoryEvent::What::kCas:
        if (is_test_and_set(flow_, event.node, [&](Node node) { return is_changing(node); })) {
          add_read(words);
        } else {
          add_write(words);
          reads_only_ = false;
        }
        break;
    }
  }

  bool is_changing(Node node) {
    const NodeData& data = flow_.data(flow_.find(node));
    return data.kind != NodeKind::kConst && data.kind != NodeKind::kOuter && !is_of_argument(node);
  }
  // What is expected may have been passed by reference.
  bool is_of_argument(Node node) { return in_words(flow_, node).steps != 0; }

  void visit_call(BlockId block) {
    const Summary callee = summary_of_call(code_, flow_, block, depth_ + 1);
    switch (callee.kind) {
      case CallKind::kPure:
      case CallKind::kHarmless:
      case CallKind::kLock:
      case CallKind::kUnlock:
        break;
      case CallKind::kAccessor:
        summary_.blocks += callee.blocks;
        break;
      default:
        reads_only_ = false;
        break;
    }
    if (callee.waits && !goes_round_[block]) {
      summary_.waits = true;
      summary_.condition = in_caller(callee.condition, flow_, block);
    }
    summary_.knows_writes &= callee.knows_writes;
    for (unsigned i = 0; i < callee.write_count; ++i) {
      const Words& there = callee.writes[i];
      if (there.argument >= 0) {
        const Node given = flow_.before_call(block, Flow::argument_slot(static_cast<unsigned>(there.argument)));
        if (flow_.is_frame(flow_.place(given))) continue;
      }
      add_write(in_caller(there, flow_, block));
    }
    for (unsigned i = 0; i < callee.read_count; ++i) add_read(in_caller(callee.reads[i], flow_, block));
  }

  // Which blocks can be reached from themselves.
  void find_rounds() {
    goes_round_.assign(flow_.blocks.size(), false);
    List<uint8_t> seen;
    List<BlockId> ahead;
    for (BlockId from = 0; from < flow_.blocks.size(); ++from) {
      seen.assign(flow_.blocks.size(), 0);
      ahead.clear();
      ahead.add(from);
      while (!ahead.empty() && !goes_round_[from]) {
        const BlockId block = ahead.back();
        ahead.drop_last();
        for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
          const BlockId to = flow_.edges[flow_.blocks[block].first_edge + k].block;
          if (to == from) goes_round_[from] = true;
          if (to == kOutside || seen[to] != 0) continue;
          seen[to] = 1;
          ahead.add(to);
        }
      }
    }
  }

  GuestCode& code_;
  unsigned depth_;
  Flow flow_;
  Summary summary_;
  bool reads_only_ = true;
  List<uint8_t> goes_round_;
};

Summary named(const KnownTarget& target) {
  Summary summary;
  summary.kind = target.kind;
  summary.knows_writes = true;
  summary.waits = target.kind == CallKind::kWait;
  if (summary.waits) {
    summary.condition.argument = 0;
    summary.condition.steps = 1;
  }
  return summary;
}

}  // namespace

const Summary& summary_of(GuestCode& code, Address callee, unsigned depth) {
  for (const Known* entry = bucket_of(callee); entry != nullptr; entry = entry->next) {
    if (entry->callee == callee) return entry->summary;
  }
  const KnownTarget target = known_target(callee);
  const Address body = target.known ? callee : target_of(callee);
  // A function of another library that was not called yet: later it will be known who it is.
  if (body == 0) return unresolved;
  if (depth >= kDeepestCalls) return effects;
  auto* entry = memory.create<Known>();
  if (entry == nullptr) return effects;
  // A recursion finds this until it is known better.
  *entry = {callee, {}, bucket_of(callee)};
  bucket_of(callee) = entry;
  if (target.known) {
    entry->summary = named(target);
  } else if (!is_opaque(body) && !is_preload(body)) {
    const Summary found = Summarizer(code, depth).run(body);
    entry->summary = found;
  }
  return entry->summary;
}

const Summary& summary_of_call(GuestCode& code, Flow& flow, BlockId block, unsigned depth) {
  const Address callee = flow.blocks[block].callee;
  if (callee != 0) return summary_of(code, callee, depth);
  // Through a word of the linker's that never changes: a call without a stub.
  const PlaceInFlow at = flow.place(flow.blocks[block].callee_node);
  if (at.base != kNoNode && at.offset == 0 && flow.data(at.base).kind == NodeKind::kLoad) {
    const PlaceInFlow slot = flow.place(flow.data(at.base).operands[0]);
    const auto address = static_cast<Address>(slot.offset);
    if (slot.base == kNoNode && Flow::is_constant_memory(address, sizeof(Address))) {
      return summary_of(code, *reinterpret_cast<const Address*>(address), depth);
    }
  }
  return unresolved;
}

}  // namespace norn::vg
