#include "trace/std_text.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <sstream>

namespace norn::trace {
namespace {

class StdText : public testing::Test {
 protected:
  std::string path_ =
      (std::filesystem::temp_directory_path() / ("norn-std-" + std::to_string(getpid()) + ".raw")).string();
  ~StdText() override { std::filesystem::remove(path_); }

  // Names by their first appearance: T0, V0, L0…
  static std::string renamed(const std::string& text) {
    std::map<std::string, std::string> names;
    std::string out;
    for (size_t i = 0; i < text.size();) {
      const bool begins = (i == 0 || text[i - 1] == '\n' || text[i - 1] == '(') && isupper(text[i]) != 0;
      if (!begins) {
        out += text[i++];
        continue;
      }
      size_t end = i;
      while (end < text.size() && text[end] != '|' && text[end] != ')') ++end;
      const std::string name = text.substr(i, end - i);
      const auto found = names.emplace(name, std::string(1, name[0]) + std::to_string(names.size())).first;
      out += found->second;
      i = end;
    }
    return out;
  }

  std::string there_and_back(const std::string& text) {
    std::istringstream in(text);
    std::string error;
    if (!read_std(in, "text", path_, error)) return error;
    const auto file = TraceFile::open(path_, error);
    if (!file) return error;
    std::ostringstream out;
    EXPECT_EQ(write_std(*file, out), "");
    return out.str();
  }
};

TEST_F(StdText, ThereAndBackItIsTheSame) {
  const std::string text =
      "T0|fork(T1)|0\n"
      "T0|w(V1)|7\n"
      "T0|acq(L1)|8\n"
      "T0|r(V2)|9\n"
      "T0|rel(L1)|0\n"
      "T1|acq(L1)|8\n"
      "T1|w(V2)|9\n"
      "T1|rel(L1)|0\n"
      "T1|r(V1)|12\n"
      "T0|join(T1)|0\n";
  EXPECT_EQ(renamed(there_and_back(text)), renamed(text));
}

TEST_F(StdText, WhatIsNoEventIsSaidWithItsLine) {
  EXPECT_EQ(there_and_back("T0|r(V1)|1\nhello\n"), "text:2: this is no event: say T0|r(V1)|loc");
  EXPECT_EQ(there_and_back("T0|spin(V1)|1\n"),
            "text:1: there is no operation spin; there are r, w, acq, rel, fork and join");
  EXPECT_EQ(there_and_back("|r(V1)|1"), "text:1: this is no event: say T0|r(V1)|loc");
  EXPECT_EQ(there_and_back("T0|r)V1(|1"), "text:1: this is no event: say T0|r(V1)|loc");
}

TEST_F(StdText, RecursionBeginAndEndAreLeftOut) {
  EXPECT_EQ(renamed(there_and_back("T0|begin(T0)|0\nT0|acq(L1)|1\nT0|acq(L1)|1\nT0|rel(L1)|0\nT0|rel(L1)|0\n"
                                   "T0|end(T0)|0\n")),
            renamed("T0|acq(L1)|1\nT0|rel(L1)|0\n"));
}

}  // namespace
}  // namespace norn::trace
