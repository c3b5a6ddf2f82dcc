// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/flow.h"

#include "base/hash.h"
#include "valgrind/lookahead/targets.h"

namespace norn::vg {
namespace {

// Operations that VEX has no name for.
enum OwnOp : uint64_t { kInsert = 1, kPart, kJoin, kCallHelper };

constexpr Int kRsp = offsetof(VexGuestAMD64State, guest_RSP);
constexpr unsigned kRspSlot = Flow::slot_of(kRsp);
constexpr unsigned kFsSlot = Flow::slot_of(offsetof(VexGuestAMD64State, guest_FS_CONST));
constexpr Int kClobberedBySystem[] = {offsetof(VexGuestAMD64State, guest_RAX), offsetof(VexGuestAMD64State, guest_RCX),
                                      offsetof(VexGuestAMD64State, guest_R11)};
// How far from an address that leaves the function what it points to may reach.
constexpr int64_t kLargestLocal = 256;

// The System V calling convention: what a called function leaves as it was.
bool is_kept_by_calls(unsigned slot) {
  constexpr unsigned kKept[] = {Flow::slot_of(offsetof(VexGuestAMD64State, guest_RBX)),
                                Flow::slot_of(offsetof(VexGuestAMD64State, guest_RBP)),
                                kRspSlot,
                                Flow::slot_of(offsetof(VexGuestAMD64State, guest_R12)),
                                Flow::slot_of(offsetof(VexGuestAMD64State, guest_R13)),
                                Flow::slot_of(offsetof(VexGuestAMD64State, guest_R14)),
                                Flow::slot_of(offsetof(VexGuestAMD64State, guest_R15)),
                                kFsSlot};
  for (const unsigned kept : kKept) {
    if (slot == kept) return true;
  }
  return false;
}

uint64_t mix(uint64_t a, uint64_t b) {
  a = (a ^ hash_word(b)) * 0xc2b2ae3d27d4eb4fu;
  return a ^ a >> 29;
}

uint64_t bits_of(const IRConst* constant) {
  switch (constant->tag) {
    case Ico_U1:
      return constant->Ico.U1 ? 1 : 0;
    case Ico_U8:
      return constant->Ico.U8;
    case Ico_U16:
      return constant->Ico.U16;
    case Ico_U32:
      return constant->Ico.U32;
    case Ico_U64:
      return constant->Ico.U64;
    default:
      return ~uint64_t{0} - constant->tag;
  }
}

}  // namespace

// --- one block -----------------------------------------------------------------------------------------------------

class BlockReader {
 public:
  BlockReader(Flow& flow, BlockId block, const IRSB* code) : flow_(flow), block_(block), code_(code) {
    temporaries_.assign(static_cast<uint32_t>(code->tyenv->types_used), kNoNode);
    inputs_.assign(Flow::kSlots, kNoNode);
  }

  void read() {
    FlowBlock& block = flow_.blocks[block_];
    block.first_edge = flow_.edges.size();
    block.first_event = flow_.events.size();
    block.first_instruction = flow_.instructions.size();
    for (Int i = 0; i < code_->stmts_used; ++i) statement(code_->stmts[i]);
    finish();
    FlowBlock& done = flow_.blocks[block_];
    done.last = ip_;
    done.end = end_;
    done.instruction_count = flow_.instructions.size() - done.first_instruction;
    done.edge_count = flow_.edges.size() - done.first_edge;
    done.event_count = flow_.events.size() - done.first_event;
  }

 private:
  Node add(NodeKind kind) {
    NodeData node;
    node.kind = kind;
    node.block = block_;
    node.ip = ip_;
    return flow_.add(node);
  }
  Node op(uint64_t what, IRExpr* const* operands, unsigned count) {
    Node from[4];
    for (unsigned i = 0; i < count && i < 4; ++i) from[i] = value(operands[i]);
    return op_of(what, from, count);
  }
  Node op_of(uint64_t what, const Node* operands, unsigned count) {
    const Node made = add(NodeKind::kOp);
    NodeData& node = flow_.data(made);
    node.value = what;
    for (unsigned i = 0; i < count && i < 4; ++i) node.operands[node.operand_count++] = operands[i];
    return made;
  }

  Node& output(unsigned slot) { return flow_.known_output(block_, slot); }

