// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/tool/guest_stacks.h"

#include "base/hash.h"
#include "base/text_hash.h"
#include "report/race.h"
#include "valgrind/debug_info/symbols.h"

namespace norn::vg {
namespace {

constexpr unsigned kChunkBits = 14;
constexpr unsigned kChunks = 1u << 14;  // 2^28 places
constexpr unsigned kBucketBits = 18;

constinit Place** chunks = nullptr;
constinit StackId* buckets = nullptr;
constinit StackId count = 1;  // 0 is nowhere

Place* node(StackId where) { return &chunks[where >> kChunkBits][where & ((1u << kChunkBits) - 1)]; }

// A call that is in a stack so often already is not in it once more: the stack is taken for the one that ends with the
// last such call. A recursion with two calls would have a place for each way through its tree.
constexpr unsigned kRepeats = 3;

StackId folded(StackId parent, Address ip) {
  StackId last = kNoStack;
  unsigned times = 0;
  for (StackId at = parent; at != kNoStack; at = node(at)->parent) {
    if (node(at)->ip != ip) continue;
    if (times == 0) last = at;
    if (++times == kRepeats) return last;
  }
  return kNoStack;
}

StackId intern(StackId parent, Address ip) {
  const uint64_t key = hash_pair(ip, parent);
  StackId& bucket = buckets[(key ^ key >> 29) >> (64 - kBucketBits - 8) & ((1u << kBucketBits) - 1)];
  for (StackId at = bucket; at != kNoStack; at = node(at)->next) {
    const Place* known = node(at);
    if (known->ip == ip && known->parent == parent) return known->stands_for == kNoStack ? at : known->stands_for;
  }
  if (count >> kChunkBits >= kChunks) return parent;  // the table is full: the caller's place is the next best
  if (chunks[count >> kChunkBits] == nullptr) {
    chunks[count >> kChunkBits] = static_cast<Place*>(memory.allocate_forever(sizeof(Place) << kChunkBits));
    if (chunks[count >> kChunkBits] == nullptr) return parent;
  }
  const StackId made = count++;
  const StackId stands_for = folded(parent, ip);
  *node(made) = {ip, 0, parent, bucket, VG_(current_DiEpoch)().n, stands_for};
  bucket = made;
  return stands_for == kNoStack ? made : stands_for;
}

// Places that were asked for last.
struct Recent {
  Address ip;
  StackId parent;
  StackId where;
};
constexpr unsigned kRecent = 1024;
constinit Recent recent[kRecent] = {};

}  // namespace

bool init_places() {
  chunks = static_cast<Place**>(memory.allocate_forever(kChunks * sizeof(*chunks)));
  buckets = static_cast<StackId*>(memory.allocate_forever(sizeof(*buckets) << kBucketBits));
  return chunks != nullptr && buckets != nullptr;
}

StackId place(ThreadState& state, Address ip) {
  // What longjmp left. (Valgrind keeps the stack pointer as it is at every access to memory.)
  const Address sp = VG_(get_SP)(state.host);
  while (state.top > state.calls && state.top[-1].sp < sp) --state.top;
  // The innermost calls whose place is not known yet.
  Call* from = state.top;
  while (from > state.calls && from[-1].where == kNoStack) --from;
  StackId where = from > state.calls ? from[-1].where : kNoStack;
  for (; from < state.top; ++from) {
    where = intern(where, from->site);
    from->where = where;
  }
  if (ip == 0) return where;
  Recent& known = recent[(ip ^ ip >> 9 ^ Address{where} * 31) % kRecent];
  if (known.ip != ip || known.parent != where) known = {ip, where, intern(where, ip)};
  return known.where;
}

const Place* place_at(StackId where) { return where == kNoStack || where >= count ? nullptr : node(where); }

uint64_t place_identity(StackId where) {
  const Place* at = place_at(where);
  if (at == nullptr) return 0;
  if (at->identity != 0) return at->identity;
  static constinit char bytes[1 << 14] = {};
  static constinit TextPool pool(bytes, sizeof(bytes));
  uint64_t hash = kNoBytes;
  bool done = false;
  for (const Place* frame_place = at; frame_place != nullptr && !done; frame_place = place_at(frame_place->parent)) {
    pool.clear();
    static constinit report::Frame frames[32] = {};
    const size_t size = frames_at(*frame_place, frames, 32, pool);
    for (size_t i = 0; i < size && !done; ++i) {
      const report::Frame& frame = frames[i];
      hash = text_hash(frame.function, hash);
      if (!frame.file.empty()) {
        hash = text_hash(report::base_name(frame.file), hash) * 31 + frame.line;
      } else {
        hash = text_hash(report::base_name(frame.module), hash) * 31 + frame.offset;
      }
      done = !frame.library;
    }
  }
  node(where)->identity = hash == 0 ? 1 : hash;
  return node(where)->identity;
}

}  // namespace norn::vg
