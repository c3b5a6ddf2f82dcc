// The scripts in tests/scripts/, one test case each.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "tests/script/script.h"

namespace norn::script {

// Every file of the folder, in the order of their names.
inline std::vector<std::filesystem::path> script_files(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (entry.path().extension() == ".script") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

inline ParseResult parse_file(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  return parse(text, path.filename().string());
}

// Registers a case per file and runs them: for main().
inline int run_script_tests(int argc, char** argv, const char* suite, const std::function<void(const Script&)>& check) {
  class Case : public testing::Test {
   public:
    Case(std::filesystem::path path, std::function<void(const Script&)> body)
        : path_(std::move(path)), body_(std::move(body)) {}
    void TestBody() override {
      ParseResult result = parse_file(path_);
      if (result.error) FAIL() << result.error->message;
      ASSERT_FALSE(result.script.expectations.empty() && result.script.states.empty()) << "nothing is expected";
      body_(result.script);
    }

   private:
    std::filesystem::path path_;
    std::function<void(const Script&)> body_;
  };

  testing::InitGoogleTest(&argc, argv);
  std::filesystem::path folder = argc > 1 ? argv[1] : "tests/scripts";
  if (!std::filesystem::is_directory(folder)) {
    std::fprintf(stderr, "%s: no such folder; start from the project's root or give the scripts' folder\n",
                 folder.c_str());
    return 2;
  }
  for (const auto& path : script_files(folder)) {
    std::string name = path.stem().string();
    testing::RegisterTest(suite, name.c_str(), nullptr, nullptr, path.c_str(), 1,
                          [=]() -> testing::Test* { return new Case(path, check); });
  }
  return RUN_ALL_TESTS();
}

}  // namespace norn::script