  Node read_slot(unsigned slot) {
    if (output(slot) != kNoNode) return output(slot);
    if (inputs_[slot] == kNoNode) {
      const Node made = add(NodeKind::kInput);
      flow_.data(made).value = slot;
      inputs_[slot] = made;
    }
    return inputs_[slot];
  }

  static constexpr uint64_t part(unsigned offset, unsigned size) { return offset | size << 8; }

  Node get(Int offset, unsigned size) {
    const unsigned slot = Flow::slot_of(offset);
    const unsigned within = static_cast<unsigned>(offset) % 8;
    if (slot + (within + size + 7) / 8 > Flow::kSlots) return add(NodeKind::kUnknown);
    if (size == 8 && within == 0) return read_slot(slot);
    if (within + size > 8) {
      Node parts[4];
      const unsigned count = (size + 7) / 8;
      for (unsigned i = 0; i < count; ++i) parts[i] = read_slot(slot + i);
      return op_of(uint64_t{kJoin} << 32, parts, count);
    }
    Node whole = read_slot(slot);
    if (see_through(whole, within, size)) return whole;
    if (flow_.data(whole).kind == NodeKind::kConst) {
      return flow_.constant(flow_.data(whole).value >> 8 * within & ((uint64_t{1} << 8 * size) - 1), block_);
    }
    return op_of(uint64_t{kPart} << 32 | part(within, size), &whole, 1);
  }

  // Some bytes of a value that others were put into. True: they are all of what was put there; else they are of
  // `whole`.
  bool see_through(Node& whole, unsigned offset, unsigned size) {
    for (;;) {
      const NodeData& node = flow_.data(whole);
      if (node.kind != NodeKind::kOp || node.value >> 32 != kInsert) return false;
      const unsigned at = node.ip & 0xff;
      const unsigned width = node.ip >> 8 & 0xff;
      if (at == offset && width == size) {
        whole = node.operands[1];
        return true;
      }
      if (at < offset + size && offset < at + width) return false;
      whole = node.operands[0];
    }
  }

  void put(Int offset, Node data, unsigned size) {
    const unsigned slot = Flow::slot_of(offset);
    const unsigned within = static_cast<unsigned>(offset) % 8;
    if (slot + (within + size + 7) / 8 > Flow::kSlots) return;
    if (size == 8 && within == 0) {
      output(slot) = data;
    } else if (within + size <= 8) {
      const Node both[] = {read_slot(slot), data};
      const Node made = op_of(uint64_t{kInsert} << 32, both, 2);
      flow_.data(made).ip = part(within, size);
      output(slot) = made;
    } else {
      for (unsigned i = 0; i < (size + 7) / 8; ++i) output(slot + i) = op_of(uint64_t{kPart} << 32 | i << 16, &data, 1);
    }
  }

  Node value(IRExpr* expression) {
    switch (expression->tag) {
      case Iex_RdTmp: {
        const Node known = temporaries_[expression->Iex.RdTmp.tmp];
        return known == kNoNode ? add(NodeKind::kUnknown) : known;
      }
      case Iex_Const:
        return flow_.constant(bits_of(expression->Iex.Const.con), block_);
      case Iex_Get:
        return get(expression->Iex.Get.offset, static_cast<unsigned>(sizeofIRType(expression->Iex.Get.ty)));
      case Iex_Unop:
        return unary(expression);
      case Iex_Binop:
        return binary(expression);
      case Iex_Triop: {
        const IRTriop& triop = *expression->Iex.Triop.details;
        IRExpr* operands[] = {triop.arg1, triop.arg2, triop.arg3};
        return op(triop.op, operands, 3);
      }
      case Iex_Qop: {
        const IRQop& qop = *expression->Iex.Qop.details;
        IRExpr* operands[] = {qop.arg1, qop.arg2, qop.arg3, qop.arg4};
        return op(qop.op, operands, 4);
      }
      case Iex_ITE: {
        const Node from[] = {value(expression->Iex.ITE.cond), value(expression->Iex.ITE.iftrue),
                             value(expression->Iex.ITE.iffalse)};
        const Node made = add(NodeKind::kSelect);
        NodeData& node = flow_.data(made);
        node.operand_count = 3;
        for (unsigned i = 0; i < 3; ++i) node.operands[i] = from[i];
        return made;
      }
      case Iex_CCall:
        return helper(expression);
      default:
        return add(NodeKind::kUnknown);
    }
  }

