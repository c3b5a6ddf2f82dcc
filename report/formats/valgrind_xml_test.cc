#include "report/formats/valgrind_xml.h"

#include <gtest/gtest.h>

#include "report/record_reader.h"
#include "report/testing/example.h"

namespace norn::report {
namespace {

size_t occurrences(const std::string& text, const std::string& what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

Findings bank_findings(const Race& race) {
  Findings findings;
  findings.run = example::bank_run();
  findings.races.push_back(race);
  return findings;
}

TEST(ValgrindXml, IsHelgrinds) {
  const std::string xml = render_valgrind_xml(bank_findings(example::bank_race()), "0.1.0");
  for (const char* part : {
           "<protocolversion>4</protocolversion>",
           "<protocoltool>helgrind</protocoltool>",
           "  <unique>0x3f9c1a02</unique>\n  <tid>2</tid>\n  <threadname>teller-2</threadname>\n  <kind>Race</kind>\n"
           "  <xwhat>\n"
           "    <text>Possible data race during write of size 4 at 0x404060 by thread #2</text>\n"
           "    <hthreadid>2</hthreadid>\n  </xwhat>\n  <stack>\n    <frame>\n      <ip>0x11A4</ip>\n"
           "      <obj>/home/ann/bank</obj>\n      <fn>deposit(Account&amp;, int)</fn>\n"
           "      <file>bank.cpp</file>\n      <line>14</line>\n    </frame>\n",
           "<text>This conflicts with a previous read of size 4 by thread #1</text>",
           "<auxwhat>Address 0x404060 is 0 bytes inside data symbol \"account\"</auxwhat>",
           "<hthreadid>1</hthreadid>\n  <isrootthread></isrootthread>",
           "<count>1998</count>\n    <unique>0x3f9c1a02</unique>",
           "<time>00:00:00:00.120 </time>",
       })
    EXPECT_NE(xml.find(part), std::string::npos) << part << "\n" << xml;
}

TEST(ValgrindXml, NornsOwnLineHasValuesAndClass) {
  Race race = example::bank_race();
  race.accesses[0].values = {
      .has_value = true, .has_old_value = true, .type = ValueType::kSigned, .value = 4, .old_value = 3};
  race.classification = {.name = "spec-violated", .consequence = "crash", .k = 2, .evidence = "n2abc"};
  const std::string xml = render_valgrind_xml(bank_findings(race), "0.1.0");
  EXPECT_NE(xml.find("<auxwhat>norn: observed race on account.balance, write (3 → 4) by thread #2 no locks held, "
                     "read by thread #1 holding audit_mutex, R3f9c1a02, spec-violated: crash (norn replay n2abc)"
                     "</auxwhat>"),
            std::string::npos)
      << xml;
}

TEST(ValgrindXml, Balances) {
  Race race = example::bank_race();
  race.location.name = "<&>\x01";
  const std::string xml = render_valgrind_xml(bank_findings(race), "0.1.0");
  for (const char* element : {"error", "stack", "frame", "announcethread", "xwhat", "xauxwhat", "auxwhat", "pair"})
    EXPECT_EQ(occurrences(xml, std::string("<") + element + ">"), occurrences(xml, std::string("</") + element + ">"))
        << element;
  EXPECT_NE(xml.find("&lt;&amp;&gt;?"), std::string::npos);
}

TEST(ValgrindXml, HazardsAreErrorsToo) {
  Findings findings;
  findings.run = example::bank_run();
  findings.hazards.push_back(example::bank_hazard());
  findings.hazards.push_back(example::bank_hazard());
  findings.hazards[1].kind = HazardKind::kDeadlock;
  findings.hazards[1].title = "deadlock: 2 <threads>";
  const std::string xml = render_valgrind_xml(findings, "0.1.0");
  for (const char* part : {
           "<unique>0x5e1f0b77</unique>\n  <tid>2</tid>\n  <threadname>teller-2</threadname>\n  "
           "<kind>LockOrder</kind>\n  "
           "<what>lock order: savings.lock, account.lock are taken in different orders: possible deadlock</what>\n  "
           "<stack>\n",
           "<auxwhat>thread #3 holds account.lock (taken at bank.cpp:18) and takes savings.lock</auxwhat>\n  <stack>\n",
           "<auxwhat>norn: predicted, thread #2 holds savings.lock (taken at bank.cpp:40) and takes account.lock, "
           "R5e1f0b77</auxwhat>",
           "<kind>Misc</kind>\n  <what>deadlock: 2 &lt;threads&gt;</what>",
           "<count>1</count>\n    <unique>0x5e1f0b77</unique>",
       })
    EXPECT_NE(xml.find(part), std::string::npos) << part << "\n" << xml;
  EXPECT_EQ(occurrences(xml, "<stack>"), 4u);
}

TEST(ValgrindXml, SaysWhatTheSchedulerShowed) {
  Race race = example::bank_race();
  race.confirmation = {.runs = 20};
  EXPECT_NE(render_valgrind_xml(bank_findings(race), "0").find(", R3f9c1a02, observed · not met in 20 runs</auxwhat>"),
            std::string::npos);
  race.confirmation = {.runs = 20, .confirmed = 18, .token = "n2abc"};
  EXPECT_NE(render_valgrind_xml(bank_findings(race), "0")
                .find(", R3f9c1a02, confirmed in 18 of 20 runs (norn replay n2abc)</auxwhat>"),
            std::string::npos);
}

TEST(ValgrindXml, SuppressedAreOnlyCounted) {
  Race race = example::bank_race();
  race.suppressed = true;
  race.suppressed_by = "race:deposit";
  const std::string xml = render_valgrind_xml(bank_findings(race), "0.1.0");
  EXPECT_EQ(occurrences(xml, "<error>"), 0u);
  EXPECT_NE(xml.find("<count>1</count>\n    <name>race:deposit</name>"), std::string::npos);
}

}  // namespace
}  // namespace norn::report
