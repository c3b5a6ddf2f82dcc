// SPDX-License-Identifier: GPL-2.0-or-later
// What is added to the program's code.
//
//   call f                  push(sp, site) onto the thread's list of calls
//   ret                     pop
//   t = LDle:I32(a)         if (the shadow has no shadow word of it: docs/design/fastpath.md) read_4(a, ip)
//   STle(a) = t             the same with write_4(a, ip)
//   lock; xchg              rmw(a, size, done?, ip)
//   sub rsp, n; ret         if (other threads touched what the stack loses or gets) stack_moves(old, new)
//   if (t) goto 0x…         if (t) leave(loop), where it leaves a loop that waits (lookahead.h)
//
// While there is one thread only calls are followed. The C library and the dynamic linker are not looked into: the
// wrappers speak for them (symbols.h). Blocks end at calls (guest_chase is off).
#include "core/emitter_inline.h"
#include "hazards/hazard_listener.h"
#include "valgrind/debug_info/symbols.h"
#include "valgrind/lookahead/lookahead.h"
#include "valgrind/tool/client.h"
#include "valgrind/tool/guest_stacks.h"

namespace norn::vg {
namespace {

// --- what the code calls -----------------------------------------------------------------------------------------

void on_call(Address sp, Address site) {
  ThreadState& self = *current;
  Call* top = self.top;
  while (top > self.calls && top[-1].sp <= sp) --top;  // left by longjmp or an exception
  if (top < self.calls_end) *top++ = {sp, site, kNoStack, 0};
  self.top = top;
}

void on_return(Address sp) {
  ThreadState& self = *current;
  Call* top = self.top;
  while (top > self.calls && top[-1].sp < sp) --top;
  self.top = top;
}

// The commonest of accesses, with as little as can be around it: within a granule that has shadow words and nothing
// else, so that nobody waits for it, and no atomic lies there. False: it is another one.
template <AccessKind kKind, unsigned kSize, bool kCounts>
bool try_simple_access(ThreadState& self, Address address, Address ip) {
  Thread& thread = *self.core;
  if (address % kGranuleBytes + kSize > kGranuleBytes || thread.ignoring != 0) return false;
  Granule* granule = granule_with_words(address);
  if (granule == nullptr || has_list(*granule)) return false;
  const auto where = [&](StackId& found) {
    found = place(self, ip);
    return true;
  };
  const bool known = contains_same_access(thread, *granule, kKind, bytes_in_granule(address, kSize));
  if (known) {
    ++thread.accesses;
  } else {
    note_foreign_stack(self, address, kSize);
  }
  if (!known && !detector.access_again<kKind>(thread, *granule, address, kSize, kCounts, where)) {
    detector.access_within(thread, *granule, kKind, address, kSize, [&] { return place(self, ip); }, kCounts);
  } else if (thread.recording) {
    detector.record_again(thread, kKind, address, kSize, kCounts);
  }
  return true;
}

template <AccessKind kKind, unsigned kSize, bool kCounts>
void on_access(Address address, Address ip) {
  if (emit.wants_every_access()) [[unlikely]]
    return access(kKind, address, kSize, ip, kCounts);
  Thread& thread = *current->core;
  if (thread.fast.mask == 0) [[unlikely]]
    settle_check(thread);
  if constexpr (kSize <= kGranuleBytes) {
    if (try_simple_access<kKind, kSize, kCounts>(*current, address, ip)) return;
  }
  if (!thread.recording && detector.knows(thread, kKind, address, kSize)) {
    ++thread.accesses;
    return;
  }
  access(kKind, address, kSize, ip, kCounts);
}

template <AccessKind kKind>
void on_access_of(Address address, Address ip, Address size) {
  access(kKind, address, size, ip);
}

// A read in a function that conditions call.
void on_called_read(Address address, Address ip, ReadFlags flags) {
  ThreadState& self = *current;
  if (self.loops->spinning != nullptr) return note_called_read(self, address, flags, ip);
  if (flags.atomic()) return atomic_access(AccessKind::kRead, address, flags.size(), ip);
  access(AccessKind::kRead, address, flags.size(), ip);
}

template <AccessKind kKind>
void on_atomic_access(Address address, Address ip, Address size) {
  atomic_access(kKind, address, size, ip);
}

template <bool kKnown>
void on_rmw(Address address, Address size, Address done, Address ip) {
  ThreadState& self = *current;
  ++atomic_changes;
  if (const WaitingLoop* exit = self.loops->spinning; exit != nullptr) {
    return on_test_and_set(address, size << 1 | done, ip, exit);
  }
  if constexpr (!kKnown) become_atomic(self, address, size);
  note_atomic_on_stack(self, address, size);
  emit.atomic(*self.core, address, size, place(self, ip), [done] {
    return done != 0 ? Detector::AtomicOutcome{EventKind::kAtomicRmw, MemoryOrder::kAcqRel}
                     : Detector::AtomicOutcome{EventKind::kAtomicLoad, MemoryOrder::kAcquire};
  });
}

// --- building ----------------------------------------------------------------------------------------------------

constexpr Int kRax = offsetof(VexGuestAMD64State, guest_RAX);
constexpr Int kRcx = offsetof(VexGuestAMD64State, guest_RCX);
constexpr Int kRdx = offsetof(VexGuestAMD64State, guest_RDX);
constexpr Int kRsi = offsetof(VexGuestAMD64State, guest_RSI);
constexpr Int kRdi = offsetof(VexGuestAMD64State, guest_RDI);
constexpr Int kRsp = offsetof(VexGuestAMD64State, guest_RSP);

IRExpr* number(Address value) { return IRExpr_Const(IRConst_U64(value)); }

class Builder {
 public:
  Builder(IRSB* out, bool watches, bool accessor) : out_(out), watches_(watches), accessor_(accessor) {}

