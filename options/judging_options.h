// The options that say what a race is, as a list: a trace has those of its run, and an analysis does as they say unless
// it is told otherwise. Freestanding.
#pragma once

#include "base/sink.h"
#include "core/engine/engines.h"
#include "options/run_settings.h"

namespace norn::options {

inline void put_judging_options(const Settings& settings, Sink sink) {
  const auto flag = [&](Text key, bool value) {
    sink.put(key);
    sink.put(value ? '1' : '0');
  };
  sink.put("engine=");
  sink.put(engine_name(settings.engine));
  sink.put(":cv=");
  sink.put(settings.cv == ConditionMode::kOff ? "off" : settings.cv == ConditionMode::kLost ? "lost" : "wr");
  sink.put(settings.history == History::kShort ? ":history=short" : ":history=full");
  flag(":handover=", settings.handover);
  flag(":lib=", settings.lib);
  flag(":new_memory=", settings.new_memory);
  flag(":own_rules=", settings.own_rules);
  if (settings.flags == Flags::kRace) sink.put(":flags=race");
}

}  // namespace norn::options
