// A program that a developer submits: what identifies its build, and the candidates of norn static.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hive/store.h"
#include "report/record_reader.h"

namespace norn::hive {

struct Submission {
  Version version;
  std::string records;  // report/record.h
  report::Findings findings{};
  std::vector<Candidate> candidates{};
};

// Throws BadRequest if it is none.
[[nodiscard]] Submission submission_in(const nlohmann::json& body);
// The body that says so, with excerpts of the sources as they lie here. Nothing and one line in `error` if `records`
// are none.
[[nodiscard]] std::optional<nlohmann::json> submission_of(const Version& version, const std::string& records,
                                                          std::string& error);
// What is known of its races goes into the casebook's tables, the rest into the hive's.
void store_submission(const std::string& database, Store& store, const Submission& submission, int64_t now);

// What a program's processes say they are: its build id, or what stands for one. Nothing: there is no such file.
[[nodiscard]] std::optional<std::string> build_name(const std::string& path);

// A file as the database keeps it (zstd, then base64), and whole again; nothing: it is damaged.
[[nodiscard]] std::vector<std::string> file_parts(std::string_view file);
[[nodiscard]] std::optional<std::string> whole_of(const std::vector<std::string>& parts, size_t size);

// The casebook's tables of a database as a file of SQLite, in bytes.
[[nodiscard]] std::string casebook_file(const std::string& database);

}  // namespace norn::hive
