// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead.h"

#include "loops/loop.h"
#include "report/sink.h"
#include "valgrind/flow.h"
#include "valgrind/reporter.h"
#include "valgrind/summaries.h"
#include "valgrind/symbols.h"
#include "valgrind/targets.h"

namespace norn::vg {
namespace {

using loops::CallKind;
using loops::Index;
using loops::Kind;
using loops::kNone;

constexpr unsigned kMostBlocks = 400;  // of a function; what is beyond is looked at when it runs
constexpr unsigned kMostCycles = 96;
constexpr unsigned kRax = Flow::slot_of(offsetof(VexGuestAMD64State, guest_RAX));
constexpr unsigned kRsp = Flow::slot_of(offsetof(VexGuestAMD64State, guest_RSP));
constexpr unsigned kXmm0 = Flow::slot_of(offsetof(VexGuestAMD64State, guest_YMM0));

// --- what was found ------------------------------------------------------------------------------------------------

constexpr unsigned kPlanBuckets = 1u << 14;
constinit PlanItem* plan[kPlanBuckets] = {};

// Blocks of functions that were looked at.
struct Seen {
  Address block;
  bool accessor;
  Seen* next;
};
constexpr unsigned kSeenBuckets = 1u << 16;
constinit Seen* seen[kSeenBuckets] = {};

uint64_t hash(Address address) { return address * 0x9e3779b97f4a7c15u; }

PlanItem*& plan_bucket(Address ip) { return plan[hash(ip) >> 50]; }
Seen*& seen_bucket(Address block) { return seen[hash(block) >> 48]; }

Seen* find_seen(Address block) {
  for (Seen* entry = seen_bucket(block); entry != nullptr; entry = entry->next) {
    if (entry->block == block) return entry;
  }
  return nullptr;
}

void note_seen(Address block, bool accessor) {
  if (find_seen(block) != nullptr) return;
  auto* entry = memory.create<Seen>();
  if (entry == nullptr) return;
  *entry = {block, accessor, seen_bucket(block)};
  seen_bucket(block) = entry;
}

void tell(PlanItem::What what, Address ip, const WaitingLoop* loop, uint32_t detail = 0, Address to = 0,
          const Recipe* recipe = nullptr) {
  for (const PlanItem* known = plan_bucket(ip); known != nullptr; known = known->next) {
    if (known->ip == ip && known->what == what && known->loop == loop && known->to == to) return;
  }
  auto* item = memory.create<PlanItem>();
  if (item == nullptr) return;
  *item = {what, detail, ip, to, loop, recipe, plan_bucket(ip)};
  plan_bucket(ip) = item;
}

// --- loops ---------------------------------------------------------------------------------------------------------

// One way round, or all ways round that share a header.
struct Cycle {
  BlockId header = 0;
  uint32_t first = 0;  // in Cycles::blocks; the header first
  uint32_t count = 0;
};

class Cycles {
 public:
  explicit Cycles(Flow& flow) : flow_(flow) {
    number();
    if (find_dominators()) find();
  }

  List<Cycle> all;  // smaller ones first
  List<BlockId> blocks;

  [[nodiscard]] bool contains(const Cycle& cycle, BlockId block) const {
    for (uint32_t i = 0; i < cycle.count; ++i) {
      if (blocks[cycle.first + i] == block) return true;
    }
    return false;
  }
  [[nodiscard]] uint32_t innermost(BlockId block) const {
    for (uint32_t i = 0; i < all.size(); ++i) {
      if (contains(all[i], block)) return i;
    }
    return kNone;
  }

 private:
  // Reverse post-order, without recursion.
  void number() {
    order_of_.assign(flow_.blocks.size(), kNone);
    List<uint32_t> next_edge;
    next_edge.assign(flow_.blocks.size(), 0);
    List<uint8_t> met;
    met.assign(flow_.blocks.size(), 0);
    List<BlockId> path;
    path.add(0);
    met[0] = 1;
    List<BlockId> finished;
    while (!path.empty()) {
      const BlockId block = path.back();
      if (next_edge[block] == flow_.blocks[block].edge_count) {
        finished.add(block);
        path.drop_last();
        continue;
      }
      const BlockId to = flow_.edges[flow_.blocks[block].first_edge + next_edge[block]++].block;
      if (to == kOutside || met[to] != 0) {
        continue;
      }
      met[to] = 1;
      path.add(to);
    }
    for (uint32_t i = finished.size(); i > 0; --i) {
      order_of_[finished[i - 1]] = order_.size();
      order_.add(finished[i - 1]);
    }
  }

  // Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm" (2001). False: there is no way back at all.
  bool find_dominators() {
    bool goes_back = false;
    dominator_.assign(flow_.blocks.size(), kNone);
    dominator_[0] = 0;
    bool changed = true;
    while (changed) {
      changed = false;
      for (uint32_t i = 1; i < order_.size(); ++i) {
        const BlockId block = order_[i];
        BlockId best = kNone;
        for (uint32_t k = 0; k < flow_.blocks[block].before_count; ++k) {
          const BlockId from = flow_.before[flow_.blocks[block].first_before + k];
          goes_back |= order_of_[from] >= i;
          if (dominator_[from] == kNone) continue;
          best = best == kNone ? from : common(best, from);
        }
        changed |= dominator_[block] != best;
        dominator_[block] = best;
      }
    }
    for (uint32_t k = 0; k < flow_.blocks[0].before_count; ++k) goes_back = true;
    return goes_back;
  }

