#include "runtime/hooks/stack_ids.h"

#include "base/hash.h"
#include "norn/site.h"
#include "report/site_identity.h"

namespace norn::rt {

constinit std::atomic<uint32_t> unloads{0};

namespace {

constexpr unsigned kChunkBits = 14;
constexpr unsigned kChunks = 1u << 14;  // 2^28 nodes
constexpr unsigned kBucketBits = 18;

constinit std::atomic<StackNode*>* chunks = nullptr;
constinit std::atomic<StackId>* buckets = nullptr;
constinit std::atomic<uint32_t> count{1};  // 0 is kNoStack
constinit SpinMutex chunk_mutex;

StackNode* node(StackId stack) {
  StackNode* chunk = chunks[stack >> kChunkBits].load(std::memory_order_acquire);
  return chunk == nullptr ? nullptr : &chunk[stack & ((1u << kChunkBits) - 1)];
}

StackNode* make_node(StackId& stack) {
  stack = count.fetch_add(1, std::memory_order_relaxed);
  if (stack >> kChunkBits >= kChunks) {
    count.store(kChunks << kChunkBits, std::memory_order_relaxed);
    return nullptr;
  }
  std::atomic<StackNode*>& chunk = chunks[stack >> kChunkBits];
  if (chunk.load(std::memory_order_acquire) == nullptr) {
    const SpinLock lock(chunk_mutex);
    if (chunk.load(std::memory_order_relaxed) == nullptr) {
      chunk.store(static_cast<StackNode*>(memory.allocate_forever(sizeof(StackNode) << kChunkBits)),
                  std::memory_order_release);
    }
  }
  return node(stack);
}

// Nodes that were made at about the same time have their children in one page: a program that has few of them touches
// few pages.
std::atomic<StackId>& bucket_of(StackId parent, const norn_site* site) {
  constexpr unsigned kPageBits = 10;
  constexpr unsigned kNeighbours = 32;
  const uint64_t key = hash_pair(reinterpret_cast<uintptr_t>(site) >> 4, parent);
  const uint64_t in_page = (key ^ key >> 29) >> (64 - kPageBits - 8) & ((1u << kPageBits) - 1);
  const uint64_t page = parent / kNeighbours & ((1u << (kBucketBits - kPageBits)) - 1);
  return buckets[page << kPageBits | in_page];
}

// Most nodes have few children, made one after the other when they were first reached, and are looked for in that
// order again: a walk over neighbours in memory. Those of a node that has many are found through the buckets.
constexpr unsigned kFewChildren = 6;

StackId find_child(StackId head, StackId until, const norn_site* site, unsigned most) {
  for (StackId at = head; at != until && most > 0; at = node(at)->sibling, --most) {
    if (node(at)->site.load(std::memory_order_relaxed) == site) return at;
  }
  return kNoStack;
}

StackId find_in_bucket(StackId parent, const norn_site* site) {
  for (StackId at = bucket_of(parent, site).load(std::memory_order_acquire); at != kNoStack; at = node(at)->next) {
    if (node(at)->parent == parent && node(at)->site.load(std::memory_order_relaxed) == site) return at;
  }
  return kNoStack;
}

StackId intern(StackId parent, const norn_site* site) {
  StackNode* above = node(parent);
  StackId head = above->child.load(std::memory_order_acquire);
  StackId found = find_child(head, kNoStack, site, kFewChildren);
  if (found == kNoStack) found = find_in_bucket(parent, site);
  if (found != kNoStack) return found;
  StackId made = kNoStack;
  StackNode* fresh = make_node(made);
  if (fresh == nullptr) return parent;  // the table is full: the caller's is the next best
  fresh->site.store(site, std::memory_order_relaxed);
  fresh->parent = parent;
  for (;;) {
    const StackId searched = head;
    fresh->sibling = head;
    if (above->child.compare_exchange_weak(head, made, std::memory_order_acq_rel)) break;
    found = find_child(head, searched, site, ~0u);
    if (found != kNoStack) return found;
  }
  std::atomic<StackId>& bucket = bucket_of(parent, site);
  fresh->next = bucket.load(std::memory_order_relaxed);
  while (!bucket.compare_exchange_weak(fresh->next, made, std::memory_order_acq_rel)) {
  }
  return made;
}

// A recursion is shown twice round: a call that is twice among the last calls already stands where the last of them
// does. Otherwise each way through a tree would be a stack of its own (calling-context trees fold recursions for the
// same reason: Ammons, Ball, Larus, PLDI 1997).
StackId after_call(StackId parent, const norn_site* call) {
  constexpr unsigned kLook = 16;
  StackId last = kNoStack;
  StackId at = parent;
  for (unsigned i = 0; i < kLook && at != kNoStack; ++i, at = node(at)->parent) {
    if (node(at)->site.load(std::memory_order_relaxed) != call) continue;
    if (last != kNoStack) return last;
    last = at;
  }
  return intern(parent, call);
}

StackId called(ThreadState& state, StackId parent, const norn_site* call) {
  if (call == nullptr) return parent;
  ThreadState::Prefix& known = state.called[stack_key(call, parent) % ThreadState::kCalls];
  if (known.site != call || known.parent != parent) known = {call, parent, after_call(parent, call)};
  return known.stack;
}

// Whether the stack id of a call is at hand. (A foreign function's is forgotten when it begins.)
bool is_known(const CallStack& calls, size_t slot) {
  return CallStack::is_seen(calls.begin[slot]) || (is_foreign(calls, slot) && calls.stack_ids[slot] != kNoStack);
}

// The calls up to the top of the stack. A slot is written before those above it are: the call that pushed it is under
// way as long as they are used. So if a slot is marked as seen, nothing below it has changed since it was marked, and
// its stack id is still right: only what was pushed since is looked at.
StackId stack_id_of_calls(ThreadState& state, const norn_site* const* top) {
  const CallStack& calls = *state.running;
  // A stack that the runtime does not know (of a fiber nobody announced) is left out.
  if (top <= calls.begin || top > calls.end) return kNoStack;
  const auto depth = static_cast<size_t>(top - calls.begin);
  size_t i = depth;
  while (i > 0 && !is_known(calls, i - 1)) --i;
  StackId stack = i == 0 ? kNoStack : calls.stack_ids[i - 1];
  // Of a deep recursion the inner frames count; the window moves in steps, so that its stack ids are found again.
  constexpr size_t kWindow = ThreadState::kMostCalls;
  constexpr size_t kStep = kWindow / 2;
  for (; i < depth; ++i) {
    const norn_site* call = CallStack::site_of(calls.begin[i]);
    if (i > 0) stack = called(state, stack, call_under_way(calls, i - 1));
    StackId next = called(state, stack, call);
    const bool is_new = next != kNoStack && node(next)->parent == stack;
    if (is_new && (i == kWindow || (i > kWindow && (i + 1) % kStep == 0))) {
      stack = kNoStack;
      for (size_t k = (i + 1 - kStep) / kStep * kStep; k < i; ++k) {
        stack = called(state, stack, CallStack::site_of(calls.begin[k]));
      }
      next = called(state, stack, call);
    }
    stack = next;
    if (top != __norn_stack) continue;  // another thread's, or an old one: it is only looked at
    calls.stack_ids[i] = stack;
    if (!is_foreign(calls, i)) calls.begin[i] = CallStack::seen(calls.begin[i]);
  }
  return stack;
}

// Text of a module that goes away.
const char* copy_text(const char* text) {
  if (text == nullptr) return nullptr;
  size_t size = 0;
  while (text[size++] != '\0') {
  }
  auto* copy = static_cast<char*>(memory.allocate(size));
  for (size_t i = 0; copy != nullptr && i < size; ++i) copy[i] = text[i];
  return copy;
}

const norn_site* copy_site(const norn_site* site) {
  static constinit norn_site lost{};
  auto* copy = static_cast<norn_site*>(memory.allocate(sizeof(norn_site)));
  if (copy == nullptr) return &lost;
  *copy = *site;
  copy->file = copy_text(site->file);
  copy->directory = copy_text(site->directory);
  copy->function = copy_text(site->function);
  copy->expression = copy_text(site->expression);
  if (site->inlined_at != nullptr) copy->inlined_at = copy_site(site->inlined_at);
  return copy;
}

}  // namespace

bool init_stack_ids() {
  chunks = static_cast<std::atomic<StackNode*>*>(memory.allocate_forever(kChunks * sizeof(*chunks)));
  buckets = static_cast<std::atomic<StackId>*>(memory.allocate_forever(sizeof(*buckets) << kBucketBits));
  if (chunks == nullptr || buckets == nullptr) return false;
  // kNoStack is the parent of what nobody called.
  chunks[0].store(static_cast<StackNode*>(memory.allocate_forever(sizeof(StackNode) << kChunkBits)),
                  std::memory_order_release);
  return chunks[0].load(std::memory_order_relaxed) != nullptr;
}

const StackNode* stack_node(StackId stack) {
  return stack == kNoStack || stack >= count.load(std::memory_order_acquire) ? nullptr : node(stack);
}

StackId stack_id(ThreadState& state, const norn_site* site) { return stack_id_of(state, __norn_stack, site); }

StackId stack_id_of(ThreadState& state, const norn_site* const* top, const norn_site* site) {
  const Address frame = address_of(__builtin_frame_address(0));
  if (frame < state.lowest_frame) state.lowest_frame = frame;
  const uint32_t gone = unloads.load(std::memory_order_relaxed);
  if (state.unloads != gone) [[unlikely]] {
    for (ThreadState::Prefix& known : state.called) known.site = nullptr;
    for (ThreadState::Prefix& known : state.stack_ids) known.site = nullptr;
    state.unloads = gone;
  }
  StackId stack = stack_id_of_calls(state, top);
  // What a foreign function does itself says where it is; what it calls does not.
  const CallStack& calls = *state.running;
  if ((site == nullptr || (site->flags & kCodeSite) == 0) && top > calls.begin && top <= calls.end) {
    stack = called(state, stack, call_under_way(calls, static_cast<size_t>(top - calls.begin) - 1));
  }
  if (site == nullptr) return stack;
  ThreadState::Prefix& known = state.stack_ids[stack_key(site, stack)];
  if (known.site != site || known.parent != stack) known = {site, stack, intern(stack, site)};
  return known.stack;
}

namespace {

// Adds a site and what it was inlined into; true when one of them is not library code, which `own` is then.
bool add_to_identity(uint64_t& identity, const norn_site* site, const norn_site*& own) {
  for (site = named_site(site); site != nullptr; site = site->inlined_at) {
    identity = report::identity_with(identity, site->hash);
    if ((site->flags & NORN_SITE_LIBRARY) == 0) return own = site, true;
  }
  return false;
}

}  // namespace

uint64_t stack_identity(StackId stack) {
  uint64_t identity = 0;
  const norn_site* own = nullptr;
  for (const StackNode* at = stack_node(stack); at != nullptr; at = stack_node(at->parent)) {
    if (add_to_identity(identity, at->site.load(std::memory_order_relaxed), own)) break;
  }
  return identity;
}

uint64_t identity_here(const ThreadState& state, const norn_site* site, const norn_site*& own) {
  uint64_t identity = 0;
  own = nullptr;
  if (add_to_identity(identity, site, own)) return identity;
  const CallStack& calls = *state.running;
  const norn_site* const* top = __norn_stack;
  if (top <= calls.begin || top > calls.end) return identity;
  bool found = false;
  while (!found && top > calls.begin) {
    --top;
    const auto slot = static_cast<size_t>(top - calls.begin);
    const norn_site* call = is_foreign(calls, slot) ? call_under_way(calls, slot) : CallStack::site_of(*top);
    found = add_to_identity(identity, call, own);
  }
  return identity;
}

void forget_sites(const norn_site* begin, const norn_site* end) {
  const uint32_t all = count.load(std::memory_order_acquire);
  for (StackId stack = 1; stack < all; ++stack) {
    StackNode* at = node(stack);
    if (at == nullptr) continue;
    const norn_site* site = at->site.load(std::memory_order_relaxed);
    if (site >= begin && site < end) at->site.store(copy_site(site), std::memory_order_release);
  }
  unloads.fetch_add(1, std::memory_order_release);
}

}  // namespace norn::rt
