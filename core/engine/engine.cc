#include "core/engine/engine.h"

namespace norn {

void describe_pair(const EngineContext& context, RacingPair& pair, const Thread& thread, const WordAccess& access,
                   uint8_t common, AccessKind earlier, Slot slot, ClockValue time, LocksetId lockset, StackId where) {
  const auto first = static_cast<unsigned>(__builtin_ctz(common));
  // Bytes in common need not be adjacent; this is their first run.
  unsigned size = 0;
  while ((common >> (first + size) & 1) != 0) ++size;
  pair.address = access.word + first;
  pair.size = size;
  pair.earlier = {earlier, context.slots->tenant(slot, time), where, lockset};
  pair.later = {access.kind, thread.id, access.where, thread.lockset};
  pair.earlier_at = {slot, time};
}

}  // namespace norn
