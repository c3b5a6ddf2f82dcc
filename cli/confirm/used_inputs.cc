#include "cli/confirm/used_inputs.h"

#include <fmt/format.h>

#include "cli/terminal.h"
#include "report/whole_file.h"
#include "schedule/input_log.h"

namespace norn::cli {
namespace {

using schedule::InputKind;
using schedule::InputRecord;

struct Counts {
  size_t files = 0, pipes = 0, connections = 0, bytes = 0;
  std::string missing;  // what could not be kept
};

std::optional<Counts> count_inputs(const std::string& path) {
  std::string error;
  const auto file = report::read_whole_file(path, error);
  if (!file) return std::nullopt;
  Counts counts;
  const bool is_one =
      schedule::visit_inputs(file->data(), file->size(), [&](const InputRecord& record, const char* bytes) {
        switch (record.kind) {
          case InputKind::kFile:
          case InputKind::kInput:
            ++counts.files;
            counts.bytes += record.size;
            break;
          case InputKind::kPipe:
            ++counts.pipes;
            break;
          case InputKind::kAccepted:
          case InputKind::kConnected:
            ++counts.connections;
            break;
          case InputKind::kInside:
            --counts.connections;
            break;
          case InputKind::kData:
            counts.bytes += record.size;
            break;
          case InputKind::kIncomplete:
            counts.missing.assign(bytes, record.size);
            break;
          default:
            break;
        }
      });
  return is_one ? std::optional(counts) : std::nullopt;
}

std::string counted(size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

void use_kept_inputs(const std::optional<casebook::KeptRun>& run, const std::vector<std::string>& command,
                     experiment::Stage& stage) {
  if (!run || run->command != command) return;
  const std::string path = casebook::keep_inputs(*run);
  if (path.empty()) return;
  const auto counts = count_inputs(path);
  if (!counts || !counts->missing.empty()) {
    complain(fmt::format("the inputs of run {} were not kept whole ({}): the program gets what is there now",
                         run->number, counts ? counts->missing : "their file is damaged"));
    return;
  }
  if (!stage.set_inputs(path)) return;
  complain(fmt::format("inputs as in run {}: {}, {}, {}, {}; what is there now is not read", run->number,
                       counted(counts->files, "file"), counted(counts->pipes, "pipe"),
                       counted(counts->connections, "connection"), counted(counts->bytes, "byte")));
}

bool use_named_inputs(uint64_t hash, experiment::Stage& stage, std::string& error) {
  const std::string path = casebook::kept_inputs(hash);
  if (!path.empty() && stage.set_inputs(path)) return true;
  error = fmt::format("the inputs that the token names, {}/inputs/{:016x}, are not here: bring that file",
                      casebook::home_directory(), hash);
  return false;
}

}  // namespace norn::cli
