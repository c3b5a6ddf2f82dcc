#include "report/lock_order_hazard.h"

#include "base/text_hash.h"
#include "report/race_id.h"

namespace norn::report {

const Hazard& LockOrderDescription::describe(List<LockOrderStep> steps) {
  Buffer title(title_, sizeof(title_));
  Buffer places(places_, sizeof(places_));
  Buffer words(words_, sizeof(words_));
  // The same for each beginning of the cycle.
  uint64_t sum = 0;
  uint64_t product = 1;
  size_t count = 0;
  title.sink().put("lock order: ");
  for (const LockOrderStep& step : steps) {
    if (count == kMaxSteps) break;
    sum += step.site;
    product *= step.site | 1;
    title.sink().put(count == 0 ? "" : ", ");
    title.sink().put(step.holds);
    places.sink().put(count == 0 ? "" : " / ");
    places.sink().put(step.wants_at);
    const size_t begin = words.text().size;
    const Text parts[] = {"holds ", step.holds, " (taken at ", step.holds_at, ") and takes ", step.wants};
    for (const Text& part : parts) words.sink().put(part);
    steps_[count] = {step.thread, step.thread_name, words.text().part(begin), step.stack};
    sites_[count++] = step.site;
  }
  hazard_ = {};
  hazard_.id = race_id(sum, product ^ text_hash("lock-order"));
  hazard_.kind = HazardKind::kLockOrder;
  hazard_.title = title.text();
  hazard_.places = places.text();
  hazard_.sites = {sites_, count};
  hazard_.steps = {steps_, count};
  return hazard_;
}

}  // namespace norn::report
