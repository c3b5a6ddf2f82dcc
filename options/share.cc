#include "options/share.h"

#include <fmt/format.h>

#include <cstdlib>

namespace norn::options {
namespace {

// Which copy this is and how many there are, and what the first one is called.
struct Starter {
  const char* index;
  const char* count;
  const char* first;  // null: 0
};
constexpr Starter kStarters[] = {
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", nullptr},
    {"PMI_RANK", "PMI_SIZE", nullptr},
    {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN"},
    {"SLURM_PROCID", "SLURM_NTASKS", nullptr},
};

bool read_number(const std::string& text, unsigned& number) {
  if (text.empty() || text.size() > 6 || text.find_first_not_of("0123456789") != std::string::npos) return false;
  number = static_cast<unsigned>(std::stoul(text));
  return true;
}

bool read_variable(const char* name, unsigned& number) {
  const char* value = std::getenv(name);
  return value != nullptr && read_number(value, number);
}

std::optional<Share> share_of_environment() {
  for (const Starter& starter : kStarters) {
    Share share;
    unsigned first = 0;
    if (!read_variable(starter.index, share.index) || !read_variable(starter.count, share.count)) continue;
    if (starter.first != nullptr && !read_variable(starter.first, first)) continue;
    if (share.index < first || share.index - first >= share.count) continue;
    share.index -= first;
    return share;
  }
  return std::nullopt;
}

}  // namespace

std::optional<Share> share_of(const std::string& text, std::string& error) {
  if (text == "env") {
    const auto share = share_of_environment();
    if (!share) error = "--share=env: nothing in the environment says which share this is (mpirun and Slurm do)";
    return share;
  }
  const size_t slash = text.find('/');
  Share share;
  if (slash == std::string::npos || !read_number(text.substr(0, slash), share.index) ||
      !read_number(text.substr(slash + 1), share.count) || share.index == 0 || share.index > share.count) {
    error = fmt::format("--share={}: say which share of how many, from 1/N to N/N, or env", text);
    return std::nullopt;
  }
  --share.index;
  return share;
}

std::vector<unsigned> missing_shares(const std::set<unsigned>& made, unsigned count) {
  std::vector<unsigned> missing;
  for (unsigned share = 1; share <= count; ++share)
    if (!made.contains(share)) missing.push_back(share);
  return missing;
}

}  // namespace norn::options