  Node unary(IRExpr* expression) {
    const IROp what = expression->Iex.Unop.op;
    Node from = value(expression->Iex.Unop.arg);
    const unsigned kept = what == Iop_64to8 ? 1 : what == Iop_64to16 ? 2 : what == Iop_64to32 ? 4 : 0;
    if (kept != 0 && see_through(from, 0, kept)) return from;
    return op_of(what, &from, 1);
  }

  Node binary(IRExpr* expression) {
    IRExpr* operands[] = {expression->Iex.Binop.arg1, expression->Iex.Binop.arg2};
    const IROp what = expression->Iex.Binop.op;
    if (what == Iop_Add64 || what == Iop_Sub64) {
      if (operands[1]->tag == Iex_Const) {
        const auto offset = static_cast<int64_t>(bits_of(operands[1]->Iex.Const.con));
        return flow_.sum(value(operands[0]), what == Iop_Add64 ? offset : -offset, block_);
      }
      if (operands[0]->tag == Iex_Const && what == Iop_Add64) {
        return flow_.sum(value(operands[1]), static_cast<int64_t>(bits_of(operands[0]->Iex.Const.con)), block_);
      }
    }
    return op(what, operands, 2);
  }

  // What is left of the processor's flags: which of them and how they came about, then what from.
  Node helper(IRExpr* expression) {
    Node from[4];
    unsigned count = 0;
    IRExpr* const* arguments = expression->Iex.CCall.args;
    for (unsigned i = 0; arguments[i] != nullptr && count < 4; ++i) {
      if (arguments[i]->tag != Iex_Const) from[count++] = value(arguments[i]);
    }
    return op_of(uint64_t{kCallHelper} << 32, from, count);
  }

  Node loaded(Node address, unsigned size) {
    const Node made = add(NodeKind::kLoad);
    NodeData& node = flow_.data(made);
    node.size = static_cast<uint8_t>(size);
    node.operands[node.operand_count++] = address;
    flow_.events.add({MemoryEvent::What::kLoad, node.size, ip_, made, address, kNoNode});
    return made;
  }

  void stored(Node address, Node data, unsigned size) {
    flow_.events.add({MemoryEvent::What::kStore, static_cast<uint8_t>(size), ip_, kNoNode, address, data});
  }

  [[nodiscard]] unsigned size_of(const IRExpr* expression) const {
    return static_cast<unsigned>(sizeofIRType(typeOfIRExpr(code_->tyenv, expression)));
  }

  void exchange(const IRCAS* cas) {
    const bool pair = cas->oldHi != IRTemp_INVALID;
    const Node from[] = {value(cas->addr), value(cas->expdLo), value(cas->dataLo)};
    const Node made = add(NodeKind::kCas);
    NodeData& node = flow_.data(made);
    node.size = static_cast<uint8_t>(size_of(cas->dataLo) * (pair ? 2 : 1));
    node.operand_count = 3;
    for (unsigned i = 0; i < 3; ++i) node.operands[i] = from[i];
    temporaries_[cas->oldLo] = made;
    if (pair) temporaries_[cas->oldHi] = made;
    flow_.events.add({MemoryEvent::What::kCas, node.size, ip_, made, from[0], from[2]});
  }

