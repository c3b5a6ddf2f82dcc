#include "runtime/control/interest.h"

#include "norn/site.h"
#include "report/race.h"
#include "runtime/hooks/stack_ids.h"
#include "runtime/process/settings.h"
#include "runtime/reporting/reporter.h"

namespace norn::rt::control {
namespace {

struct Target {
  uint32_t identity = 0;  // the low half
  Text file;              // not empty: this and the line say it instead
  uint32_t line = 0;
  bool arms = false;
};
constexpr uint32_t kMaxTargets = 8;
// The first site counts for a thread only when it has been at this one: `+` before it.
constexpr uint8_t kArmingSite = 1u << (kMaxTargets - 1);
constinit bool has_arming_site = false;
constinit Target targets[kMaxTargets];
constinit uint32_t target_count = 0;

uint8_t match(uint64_t identity, const norn_site* own) {
  uint8_t mask = 0;
  for (uint32_t i = 0; i < target_count; ++i) {
    const Target& target = targets[i];
    const bool is_it = target.file.empty() ? target.identity == static_cast<uint32_t>(identity)
                                           : own != nullptr && own->line == target.line && own->file != nullptr &&
                                                 report::base_name(own->file) == target.file;
    if (is_it) mask = static_cast<uint8_t>(mask | (target.arms ? kArmingSite : 1u << i));
  }
  return mask;
}

constexpr uint32_t kMatched = 1024;
constinit Matched matched[kMatched];

}  // namespace

bool has_targets() { return target_count != 0; }

void read_targets(Text list) {
  while (!list.empty() && target_count < kMaxTargets) {
    size_t end = 0;
    size_t at = 0;
    for (; end < list.size && list[end] != ','; ++end) at = list[end] == '@' ? end : at;
    Text word = list.part(0, end);
    list = list.part(end + 1);
    Target& target = targets[target_count++];
    target.arms = !word.empty() && word[0] == '+';
    if (target.arms) {
      has_arming_site = true;
      word = word.part(1);
      if (at != 0) --at;
    }
    if (at != 0) {
      target.file = report::base_name(word.part(0, at));
      for (const char c : word.part(at + 1)) target.line = target.line * 10 + static_cast<uint32_t>(c - '0');
      continue;
    }
    for (const char c : word) {
      target.identity = target.identity << 4 | static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
  }
}

void name_site(const Matched& site) {
  constexpr uint32_t kNamed = 4096;
  static constinit uint32_t named[kNamed] = {};
  if (!rt::start.settings.places || site.own == nullptr) return;
  uint32_t& place = named[site.identity % kNamed];
  if (place == site.identity) return;
  place = site.identity;
  report_place(site.identity, *site.own);
}

Matched find_out(const ThreadState& state, const norn_site* site) {
  // A statement of the program's own code is itself, whoever called it.
  const bool is_own = site != nullptr && (site->flags & NORN_SITE_LIBRARY) == 0;
  Matched& known = matched[reinterpret_cast<uintptr_t>(site) / sizeof(norn_site) % kMatched];
  if (is_own && known.site == site) return known;
  const norn_site* own = nullptr;
  const uint64_t identity = identity_here(state, site, own);
  const Matched found = {site, own, static_cast<uint32_t>(identity), match(identity, own)};
  if (is_own) known = found;
  return found;
}

uint8_t sites_for(Slot& self, uint8_t mask) {
  if (!has_arming_site) return mask;
  if ((mask & kArmingSite) != 0) self.armed = true;
  constexpr unsigned kFirst = schedule::kFirstSite;
  return static_cast<uint8_t>(mask & ~unsigned{kArmingSite} & ~(self.armed ? 0u : kFirst));
}

}  // namespace norn::rt::control
