// The HTML report: one page that needs nothing else, to be kept as a build's artifact or sent to a colleague. The page
// is built from report/web/ into formats/page.html, which is in norn; here the findings are written into it as JSON
// (report/web/src/model.ts says what the page reads), and as text for a browser that runs no scripts.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "report/race_fwd.h"
#include "report/source.h"

namespace norn::report {

struct PageEvent {
  std::string time;
  std::string words;
};

struct PageClass {
  std::string name;
  std::string consequence{};
  uint64_t k = 0;
  std::string evidence{};
};

// A decision of a run under control.
struct PageStep {
  uint32_t thread = 0;  // as reports number them
  std::string operation{};
  std::string place{};  // "bank.cpp:16"; empty: not known
  uint32_t site = 0;    // the low half of the statement's identity; 0: none
  uint32_t enabled = 0;
};

struct PageSchedule {
  uint64_t decisions = 0;  // of which the steps are the beginning
  std::vector<PageStep> steps{};
};

// What is known besides the findings of the run. What is empty is not shown.
struct PageFacts {
  std::string version{};
  std::string base{};  // paths below this directory are shown without it
  std::string started{};
  std::string directory{};
  std::string build{};
  std::string commit{};
  std::map<std::string, std::vector<PageEvent>> history{};  // by the finding's id
  std::map<std::string, PageClass> classes{};               // likewise, of what the findings do not classify
  std::map<std::string, PageSchedule> schedules{};          // by token
};

[[nodiscard]] std::string render_html(const Findings& findings, const PageFacts& facts, SourceFiles& sources);

}  // namespace norn::report