  void add(IRStmt* statement) { addStmtToIRSB(out_, statement); }
  IRExpr* assign(IRType type, IRExpr* value) {
    const IRTemp temporary = newIRTemp(out_->tyenv, type);
    add(IRStmt_WrTmp(temporary, value));
    return IRExpr_RdTmp(temporary);
  }
  IRExpr* get(Int offset) { return assign(Ity_I64, IRExpr_Get(offset, Ity_I64)); }

  template <class Function>
  void call(Int regparms, const char* name, Function* function, IRExpr** arguments, IRExpr* guard = nullptr) {
    IRDirty* dirty = unsafeIRDirty_0_N(regparms, name, reinterpret_cast<void*>(function), arguments);
    if (guard != nullptr) dirty->guard = guard;
    add(IRStmt_Dirty(dirty));
  }

  void access(AccessKind kind, IRExpr* address, int size, IRExpr* guard = nullptr) {
    if (!watches_) return;
    const bool reads = kind == AccessKind::kRead;
    if (reads && is_waited_for(address, size, guard)) return;
    if (reads && accessor_) {
      return call(3, "called_read", &on_called_read, mkIRExprVec_3(address, number(ip_), read_flags(size, false)),
                  guard);
    }
    if (atomic_ && size <= 8) {
      return call(3, "atomic", reads ? &on_atomic_access<AccessKind::kRead> : &on_atomic_access<AccessKind::kWrite>,
                  mkIRExprVec_3(address, number(ip_), number(static_cast<Address>(size))), guard);
    }
    if (guard == nullptr && (size == 1 || size == 2 || size == 4 || size == 8 || size == 16)) {
      guard = is_new(!reads, address, static_cast<unsigned>(size));
    }
    IRExpr** two = mkIRExprVec_2(address, number(ip_));
    const bool counting = reads && counts();
    switch (size) {
      case 1:
        return call_access(access_of<1>(reads, counting), two, guard);
      case 2:
        return call_access(access_of<2>(reads, counting), two, guard);
      case 4:
        return call_access(access_of<4>(reads, counting), two, guard);
      case 8:
        return call_access(access_of<8>(reads, counting), two, guard);
      case 16:
        return call_access(access_of<16>(reads, counting), two, guard);
      default:
        return call(3, "access", reads ? &on_access_of<AccessKind::kRead> : &on_access_of<AccessKind::kWrite>,
                    mkIRExprVec_3(address, number(ip_), number(static_cast<Address>(size))), guard);
    }
  }

