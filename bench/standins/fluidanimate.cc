// In the manner of PARSEC's fluidanimate: a fluid of particles in a grid of cells, each thread with a slab of the grid.
// Each step deals the particles to the cells where they are now, sums densities over pairs of neighbours, then forces,
// and moves the particles, with barriers between. What is added to a cell at the border of a slab is added under that
// cell's mutex. All data are floats of 4 bytes.
//
// How sums are rounded depends on the order of additions: the checksum is the number of particles.
#include <pthread.h>

#include <algorithm>
#include <cmath>
#include <mutex>

#include "kernel.h"

namespace {

constexpr int kSide = 15;  // cells along an axis
constexpr int kCells = kSide * kSide * kSide;
constexpr int kParticles = 24;  // room in a cell
constexpr float kReach = 1.0f;  // of a particle's influence, in cells
constexpr float kTime = 1e-3f;  // a step

struct Vec3 {
  float x, y, z;
  Vec3& operator+=(const Vec3& other) {
    x += other.x;
    y += other.y;
    z += other.z;
    return *this;
  }
  Vec3 operator-(const Vec3& other) const { return {x - other.x, y - other.y, z - other.z}; }
  Vec3 operator+(const Vec3& other) const { return {x + other.x, y + other.y, z + other.z}; }
  Vec3 operator*(float factor) const { return {x * factor, y * factor, z * factor}; }
  [[nodiscard]] float square() const { return x * x + y * y + z * z; }
};

struct Cell {
  Vec3 place[kParticles];
  Vec3 half_velocity[kParticles];
  Vec3 velocity[kParticles];
  Vec3 force[kParticles];
  float density[kParticles];
};

class Fluid {
 public:
  explicit Fluid(int threads)
      : threads_(threads),
        cells_(kCells),
        counts_(kCells),
        old_cells_(kCells),
        old_counts_(kCells),
        border_(kCells),
        mutexes_(kCells) {
    pthread_barrier_init(&barrier_, nullptr, static_cast<unsigned>(threads));
    kernel::Random random(7);
    for (int index = 0; index < kCells; ++index) {
      counts_[index] = 4 + static_cast<int>(random.below(5));
      const Vec3 corner = {static_cast<float>(index % kSide), static_cast<float>(index / kSide % kSide),
                           static_cast<float>(index / kSide / kSide)};
      for (int i = 0; i < counts_[index]; ++i) {
        const auto within = [&] { return static_cast<float>(random.unit()); };
        cells_[index].place[i] = corner + Vec3{within(), within(), within()};
      }
    }
    for (int i = 0; i < threads; ++i) {
      for (int z = first(i); z < first(i + 1); ++z) {
        const bool at_border = (z == first(i) && i > 0) || (z == first(i + 1) - 1 && i + 1 < threads);
        for (int xy = 0; xy < kSide * kSide; ++xy) border_[z * kSide * kSide + xy] = at_border;
      }
    }
  }
  ~Fluid() { pthread_barrier_destroy(&barrier_); }
  Fluid(const Fluid&) = delete;
  Fluid& operator=(const Fluid&) = delete;

  void work(int thread, int steps) {
    for (int step = 0; step < steps; ++step) {
      if (thread == 0) {
        cells_.swap(old_cells_);
        counts_.swap(old_counts_);
      }
      wait();
      each(thread, [&](int index) { counts_[index] = 0; });
      wait();
      each(thread, [&](int index) { deal(index); });
      wait();
      each(thread, [&](int index) { clear(index); });
      wait();
      each(thread, [&](int index) { pairs(index, [&](auto... pair) { add_density(pair...); }); });
      wait();
      each(thread, [&](int index) { finish_density(index); });
      wait();
      each(thread, [&](int index) { pairs(index, [&](auto... pair) { add_force(pair...); }); });
      wait();
      each(thread, [&](int index) { collide(index); });
      wait();
      each(thread, [&](int index) { advance(index); });
      wait();
    }
  }

  [[nodiscard]] uint64_t checksum() const {
    uint64_t sum = 0;
    for (int index = 0; index < kCells; ++index) {
      for (int i = 0; i < counts_[index]; ++i) kernel::check(std::isfinite(cells_[index].place[i].square()), "a place");
      sum += static_cast<uint64_t>(counts_[index]);
    }
    return sum;
  }

 private:
  [[nodiscard]] int first(int thread) const { return kernel::share(kSide, thread, threads_); }

  template <typename Visit>
  void each(int thread, Visit visit) {
    for (int z = first(thread); z < first(thread + 1); ++z) {
      for (int y = 0; y < kSide; ++y) {
        for (int x = 0; x < kSide; ++x) visit((z * kSide + y) * kSide + x);
      }
    }
  }

  void wait() { pthread_barrier_wait(&barrier_); }