  void statement(const IRStmt* statement) {
    switch (statement->tag) {
      case Ist_IMark:
        ip_ = statement->Ist.IMark.addr + statement->Ist.IMark.delta;
        end_ = statement->Ist.IMark.addr + statement->Ist.IMark.len;
        flow_.instructions.add(ip_);
        break;
      case Ist_WrTmp: {
        IRExpr* from = statement->Ist.WrTmp.data;
        temporaries_[statement->Ist.WrTmp.tmp] =
            from->tag == Iex_Load
                ? loaded(value(from->Iex.Load.addr), static_cast<unsigned>(sizeofIRType(from->Iex.Load.ty)))
                : value(from);
        break;
      }
      case Ist_Put:
        put(statement->Ist.Put.offset, value(statement->Ist.Put.data), size_of(statement->Ist.Put.data));
        break;
      case Ist_Store:
        stored(value(statement->Ist.Store.addr), value(statement->Ist.Store.data), size_of(statement->Ist.Store.data));
        break;
      case Ist_StoreG:
        stored(value(statement->Ist.StoreG.details->addr), add(NodeKind::kUnknown),
               size_of(statement->Ist.StoreG.details->data));
        break;
      case Ist_LoadG:
        temporaries_[statement->Ist.LoadG.details->dst] = add(NodeKind::kUnknown);
        break;
      case Ist_CAS:
        exchange(statement->Ist.CAS.details);
        break;
      case Ist_Dirty: {
        const IRDirty* dirty = statement->Ist.Dirty.details;
        if (dirty->tmp != IRTemp_INVALID) temporaries_[dirty->tmp] = add(NodeKind::kUnknown);
        for (Int i = 0; i < dirty->nFxState; ++i) {
          if (dirty->fxState[i].fx == Ifx_Read) continue;
          for (unsigned at = 0; at < dirty->fxState[i].size; at += 8) {
            const unsigned slot = Flow::slot_of(dirty->fxState[i].offset) + at / 8;
            if (slot < Flow::kSlots) output(slot) = add(NodeKind::kUnknown);
          }
        }
        if (dirty->mFx == Ifx_Write || dirty->mFx == Ifx_Modify) {
          flow_.events.add({MemoryEvent::What::kClobber, static_cast<uint8_t>(dirty->mSize), ip_, kNoNode,
                            value(dirty->mAddr), kNoNode});
        }
        break;
      }
      case Ist_Exit: {
        const Address to = bits_of(statement->Ist.Exit.dst);
        // An atomic that has to be tried again, or the next round of a repeated instruction.
        if (statement->Ist.Exit.jk != Ijk_Boring || to == ip_) break;
        guard_ = value(statement->Ist.Exit.guard);
        flow_.edges.add({to, kOutside, guard_, false});
        break;
      }
      default:
        break;
    }
  }

  void finish() {
    FlowBlock& block = flow_.blocks[block_];
    const bool known = code_->next->tag == Iex_Const;
    const Address to = known ? bits_of(code_->next->Iex.Const.con) : 0;
    switch (code_->jumpkind) {
      case Ijk_Call: {
        block.calls = true;
        block.callee = to;
        if (!known) block.callee_node = value(code_->next);
        if (comes_back(to)) flow_.edges.add({end_, kOutside, guard_, true});
        return;
      }
      case Ijk_Boring:
        if (known && !is_other_function(to)) {
          flow_.edges.add({to, kOutside, guard_, true});
          return;
        }
        block.calls = true;
        block.returns = true;
        block.callee = to;
        if (!known) block.callee_node = value(code_->next);
        return;
      case Ijk_Yield:
        if (known) flow_.edges.add({to, kOutside, guard_, true});
        return;
      case Ijk_Sys_syscall:
        block.system = true;
        for (const Int clobbered : kClobberedBySystem) {
          output(Flow::slot_of(clobbered)) = add(NodeKind::kUnknown);
        }
        if (known) flow_.edges.add({to, kOutside, guard_, true});
        return;
      default:
        block.returns = true;
        return;
    }
  }

  // The optimiser puts what hardly ever runs far away, where behind a call that does not return another function's code
  // stands. Elsewhere what stands there is harmless.
  [[nodiscard]] bool comes_back(Address callee) const {
    constexpr Address kFar = Address{1} << 14;
    if (is_no_return(callee)) return false;
    const Address entry = flow_.blocks[0].begin;
    const bool far = ip_ < entry || ip_ - entry > kFar;
    return !far || callee == 0 || returns(flow_.code(), callee);
  }

  [[nodiscard]] bool is_other_function(Address to) const {
    return to != flow_.blocks[0].begin && (function_begin(to) == to || is_stub(to));
  }