  void rmw(const IRCAS* cas) {
    const bool pair = cas->oldHi != IRTemp_INVALID;
    const IRType type = typeOfIRExpr(out_->tyenv, cas->dataLo);
    const int size = sizeofIRType(type) * (pair ? 2 : 1);
    if (!pair && same(cas->dataLo, cas->expdLo)) return;  // lock or $0, (%rsp): a fence
    if (!watches_) return;
    IRExpr* done = equal(type, cas->oldLo, cas->expdLo);
    if (pair) {
      done = assign(Ity_I64, IRExpr_Binop(Iop_And64, done, equal(type, cas->oldHi, cas->expdHi)));
    }
    bool emitted = false;
    for_plan(PlanItem::What::kTestAndSet, [&](const PlanItem& item) {
      IRExpr* both = assign(Ity_I64, IRExpr_Binop(Iop_Or64, done, number(static_cast<Address>(size) << 1)));
      if (!emitted)
        call(3, "test_and_set", &on_test_and_set, mkIRExprVec_4(cas->addr, both, number(ip_), loop_of(item)));
      emitted = true;
    });
    if (emitted) return;
    call(3, "rmw", atomic_ ? &on_rmw<true> : &on_rmw<false>,
         mkIRExprVec_4(cas->addr, number(static_cast<Address>(size)), done, number(ip_)));
  }

  // Before the stack pointer is set.
  enum class StackMove : uint8_t { kGrows, kShrinks, kEither };
  void stack_pointer(IRExpr* fresh, StackMove move) {
    if (!watches_) return;
    IRExpr* old = get(kRsp);
    if (move != StackMove::kShrinks) stack_moves(old, fresh, fresh, old);
    if (move != StackMove::kGrows) stack_moves(old, fresh, old, fresh);
  }

  void dirty(const IRDirty* effects) {
    if (effects->mFx == Ifx_None) return;
    const bool one = effects->guard->tag == Iex_Const;
    IRExpr* guard = one ? nullptr : effects->guard;
    if (effects->mFx != Ifx_Write) access(AccessKind::kRead, effects->mAddr, effects->mSize, guard);
    if (effects->mFx != Ifx_Read) access(AccessKind::kWrite, effects->mAddr, effects->mSize, guard);
  }

  void set_ip(Address ip) {
    ip_ = ip;
    atomic_ = watches_ && is_cxx_atomic(ip);
  }

  // --- loops that wait

  // An instruction begins: a call of a condition, or a wait, may have returned here.
  void returned() {
    for_plan(PlanItem::What::kEvaluated, [&](const PlanItem&) { call(0, "spin_end", &on_spin_end, mkIRExprVec_0()); });
    for_plan(PlanItem::What::kWaited, [&](const PlanItem&) { call(0, "wait_end", &on_wait_end, mkIRExprVec_0()); });
  }

  void calls() {
    for_plan(PlanItem::What::kEvaluate, [&](const PlanItem& item) {
      call(3, "spin_begin", &on_spin_begin, mkIRExprVec_3(loop_of(item), number(item.detail), get(kRsp)));
    });
    for_plan(PlanItem::What::kWait, [&](const PlanItem& item) {
      call(2, "wait_begin", &on_wait_begin, mkIRExprVec_2(loop_of(item), number(item.detail)));
    });
  }

  // Control goes to `to`; guard: if it holds.
  void leaves(Address to, IRExpr* guard = nullptr) {
    for_plan(PlanItem::What::kLeave, [&](const PlanItem& item) {
      if (item.to == to) call(1, "spin_leave", &on_spin_leave, mkIRExprVec_1(loop_of(item)), guard);
    });
    for_plan(PlanItem::What::kWaitLeave, [&](const PlanItem& item) {
      if (item.to == to) leave_wait(item, guard);
    });
  }
  [[nodiscard]] Address ip() const { return ip_; }

  static bool same(const IRExpr* a, const IRExpr* b) {
    if (a->tag != b->tag) return false;
    if (a->tag == Iex_RdTmp) return a->Iex.RdTmp.tmp == b->Iex.RdTmp.tmp;
    return a->tag == Iex_Const && eqIRConst(a->Iex.Const.con, b->Iex.Const.con) != 0;
  }

 private:
  using OnAccess = void(Address, Address);
  template <unsigned kSize>
  static OnAccess* access_of(bool reads, bool counting) {
    if (!reads) return &on_access<AccessKind::kWrite, kSize, false>;
    return counting ? &on_access<AccessKind::kRead, kSize, true> : &on_access<AccessKind::kRead, kSize, false>;
  }
  void call_access(OnAccess* function, IRExpr** arguments, IRExpr* guard) {
    call(2, "access", function, arguments, guard);
  }

