#include "experiment/verdict_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/string_sink.h"
#include "report/race.h"
#include "report/record.h"
#include "report/text_report.h"
#include "report/words/access_values.h"

namespace norn::experiment {
namespace {

using Json = nlohmann::json;

// As a JSON report has it; null if nothing is known.
Json json_of(const schedule::MetAccess (&met)[2]) {
  report::Confirmation confirmation;
  for (int i = 0; i < 2; ++i) {
    confirmation.met[i] = met_access(met[i]);
    confirmation.has_met |= confirmation.met[i].values.known();
  }
  const std::string text = collect([&](Sink sink) { report::write_met(confirmation, sink); });
  return text.empty() ? Json() : Json::parse(text);
}

// The derived word; null where schedules were explored without a candidate, and nothing was seen.
Json standing_of(const Verdict& verdict) {
  if (verdict.candidate.id.empty() && !verdict.is_confirmed()) return nullptr;
  return view(name_of(report::standing_of(verdict.candidate.detection, verdict.facts())));
}

// Why exploring ended.
std::string words_of_end(const Verdict& verdict) {
  switch (verdict.end) {
    case SearchEnd::kNothingNew:
      return fmt::format("; nothing new in the last {}", verdict.since_new);
    case SearchEnd::kNoTime:
      return "; then its time was up";
    case SearchEnd::kAllRuns:
    case SearchEnd::kFound:
      break;
  }
  return "";
}

// Ends that are alike: what a user sees of a crash, an assertion and an exception is the same signal or none.
enum class End { kBySignal, kMemoryError, kViolation, kNone, kByStatus, kOutput, kWell };
End end_of(Harm harm) {
  switch (harm) {
    case Harm::kCrash:
    case Harm::kSanitizer:
    case Harm::kAbort:
    case Harm::kAssertion:
    case Harm::kException:
      return End::kBySignal;
    case Harm::kMemoryError:
      return End::kMemoryError;
    case Harm::kPredicate:
      return End::kViolation;
    case Harm::kDeadlock:
    case Harm::kHang:
      return End::kNone;
    case Harm::kStatus:
      return End::kByStatus;
    case Harm::kOutput:
      return End::kOutput;
    case Harm::kNone:
      break;
  }
  return End::kWell;
}

// Whether the user has read of such an end with its token already.
bool is_told(End end, const std::vector<Verdict>& verdicts) {
  return std::any_of(verdicts.begin(), verdicts.end(),
                     [&](const Verdict& verdict) { return verdict.is_confirmed() && end_of(verdict.harm()) == end; });
}

// Of the run whose token is shown.
std::string values_of(const Verdict& verdict) {
  const auto& met = verdict.consequences[0].met;
  const std::string& places = verdict.candidate.places;
  const size_t middle = places.find(" / ");
  if (middle == std::string::npos) return "";
  const std::string of_sites[] = {places.substr(0, middle), places.substr(middle + 3)};
  const bool in_order = (met[0].sites & schedule::kFirstSite) != 0;
  return words_of(met, {of_sites[in_order ? 0 : 1], of_sites[in_order ? 1 : 0]});
}

std::string token_for(End end, const std::vector<Failure>& failures, const std::vector<Verdict>& verdicts) {
  for (const Verdict& verdict : verdicts)
    for (const SeenConsequence& seen : verdict.consequences)
      if (end_of(seen.consequence.harm) == end) return seen.replay;
  for (const Failure& failure : failures)
    if (end_of(failure.consequence.harm) == end && !failure.replay.empty()) return failure.replay;
  return "";
}

}  // namespace

std::string words_of(const schedule::MetAccess (&met)[2], const std::string (&places)[2]) {
  if (!met[0].is_known() && !met[1].is_known()) return "";
  const auto words = [&](int i) {
    const std::string values = collect(
        [&](Sink sink) { report::put_values(met_access(met[i]).values, met[i].writes == 0, met[i].size, sink); });
    return places[i] + (values.empty() ? "" : ": ") + values;
  };
  return fmt::format("{}, then {}", words(0), words(1));
}

std::string replay_line(const std::string& token, const std::vector<std::string>& command) {
  const std::string words = collect([&](Sink sink) {
    for (const std::string& word : command) {
      sink.put(' ');
      report::put_shell_word(norn::text_of(word), sink);
    }
  });
  return fmt::format("        replay: norn replay {} --{}\n", token, words);
}

std::string text_of_failures(const std::vector<Failure>& failures, const std::vector<Verdict>& verdicts,
                             const std::vector<std::string>& command) {
  std::string out;
  std::vector<End> done;
  for (const Failure& failure : failures) {
    const End end = end_of(failure.consequence.harm);
    if (std::find(done.begin(), done.end(), end) != done.end()) continue;
    if (!failure.replay.empty() && is_told(end, verdicts)) continue;
    done.push_back(end);
    const std::string token = token_for(end, failures, verdicts);
    if (failure.consequence.harm == Harm::kHang && token.empty()) {
      // A server and a slow program do so, too.
      out += fmt::format(
          "norn: the program did not end by itself ({}), and no schedule that was tried is known to hang: it may wait "
          "for "
          "what comes from outside, need more time, or hang in a way that could not be replayed\n",
          failure.consequence.detail);
      continue;
    }
    out += fmt::format(
        "norn: {}: {}{}{}; {}\n", failure.replay.empty() ? "the program failed by itself" : "a quiet schedule failed",
        words_of(failure.consequence.harm), failure.consequence.detail.empty() ? "" : ", ", failure.consequence.detail,
        token.empty() ? "no schedule that was tried ends so: it could not be replayed" : "a schedule ends so, too");
    if (!token.empty()) out += replay_line(token, command);
  }
  return out;
}

std::string text_of_usual(const Reference& reference) {
  if (reference.runs == 0) return "";
  if (reference.statuses.empty())
    return fmt::format("norn: note: none of {} runs ended by itself: no exit status counts as harm{}\n", reference.runs,
                       reference.never_ends ? ", nor does a run that does not end" : "");
  if (reference.statuses.size() == 1 && reference.statuses[0] == 0) return "";
  std::string list;
  for (const int status : reference.statuses) list += fmt::format("{}{}", list.empty() ? "" : ", ", status);
  return fmt::format("norn: note: of {} runs none ended with 0: exit status {} counts as usual\n", reference.runs,
                     list);
}

std::string text_of(const Verdict& verdict, const std::vector<std::string>& command) {
  const ConfirmCandidate& candidate = verdict.candidate;
  const bool explores = candidate.sites.empty();
  std::string out = "norn: ";
  if (!explores) out += fmt::format("R{} {} ({}): ", candidate.id, candidate.title, candidate.places);
  if (verdict.is_confirmed()) {
    out += explores ? fmt::format("something went wrong in {} of {} runs", verdict.confirmed, verdict.runs)
                    : fmt::format("confirmed in {} of {} runs", verdict.confirmed, verdict.runs);
    if (!explores && candidate.kind == CandidateKind::kRace)
      out += verdict.first_then_second && verdict.second_then_first ? ", in both orders" : ", in one order";
  } else {
    out += explores ? fmt::format("nothing seen in {} runs{}", verdict.runs, words_of_end(verdict))
                    : fmt::format("{}{} runs", view(report::not_met_words(candidate.kind == CandidateKind::kAtomicity)),
                                  verdict.runs);
  }
  out += "\n";
  for (const SeenConsequence& seen : verdict.consequences) {
    if (!verdict.is_confirmed() && (explores || candidate.kind == CandidateKind::kAtomicity)) break;
    out += fmt::format("        {} in {} of them{}{}\n", words_of(seen.consequence.harm), seen.count,
                       verdict.is_confirmed() ? "" : ", though they did not meet",
                       seen.consequence.detail.empty() ? "" : ": " + seen.consequence.detail);
  }
  if (candidate.kind == CandidateKind::kAtomicity)
    out += fmt::format("        the other thread came between in {} of {} runs\n", verdict.came_between, verdict.runs);
  if (verdict.is_confirmed() && verdict.lost > 0)
    out += fmt::format("        {} of the other runs ended in a deadlock or hung before that\n", verdict.lost);
  if (verdict.disturbed)
    out += "        runs were in each other's way (they share the working directory), and made one at a time then\n";
  if (verdict.taken_away > 0)
    out += fmt::format("        in {} runs a thread blocked or ran on unseen, and its turn was taken away\n",
                       verdict.taken_away);
  if (verdict.runs > 0 && !verdict.is_confirmed())
    out += fmt::format(
        "        {:.0f} points and {:.0f} preemptions a run; {} pairs of statements that follow one another\n",
        verdict.mean_events, verdict.mean_preemptions, verdict.pairs);
  if (!verdict.deadlock.empty()) out += verdict.deadlock;
  if (!verdict.story.empty()) out += verdict.story;
  if (!verdict.is_confirmed()) return out;
  if (const std::string values = values_of(verdict); !values.empty())
    out += fmt::format("        values: {}\n", values);
  return out + replay_line(verdict.consequences[0].replay, command);
}

std::string json_of(const std::vector<Verdict>& verdicts, const std::vector<std::string>& command,
                    const options::Share& share) {
  Json all = Json::array();
  for (const Verdict& verdict : verdicts) {
    constexpr const char* kKinds[] = {"race", "deadlock", "atomicity"};
    Json orders = Json::array(), consequences = Json::array();
    if (verdict.first_then_second) orders.push_back("ab");
    if (verdict.second_then_first) orders.push_back("ba");
    for (const SeenConsequence& seen : verdict.consequences)
      consequences.push_back({{"kind", name_of(seen.consequence.harm)},
                              {"count", seen.count},
                              {"detail", seen.consequence.detail},
                              {"replay", seen.replay},
                              {"met", json_of(seen.met)}});
    const ConfirmCandidate& candidate = verdict.candidate;
    all.push_back({{"id", candidate.id.empty() ? Json() : Json(candidate.id)},
                   {"kind", kKinds[static_cast<size_t>(candidate.kind)]},
                   {"title", candidate.title},
                   {"places", candidate.places},
                   {"sites", candidate.sites},
                   {"standing", standing_of(verdict)},
                   {"runs", verdict.runs},
                   {"confirmed", verdict.confirmed},
                   {"orders", orders},
                   {"consequences", consequences},
                   {"mean_events", verdict.mean_events},
                   {"mean_preemptions", verdict.mean_preemptions},
                   {"length", verdict.length},
                   {"pairs", verdict.pairs},
                   {"came_between", verdict.came_between}});
  }
  Json json = {{"norn", 1}, {"command", command}, {"confirm", all}};
  if (share.count > 1) json["share"] = {share.index + 1, share.count};
  return json.dump(2) + "\n";
}

}  // namespace norn::experiment