  [[nodiscard]] BlockId common(BlockId a, BlockId b) const {
    while (a != b) {
      while (order_of_[a] > order_of_[b]) a = dominator_[a];
      while (order_of_[b] > order_of_[a]) b = dominator_[b];
    }
    return a;
  }

  [[nodiscard]] bool dominates(BlockId above, BlockId below) const {
    while (order_of_[below] > order_of_[above]) below = dominator_[below];
    return below == above;
  }

  void add(BlockId header, const List<BlockId>& latches) {
    if (all.size() == kMostCycles) return;
    Cycle cycle = {header, blocks.size(), 1};
    blocks.add(header);
    List<BlockId> ahead;
    for (const BlockId latch : latches) ahead.add(latch);
    while (!ahead.empty()) {
      const BlockId block = ahead.back();
      ahead.drop_last();
      if (contains(cycle, block)) continue;
      blocks.add(block);
      ++cycle.count;
      for (uint32_t k = 0; k < flow_.blocks[block].before_count; ++k) {
        ahead.add(flow_.before[flow_.blocks[block].first_before + k]);
      }
    }
    all.add(cycle);
  }

  void find() {
    for (const BlockId header : order_) {
      List<BlockId> latches;
      for (uint32_t k = 0; k < flow_.blocks[header].before_count; ++k) {
        const BlockId from = flow_.before[flow_.blocks[header].first_before + k];
        if (order_of_[from] != kNone && dominates(header, from)) latches.add(from);
      }
      if (latches.empty()) continue;
      if (latches.size() > 1) {
        for (const BlockId latch : latches) {
          List<BlockId> one;
          one.add(latch);
          add(header, one);
        }
      }
      add(header, latches);
    }
    // Smaller ones first; of equal ones the first found.
    for (uint32_t i = 1; i < all.size(); ++i) {
      const Cycle cycle = all[i];
      uint32_t at = i;
      for (; at > 0 && all[at - 1].count > cycle.count; --at) all[at] = all[at - 1];
      all[at] = cycle;
    }
  }

  Flow& flow_;
  List<BlockId> order_;
  List<uint32_t> order_of_;
  List<BlockId> dominator_;
};

// One loop in the neutral form.
class Translation {
 public:
  Translation(GuestCode& code, Flow& flow, const Cycles& cycles, const Cycle& loop)
      : code_(code), flow_(flow), cycles_(cycles), loop_(loop) {
    numbers_.assign(flow.blocks.size(), kNone);
    for (uint32_t i = 0; i < loop.count; ++i) numbers_[cycles.blocks[loop.first + i]] = i;
    collect_writes();
    for (uint32_t i = 0; i < loop.count; ++i) translate_block(cycles.blocks[loop.first + i]);
    // Values are met while others are translated.
    for (uint32_t i = 0; i < nodes_.size(); ++i) translate(i);
    in_condition_.assign(values_.size(), false);
    scratch_.assign(static_cast<uint32_t>(loops::scratch_words(form())), 0);
  }

  [[nodiscard]] loops::Judgement judge(BlockId block, Node condition) {
    return loops::judge(form(), {numbers_[block], known(condition)}, {scratch_.begin(), scratch_.size()},
                        {in_condition_.begin(), in_condition_.size()});
  }

  // Of the last judgement.
  template <class Visit>
  void for_condition(Visit visit) {
    for (Index i = 0; i < values_.size(); ++i) {
      if (in_condition_[i] && nodes_[i] != kNoNode) visit(nodes_[i], values_[i]);
    }
  }
  [[nodiscard]] bool in_condition(BlockId block) {
    bool found = false;
    for_condition([&](Node, const loops::Value& value) { found |= value.block == numbers_[block]; });
    return found;
  }

  [[nodiscard]] bool has_block(BlockId block) const { return block != kOutside && numbers_[block] != kNone; }
  [[nodiscard]] bool calls_unknown() const { return calls_unknown_; }

 private:
  [[nodiscard]] loops::Loop form() const {
    return {{values_.begin(), values_.size()},
            {operands_.begin(), operands_.size()},
            {blocks_.begin(), blocks_.size()},
            {successors_.begin(), successors_.size()},
            {written_.begin(), written_.size()}};
  }

  // Whether a value may be another one in the next iteration.
  bool has(Node node) {
    if (node == kNoNode) return false;
    node = flow_.find(node);
    if (node >= has_.size()) {
      const uint32_t old = has_.size();
      for (uint32_t i = old; i < flow_.node_count(); ++i) has_.add(kNotAsked);
    }
    if (has_[node] != kNotAsked) return has_[node] == kYes;
    const NodeData data = flow_.data(node);
    bool found = false;
    switch (data.kind) {
      case NodeKind::kConst:
      case NodeKind::kOuter:
      case NodeKind::kFrame:
        break;
      case NodeKind::kOp:
      case NodeKind::kSelect:
        has_[node] = kNo;  // a value is made of earlier ones: there is no way round but by merges
        for (unsigned i = 0; i < data.operand_count && !found; ++i) found = has(data.operands[i]);
        break;
      default:
        found = numbers_[data.block] != kNone;
        break;
    }
    has_[node] = found ? kYes : kNo;
    return found;
  }

  Index known(Node node) {
    if (node == kNoNode) return kNone;
    node = flow_.find(node);
    return node < index_.size() ? index_[node] : kNone;
  }