  // If other threads touched anything from `low` to `high`.
  void stack_moves(IRExpr* old, IRExpr* fresh, IRExpr* low, IRExpr* high) {
    IRExpr* above = assign(Ity_I1, IRExpr_Binop(Iop_CmpLT64U, load(&foreign_stack.begin), high));
    IRExpr* below = assign(Ity_I1, IRExpr_Binop(Iop_CmpLT64U, low, load(&foreign_stack.end)));
    IRExpr* both = assign(Ity_I64, IRExpr_Binop(Iop_And64, assign(Ity_I64, IRExpr_Unop(Iop_1Uto64, above)),
                                                assign(Ity_I64, IRExpr_Unop(Iop_1Uto64, below))));
    call(2, "stack", &stack_moved, mkIRExprVec_2(old, fresh),
         assign(Ity_I1, IRExpr_Binop(Iop_CmpNE64, both, number(0))));
  }

  IRExpr* binary(IROp what, IRExpr* a, IRExpr* b) { return assign(Ity_I64, IRExpr_Binop(what, a, b)); }
  IRExpr* shifted(IRExpr* value, unsigned bits) {
    return assign(Ity_I64, IRExpr_Binop(Iop_Shl64, value, IRExpr_Const(IRConst_U8(static_cast<UChar>(bits)))));
  }
  IRExpr* load_at(IRExpr* address) { return assign(Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, address)); }
  IRExpr* load(const void* word) { return load_at(number(reinterpret_cast<Address>(word))); }

  // Whether the thread has not done the same at its present time already, or that cannot be decided at once. As
  // compiler/emit/inline_check.cc; but here nobody knows whether the access is aligned.
  IRExpr* is_new(bool write, IRExpr* address, unsigned size) {
    IRExpr* check = load(&current_check);
    const auto field = [&](size_t offset) { return load_at(binary(Iop_Add64, check, number(offset))); };
    IRExpr* granule = binary(Iop_Add64, field(offsetof(FastCheck, granules)),
                             shifted(binary(Iop_And64, address, field(offsetof(FastCheck, mask))), 2));
    IRExpr* first = binary(Iop_And64, address, number(7));
    IRExpr* own = field(write ? offsetof(FastCheck, write) : offsetof(FastCheck, read));
    IRExpr* news = binary(Iop_Xor64, load_at(granule), own);
    if (size == 16) {
      IRExpr* second = load_at(binary(Iop_Add64, granule, number(sizeof(Granule))));
      news = binary(Iop_Or64, news, binary(Iop_Xor64, second, own));
    }
    if (size < 8) {
      constexpr uint64_t kOthers = ~(uint64_t{0xff} << ShadowWord::kBytesAt);
      IRExpr* shift = assign(Ity_I8, IRExpr_Unop(Iop_64to8, first));
      IRExpr* bytes =
          assign(Ity_I64, IRExpr_Binop(Iop_Shl64, number(((uint64_t{1} << size) - 1) << ShadowWord::kBytesAt), shift));
      news = binary(Iop_And64, news, binary(Iop_Or64, bytes, number(kOthers)));
    }
    news = binary(Iop_And64, news, write ? number(ShadowWord::kBitsOfWrites) : field(offsetof(FastCheck, read_bits)));
    // Not all of it is in the granule, or in the two.
    if (size >= 8) news = binary(Iop_Or64, news, first);
    if (size == 2 || size == 4) {
      news = binary(Iop_Or64, news, binary(Iop_And64, binary(Iop_Add64, first, number(size - 1)), number(8)));
    }
    return assign(Ity_I1, IRExpr_Binop(Iop_CmpNE64, news, number(0)));
  }

  template <class Emit>
  void for_plan(PlanItem::What what, Emit emit) {
    if (!watches_) return;
    for (const PlanItem* item = plan_at(ip_); item != nullptr; item = item->next) {
      if (item->ip == ip_ && item->what == what) emit(*item);
    }
  }
  [[nodiscard]] IRExpr* read_flags(int size, bool sweeps) const {
    return number(ReadFlags::make(static_cast<uint64_t>(size), atomic_ && size <= 8, sweeps));
  }
  // Whether the load of the instruction only counts.
  bool counts() {
    bool found = false;
    for_plan(PlanItem::What::kCounts, [&](const PlanItem&) { found = true; });
    return found;
  }
  static IRExpr* loop_of(const PlanItem& item) { return number(reinterpret_cast<Address>(item.loop)); }

