// What the API's bodies say, read with suspicion and written. Everything that reads throws BadRequest, whose words are
// one line for the caller.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hive/store.h"

namespace norn::hive {

class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A body as JSON, nested sixteen deep at most.
[[nodiscard]] nlohmann::json json_in(std::string_view body);
// A text that is JSON, as the agent and verbs of the command line get it from a server.
[[nodiscard]] std::string text_in(const nlohmann::json& object, const char* name, size_t longest);
[[nodiscard]] int64_t number_in(const nlohmann::json& object, const char* name, int64_t least, int64_t most);

// {"builds": […]}
[[nodiscard]] std::vector<std::string> builds_in(const nlohmann::json& body);
// {"results": […]}: `most` at most.
[[nodiscard]] std::vector<Result> results_in(const nlohmann::json& body, size_t most);
// A version's name, as the API has it: hexadecimal digits, "hash:" before them if it is no build id.
[[nodiscard]] bool is_build(std::string_view text);

// What stands beside a candidate's two statements: {"file", "first", "line", "lines": […]} of each.
[[nodiscard]] nlohmann::json source_in(const nlohmann::json& source);

[[nodiscard]] nlohmann::json json_of(const Task& task);
[[nodiscard]] nlohmann::json json_of(const Result& result);
[[nodiscard]] nlohmann::json json_of(const StoredResult& result);
[[nodiscard]] nlohmann::json json_of(const Version& version);
[[nodiscard]] nlohmann::json json_of(const Token& token);
[[nodiscard]] nlohmann::json json_of(const SiteRow& site);
[[nodiscard]] nlohmann::json json_of(const Fleet& fleet, size_t index);

// A task as an agent reads it.
[[nodiscard]] Task task_in(const nlohmann::json& task);

// As text that is always UTF-8.
[[nodiscard]] std::string write_json(const nlohmann::json& json);

}  // namespace norn::hive
