// In the manner of PARSEC's swaptions: prices of options by Monte Carlo simulation of forward rates (Heath, Jarrow,
// Morton). Each thread has prices of its own to find and shares nothing; each block of trials allocates its vectors and
// matrices, row by row, and frees them again.
#include <cmath>
#include <memory>

#include "kernel.h"

namespace {

constexpr int kSteps = 11;    // of time
constexpr int kFactors = 3;   // of the model
constexpr int kBlock = 8;     // trials at once
constexpr int kTrials = 640;  // for a price

using Vector = std::unique_ptr<double[]>;

Vector make_vector(int length) { return std::make_unique<double[]>(static_cast<size_t>(length)); }

// Rows that point into one block of memory.
class Matrix {
 public:
  Matrix(int rows, int columns)
      : rows_(std::make_unique<double*[]>(static_cast<size_t>(rows))), data_(make_vector(rows * columns)) {
    for (int i = 0; i < rows; ++i) rows_[static_cast<size_t>(i)] = data_.get() + static_cast<ptrdiff_t>(i) * columns;
  }
  double* operator[](int row) const { return rows_[static_cast<size_t>(row)]; }

 private:
  std::unique_ptr<double*[]> rows_;
  Vector data_;
};

// The inverse of the normal distribution by the rational approximation of Abramowitz and Stegun, 26.2.23.
double inverse_normal(double uniform) {
  const double tail = uniform < 0.5 ? uniform : 1 - uniform;
  const double t = std::sqrt(-2 * std::log(tail));
  const double value =
      t - (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t);
  return uniform < 0.5 ? -value : value;
}

struct Model {
  Vector forward = make_vector(kSteps);
  Vector drift = make_vector(kSteps);
  Matrix factors{kFactors, kSteps};
};

Model make_model(uint64_t seed) {
  Model model;
  kernel::Random random(seed);
  for (int i = 0; i < kSteps; ++i) {
    model.forward[i] = 0.05 + 0.005 * i;
    for (int k = 0; k < kFactors; ++k) model.factors[k][i] = 0.01 * random.unit() / (k + 1);
  }
  for (int i = 0; i < kSteps; ++i) {
    for (int k = 0; k < kFactors; ++k) model.drift[i] += 0.5 * model.factors[k][i] * model.factors[k][i];
  }
  return model;
}

// Paths of the forward rates of one block: row t has, for each maturity, kBlock trials.
void simulate(const Model& model, kernel::Random& random, const Matrix& paths) {
  const Matrix uniform(kFactors, kSteps * kBlock);
  const Matrix normal(kFactors, kSteps * kBlock);
  for (int b = 0; b < kBlock; ++b) {
    for (int j = 0; j < kSteps; ++j) paths[0][j * kBlock + b] = model.forward[j];
  }
  for (int b = 0; b < kBlock; ++b) {
    for (int t = 1; t < kSteps; ++t) {
      for (int k = 0; k < kFactors; ++k) uniform[k][t * kBlock + b] = 0.5 / 4294967296.0 + random.unit() * (1 - 1e-9);
    }
  }
  for (int k = 0; k < kFactors; ++k) {
    for (int i = kBlock; i < kSteps * kBlock; ++i) normal[k][i] = inverse_normal(uniform[k][i]);
  }
  for (int b = 0; b < kBlock; ++b) {
    for (int t = 1; t < kSteps; ++t) {
      for (int j = 0; j < kSteps - t; ++j) {
        double shock = 0;
        for (int k = 0; k < kFactors; ++k) shock += model.factors[k][j] * normal[k][t * kBlock + b];
        paths[t][j * kBlock + b] = paths[t - 1][(j + 1) * kBlock + b] + model.drift[j] + shock;
      }
    }
  }
}

// Discount factors of `length` rates of each trial.
void discount(const double* rates, int length, double* factors) {
  const Vector growth = make_vector(length * kBlock);
  for (int i = 0; i < length * kBlock; ++i) growth[i] = std::exp(-rates[i]);
  for (int b = 0; b < kBlock; ++b) factors[b] = 1;
  for (int i = 1; i <= length; ++i) {
    for (int b = 0; b < kBlock; ++b)
      factors[i * kBlock + b] = factors[(i - 1) * kBlock + b] * growth[(i - 1) * kBlock + b];
  }
}

double price(int which) {
  const Model model = make_model(static_cast<uint64_t>(which));
  kernel::Random random(static_cast<uint64_t>(which) + 1000);
  const int start = kSteps / 3;
  double sum = 0;
  for (int trial = 0; trial < kTrials; trial += kBlock) {
    const Matrix paths(kSteps, kSteps * kBlock);
    simulate(model, random, paths);
    const Vector along = make_vector(kSteps * kBlock);
    const Vector discounts = make_vector((kSteps + 1) * kBlock);
    for (int i = 0; i < kSteps; ++i) {
      for (int b = 0; b < kBlock; ++b) along[i * kBlock + b] = paths[i][b];
    }
    discount(along.get(), kSteps, discounts.get());
    const int length = kSteps - start;
    const Vector rates = make_vector(length * kBlock);
    const Vector swap_discounts = make_vector((length + 1) * kBlock);
    for (int i = 0; i < length; ++i) {
      for (int b = 0; b < kBlock; ++b) rates[i * kBlock + b] = paths[start][i * kBlock + b];
    }
    discount(rates.get(), length, swap_discounts.get());
    for (int b = 0; b < kBlock; ++b) {
      double fixed = swap_discounts[length * kBlock + b];
      for (int i = 1; i <= length; ++i) fixed += 0.08 * swap_discounts[i * kBlock + b];
      sum += std::max(fixed - 1, 0.0) * discounts[start * kBlock + b];
    }
  }
  return sum / kTrials;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int options = arguments.rounds(1000);
  std::vector<double> prices(static_cast<size_t>(options));
  kernel::on_threads(arguments.threads, [&](int thread) {
    const int end = kernel::share(options, thread + 1, arguments.threads);
    for (int i = kernel::share(options, thread, arguments.threads); i < end; ++i)
      prices[static_cast<size_t>(i)] = price(i);
  });
  uint64_t checksum = 0;
  for (const double one : prices) {
    kernel::check(one >= 0 && one < 1, "a price");
    checksum = kernel::mix(checksum + static_cast<uint64_t>(one * 1e6));
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("swaptions", argc, argv, run); }
