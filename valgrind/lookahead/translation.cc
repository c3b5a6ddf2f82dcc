// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/translation.h"

namespace norn::vg {

using loops::Index;
using loops::Kind;
using loops::kNone;

constexpr unsigned kRax = Flow::slot_of(offsetof(VexGuestAMD64State, guest_RAX));
constexpr unsigned kXmm0 = Flow::slot_of(offsetof(VexGuestAMD64State, guest_YMM0));

Translation::Translation(GuestCode& code, Flow& flow, const Cycles& cycles, const Cycle& loop)
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

loops::Judgement Translation::judge(BlockId block, Node condition) {
  return loops::judge(form(), {numbers_[block], known(condition)}, {scratch_.begin(), scratch_.size()},
                      {in_condition_.begin(), in_condition_.size()});
}

bool Translation::in_condition(BlockId block) {
  bool found = false;
  for_condition([&](Node, const loops::Value& value) { found |= value.block == numbers_[block]; });
  return found;
}

loops::Loop Translation::form() const {
  return {{values_.begin(), values_.size()},
          {operands_.begin(), operands_.size()},
          {blocks_.begin(), blocks_.size()},
          {successors_.begin(), successors_.size()},
          {written_.begin(), written_.size()}};
}

bool Translation::has(Node node) {
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

Index Translation::known(Node node) {
  if (node == kNoNode) return kNone;
  node = flow_.find(node);
  return node < index_.size() ? index_[node] : kNone;
}

Index Translation::index_of(Node node) {
  if (!has(node)) return kNone;
  node = flow_.find(node);
  while (node >= index_.size()) index_.add(kNone);
  if (index_[node] == kNone) {
    index_[node] = values_.add({});
    nodes_.add(node);
  }
  return index_[node];
}

Index Translation::constant(Index block) {
  nodes_.add(kNoNode);
  loops::Value value;
  value.block = block;
  return values_.add(value);
}

Index Translation::location(uint64_t key) {
  for (Index i = 0; i < locations_.size(); ++i) {
    if (locations_[i] == key) return i;
  }
  return locations_.add(key);
}

template <class Visit>
void Translation::for_blocks(Visit visit) {
  for (uint32_t i = 0; i < loop_.count; ++i) visit(cycles_.blocks[loop_.first + i]);
}

void Translation::collect_writes() {
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

void Translation::collect_writes_of_call(BlockId block) {
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

uint64_t Translation::object_given(BlockId block, unsigned number) {
  constexpr int64_t kLowest = 4096;
  const Node given = flow_.before_call(block, Flow::argument_slot(number));
  const PlaceInFlow at = flow_.place(given);
  if (at.base == kNoNode) return at.offset >= kLowest ? flow_.key(given) : 0;
  const NodeKind kind = flow_.data(at.base).kind;
  if (kind == NodeKind::kResult || kind == NodeKind::kUnknown) return 0;
  return flow_.key(at.base);
}

uint64_t Translation::key_in_caller(const Words& words, BlockId block) {
  if (words.steps != 1) return 0;
  if (words.argument < 0) return flow_.key_of({kNoNode, words.offsets[0]});
  PlaceInFlow at = flow_.place(flow_.before_call(block, Flow::argument_slot(static_cast<unsigned>(words.argument))));
  at.offset += words.offsets[0];
  return flow_.key_of(at);
}

bool Translation::is_set(Node cas) {
  return is_test_and_set(flow_, cas, [&](Node node) { return has(node); });
}

void Translation::translate_block(BlockId block) {
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

void Translation::translate(Index index) {
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

void Translation::depend_on(Node node, List<Index>& from) {
  if (const Index index = index_of(node); index != kNone) from.add(index);
}

loops::Value Translation::kind_of(Node node, List<Index>& from) {
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

void Translation::merge(const NodeData& data, List<Index>& from) {
  const FlowBlock& block = flow_.blocks[data.block];
  const uint32_t entry = data.operand_count - block.before_count;  // the function's own entry comes first
  for (uint32_t i = 0; i < block.before_count; ++i) {
    if (numbers_[flow_.before[block.first_before + i]] == kNone) continue;
    const Node incoming = flow_.merged[data.first_merged + entry + i];
    from.add(has(incoming) ? index_of(incoming) : constant(numbers_[data.block]));
  }
}

loops::Value Translation::update(Node node, const NodeData& data, List<Index>& from) {
  loops::Value value;
  value.kind = is_set(node) ? Kind::kTestAndSet : Kind::kChange;
  if (value.kind == Kind::kTestAndSet) {
    value.location = location(flow_.key(data.operands[0]));
    depend_on(data.operands[0], from);
  }
  return value;
}

loops::Value Translation::read(Node node, const NodeData& data, List<Index>& from) {
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

Node Translation::atomic_of(Node load) {
  const NodeData data = flow_.data(load);
  const FlowBlock& block = flow_.blocks[data.block];
  for (uint32_t k = 0; k < block.event_count; ++k) {
    const MemoryEvent& event = flow_.events[block.first_event + k];
    if (event.what == MemoryEvent::What::kCas && event.ip == data.ip) return event.node;
  }
  return kNoNode;
}

loops::Value Translation::result(const NodeData& data, List<Index>& from) {
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

Index Translation::something_written() {
  const Index place = location(1);
  if (!written_.contains(place)) written_.add(place);
  return place;
}

bool Translation::may_change_between(BlockId block, const Summary& callee) {
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
    // Who is handed what the loop has just put together judges that, and waits for nobody: a comparator.
    const bool own = flow_.is_frame(flow_.place(flow_.before_call(block, Flow::argument_slot(i))));
    if (own && writes_own_ && callee.kind == loops::CallKind::kUnresolved) return true;
    const uint64_t key = object_given(block, i);
    if (key == 0) continue;
    for (const Given& given : given_away_) {
      if (given.block != block && given.key == key) return true;
    }
  }
  return false;
}

}  // namespace norn::vg
