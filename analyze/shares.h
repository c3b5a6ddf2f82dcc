// An analysis that is divided among machines, or ranks of MPI: each is started on its own with the share that it makes
// (options/share.h), judges its part of every trace's accesses, and leaves a file beside the trace. Whoever puts them
// together misses none: what is not there is said, and the rest is not called the whole.
#pragma once

#include "analyze/parallel.h"
#include "options/share.h"

namespace norn::analyze {

// Makes one share of each trace. The jobs' `findings` are not used: the files are TRACE.share-K-of-N.
[[nodiscard]] std::vector<Result> make_shares(const std::vector<Job>& traces, const options::Share& share,
                                              unsigned workers,
                                              const std::function<void(size_t done, size_t all)>& progress);

// Puts the shares of one trace together, into the job's findings. The result's error says which are missing, if some
// are; refused are shares of other options, or none.
[[nodiscard]] Result collect_shares(const Job& trace);

}  // namespace norn::analyze