  Index index_of(Node node) {
    if (!has(node)) return kNone;
    node = flow_.find(node);
    while (node >= index_.size()) index_.add(kNone);
    if (index_[node] == kNone) {
      index_[node] = values_.add({});
      nodes_.add(node);
    }
    return index_[node];
  }

  Index constant(Index block) {
    nodes_.add(kNoNode);
    loops::Value value;
    value.block = block;
    return values_.add(value);
  }

  Index location(uint64_t key) {
    for (Index i = 0; i < locations_.size(); ++i) {
      if (locations_[i] == key) return i;
    }
    return locations_.add(key);
  }

  // --- what the loop writes

  template <class Visit>
  void for_blocks(Visit visit) {
    for (uint32_t i = 0; i < loop_.count; ++i) visit(cycles_.blocks[loop_.first + i]);
  }

  void collect_writes() {
    for_blocks([&](BlockId block) {
      for (uint32_t k = 0; k < flow_.blocks[block].event_count; ++k) {
        const MemoryEvent event = flow_.events[flow_.blocks[block].first_event + k];
        if (event.what == MemoryEvent::What::kLoad) continue;
        if (event.what == MemoryEvent::What::kCas && is_set(event.node)) continue;
        const PlaceInFlow at = flow_.place(event.address);
        writes_own_ |= flow_.is_own(at);
        written_.add(location(flow_.key(event.address)));
      }
      if (flow_.blocks[block].calls) collect_writes_of_call(block);
    });
  }

  void collect_writes_of_call(BlockId block) {
    const Summary callee = summary_of_call(code_, flow_, block);
    for (unsigned i = 0; i < callee.write_count; ++i) {
      if (const uint64_t key = key_in_caller(callee.writes[i], block); key != 0) written_.add(location(key));
    }
    if (callee.knows_writes) return;
    calls_unknown_ = true;
    for (unsigned i = 0; i < Flow::kArguments; ++i) {
      if (const uint64_t key = object_given(block, i); key != 0) given_away_.add({block, key});
    }
  }

  // The key of an object that the call is given; 0: it is given none there, as far as can be seen.
  uint64_t object_given(BlockId block, unsigned number) {
    constexpr int64_t kLowest = 4096;
    const Node given = flow_.before_call(block, Flow::argument_slot(number));
    const PlaceInFlow at = flow_.place(given);
    if (at.base == kNoNode) return at.offset >= kLowest ? flow_.key(given) : 0;
    const NodeKind kind = flow_.data(at.base).kind;
    if (kind == NodeKind::kResult || kind == NodeKind::kUnknown) return 0;
    return flow_.key(at.base);
  }

  uint64_t key_in_caller(const Words& words, BlockId block) {
    if (words.steps != 1) return 0;
    if (words.argument < 0) return flow_.key_of({kNoNode, words.offsets[0]});
    PlaceInFlow at = flow_.place(flow_.before_call(block, Flow::argument_slot(static_cast<unsigned>(words.argument))));
    at.offset += words.offsets[0];
    return flow_.key_of(at);
  }

  bool is_set(Node cas) {
    return is_test_and_set(flow_, cas, [&](Node node) { return has(node); });
  }

  // --- values

  void translate_block(BlockId block) {
    loops::Block out;
    out.first_successor = successors_.size();
    const FlowBlock from = flow_.blocks[block];
    for (uint32_t k = 0; k < from.edge_count; ++k) {
      const Edge edge = flow_.edges[from.first_edge + k];
      successors_.add(edge.block == kOutside ? kNone : numbers_[edge.block]);
      ++out.successor_count;
      if (edge.guard == kNoNode) continue;
      const Index guard = index_of(edge.guard);
      if (guard != kNone) out.guard = guard;
    }
    blocks_.add(out);
  }

  void translate(Index index) {
    const Node node = nodes_[index];
    if (node == kNoNode) return;
    List<Index> from;
    loops::Value value = kind_of(node, from);
    value.block = numbers_[flow_.data(node).block] == kNone ? 0 : numbers_[flow_.data(node).block];
    value.first_operand = operands_.size();
    value.operand_count = from.size();
    for (const Index operand : from) operands_.add(operand);
    values_[index] = value;
  }

  void depend_on(Node node, List<Index>& from) {
    if (const Index index = index_of(node); index != kNone) from.add(index);
  }

  loops::Value kind_of(Node node, List<Index>& from) {
    loops::Value value;
    const NodeData data = flow_.data(node);
    switch (data.kind) {
      case NodeKind::kOp:
        for (unsigned i = 0; i < data.operand_count; ++i) depend_on(data.operands[i], from);
        return value;
      case NodeKind::kSelect:
        if (has(data.operands[0])) value.kind = Kind::kSelect;
        for (unsigned i = 0; i < data.operand_count; ++i) depend_on(data.operands[i], from);
        return value;
      case NodeKind::kMerge:
        value.kind = Kind::kMerge;
        merge(data, from);
        return value;
      case NodeKind::kLoad:
        return read(node, data, from);
      case NodeKind::kCas:
        return update(node, data, from);
      case NodeKind::kResult:
        return result(data, from);
      default:
        value.kind = Kind::kChange;
        return value;
    }
  }

  // What comes round in different ways matters even where it is of the outside: which of them tells the way.
  void merge(const NodeData& data, List<Index>& from) {
    const FlowBlock& block = flow_.blocks[data.block];
    const uint32_t entry = data.operand_count - block.before_count;  // the function's own entry comes first
    for (uint32_t i = 0; i < block.before_count; ++i) {
      if (numbers_[flow_.before[block.first_before + i]] == kNone) continue;
      const Node incoming = flow_.merged[data.first_merged + entry + i];
      from.add(has(incoming) ? index_of(incoming) : constant(numbers_[data.block]));
    }
  }