  bool is_waited_for(IRExpr* address, int size, IRExpr* guard) {
    bool emitted = false;
    for_plan(PlanItem::What::kRead, [&](const PlanItem& item) {
      call(3, "spin_read", &on_spin_read,
           mkIRExprVec_4(address, read_flags(size, item.detail != 0), number(ip_), loop_of(item)), guard);
      emitted = true;
    });
    return emitted;
  }

  void leave_wait(const PlanItem& item, IRExpr* guard) {
    IRDirty* dirty =
        unsafeIRDirty_0_N(0, "wait_leave", reinterpret_cast<void*>(&on_wait_leave),
                          mkIRExprVec_3(loop_of(item), number(reinterpret_cast<Address>(item.recipe)), IRExpr_GSPTR()));
    if (guard != nullptr) dirty->guard = guard;
    dirty->nFxState = 1;
    VG_(memset)(&dirty->fxState, 0, sizeof(dirty->fxState));
    dirty->fxState[0].fx = Ifx_Read;
    dirty->fxState[0].offset = kRax;
    dirty->fxState[0].size = offsetof(VexGuestAMD64State, guest_R15) + 8 - kRax;
    add(IRStmt_Dirty(dirty));
  }

  // 1 or 0, as a word.
  IRExpr* equal(IRType type, IRTemp old, IRExpr* expected) {
    IROp compare = Iop_CmpEQ64;
    if (type == Ity_I32) compare = Iop_CmpEQ32;
    if (type == Ity_I16) compare = Iop_CmpEQ16;
    if (type == Ity_I8) compare = Iop_CmpEQ8;
    return assign(Ity_I64, IRExpr_Unop(Iop_1Uto64, assign(Ity_I1, IRExpr_Binop(compare, IRExpr_RdTmp(old), expected))));
  }

  IRSB* out_;
  bool watches_;
  bool accessor_;  // the code is of a function that conditions call
  Address ip_ = 0;
  bool atomic_ = false;  // the instruction is the C++ library's atomics'
};

// The instruction at `from` does an atomic operation on what it also loads: the load is part of it.
bool is_part_of_rmw(const IRSB* block, Int from, const IRExpr* address) {
  for (Int i = from; i < block->stmts_used; ++i) {
    const IRStmt* statement = block->stmts[i];
    if (statement->tag == Ist_IMark) return false;
    if (statement->tag == Ist_CAS && Builder::same(statement->Ist.CAS.details->addr, address)) return true;
  }
  return false;
}

// The load is of the address that the block returns to: nobody's variable, and written by code that may not be looked
// at.
bool is_return(const IRSB* block, const IRStmt* load) {
  return block->jumpkind == Ijk_Ret && block->next->tag == Iex_RdTmp &&
         block->next->Iex.RdTmp.tmp == load->Ist.WrTmp.tmp;
}

// Which way the stack pointer goes that the statement at `at` sets.
Builder::StackMove stack_move(const IRSB* block, Int at) {
  const IRExpr* fresh = block->stmts[at]->Ist.Put.data;
  for (Int i = at - 1; i >= 0 && fresh->tag == Iex_RdTmp; --i) {
    const IRStmt* statement = block->stmts[i];
    if (statement->tag != Ist_WrTmp || statement->Ist.WrTmp.tmp != fresh->Iex.RdTmp.tmp) continue;
    const IRExpr* value = statement->Ist.WrTmp.data;
    if (value->tag != Iex_Binop || value->Iex.Binop.arg2->tag != Iex_Const) break;
    const bool adds = value->Iex.Binop.op == Iop_Add64;
    if (!adds && value->Iex.Binop.op != Iop_Sub64) break;
    const bool up = adds == (static_cast<Long>(value->Iex.Binop.arg2->Iex.Const.con->Ico.U64) >= 0);
    return up ? Builder::StackMove::kShrinks : Builder::StackMove::kGrows;
  }
  return Builder::StackMove::kEither;
}

void add_statement(Builder& builder, const IRSB* in, Int at) {
  IRStmt* statement = in->stmts[at];
  switch (statement->tag) {
    case Ist_IMark:
      builder.set_ip(statement->Ist.IMark.addr + statement->Ist.IMark.delta);
      builder.add(statement);
      builder.returned();
      return;
    case Ist_WrTmp: {
      const IRExpr* value = statement->Ist.WrTmp.data;
      if (value->tag == Iex_Load && !is_part_of_rmw(in, at + 1, value->Iex.Load.addr) && !is_return(in, statement)) {
        builder.access(AccessKind::kRead, value->Iex.Load.addr, sizeofIRType(value->Iex.Load.ty));
      }
      break;
    }
    case Ist_Put:
      if (statement->Ist.Put.offset == kRsp) builder.stack_pointer(statement->Ist.Put.data, stack_move(in, at));
      break;
    case Ist_Store:
      builder.access(AccessKind::kWrite, statement->Ist.Store.addr,
                     sizeofIRType(typeOfIRExpr(in->tyenv, statement->Ist.Store.data)));
      break;
    case Ist_StoreG: {
      const IRStoreG* store = statement->Ist.StoreG.details;
      builder.access(AccessKind::kWrite, store->addr, sizeofIRType(typeOfIRExpr(in->tyenv, store->data)), store->guard);
      break;
    }
    case Ist_LoadG: {
      const IRLoadG* load = statement->Ist.LoadG.details;
      IRType type = Ity_INVALID;
      IRType widened = Ity_INVALID;
      typeOfIRLoadGOp(load->cvt, &widened, &type);
      builder.access(AccessKind::kRead, load->addr, sizeofIRType(type), load->guard);
      break;
    }
    case Ist_Dirty:
      builder.dirty(statement->Ist.Dirty.details);
      break;
    case Ist_Exit:
      if (statement->Ist.Exit.jk == Ijk_Boring) {
        builder.leaves(statement->Ist.Exit.dst->Ico.U64, statement->Ist.Exit.guard);
      }
      break;
    case Ist_CAS:
      builder.add(statement);
      builder.rmw(statement->Ist.CAS.details);
      return;
    default:
      break;
  }
  builder.add(statement);
}

// The wrappers' way to the tool.
bool is_event_function(Address address) {
  if (!is_preload(address)) return false;
  const HChar* name = nullptr;
  return VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), address, &name) && Text(name) == "norn_event";
}

