#include "hive/api/submission.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "casebook/casebook.h"
#include "hive/api/api_json.h"
#include "report/race_variables.h"
#include "report/source.h"

namespace norn::hive {
namespace {

using nlohmann::json;

constexpr size_t kPart = size_t{4} << 20;
constexpr size_t kMost = 200'000;  // candidates
constexpr uint32_t kAround = 3;    // lines before and behind a statement

std::string hexadecimal(uint64_t number) { return fmt::format("{:x}", number); }

// Findings, or one line in `error`.
std::optional<report::Findings> findings_in(const std::string& records, std::string& error) {
  return report::merge_findings({{"the candidates", records}}, error);
}

Candidate candidate_of(const report::Race& race, bool is_flag) {
  return {.race = std::string(view(race.id.text())),
          .sites = {hexadecimal(race.accesses[0].site_id), hexadecimal(race.accesses[1].site_id)},
          .is_flag = is_flag,
          .source = {}};
}

// Without a statement's identity no probe can be named.
template <class Body>
void each_candidate(const report::Findings& findings, const Body& body) {
  for (const report::Race& race : findings.races)
    if (race.accesses[0].site_id != 0 && race.accesses[1].site_id != 0) body(race, false);
  for (const report::Race& race : findings.flags)
    if (race.accesses[0].site_id != 0 && race.accesses[1].site_id != 0) body(race, true);
}

json excerpt_of(const report::Access& access, report::SourceFiles& files) {
  const report::Frame& site = site_of(access);
  json lines = json::array();
  const uint32_t first = site.line > kAround ? site.line - kAround : 1;
  for (uint32_t line = first; site.line > 0 && line <= site.line + kAround; ++line)
    lines.push_back(files.line(site, line).substr(0, 200));
  // Without the file there is nothing to show.
  if (std::all_of(lines.begin(), lines.end(), [](const json& line) { return line == ""; })) lines = json::array();
  return {{"file", std::string(view(site.file))}, {"line", site.line}, {"first", first}, {"lines", lines}};
}

// What a reader sees of a candidate: the variable, its two accesses.
json described(const report::Race& race) {
  return {{"variable", collect([&](Sink sink) { put_location_name(race.location, sink); })},
          {"accesses", {casebook::access_words(race.accesses[0]), casebook::access_words(race.accesses[1])}}};
}

// A file that goes with its scope.
class ScratchFile {
 public:
  ScratchFile() {
    const int descriptor = mkstemp(path_.data());
    if (descriptor < 0) throw casebook::CasebookError("no file can be made in the directory of temporary files");
    close(descriptor);
  }
  ~ScratchFile() {
    std::error_code code;
    std::filesystem::remove(path_, code);
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "norn-hive-XXXXXX").string();
};

}  // namespace

Submission submission_in(const json& body) {
  Submission submission;
  submission.version = {.build = text_in(body, "build", 100),
                        .program = text_in(body, "program", 100),
                        .label = text_in(body, "label", 100)};
  if (!is_build(submission.version.build)) throw BadRequest("\"build\" is no identity of a build");
  submission.records = text_in(body, "records", ~size_t{0});
  std::string error;
  auto findings = findings_in(submission.records, error);
  if (!findings) throw BadRequest(fmt::format("\"records\": {}", error));
  submission.findings = std::move(*findings);
  const json sources = body.contains("sources") ? body["sources"] : json::object();
  if (!sources.is_object()) throw BadRequest("\"sources\" is no object");
  each_candidate(submission.findings, [&](const report::Race& race, bool is_flag) {
    if (submission.candidates.size() == kMost) throw BadRequest(fmt::format("more than {} candidates", kMost));
    Candidate candidate = candidate_of(race, is_flag);
    json shown = described(race);
    if (sources.contains(candidate.race)) shown["source"] = source_in(sources[candidate.race]);
    candidate.source = write_json(shown);
    submission.candidates.push_back(std::move(candidate));
  });
  return submission;
}

std::optional<json> submission_of(const Version& version, const std::string& records, std::string& error) {
  const auto findings = findings_in(records, error);
  if (!findings) return std::nullopt;
  json sources = json::object();
  report::SourceFiles files;
  each_candidate(*findings, [&](const report::Race& race, bool /*is_flag*/) {
    sources[std::string(view(race.id.text()))] = {excerpt_of(race.accesses[0], files),
                                                  excerpt_of(race.accesses[1], files)};
  });
  return json{{"build", version.build},
              {"program", version.program},
              {"label", version.label},
              {"records", records},
              {"sources", sources}};
}

void store_submission(const std::string& database, Store& store, const Submission& submission, int64_t now) {
  const casebook::Build build{.mark = submission.version.build, .path = submission.version.program, .modified = now};
  // One run for each version, however often it is submitted.
  const casebook::RunFacts run{
      .key = build.key(), .verb = "static", .command = {submission.version.program}, .build = build, .started = now};
  casebook::Casebook(database, casebook::Access::kWrite).add_run(run, &submission.findings);
  Version version = submission.version;
  version.submitted = now;
  store.add_version(version, build.key(), submission.candidates);
}

std::optional<std::string> build_name(const std::string& path) {
  constexpr std::string_view kBuildId = "build-id:";
  const auto build = casebook::build_of(path);
  if (!build) return std::nullopt;
  return build->mark.starts_with(kBuildId) ? build->mark.substr(kBuildId.size()) : build->mark;
}

std::vector<std::string> file_parts(std::string_view file) {
  std::vector<std::string> parts;
  for (size_t at = 0; at < file.size(); at += kPart) {
    const std::string_view part = file.substr(at, kPart);
    std::string packed(ZSTD_compressBound(part.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), part.data(), part.size(), 3));
    parts.push_back(base64_of(packed));
  }
  return parts;
}

std::optional<std::string> whole_of(const std::vector<std::string>& parts, size_t size) {
  std::string whole;
  for (const std::string& part : parts) {
    const auto packed = from_base64(part);
    if (!packed || whole.size() > size) return std::nullopt;
    std::string plain(std::min(kPart, size - whole.size()), '\0');
    const size_t got = ZSTD_decompress(plain.data(), plain.size(), packed->data(), packed->size());
    if (ZSTD_isError(got) != 0) return std::nullopt;
    whole.append(plain, 0, got);
  }
  if (whole.size() != size) return std::nullopt;
  return whole;
}

std::string casebook_file(const std::string& database) {
  const ScratchFile scratch;
  {
    casebook::Casebook from(database, casebook::Access::kRead);
    casebook::Casebook copy(scratch.path(), casebook::Access::kWrite);
    copy.merge(from);
  }
  std::ifstream file(scratch.path(), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace norn::hive