  loops::Value update(Node node, const NodeData& data, List<Index>& from) {
    loops::Value value;
    value.kind = is_set(node) ? Kind::kTestAndSet : Kind::kChange;
    if (value.kind == Kind::kTestAndSet) {
      value.location = location(flow_.key(data.operands[0]));
      depend_on(data.operands[0], from);
    }
    return value;
  }

  loops::Value read(Node node, const NodeData& data, List<Index>& from) {
    loops::Value value;
    // Part of an atomic: VEX loads first, and then stores if nothing has changed.
    if (const Node cas = atomic_of(node); cas != kNoNode) return update(cas, flow_.data(cas), from);
    depend_on(data.operands[0], from);
    const PlaceInFlow at = flow_.place(data.operands[0]);
    if (at.base == kNoNode && Flow::is_constant_memory(static_cast<Address>(at.offset), data.size)) return value;
    if (flow_.is_own(at)) {
      if (writes_own_) value.kind = Kind::kChange;
      return value;
    }
    value.kind = Kind::kRead;
    value.location = location(flow_.key(data.operands[0]));
    return value;
  }

 public:
  // The atomic that a load is part of.
  Node atomic_of(Node load) {
    const NodeData data = flow_.data(load);
    const FlowBlock& block = flow_.blocks[data.block];
    for (uint32_t k = 0; k < block.event_count; ++k) {
      const MemoryEvent& event = flow_.events[block.first_event + k];
      if (event.what == MemoryEvent::What::kCas && event.ip == data.ip) return event.node;
    }
    return kNoNode;
  }

 private:
  loops::Value result(const NodeData& data, List<Index>& from) {
    loops::Value value;
    value.kind = Kind::kChange;
    if (data.value != kRax && data.value != kXmm0) return value;
    const Summary callee = summary_of_call(code_, flow_, data.block);
    value.kind = loops::result_of(callee.kind, callee.waits);
    if (value.kind == Kind::kChange) return value;
    for (unsigned i = 0; i < Flow::kArguments; ++i) {
      if (flow_.sets_argument(data.block, i)) depend_on(flow_.before_call(data.block, Flow::argument_slot(i)), from);
    }
    const bool calls_code = value.kind == Kind::kAccessor || value.kind == Kind::kUnresolved;
    if (calls_code && may_change_between(data.block, callee)) value.location = something_written();
    return value;
  }

  // A place that stands for what a call reads and the loop may write.
  Index something_written() {
    const Index place = location(1);
    if (!written_.contains(place)) written_.add(place);
    return place;
  }

  // Whether the loop may change what the call looks at: it writes a place that the call reads, or hands the same object
  // to somebody of whom nothing is known.
  bool may_change_between(BlockId block, const Summary& callee) {
    for (unsigned i = 0; i < callee.read_count; ++i) {
      const uint64_t key = key_in_caller(callee.reads[i], block);
      if (key != 0 && written_.contains(location(key))) return true;
    }
    for (unsigned i = 0; i < callee.write_count; ++i) {
      const uint64_t key = key_in_caller(callee.writes[i], block);
      if (key == 0) return true;
    }
    for (unsigned i = 0; i < Flow::kArguments; ++i) {
      if (!flow_.sets_argument(block, i)) continue;
      const uint64_t key = object_given(block, i);
      if (key == 0) continue;
      for (const Given& given : given_away_) {
        if (given.block != block && given.key == key) return true;
      }
    }
    return false;
  }

  struct Given {
    BlockId block;
    uint64_t key;
  };
  static constexpr uint8_t kNotAsked = 2;
  static constexpr uint8_t kYes = 1;
  static constexpr uint8_t kNo = 0;

  GuestCode& code_;
  Flow& flow_;
  const Cycles& cycles_;
  const Cycle& loop_;
  List<Index> numbers_;  // of blocks
  List<uint8_t> has_;    // by node
  List<Index> index_;    // by node
  List<uint64_t> locations_;
  List<Given> given_away_;
  bool calls_unknown_ = false;  // something is called that may write anything
  bool writes_own_ = false;
  List<loops::Value> values_;
  List<Node> nodes_;  // of the values; kNoNode: of the outside
  List<Index> operands_;
  List<loops::Block> blocks_;
  List<Index> successors_;
  List<Index> written_;
  List<uint32_t> scratch_;
  List<bool> in_condition_;
};

// --- the search ----------------------------------------------------------------------------------------------------

class Search {
 public:
  Search(GuestCode& code, Flow& flow) : code_(code), flow_(flow), cycles_(flow) {}

  void run() {
    // Smaller ones first: an edge out of several loops ends the waiting of the innermost that waits.
    for (uint32_t i = 0; i < cycles_.all.size(); ++i) visit(i);
  }

 private:
  struct Exit {
    BlockId block;
    Edge edge;
    loops::Judgement judgement;
  };
  struct WaitCall {
    BlockId block;
    Words condition;  // in the callee's words
  };

