// Red-black successive over-relaxation on a square grid, with a barrier after every half sweep: each thread has its
// rows and reads one row of each neighbour.
#include <pthread.h>

#include <bit>
#include <cmath>

#include "kernel.h"

namespace {

constexpr int kSide = 514;  // with the fixed border
constexpr double kOmega = 1.9;

using Grid = std::vector<double>;

// The border of one side is hot, the others are cold.
Grid plate() {
  Grid grid(kSide * kSide);
  for (int column = 0; column < kSide; ++column) grid[column] = 100;
  return grid;
}

void relax_row(Grid& grid, int row, int colour) {
  for (int column = 1 + (row + colour) % 2; column < kSide - 1; column += 2) {
    const int here = row * kSide + column;
    const double around = grid[here - 1] + grid[here + 1] + grid[here - kSide] + grid[here + kSide];
    grid[here] += kOmega * (around / 4 - grid[here]);
  }
}

uint64_t run(const kernel::Arguments& arguments) {
  const int sweeps = arguments.rounds(4000);
  Grid grid = plate();
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(arguments.threads));
  kernel::on_threads(arguments.threads, [&](int index) {
    const int end = 1 + kernel::share(kSide - 2, index + 1, arguments.threads);
    for (int half = 0; half < 2 * sweeps; ++half) {
      for (int row = 1 + kernel::share(kSide - 2, index, arguments.threads); row < end; ++row) {
        relax_row(grid, row, half % 2);
      }
      pthread_barrier_wait(&barrier);
    }
  });
  pthread_barrier_destroy(&barrier);
  uint64_t checksum = 0;
  for (int row = 1; row < kSide - 1; ++row) {
    for (int column = 1; column < kSide - 1; ++column) {
      const double cell = grid[row * kSide + column];
      kernel::check(std::isfinite(cell), "a cell is no number");
      const double mirrored = grid[row * kSide + kSide - 1 - column];
      kernel::check(std::fabs(cell - mirrored) < 60, "the plate is heated evenly from the left and the right");
      checksum = kernel::mix(checksum + std::bit_cast<uint64_t>(cell));
    }
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("stencil", argc, argv, run); }
