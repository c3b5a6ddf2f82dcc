// The engines run the scripts in tests/scripts/. Where hb or hybrid fails here and ScriptOracle does not, the engine is
// wrong. Plain accesses come through every door of the detector.
#include <map>

#include "tests/script/expectations.h"
#include "tests/script/runner.h"
#include "tests/script_files.h"

int main(int argc, char** argv) {
  using namespace norn;
  return script::run_script_tests(argc, argv, "Script", [](const script::Script& s) {
    for (EngineKind engine : s.engines) {
      bool machine = engine == EngineKind::kMsmShort || engine == EngineKind::kMsmLong;
      auto after = [&](size_t done, const script::StateOf& state_of) {
        for (const script::StateExpectation& expected : s.states)
          if (machine && expected.after == done && expected.engine.value_or(engine) == engine)
            EXPECT_EQ(state_of(expected.address), expected.state)
                << script::name_of(engine) << ": " << s.place(expected.address) << " at line " << expected.line;
      };
      for (const script::Door door : script::kDoors) {
        if (machine && door != script::Door::kSingle) continue;
        script::EngineOptions options = {engine, s.cv, s.spin, s.handover, s.lib};
        options.door = door;
        const script::RunResult result = script::run_events(s.events, options, after);
        for (const std::string& line : disagreements(s, engine, script::findings_of(result))) {
          ADD_FAILURE() << "door " << script::name_of(door) << ": " << line;
        }
      }
    }
  });
}