  void visit(uint32_t number) {
    const Cycle loop = cycles_.all[number];
    Translation translation(code_, flow_, cycles_, loop);
    List<WaitCall> waits;
    find_waits(loop, number, waits);
    List<Exit> exits;
    for (uint32_t i = 0; i < loop.count; ++i) {
      const BlockId block = cycles_.blocks[loop.first + i];
      for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
        const Edge edge = flow_.edges[flow_.blocks[block].first_edge + k];
        if (translation.has_block(edge.block) || edge.guard == kNoNode) continue;
        const loops::Judgement judgement = translation.judge(block, edge.guard);
        exits.add({block, edge, judgement});
        if (judgement.verdict != loops::Verdict::kSpins) continue;
        // Calls that are not seen hardly write the flag they are to wait for, but an array that a loop goes over is
        // most likely what they work on.
        if (translation.calls_unknown() && sweeps(number, translation)) {
          exits.back().judgement.verdict = loops::Verdict::kWritten;
        } else if (!has_ended(block, edge.to)) {
          spin(number, exits.back(), translation, !waits.empty());
        }
      }
    }
    for (const Exit& exit : exits) {
      if (exit.judgement.verdict == loops::Verdict::kSpins) ended_.add({exit.block, exit.edge.to});
    }
    if (!waits.empty()) wait(loop, exits, waits, translation);
  }

  bool has_ended(BlockId block, Address to) {
    for (const Ended& ended : ended_) {
      if (ended.block == block && ended.to == to) return true;
    }
    return false;
  }

  // Whether the condition that was judged last goes over memory in a loop of its own.
  bool sweeps(uint32_t number, Translation& translation) {
    bool found = false;
    translation.for_condition([&](Node node, const loops::Value& value) {
      found |= value.kind == Kind::kRead && cycles_.innermost(flow_.data(node).block) != number &&
               !is_same_blocks(cycles_.innermost(flow_.data(node).block), number);
    });
    return found;
  }
  // A header with one way round is found once, one with several more often: equal sets of blocks are one loop.
  bool is_same_blocks(uint32_t a, uint32_t b) { return cycles_.all[a].header == cycles_.all[b].header; }

  // --- spins

  WaitingLoop* new_loop(uint32_t kind, uint32_t blocks, Address at) {
    auto* loop = memory.create<WaitingLoop>();
    if (loop == nullptr) return nullptr;
    *loop = {kind, blocks, at, {}, nullptr, nullptr};
    return loop;
  }

  static void show(WaitingLoop& loop, Address address) {
    for (Address& shown : loop.shown) {
      if (shown == address) return;
      if (shown != 0) continue;
      shown = address;
      return;
    }
  }

  void spin(uint32_t number, const Exit& exit, Translation& translation, bool waits) {
    WaitingLoop* loop = new_loop(WaitingLoop::kSpins | (waits ? WaitingLoop::kWaits : 0), exit.judgement.blocks,
                                 flow_.blocks[exit.block].last);
    if (loop == nullptr) return;
    List<Node> parts;
    uint32_t part = 0;
    translation.for_condition([&](Node node, const loops::Value& value) {
      if (tell_part(node, value.kind, *loop, number, part, translation)) parts.add(node);
    });
    tell(PlanItem::What::kLeave, flow_.blocks[exit.block].last, loop, 0, exit.edge.to);
    draw(*loop, cycles_.all[number], exit, translation);
    tell_copies(cycles_.all[number], exit, *loop, parts, translation, nullptr);
    add_loop(loop);
  }

  bool tell_part(Node node, Kind kind, WaitingLoop& loop, uint32_t number, uint32_t& part, Translation& translation) {
    const NodeData data = flow_.data(node);
    switch (kind) {
      case Kind::kRead: {
        const uint32_t inner = cycles_.innermost(data.block);
        tell(PlanItem::What::kRead, data.ip, &loop, inner != number && !is_same_blocks(inner, number) ? 1 : 0);
        show_place(loop, data.operands[0]);
        return true;
      }
      case Kind::kTestAndSet: {
        const Node cas = data.kind == NodeKind::kLoad ? translation.atomic_of(node) : node;
        tell(PlanItem::What::kTestAndSet, data.ip, &loop);
        show_place(loop, flow_.data(cas).operands[0]);
        return true;
      }
      case Kind::kAccessor:
        loop.blocks += summary_of_call(code_, flow_, data.block).blocks;
        [[fallthrough]];
      case Kind::kUnresolved:
      case Kind::kTryLock:
        tell_evaluation(data.block, loop, ++part);
        return true;
      default:
        return false;
    }
  }

  void show_place(WaitingLoop& loop, Node address) {
    if (const PlaceInFlow at = flow_.place(address); at.base == kNoNode) show(loop, static_cast<Address>(at.offset));
  }

  void tell_evaluation(BlockId block, const WaitingLoop& loop, uint32_t part) {
    tell(PlanItem::What::kEvaluate, flow_.blocks[block].last, &loop, part);
    tell(PlanItem::What::kEvaluated, flow_.blocks[block].end, &loop, part);
  }

  // --- first tests before the loop

