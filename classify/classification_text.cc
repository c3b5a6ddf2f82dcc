#include "classify/classification_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <tuple>

#include "experiment/verdict_text.h"

namespace norn::classify {
namespace {

using Json = nlohmann::json;

std::string words_of_k(const Classification& what) {
  return fmt::format("k = {}, with {} input{}", what.k, what.paths, what.paths == 1 ? "" : "s");
}

std::string what_happens(const Classification& what) {
  std::string words = what.consequence;
  if (!what.detail.empty()) words += ": " + what.detail;
  return words;
}

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

}  // namespace

std::string text_of(const Classification& what, const std::vector<std::string>& command) {
  std::string out;
  switch (what.kind) {
    case Class::kSpecViolated:
      out = fmt::format("        spec-violated: {}{}\n", what_happens(what),
                        what.other.empty() ? "" : "; not in the other order");
      break;
    case Class::kOutputDiffers:
      out = fmt::format("        output-differs: {}\n", what_happens(what));
      break;
    case Class::kHarmless:
      out = fmt::format("        k-witness-harmless: both orders end alike, {}\n", words_of_k(what));
      break;
    case Class::kSingleOrdering:
      out = fmt::format("        single-ordering: {}\n", what.reason);
      break;
    case Class::kNone:
      return fmt::format("        not classified: {}\n", what.reason);
  }
  if (!what.evidence.empty()) out += experiment::replay_line(what.evidence, command);
  if (!what.other.empty()) out += "  the other order" + experiment::replay_line(what.other, command).substr(7);
  return out;
}

std::string text_of(const Classification& what, const experiment::ConfirmCandidate& candidate,
                    const std::vector<std::string>& command) {
  const std::string id = candidate.id.empty() ? "" : " · R" + candidate.id;
  return fmt::format("norn: {}{}\n      {}\n{}", candidate.title, id, candidate.places, text_of(what, command));
}

std::string json_of(const std::vector<Classified>& all, const std::vector<Input>& inputs) {
  Json list = Json::array();
  for (const Classified& one : all) {
    const Classification& what = one.classification;
    list.push_back({{"id", one.candidate.id},
                    {"title", one.candidate.title},
                    {"places", one.candidate.places},
                    {"class", text_or_null(std::string(name_of(what.kind)))},
                    {"consequence", text_or_null(what.consequence)},
                    {"detail", text_or_null(what.detail)},
                    {"reason", text_or_null(what.reason)},
                    {"k", what.k},
                    {"paths", what.paths},
                    {"input", text_or_null(inputs[what.input].words)},
                    {"evidence", text_or_null(what.evidence)},
                    {"other_order", text_or_null(what.other)},
                    {"seconds", one.seconds}});
  }
  return Json({{"norn", 1}, {"classify", list}}).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

bool comes_first(const Classification& a, const Classification& b) {
  return std::tuple(a.kind, a.race) < std::tuple(b.kind, b.race);
}

}  // namespace norn::classify
