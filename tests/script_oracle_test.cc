// Are the scripts in tests/scripts/ right? What they expect of hb and hybrid must be what the oracle says.
#include "tests/script/expectations.h"
#include "tests/script_files.h"

int main(int argc, char** argv) {
  using namespace norn;
  return script::run_script_tests(argc, argv, "ScriptOracle", [](const script::Script& s) {
    oracle::Verdict verdict = oracle::judge(s.events, {s.cv, s.spin, s.handover, s.lib});
    for (EngineKind engine : s.engines) {
      if (engine != EngineKind::kHb && engine != EngineKind::kHybrid) continue;
      for (const std::string& line : disagreements(s, engine, script::findings_of(verdict, s.events, engine)))
        ADD_FAILURE() << "the oracle says otherwise: " << line;
    }
  });
}