  // A first test that stands before the loop, copied there by the optimiser or written there: it reads a place that the
  // exit's condition reads, leads into the loop on one side, and past it to where the exit leads on the other. An edge
  // past the loop is an exit like its model.
  void tell_copies(const Cycle& loop, const Exit& exit, WaitingLoop& entry, const List<Node>& parts,
                   Translation& translation, const WaitCall* wait) {
    for (BlockId block = 0; block < flow_.blocks.size(); ++block) {
      if (translation.has_block(block) || flow_.blocks[block].edge_count != 2) continue;
      const Edge edges[] = {flow_.edges[flow_.blocks[block].first_edge],
                            flow_.edges[flow_.blocks[block].first_edge + 1]};
      if (edges[0].guard == kNoNode) continue;
      const bool in[] = {leads_into(edges[0].block, block, loop, translation),
                         leads_into(edges[1].block, block, loop, translation)};
      if (in[0] == in[1]) continue;
      const Edge& out = edges[in[0] ? 1 : 0];
      if (!meet(out.block, exit.edge.block, translation) && out.to != exit.edge.to) continue;
      List<Node> same;
      find_same(edges[0].guard, parts, same, 0);
      if (same.empty()) continue;
      if (wait != nullptr) {
        tell(PlanItem::What::kWaitLeave, flow_.blocks[block].last, &entry, 0, out.to, recipe_of(*wait, block));
        continue;
      }
      for (const Node node : same) {
        const NodeData data = flow_.data(node);
        if (data.kind == NodeKind::kResult) {
          tell_evaluation(data.block, entry, 1);
        } else if (data.kind == NodeKind::kCas || translation.atomic_of(node) != kNoNode) {
          tell(PlanItem::What::kTestAndSet, data.ip, &entry);
        } else {
          tell(PlanItem::What::kRead, data.ip, &entry);
        }
      }
      tell(PlanItem::What::kLeave, flow_.blocks[block].last, &entry, 0, out.to);
    }
  }

  // The parts of a condition that read what one of `parts` reads.
  void find_same(Node condition, const List<Node>& parts, List<Node>& same, unsigned depth) {
    constexpr unsigned kDeepest = 16;
    if (condition == kNoNode || depth == kDeepest) return;
    const Node node = flow_.find(condition);
    const NodeData data = flow_.data(node);
    switch (data.kind) {
      case NodeKind::kOp:
      case NodeKind::kSelect:
        for (unsigned i = 0; i < data.operand_count; ++i) find_same(data.operands[i], parts, same, depth + 1);
        break;
      case NodeKind::kLoad:
      case NodeKind::kCas:
        for (const Node part : parts) {
          const NodeData model = flow_.data(part);
          const bool reads = model.kind == NodeKind::kLoad || model.kind == NodeKind::kCas;
          if (!reads || flow_.key(model.operands[0]) != flow_.key(data.operands[0])) continue;
          same.add(node);
          break;
        }
        break;
      case NodeKind::kResult:
        for (const Node part : parts) {
          const NodeData model = flow_.data(part);
          if (model.kind != NodeKind::kResult || !is_same_callee(model.block, data.block)) continue;
          same.add(node);
          break;
        }
        break;
      default:
        break;
    }
  }

  bool is_same_callee(BlockId a, BlockId b) {
    const FlowBlock first = flow_.blocks[a];
    const FlowBlock second = flow_.blocks[b];
    if (first.callee != 0 || second.callee != 0) return first.callee == second.callee;
    return first.callee_node != kNoNode && second.callee_node != kNoNode &&
           flow_.key(first.callee_node) == flow_.key(second.callee_node);
  }

  // Whether both ways lead to one place soon. What the optimiser knows of the first test it makes use of behind it: the
  // copy may lead a little further than its model.
  bool meet(BlockId a, BlockId b, Translation& translation) {
    List<BlockId> from_a;
    List<BlockId> from_b;
    look_around(a, from_a, translation);
    look_around(b, from_b, translation);
    bool returns_a = false;
    bool returns_b = false;
    for (const BlockId block : from_b) returns_b |= flow_.blocks[block].returns;
    for (const BlockId block : from_a) {
      if (from_b.contains(block)) return true;
      returns_a |= flow_.blocks[block].returns;
    }
    // The function's end was copied, too.
    return returns_a && returns_b;
  }

  // The blocks that control may come to soon, outside of the loop.
  void look_around(BlockId from, List<BlockId>& met, Translation& translation) {
    constexpr unsigned kMost = 6;
    if (from == kOutside || translation.has_block(from)) return;
    met.add(from);
    for (uint32_t i = 0; i < met.size() && met.size() < kMost; ++i) {
      const FlowBlock block = flow_.blocks[met[i]];
      for (uint32_t k = 0; k < block.edge_count; ++k) {
        const BlockId to = flow_.edges[block.first_edge + k].block;
        if (to != kOutside && !translation.has_block(to) && !met.contains(to)) met.add(to);
      }
    }
  }

  bool leads_into(BlockId from, BlockId origin, const Cycle& loop, Translation& translation) {
    constexpr unsigned kFarthest = 8;
    List<BlockId> exits;
    for (uint32_t i = 0; i < loop.count; ++i) {
      const FlowBlock& block = flow_.blocks[cycles_.blocks[loop.first + i]];
      for (uint32_t k = 0; k < block.edge_count; ++k) {
        const BlockId to = flow_.edges[block.first_edge + k].block;
        if (!translation.has_block(to) && to != kOutside) exits.add(to);
      }
    }
    List<BlockId> ahead;
    List<BlockId> met;
    ahead.add(from);
    met.add(origin);
    while (!ahead.empty() && met.size() < kFarthest) {
      const BlockId block = ahead.back();
      ahead.drop_last();
      if (block == kOutside) continue;
      if (translation.has_block(block)) return true;
      if (exits.contains(block) || met.contains(block)) continue;
      met.add(block);
      for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
        ahead.add(flow_.edges[flow_.blocks[block].first_edge + k].block);
      }
    }
    return false;
  }

  // --- waits

