// A part of a job that is divided among many machines, or among the ranks of one: whoever makes a share is started on
// its own, and what all of them leave is put together afterwards.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace norn::options {

struct Share {
  unsigned index = 0;
  unsigned count = 1;

  [[nodiscard]] std::string text() const { return std::to_string(index + 1) + '/' + std::to_string(count); }
};

// "3/8": the third of eight. "env": as whoever starts many copies of a program tells each which one it is (Open MPI,
// MPICH, Slurm's arrays). Nothing and one line in `error` if it is none.
[[nodiscard]] std::optional<Share> share_of(const std::string& text, std::string& error);

// Of so many shares those that were not made; `made` has the others, from 1.
[[nodiscard]] std::vector<unsigned> missing_shares(const std::set<unsigned>& made, unsigned count);

}  // namespace norn::options