  // Calls `add(cell, i, neighbour, j)` for each pair of particles of the cell and of it and its neighbours, once a
  // pair.
  template <typename Add>
  void pairs(int index, Add add) {
    const int x = index % kSide;
    const int y = index / kSide % kSide;
    const int z = index / kSide / kSide;
    int neighbours[27];
    int count = 0;
    for (int dz = -1; dz <= 1; ++dz) {
      for (int dy = -1; dy <= 1; ++dy) {
        for (int dx = -1; dx <= 1; ++dx) {
          const bool inside =
              x + dx >= 0 && x + dx < kSide && y + dy >= 0 && y + dy < kSide && z + dz >= 0 && z + dz < kSide;
          if (inside) neighbours[count++] = ((z + dz) * kSide + y + dy) * kSide + x + dx;
        }
      }
    }
    for (int i = 0; i < counts_[index]; ++i) {
      for (int n = 0; n < count; ++n) {
        const int neighbour = neighbours[n];
        for (int j = 0; j < counts_[neighbour]; ++j) {
          if (neighbour < index || (neighbour == index && j < i)) add(index, i, neighbour, j);
        }
      }
    }
  }

  template <typename Change>
  void change(int index, Change how) {
    if (border_[index]) {
      const std::lock_guard guard(mutexes_[index]);
      how(cells_[index]);
    } else {
      how(cells_[index]);
    }
  }

  // Puts the particles that were in the cell where they are now.
  void deal(int index) {
    const Cell& old = old_cells_[index];
    for (int i = 0; i < old_counts_[index]; ++i) {
      const auto along = [](float place) { return std::clamp(static_cast<int>(place), 0, kSide - 1); };
      const int now = (along(old.place[i].z) * kSide + along(old.place[i].y)) * kSide + along(old.place[i].x);
      change(now, [&](Cell& cell) {
        const int next = counts_[now]++;
        kernel::check(next < kParticles, "room in a cell");
        cell.place[next] = old.place[i];
        cell.half_velocity[next] = old.half_velocity[i];
        cell.velocity[next] = old.velocity[i];
      });
    }
  }

  void clear(int index) {
    for (int i = 0; i < counts_[index]; ++i) {
      cells_[index].density[i] = 0;
      cells_[index].force[i] = {0, -9.8f, 0};
    }
  }

  void add_density(int index, int i, int neighbour, int j) {
    const float square = (cells_[index].place[i] - cells_[neighbour].place[j]).square();
    if (square >= kReach * kReach) return;
    const float left = kReach * kReach - square;
    const float amount = left * left * left;
    change(index, [&](Cell& cell) { cell.density[i] += amount; });
    change(neighbour, [&](Cell& cell) { cell.density[j] += amount; });
  }

  void finish_density(int index) {
    for (int i = 0; i < counts_[index]; ++i) cells_[index].density[i] = (cells_[index].density[i] + 1) * 0.25f;
  }

  void add_force(int index, int i, int neighbour, int j) {
    Cell& cell = cells_[index];
    Cell& other = cells_[neighbour];
    const Vec3 apart = cell.place[i] - other.place[j];
    const float square = apart.square();
    if (square >= kReach * kReach) return;
    const float distance = std::sqrt(std::max(square, 1e-6f));
    const float left = kReach - distance;
    const float pressure = left * left / distance * (cell.density[i] + other.density[j] - 1);
    const Vec3 viscosity = (other.velocity[j] - cell.velocity[i]) * (left * 0.4f);
    const Vec3 force = (apart * pressure + viscosity) * (1 / (cell.density[i] * other.density[j]));
    change(index, [&](Cell& one) { one.force[i] += force; });
    change(neighbour, [&](Cell& one) { one.force[j] += force * -1; });
  }

  void collide(int index) {
    for (int i = 0; i < counts_[index]; ++i) {
      const Vec3 ahead = cells_[index].place[i] + cells_[index].half_velocity[i] * kTime;
      if (ahead.y < 0.01f) cells_[index].force[i].y += 10 * (0.01f - ahead.y) - cells_[index].velocity[i].y;
      if (ahead.x < 0.01f) cells_[index].force[i].x += 10 * (0.01f - ahead.x) - cells_[index].velocity[i].x;
      if (ahead.z < 0.01f) cells_[index].force[i].z += 10 * (0.01f - ahead.z) - cells_[index].velocity[i].z;
    }
  }

  void advance(int index) {
    Cell& cell = cells_[index];
    for (int i = 0; i < counts_[index]; ++i) {
      const Vec3 half = cell.half_velocity[i] + cell.force[i] * kTime;
      cell.place[i] += half * kTime;
      cell.velocity[i] = (cell.half_velocity[i] + half) * 0.5f;
      cell.half_velocity[i] = half;
    }
  }

  int threads_;
  std::vector<Cell> cells_;
  std::vector<int> counts_;
  std::vector<Cell> old_cells_;
  std::vector<int> old_counts_;
  std::vector<char> border_;
  std::vector<std::mutex> mutexes_;
  pthread_barrier_t barrier_;
};

uint64_t run(const kernel::Arguments& arguments) {
  Fluid fluid(arguments.threads);
  const int steps = arguments.rounds(100);
  kernel::on_threads(arguments.threads, [&](int thread) { fluid.work(thread, steps); });
  return fluid.checksum();
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("fluidanimate", argc, argv, run); }