  // The waits that this loop is for: in its own blocks, or in those of a loop inside that nothing but conditions
  // surround (listing 6.5). A loop that takes or gives up locks around an inner one does more than wait.
  void find_waits(const Cycle& loop, uint32_t number, List<WaitCall>& found) {
    bool locks = false;
    bool only_inside = true;
    for (uint32_t i = 0; i < loop.count; ++i) {
      const BlockId block = cycles_.blocks[loop.first + i];
      if (!flow_.blocks[block].calls) continue;
      const bool own = cycles_.innermost(block) == number;
      const Summary callee = summary_of_call(code_, flow_, block);
      if (own && !callee.waits) {
        locks |= callee.kind == CallKind::kLock || callee.kind == CallKind::kUnlock ||
                 callee.kind == CallKind::kTryLock || callee.kind == CallKind::kEffects;
      }
      if (!callee.waits) continue;
      only_inside &= !own;
      found.add({block, callee.condition});
    }
    if (only_inside && locks) found.clear();
  }

  void wait(const Cycle& cycle, const List<Exit>& exits, const List<WaitCall>& waits, Translation& translation) {
    // Without a condition in memory nobody says that the wait is over: each wait speaks for itself (figure 6.7).
    const Exit* first = nullptr;
    for (const Exit& exit : exits) {
      if (first == nullptr && is_left(exit)) first = &exit;
    }
    if (first == nullptr) return;
    WaitingLoop* loop = new_loop(WaitingLoop::kWaits, cycle.count, flow_.blocks[first->block].last);
    if (loop == nullptr) return;
    for (const WaitCall& call : waits) {
      if (waiting_.contains(call.block)) continue;
      waiting_.add(call.block);
      const bool alone = only_condition_follows(call.block, cycle, translation);
      tell(PlanItem::What::kWait, flow_.blocks[call.block].last, loop, alone ? 1 : 0);
      tell(PlanItem::What::kWaited, flow_.blocks[call.block].end, loop);
    }
    for (const Exit& exit : exits) {
      if (!is_left(exit)) continue;
      const Recipe* recipe = recipe_of(waits[0], exit.block);
      if (recipe != nullptr && recipe->register_offset < 0 && recipe->steps == 1) {
        show(*loop, static_cast<Address>(recipe->offsets[0]));
      }
      tell(PlanItem::What::kWaitLeave, flow_.blocks[exit.block].last, loop, 0, exit.edge.to, recipe);
      (void)translation.judge(exit.block, exit.edge.guard);
      List<Node> parts;
      translation.for_condition([&](Node node, const loops::Value& value) {
        if (value.kind == Kind::kRead || value.kind == Kind::kAccessor) parts.add(node);
      });
      tell_copies(cycle, exit, *loop, parts, translation, &waits[0]);
    }
    (void)translation.judge(first->block, first->edge.guard);
    draw(*loop, cycle, *first, translation);
    add_loop(loop);
  }

  static bool is_left(const Exit& exit) {
    return exit.judgement.reads_memory && exit.judgement.verdict != loops::Verdict::kTimesOut;
  }

