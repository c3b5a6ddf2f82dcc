#include "hive/agent/wire_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

#include "hive/api/api_json.h"

namespace norn::hive {
namespace {

using nlohmann::json;
namespace wire = probe::wire;

constexpr std::pair<uint8_t, const char*> kFacts[] = {{wire::kReachedA, "reached-a"},
                                                      {wire::kReachedB, "reached-b"},
                                                      {wire::kThreads, "threads"},
                                                      {wire::kAliasing, "aliasing"},
                                                      {wire::kShared, "shared"}};
constexpr std::pair<uint8_t, const char*> kStages[] = {
    {wire::kInfer, "infer"}, {wire::kDetect, "detect"}, {wire::kSteer, "steer"}, {wire::kAsk, "ask"}};

template <size_t size>
json words_of(const std::pair<uint8_t, const char*> (&names)[size], uint8_t bits) {
  json words = json::array();
  for (const auto& [bit, word] : names)
    if ((bits & bit) != 0) words.push_back(word);
  return words;
}

json stack_of(const wire::Result& result, const wire::Stack& stack) {
  json frames = json::array();
  for (size_t i = 0; i < stack.count; ++i) {
    const wire::Frame& frame = stack.frames[i];
    // A file's name, never its directory.
    std::string module = frame.module < result.module_count ? result.modules[frame.module] : "";
    module.erase(0, module.rfind('/') + 1);
    frames.push_back({{"module", module}, {"offset", fmt::format("{:x}", frame.offset)}});
  }
  return frames;
}

int64_t number(uint64_t value) {
  return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
}

}  // namespace

std::string build_of(const wire::Hello& hello) {
  std::string build;
  for (size_t i = 0; i < hello.build_size; ++i) build += fmt::format("{:02x}", hello.build[i]);
  return build;
}

ResultKind kind_of_facts(uint8_t facts) {
  const bool both = (facts & wire::kReachedA) != 0 && (facts & wire::kReachedB) != 0;
  if (!both) return ResultKind::kNotSeen;
  if ((facts & wire::kShared) != 0) return ResultKind::kContext;
  if ((facts & wire::kThreads) != 0 && (facts & wire::kAliasing) == 0) return ResultKind::kNotAliasing;
  return ResultKind::kSingleContext;
}

ResultKind kind_of(const wire::Result& result) {
  switch (result.kind) {
    case wire::ResultKind::kContext:
      return ResultKind::kContext;
    case wire::ResultKind::kRace:
      return ResultKind::kRace;
    case wire::ResultKind::kNoRace:
      return ResultKind::kNoRace;
    case wire::ResultKind::kTimeout:
      return ResultKind::kTimeout;
    case wire::ResultKind::kCrash:
      return ResultKind::kCrash;
    case wire::ResultKind::kHang:
      return ResultKind::kHang;
    case wire::ResultKind::kMisbehaved:
      return ResultKind::kMisbehaved;
    case wire::ResultKind::kBehaved:
      return ResultKind::kBehaved;
    case wire::ResultKind::kNotProbed:
      return ResultKind::kNotProbed;
    case wire::ResultKind::kProgress:
    case wire::ResultKind::kNotSeen:
      break;
  }
  return kind_of_facts(result.facts);
}

Result result_of(const wire::Result& result) {
  Result told;
  told.kind = kind_of(result);
  told.order = static_cast<Order>(result.order);
  // A race whose order was not seen is as weak as one in the order that was asked for.
  if (told.kind == ResultKind::kRace && told.order == Order::kNone) told.order = Order::kPrimary;
  told.tau = result.tau;
  json detail{{"facts", words_of(kFacts, result.facts)},
              {"stages", words_of(kStages, result.stages)},
              {"reached_a", number(result.reached[0])},
              {"reached_b", number(result.reached[1])},
              {"held", number(result.held)},
              {"synchronizations", number(result.synchronizations)},
              {"watched", result.watched}};
  if (result.signal != 0) detail["signal"] = result.signal;
  json stacks = json::array();
  for (const wire::Stack& stack : result.stacks) stacks.push_back(stack_of(result, stack));
  if (result.stacks[0].count + result.stacks[1].count > 0) detail["stacks"] = stacks;
  told.detail = write_json(detail);
  return told;
}

wire::Task wire_task(const Task& task, uint64_t number, uint32_t round, bool steer, bool ask) {
  wire::Task told;
  told.task = number;
  for (size_t i = 0; i < 2; ++i) told.sites[i] = std::strtoull(task.sites[i].c_str(), nullptr, 16);
  told.round = round;
  told.tau = static_cast<uint32_t>(std::min<int64_t>(task.tau, wire::kLongestTau));
  told.stages = wire::kInfer;
  if (task.detect) told.stages |= wire::kDetect;
  if (task.steer && steer) told.stages |= wire::kSteer;
  if (task.steer && steer && ask) told.stages |= wire::kAsk;
  told.order = task.order == Order::kAlternate ? wire::Order::kAlternate : wire::Order::kPrimary;
  return told;
}

}  // namespace norn::hive
