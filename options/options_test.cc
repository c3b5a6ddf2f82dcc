#include "options/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/string_sink.h"

namespace norn::options {
namespace {

std::string error_of(Text list) {
  Settings settings;
  OptionError error;
  return parse_options(settings, list, error) ? "" : std::string(view(error.message()));
}

TEST(Options, SetsEveryKind) {
  Settings settings;
  OptionError error;
  ASSERT_TRUE(
      parse_options(settings,
                    "engine=msm-long:cv=lost:spin=0:lib=off:fail-on=any:exitcode=0:halt_on_error:findings='/tmp/"
                    "a:b c':verbose=suppressions,stats",
                    error))
      << view(error.message());
  EXPECT_EQ(settings.engine, EngineKind::kMsmLong);
  EXPECT_EQ(settings.cv, ConditionMode::kLost);
  EXPECT_EQ(settings.spin, 0u);
  EXPECT_FALSE(settings.lib);
  EXPECT_EQ(settings.fail_on, FailOn::kAny);
  EXPECT_EQ(settings.exitcode, 0u);
  EXPECT_TRUE(settings.halt_on_error);
  EXPECT_EQ(view(settings.findings), "/tmp/a:b c");
}

TEST(Options, LastOneCounts) {
  Settings settings;
  OptionError error;
  ASSERT_TRUE(parse_options(settings, "spin=1::spin=2\n spin=3", error));
  EXPECT_EQ(settings.spin, 3u);
}

// The defaults people read are those that hold.
TEST(Options, TableSaysTheDefaults) {
  for (const Option& option : all_options()) {
    if (option.kind == OptionKind::kText || option.fallback == "none") continue;
    Settings settings;
    OptionError error;
    ASSERT_TRUE(set_option(settings, option.key, option.fallback, error)) << view(error.message());
    const Settings fresh;
    EXPECT_EQ(settings.engine, fresh.engine);
    EXPECT_EQ(settings.cv, fresh.cv);
    EXPECT_EQ(settings.spin, fresh.spin);
    EXPECT_EQ(settings.lib, fresh.lib);
    EXPECT_EQ(settings.fail_on, fresh.fail_on);
    EXPECT_EQ(settings.exitcode, fresh.exitcode);
    EXPECT_EQ(settings.halt_on_error, fresh.halt_on_error);
    EXPECT_EQ(settings.color, fresh.color);
  }
}

TEST(Options, EveryKeyIsStored) {
  for (const Option& option : all_options()) {
    Settings changed, fresh;
    OptionError error;
    const Text value = option.key == "engine"                                    ? "hb"
                       : option.key == "cv"                                      ? "off"
                       : option.key == "handover"                                ? "off"
                       : option.key == "lib"                                     ? "off"
                       : option.key == "new_memory" || option.key == "own_rules" ? "off"
                       : option.key == "history"                                 ? "full"
                       : option.key == "flags"                                   ? "race"
                       : option.key == "fail_on"                                 ? "none"
                       : option.key == "color"                                   ? "never"
                       : option.key == "verbose"                                 ? "options"
                       : option.key == "schedule"                                ? "random"
                                                                                 : "1";
    ASSERT_TRUE(set_option(changed, option.key, value, error)) << view(error.message());
    EXPECT_FALSE(changed == fresh) << view(option.key);
  }
}

TEST(Options, StrictIsAllRulesOff) {
  Settings strict, said;
  OptionError error;
  ASSERT_TRUE(parse_options(strict, "strict", error));
  ASSERT_TRUE(
      parse_options(said, "spin=0:cv=off:handover=off:history=full:new_memory=off:own_rules=off:flags=race", error));
  EXPECT_TRUE(strict == said);
  ASSERT_TRUE(parse_options(strict, "spin=3", error));
  EXPECT_EQ(strict.spin, 3u);
  EXPECT_FALSE(strict.handover);
  Settings off;
  ASSERT_TRUE(parse_options(off, "strict=off", error));
  EXPECT_TRUE(off == Settings());
}

TEST(Options, NamesTheNearest) {
  EXPECT_EQ(error_of("engin=hb"), "unknown option engin; did you mean engine?");
  EXPECT_EQ(error_of("supressions=x"), "unknown option supressions; did you mean suppressions?");
  EXPECT_EQ(error_of("fial_on=any"), "unknown option fial_on; did you mean fail_on?");
  EXPECT_EQ(error_of("weather=sunny"), "unknown option weather");
  EXPECT_EQ(error_of("engine=hybird"),
            "engine=hybird is not one of hybrid, hb, msm-short or msm-long; did you mean hybrid?");
  EXPECT_EQ(error_of("verbose=stat"),
            "verbose=stat is not one of suppressions, options, stats or loops; did you mean stats?");
}

TEST(Options, SaysWhatIsWrongWithValues) {
  EXPECT_EQ(error_of("spin=many"), "spin=many is not a number from 0 to 1000");
  EXPECT_EQ(error_of("exitcode=256"), "exitcode=256 is not a number from 0 to 255");
  EXPECT_EQ(error_of("spin=99999999999999999999999"), "spin=99999999999999999999999 is not a number from 0 to 1000");
  EXPECT_EQ(error_of("lib=maybe"), "lib=maybe is neither on nor off");
  EXPECT_EQ(error_of("suppressions="), "suppressions needs a value: suppressions=FILE");
  EXPECT_EQ(error_of("suppressions"), "suppressions needs a value: suppressions=FILE");
}

TEST(Options, UnderstandsTsan) {
  Settings settings;
  std::vector<std::string> unknown;
  parse_tsan_options(
      settings,
      "exitcode=3 "
      "halt_on_error=1:history_size=7,memory_limit_mb=500,report_signal_unsafe=0:supressions=x:print_suppressions=1",
      [](void* context, Text message) { static_cast<std::vector<std::string>*>(context)->emplace_back(view(message)); },
      &unknown);
  EXPECT_EQ(settings.exitcode, 3u);
  EXPECT_TRUE(settings.halt_on_error);
  EXPECT_EQ(settings.memory_limit, 500u);
  EXPECT_EQ(settings.verbose, uint32_t{kVerboseSuppressions});
  ASSERT_EQ(unknown.size(), 1u);
  EXPECT_EQ(unknown[0], "unknown key supressions; did you mean suppressions?");
}

TEST(EditDistance, CountsSwapsAsOne) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("ab", "ba"), 1u);
  EXPECT_EQ(edit_distance("fail-on", "fail_on"), 0u);
  EXPECT_EQ(edit_distance(std::string(1000, 'x').c_str(), "x"), 63u);
}

}  // namespace
}  // namespace norn::options
