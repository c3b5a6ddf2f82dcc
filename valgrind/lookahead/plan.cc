// SPDX-License-Identifier: GPL-2.0-or-later
#include "valgrind/lookahead/plan.h"

#include "base/hash.h"

namespace norn::vg {
namespace {

constexpr unsigned kBuckets = 1u << 14;
constinit PlanItem* items[kBuckets] = {};

PlanItem*& bucket(Address ip) { return items[hash_word(ip) >> 50]; }

}  // namespace

void plan(PlanItem::What what, Address ip, const WaitingLoop* loop, uint32_t detail, Address to, const Recipe* recipe) {
  for (const PlanItem* known = bucket(ip); known != nullptr; known = known->next) {
    if (known->ip == ip && known->what == what && known->loop == loop && known->to == to) return;
  }
  auto* item = memory.create<PlanItem>();
  if (item == nullptr) return;
  *item = {what, detail, ip, to, loop, recipe, bucket(ip)};
  bucket(ip) = item;
}

const PlanItem* plan_at(Address ip) { return bucket(ip); }

}  // namespace norn::vg
