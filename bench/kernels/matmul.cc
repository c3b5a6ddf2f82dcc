// Blocked matrix multiply: rows of blocks are dealt to the threads, the factors are read by all. Compute code with no
// synchronization inside a round.
#include <cmath>

#include "kernel.h"

namespace {

constexpr int kSide = 192;
constexpr int kBlock = 32;
static_assert(kSide % kBlock == 0);

using Matrix = std::vector<double>;

Matrix random_matrix(uint64_t seed) {
  kernel::Random random(seed);
  Matrix matrix(kSide * kSide);
  for (double& cell : matrix) cell = static_cast<double>(random.below(17)) - 8;
  return matrix;
}

void multiply_block(const Matrix& left, const Matrix& right, Matrix& product, int row, int inner, int column) {
  for (int i = row; i < row + kBlock; ++i) {
    for (int k = inner; k < inner + kBlock; ++k) {
      const double factor = left[i * kSide + k];
      for (int j = column; j < column + kBlock; ++j) product[i * kSide + j] += factor * right[k * kSide + j];
    }
  }
}

uint64_t run(const kernel::Arguments& arguments) {
  const int rounds = arguments.rounds(720);
  const Matrix left = random_matrix(1);
  const Matrix right = random_matrix(2);
  Matrix product(kSide * kSide);
  constexpr int kBlocks = kSide / kBlock;
  // Dealt finely, so that the threads' shares are even: a piece is one block row of one column of blocks.
  kernel::on_threads(arguments.threads, [&](int index) {
    const int end = kernel::share(kBlocks * kBlocks, index + 1, arguments.threads);
    for (int round = 0; round < rounds; ++round) {
      for (int piece = kernel::share(kBlocks * kBlocks, index, arguments.threads); piece < end; ++piece) {
        for (int inner = 0; inner < kSide; inner += kBlock) {
          multiply_block(left, right, product, piece / kBlocks * kBlock, inner, piece % kBlocks * kBlock);
        }
      }
    }
  });
  // Every round adds the same product; the entries are whole numbers far below 2^53, so sums are exact.
  double sum = 0;
  double expected = 0;
  for (const double cell : product) sum += cell;
  for (int k = 0; k < kSide; ++k) {
    double of_column = 0;
    double of_row = 0;
    for (int i = 0; i < kSide; ++i) {
      of_column += left[i * kSide + k];
      of_row += right[k * kSide + i];
    }
    expected += of_column * of_row;
  }
  kernel::check(sum == expected * rounds, "the sum of the product's entries");
  uint64_t checksum = 0;
  for (const double cell : product)
    checksum = kernel::mix(checksum + static_cast<uint64_t>(static_cast<int64_t>(cell)));
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("matmul", argc, argv, run); }