void add_event(Builder& builder, IRSB* out) {
  const IRTemp result = newIRTemp(out->tyenv, Ity_I64);
  IRExpr** arguments = mkIRExprVec_4(builder.get(kRdi), builder.get(kRsi), builder.get(kRdx), builder.get(kRcx));
  builder.add(IRStmt_Dirty(unsafeIRDirty_1_N(result, 3, "event", reinterpret_cast<void*>(&on_event), arguments)));
  builder.add(IRStmt_Put(kRax, IRExpr_RdTmp(result)));
}

}  // namespace

IRSB* instrument(VgCallbackClosure* closure, IRSB* in, const VexGuestLayout* /*layout*/,
                 const VexGuestExtents* /*extents*/, const VexArchInfo* host, IRType /*guest_word*/,
                 IRType /*host_word*/) {
  const bool watches = watching && !is_opaque(closure->readdr);
  if (watches) look_ahead(closure->readdr, *host);
  IRSB* out = deepCopyIRSBExceptStmts(in);
  Builder builder(out, watches, watches && is_of_accessor(closure->readdr));
  Int at = 0;
  for (; at < in->stmts_used && in->stmts[at]->tag != Ist_IMark; ++at) builder.add(in->stmts[at]);
  for (; at < in->stmts_used; ++at) add_statement(builder, in, at);

  if (is_event_function(closure->readdr)) add_event(builder, out);
  if (in->next->tag == Iex_Const && in->jumpkind == Ijk_Boring) builder.leaves(in->next->Iex.Const.con->Ico.U64);
  if (in->jumpkind == Ijk_Call) builder.calls();
  if (in->jumpkind == Ijk_Call || in->jumpkind == Ijk_NoRedir) {
    builder.call(2, "call", &on_call, mkIRExprVec_2(builder.get(kRsp), number(builder.ip())));
  } else if (in->jumpkind == Ijk_Ret) {
    builder.call(1, "return", &on_return, mkIRExprVec_1(builder.get(kRsp)));
  }
  return out;
}

}  // namespace norn::vg