  Flow& flow_;
  BlockId block_;
  const IRSB* code_;
  List<Node> temporaries_;
  List<Node> inputs_;
  Address ip_ = 0;
  Address end_ = 0;
  Node guard_ = kNoNode;
};

// --- the function --------------------------------------------------------------------------------------------------

unsigned Flow::argument_slot(unsigned number) {
  constexpr unsigned kSlotsOfArguments[kArguments] = {
      slot_of(offsetof(VexGuestAMD64State, guest_RDI)), slot_of(offsetof(VexGuestAMD64State, guest_RSI)),
      slot_of(offsetof(VexGuestAMD64State, guest_RDX)), slot_of(offsetof(VexGuestAMD64State, guest_RCX)),
      slot_of(offsetof(VexGuestAMD64State, guest_R8)),  slot_of(offsetof(VexGuestAMD64State, guest_R9))};
  return kSlotsOfArguments[number];
}

BlockId Flow::block_at(Address address) {
  for (BlockId i = 0; i < blocks.size(); ++i) {
    if (blocks[i].begin == address) return i;
  }
  if (blocks.size() == most_blocks_) return kOutside;
  FlowBlock block;
  block.begin = address;
  for (unsigned slot = 0; slot < kSlots; ++slot) outputs_.add(kNoNode);
  return blocks.add(block);
}

bool Flow::build(GuestCode& code, Address entry, unsigned most_blocks) {
  most_blocks_ = most_blocks;
  code_ = &code;
  entry_values_.assign(kSlots, kNoNode);
  block_at(entry);
  for (BlockId i = 0; i < blocks.size(); ++i) {
    if (!read(code, i, 0) && i == 0) return false;
    for (uint32_t k = 0; k < blocks[i].edge_count; ++k) {
      const BlockId to = block_at(edges[blocks[i].first_edge + k].to);
      edges[blocks[i].first_edge + k].block = to;
    }
  }
  cut(code);
  connect();
  for (Node i = 0; i < nodes_.size(); ++i) find(i);
  simplify();
  find_escapes();
  forward_frame();
  for (Node i = 0; i < nodes_.size(); ++i) find(i);
  simplify();
  return true;
}

bool Flow::read(GuestCode& code, BlockId block, unsigned most) {
  const IRSB* found = code.block(blocks[block].begin, most);
  if (found == nullptr || found->jumpkind == Ijk_NoDecode) {
    blocks[block].returns = true;
    return false;
  }
  BlockReader(*this, block, found).read();
  return true;
}

// A block that another one begins in the middle of ends there.
void Flow::cut(GuestCode& code) {
  for (BlockId i = 0; i < blocks.size(); ++i) {
    for (uint32_t k = 1; k < blocks[i].instruction_count; ++k) {
      const Address at = instructions[blocks[i].first_instruction + k];
      BlockId other = 0;
      while (other < blocks.size() && blocks[other].begin != at) ++other;
      if (other == blocks.size()) continue;
      FlowBlock fresh;
      fresh.begin = blocks[i].begin;
      blocks[i] = fresh;
      for (unsigned slot = 0; slot < kSlots; ++slot) known_output(i, slot) = kNoNode;
      read(code, i, k);
      for (uint32_t e = 0; e < blocks[i].edge_count; ++e) {
        Edge& edge = edges[blocks[i].first_edge + e];
        edge.block = edge.to == at ? other : block_at(edge.to);
      }
      break;
    }
  }
}

void Flow::connect() {
  for (BlockId i = 0; i < blocks.size(); ++i) {
    blocks[i].first_before = before.size();
    for (BlockId from = 0; from < blocks.size(); ++from) {
      for (uint32_t k = 0; k < blocks[from].edge_count; ++k) {
        if (edges[blocks[from].first_edge + k].block != i) continue;
        before.add(from);
        break;
      }
    }
    blocks[i].before_count = before.size() - blocks[i].first_before;
  }
  inputs_.assign(blocks.size() * kSlots, kNoNode);
  frame_heads_.assign(blocks.size(), kNoNode);
}

// --- values --------------------------------------------------------------------------------------------------------

Node Flow::constant(uint64_t value, BlockId block) {
  NodeData node;
  node.kind = NodeKind::kConst;
  node.block = block;
  node.value = value;
  return add(node);
}

Node Flow::frame_address(int64_t offset) {
  for (const Node known : frames_) {
    if (static_cast<int64_t>(nodes_[known].value) == offset) return known;
  }
  NodeData node;
  node.kind = NodeKind::kFrame;
  node.value = static_cast<uint64_t>(offset);
  const Node made = add(node);
  frames_.add(made);
  return made;
}

Node Flow::sum(Node node, int64_t offset, BlockId block) {
  const NodeData& from = nodes_[node];
  if (from.kind == NodeKind::kFrame) return frame_address(static_cast<int64_t>(from.value) + offset);
  if (from.kind == NodeKind::kConst) return constant(from.value + static_cast<uint64_t>(offset), block);
  if (is_sum(from)) {
    const Node base = from.operands[0];
    offset += static_cast<int64_t>(from.ip);
    if (nodes_[base].kind == NodeKind::kFrame) return frame_address(static_cast<int64_t>(nodes_[base].value) + offset);
    return sum(base, offset, block);
  }
  if (offset == 0) return node;
  NodeData made;
  made.kind = NodeKind::kOp;
  made.block = block;
  made.value = Iop_Add64;
  made.ip = static_cast<uint64_t>(offset);
  made.operands[made.operand_count++] = node;
  return add(made);
}

bool Flow::is_sum(const NodeData& node) {
  return node.kind == NodeKind::kOp && node.value == Iop_Add64 && node.operand_count == 1;
}

Node Flow::find(Node node) {
  for (;;) {
    const NodeData& data = nodes_[node];
    if (data.forward != kNoNode) {
      node = data.forward;
    } else if (data.kind == NodeKind::kInput) {
      const Node from = input(data.block, static_cast<unsigned>(data.value));
      nodes_[node].forward = from;
      node = from;
    } else if (is_sum(data)) {
      const Node base = find(data.operands[0]);
      const NodeData& found = nodes_[base];
      if (found.kind != NodeKind::kFrame && found.kind != NodeKind::kConst && !is_sum(found)) return node;
      const Node better = sum(base, static_cast<int64_t>(nodes_[node].ip), nodes_[node].block);
      nodes_[node].forward = better;
      node = better;
    } else {
      return node;
    }
  }
}

Node Flow::entry_value(unsigned slot) {
  if (slot == kRspSlot) return frame_address(0);
  if (entry_values_[slot] == kNoNode) {
    NodeData node;
    node.kind = NodeKind::kOuter;
    node.value = slot;
    entry_values_[slot] = add(node);
  }
  return entry_values_[slot];
}

Node Flow::before_call(BlockId block, unsigned slot) {
  const Node own = known_output(block, slot);
  return own != kNoNode ? own : input(block, slot);
}

Node Flow::at_end(BlockId block, unsigned slot) {
  if (!blocks[block].calls) return before_call(block, slot);
  if (slot == kRspSlot) return sum(before_call(block, slot), 8, block);
  if (is_kept_by_calls(slot)) return before_call(block, slot);
  for (const Node known : results_) {
    if (nodes_[known].block == block && nodes_[known].value == slot) return known;
  }
  NodeData node;
  node.kind = NodeKind::kResult;
  node.block = block;
  node.value = slot;
  node.ip = blocks[block].last;
  const Node made = add(node);
  results_.add(made);
  return made;
}

Node Flow::new_merge(BlockId block) {
  NodeData node;
  node.kind = NodeKind::kMerge;
  node.block = block;
  const Node made = add(node);
  merges_.add(made);
  return made;
}

void Flow::set_merged(Node merge, const List<Node>& operands) {
  nodes_[merge].first_merged = merged.size();
  nodes_[merge].operand_count = static_cast<uint16_t>(operands.size());
  for (const Node operand : operands) merged.add(operand);
}

Node Flow::input(BlockId block, unsigned slot) {
  if (known_input(block, slot) != kNoNode) return known_input(block, slot);
  const uint32_t count = blocks[block].before_count;
  if (block == 0 && count == 0) return known_input(block, slot) = entry_value(slot);
  if (block != 0 && count == 1) {
    // A way round of single steps leads through a block with more than one way in.
    const Node from = at_end(before[blocks[block].first_before], slot);
    return known_input(block, slot) = from;
  }
  const Node merge = new_merge(block);
  known_input(block, slot) = merge;
  List<Node> operands;
  if (block == 0) operands.add(entry_value(slot));
  for (uint32_t i = 0; i < count; ++i) operands.add(at_end(before[blocks[block].first_before + i], slot));
  set_merged(merge, operands);
  is_trivial(merge);
  return merge;
}

// A merge of one value with itself is that value.
bool Flow::is_trivial(Node merge) {
  if (nodes_[merge].forward != kNoNode) return false;
  Node only = kNoNode;
  for (uint32_t i = 0; i < nodes_[merge].operand_count; ++i) {
    const Node operand = find(merged[nodes_[merge].first_merged + i]);
    if (operand == merge || operand == only) continue;
    if (only != kNoNode) {
      const bool same = nodes_[only].kind == NodeKind::kConst && nodes_[operand].kind == NodeKind::kConst &&
                        nodes_[only].value == nodes_[operand].value;
      if (!same) return false;
      continue;
    }
    only = operand;
  }
  if (only == kNoNode) return false;
  nodes_[merge].forward = only;
  return true;
}

void Flow::simplify() {
  constexpr unsigned kMostRounds = 16;
  bool changed = true;
  for (unsigned round = 0; changed && round < kMostRounds; ++round) {
    changed = false;
    for (uint32_t i = 0; i < merges_.size(); ++i) changed |= is_trivial(merges_[i]);
  }
}

PlaceInFlow Flow::place(Node address) {
  PlaceInFlow place;
  Node node = find(address);
  if (is_sum(nodes_[node])) {
    place.offset = static_cast<int64_t>(nodes_[node].ip);
    node = find(nodes_[node].operands[0]);
  }
  if (nodes_[node].kind == NodeKind::kConst) {
    place.offset += static_cast<int64_t>(nodes_[node].value);
    return place;
  }
  if (nodes_[node].kind == NodeKind::kFrame) {
    place.offset += static_cast<int64_t>(nodes_[node].value);
    place.base = frame_address(0);
    return place;
  }
  place.base = node;
  return place;
}

uint64_t Flow::key_of(const PlaceInFlow& at, unsigned depth) {
  constexpr unsigned kDeepest = 6;
  const auto offset = static_cast<uint64_t>(at.offset);
  if (at.base == kNoNode) return mix(1, offset);
  const NodeData node = nodes_[at.base];
  uint64_t base = mix(2, at.base);
  if (node.kind == NodeKind::kFrame) base = 3;
  if (node.kind == NodeKind::kOuter) base = mix(4, node.value);
  if (node.kind == NodeKind::kLoad && depth < kDeepest) base = mix(5, key_of(place(node.operands[0]), depth + 1));
  if (node.kind == NodeKind::kOp && depth < kDeepest) {
    base = mix(6, node.value);
    for (unsigned i = 0; i < node.operand_count; ++i) base = mix(base, key_of(place(node.operands[i]), depth + 1));
  }
  return mix(base, offset);
}

bool Flow::sets_argument(BlockId block, unsigned number) {
  if (known_output(block, argument_slot(number)) != kNoNode) return true;
  // Passed on as it came.
  return number == 0 && nodes_[find(before_call(block, argument_slot(number)))].kind == NodeKind::kOuter;
}

bool Flow::is_own(const PlaceInFlow& place) {
  if (place.base == kNoNode) return false;
  const NodeData& base = nodes_[place.base];
  if (base.kind == NodeKind::kFrame) return !escapes(place.offset);
  return base.kind == NodeKind::kOuter && base.value == kFsSlot;
}

bool Flow::is_constant_memory(Address address, unsigned size) {
  const NSegment* segment = VG_(am_find_nsegment)(address);
  return segment != nullptr && segment->kind == SkFileC && segment->hasR && !segment->hasW &&
         address + size - 1 <= segment->end;
}

// --- the frame -----------------------------------------------------------------------------------------------------

void Flow::note_escape(Node node) {
  if (node == kNoNode) return;
  const PlaceInFlow at = place(node);
  if (is_frame(at) && at.offset < 0 && !escaped_.contains(at.offset)) escaped_.add(at.offset);
}

void Flow::find_escapes() {
  for (BlockId i = 0; i < blocks.size(); ++i) {
    for (uint32_t k = 0; k < blocks[i].event_count; ++k) {
      const MemoryEvent& event = events[blocks[i].first_event + k];
      if (event.what != MemoryEvent::What::kLoad) note_escape(event.data);
    }
    if (!blocks[i].calls) continue;
    for (unsigned number = 0; number < kArguments; ++number) {
      // What no way here has put there is not an argument.
      if (known_output(i, argument_slot(number)) != kNoNode) note_escape(before_call(i, argument_slot(number)));
    }
  }
  for (Node i = 0; i < nodes_.size(); ++i) {
    const NodeData node = nodes_[i];
    const bool indexes = node.kind == NodeKind::kOp && node.value == Iop_Add64 && node.operand_count == 2;
    if (!indexes && node.kind != NodeKind::kSelect) continue;
    for (unsigned k = 0; k < node.operand_count; ++k) note_escape(node.operands[k]);
  }
  for (uint32_t i = 0; i < merges_.size(); ++i) {
    if (nodes_[merges_[i]].forward != kNoNode) continue;
    for (uint32_t k = 0; k < nodes_[merges_[i]].operand_count; ++k) {
      note_escape(merged[nodes_[merges_[i]].first_merged + k]);
    }
  }
}

bool Flow::escapes(int64_t offset) const {
  for (const int64_t begin : escaped_) {
    if (begin <= offset && offset < begin + kLargestLocal && offset < 0) return true;
  }
  return false;
}

void Flow::forward_frame() {
  for (BlockId i = 0; i < blocks.size(); ++i) {
    for (uint32_t k = 0; k < blocks[i].event_count; ++k) {
      const MemoryEvent event = events[blocks[i].first_event + k];
      if (event.what != MemoryEvent::What::kLoad) continue;
      const PlaceInFlow at = place(event.address);
      if (!is_frame(at)) continue;
      const Node held = frame_before(i, k, at.offset, event.size);
      if (held != kNoNode && held != event.node) nodes_[event.node].forward = held;
    }
  }
}

Node Flow::frame_before(BlockId block, uint32_t event, int64_t offset, unsigned size) {
  for (uint32_t i = event; i > 0; --i) {
    const MemoryEvent past = events[blocks[block].first_event + i - 1];
    if (past.what == MemoryEvent::What::kLoad) continue;
    const PlaceInFlow at = place(past.address);
    if (!is_frame(at) || at.offset >= offset + static_cast<int64_t>(size) || offset >= at.offset + past.size) continue;
    if (past.what == MemoryEvent::What::kStore && at.offset == offset && past.size == size) return past.data;
    return kNoNode;
  }
  return frame_at_begin(block, offset, size);
}

Node Flow::frame_at_end(BlockId block, int64_t offset, unsigned size) {
  if (blocks[block].calls && escapes(offset)) return kNoNode;
  return frame_before(block, blocks[block].event_count, offset, size);
}

Node Flow::frame_at_begin(BlockId block, int64_t offset, unsigned size) {
  for (uint32_t i = frame_heads_[block]; i != kNoNode; i = frame_variables_[i].next) {
    const FrameVariable& known = frame_variables_[i];
    if (known.offset == offset && known.size == size) return known.value;
  }
  const uint32_t count = blocks[block].before_count;
  if (block != 0 && count == 1) {
    // Not kept before it is known: whoever comes round asks again, and finds what a joint on the way has kept.
    const Node held = frame_at_end(before[blocks[block].first_before], offset, size);
    frame_heads_[block] = frame_variables_.add({offset, size, held, frame_heads_[block]});
    return held;
  }
  const uint32_t made = frame_variables_.add({offset, size, kNoNode, frame_heads_[block]});
  frame_heads_[block] = made;
  if (block == 0 && escapes(offset)) return kNoNode;
  NodeData outer;
  outer.kind = NodeKind::kOuter;
  outer.value = kSlots + static_cast<uint64_t>(offset) * 64 + size;
  if (block == 0 && count == 0) return frame_variables_[made].value = add(outer);
  const Node merge = new_merge(block);
  frame_variables_[made].value = merge;
  List<Node> operands;
  if (block == 0) operands.add(add(outer));
  for (uint32_t i = 0; i < count; ++i) {
    const Node held = frame_at_end(before[blocks[block].first_before + i], offset, size);
    if (held == kNoNode) {
      // Whoever has the merge already has nothing that is known.
      NodeData unknown;
      unknown.block = block;
      nodes_[merge].forward = add(unknown);
      frame_variables_[made].value = kNoNode;
      return kNoNode;
    }
    operands.add(held);
  }
  set_merged(merge, operands);
  is_trivial(merge);
  return merge;
}

}  // namespace norn::vg