  // Whether the thread goes from the wait to the condition without doing anything on the way that others could see.
  bool only_condition_follows(BlockId wait_block, const Cycle& loop, Translation& translation) {
    List<BlockId> ahead;
    List<BlockId> met;
    const auto go_on = [&](BlockId block) {
      for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
        const BlockId to = flow_.edges[flow_.blocks[block].first_edge + k].block;
        if (!translation.has_block(to) || to == loop.header || met.contains(to)) continue;
        met.add(to);
        ahead.add(to);
      }
    };
    go_on(wait_block);
    while (!ahead.empty()) {
      const BlockId block = ahead.back();
      ahead.drop_last();
      if (block == wait_block) continue;
      for (uint32_t k = 0; k < flow_.blocks[block].event_count; ++k) {
        const MemoryEvent event = flow_.events[flow_.blocks[block].first_event + k];
        if (event.what != MemoryEvent::What::kLoad && !flow_.is_frame(flow_.place(event.address))) return false;
      }
      if (flow_.blocks[block].calls) {
        const Summary callee = summary_of_call(code_, flow_, block);
        if (!callee.waits && (callee.kind == CallKind::kEffects || callee.kind == CallKind::kUnresolved)) return false;
      }
      go_on(block);
    }
    return true;
  }

  // How the condition variable of a wait is found where the loop is left without having waited. Null: it cannot be.
  const Recipe* recipe_of(const WaitCall& call, BlockId exit) {
    Recipe recipe = {-1, 0, {}};
    const Words& words = call.condition;
    if (words.steps == 0) return nullptr;
    if (words.argument < 0) {
      recipe.steps = 1;
    } else {
      const Node given = flow_.before_call(call.block, Flow::argument_slot(static_cast<unsigned>(words.argument)));
      if (!locate(given, exit, recipe, 0)) return nullptr;
    }
    if (recipe.steps + words.steps - 1 > Recipe::kMostSteps) return nullptr;
    recipe.offsets[recipe.steps - 1] += words.offsets[0];
    for (unsigned i = 1; i < words.steps; ++i) recipe.offsets[recipe.steps++] = words.offsets[i];
    auto* kept = memory.create<Recipe>();
    if (kept != nullptr) *kept = recipe;
    return kept;
  }

  bool locate(Node node, BlockId exit, Recipe& recipe, unsigned depth) {
    const PlaceInFlow wanted = flow_.place(node);
    if (wanted.base == kNoNode) {
      recipe.steps = 1;
      recipe.offsets[0] = wanted.offset;
      return true;
    }
    const PlaceInFlow sp = flow_.place(flow_.before_call(exit, kRsp));
    if (flow_.is_frame(wanted)) {
      if (!flow_.is_frame(sp)) return false;
      recipe.register_offset = static_cast<Int>(kRsp * 8);
      recipe.steps = 1;
      recipe.offsets[0] = wanted.offset - sp.offset;
      return true;
    }
    constexpr Int kFirst = offsetof(VexGuestAMD64State, guest_RAX);
    constexpr Int kLast = offsetof(VexGuestAMD64State, guest_R15);
    for (Int offset = kFirst; offset <= kLast; offset += 8) {
      const PlaceInFlow held = flow_.place(flow_.before_call(exit, Flow::slot_of(offset)));
      if (held.base != wanted.base) continue;
      recipe.register_offset = offset;
      recipe.steps = 1;
      recipe.offsets[0] = wanted.offset - held.offset;
      return true;
    }
    if (flow_.is_frame(sp)) {
      for (const MemoryEvent& event : flow_.events) {
        if (event.what != MemoryEvent::What::kStore || event.size != 8) continue;
        const PlaceInFlow at = flow_.place(event.address);
        if (!flow_.is_frame(at)) continue;
        const Node held = flow_.frame_at_end(exit, at.offset, 8);
        if (held == kNoNode || flow_.find(held) != wanted.base) continue;
        recipe.register_offset = static_cast<Int>(kRsp * 8);
        recipe.steps = 2;
        recipe.offsets[0] = at.offset - sp.offset;
        recipe.offsets[1] = wanted.offset;
        return true;
      }
    }
    const NodeData base = flow_.data(wanted.base);
    if (base.kind == NodeKind::kLoad && base.size == 8 && depth < 3) {
      if (!locate(base.operands[0], exit, recipe, depth + 1) || recipe.steps == Recipe::kMostSteps) return false;
      recipe.offsets[recipe.steps++] = wanted.offset;
      return true;
    }
    return false;
  }

  // --- pictures

  // The loop's blocks by their lines or addresses; '%' stands for the loop's number.
  void draw(WaitingLoop& loop, const Cycle& cycle, const Exit& exit, Translation& translation) {
    if (settings().dump_cfg.empty()) return;
    static constinit char bytes[8192] = {};
    report::Buffer text(bytes, sizeof(bytes) - 1);
    const report::Sink out = text.sink();
    const auto node = [&](uint32_t i) {
      out.put("n%_");
      out.put(report::Decimal(i).text());
    };
    for (uint32_t i = 0; i < cycle.count; ++i) {
      const BlockId block = cycles_.blocks[cycle.first + i];
      out.put("    ");
      node(i);
      out.put(" [label=\"");
      UInt line = 0;
      if (VG_(get_linenum)(VG_(current_DiEpoch)(), flow_.blocks[block].begin, &line)) {
        out.put("line ");
        out.put(report::Decimal(line).text());
      } else {
        out.put(report::Hex(flow_.blocks[block].begin).text());
      }
      out.put(translation.in_condition(block) ? "\", style=filled];\n" : "\"];\n");
      for (uint32_t k = 0; k < flow_.blocks[block].edge_count; ++k) {
        const Edge& edge = flow_.edges[flow_.blocks[block].first_edge + k];
        const bool inside = translation.has_block(edge.block);
        if (!inside && (block != exit.block || edge.to != exit.edge.to)) continue;
        out.put("    ");
        node(i);
        out.put(" -> ");
        if (inside) {
          for (uint32_t at = 0; at < cycle.count; ++at) {
            if (cycles_.blocks[cycle.first + at] == edge.block) node(at);
          }
        } else {
          out.put("left%");
        }
        out.put(";\n");
      }
    }
    bytes[text.text().size] = '\0';
    auto* kept = static_cast<char*>(memory.allocate_forever((text.text().size + 16) & ~size_t{15}));
    if (kept == nullptr) return;
    VG_(memcpy)(kept, bytes, text.text().size + 1);
    loop.graph = kept;
  }

  struct Ended {
    BlockId block;
    Address to;
  };
  GuestCode& code_;
  Flow& flow_;
  Cycles cycles_;
  List<Ended> ended_;
  List<BlockId> waiting_;
};

// --- functions -----------------------------------------------------------------------------------------------------

void look_at_function(GuestCode& code, Address entry) {
  constexpr unsigned kLargestAccessor = 12;
  Flow flow;
  if (!flow.build(code, entry, kMostBlocks)) {
    note_seen(entry, false);
    return;
  }
  Search(code, flow).run();
  const bool accessor = flow.blocks.size() <= kLargestAccessor && summary_of(code, entry).kind == CallKind::kAccessor;
  for (const FlowBlock& block : flow.blocks) note_seen(block.begin, accessor);
}

}  // namespace

void look_ahead(Address block, const VexArchInfo& host) {
  if (find_seen(block) != nullptr) return;
  GuestCode code(host);
  const Address entry = function_begin(block);
  if (entry != 0 && find_seen(entry) == nullptr) look_at_function(code, entry);
  if (find_seen(block) == nullptr) look_at_function(code, block);
}

const PlanItem* plan_at(Address ip) { return plan_bucket(ip); }

bool is_of_accessor(Address block) {
  const Seen* entry = find_seen(block);
  return entry != nullptr && entry->accessor;
}

}  // namespace norn::vg
