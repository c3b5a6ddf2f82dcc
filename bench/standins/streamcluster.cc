// In the manner of PARSEC's streamcluster: chunk after chunk of points of many dimensions gets centers. For one
// candidate after the other each thread measures how much its own points would gain, all meet at a barrier, one adds
// up, and they meet again; points that gain are moved. The barrier is home-made: a counter under a mutex and a flag
// that the others spin on, plain (volatile) as in the original, which waits on a condition variable if it spun in vain.
#include <pthread.h>

#include "kernel.h"

namespace {

constexpr int kPoints = 1536;
constexpr int kDimensions = 32;
constexpr int kCandidates = 800;  // of a chunk
constexpr int kSpins = 1000;

class SpinBarrier {
 public:
  explicit SpinBarrier(int threads) : threads_(threads) {}

  void wait() {
    pthread_mutex_lock(&mutex_);
    const bool phase = phase_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      phase_ = !phase;
      pthread_cond_broadcast(&turned_);
      pthread_mutex_unlock(&mutex_);
      return;
    }
    pthread_mutex_unlock(&mutex_);
    for (int i = 0; i < kSpins && phase_ == phase; ++i) continue;
    pthread_mutex_lock(&mutex_);
    while (phase_ == phase) pthread_cond_wait(&turned_, &mutex_);
    pthread_mutex_unlock(&mutex_);
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t turned_ = PTHREAD_COND_INITIALIZER;
  int threads_;
  int arrived_ = 0;
  volatile bool phase_ = false;
};

struct Point {
  float weight;
  const float* coordinates;
  int center;
  float cost;
};

float distance(Point one, Point other, int dimensions) {
  float sum = 0;
  for (int i = 0; i < dimensions; ++i) {
    const float apart = one.coordinates[i] - other.coordinates[i];
    sum += apart * apart;
  }
  return sum;
}

class Clustering {
 public:
  Clustering(uint64_t seed, int threads, int points, int dimensions)
      : threads_(threads),
        dimensions_(dimensions),
        stride_(points + 2),
        coordinates_(static_cast<size_t>(points * dimensions)),
        points_(points),
        is_center_(points),
        moves_(points),
        numbers_(points),
        lower_(static_cast<size_t>((threads + 1) * stride_)),
        barrier_(threads) {
    kernel::Random random(seed);
    for (float& coordinate : coordinates_) coordinate = static_cast<float>(random.unit());
    for (int i = 0; i < points; ++i) {
      points_[i] = {1, &coordinates_[static_cast<size_t>(i) * dimensions], 0, 0};
      points_[i].cost = distance(points_[i], points_[0], dimensions);
    }
    is_center_[0] = 1;
  }

  // Makes the candidate a center if that is cheaper, and closes those whose points it takes over. All threads call it.
  void try_center(int thread, int candidate) {
    const int count = static_cast<int>(points_.size());
    const int begin = kernel::share(count, thread, threads_);
    const int end = kernel::share(count, thread + 1, threads_);
    double* own = &lower_[static_cast<size_t>(thread * stride_)];
    double* all = &lower_[static_cast<size_t>(threads_ * stride_)];

    // numbers of the centers
    int centers = 0;
    for (int i = begin; i < end; ++i) {
      if (is_center_[i]) numbers_[i] = centers++;
    }
    own[0] = centers;
    barrier_.wait();
    if (thread == 0) {
      int before = 0;
      for (int i = 0; i < threads_; ++i) {
        double& sum = lower_[static_cast<size_t>(i * stride_)];
        before += static_cast<int>(sum);
        sum = before - sum;
      }
      centers_ = before;
    }
    barrier_.wait();
    for (int i = begin; i < end; ++i) {
      if (is_center_[i]) numbers_[i] += static_cast<int>(own[0]);
    }
    centers = centers_;
    for (int i = begin; i < end; ++i) moves_[i] = 0;
    for (int i = 0; i < centers + 2; ++i) own[i] = 0;
    barrier_.wait();

    // what each point, and each center as a whole, would gain
    double change = 0;
    for (int i = begin; i < end; ++i) {
      const float cost = distance(points_[i], points_[candidate], dimensions_) * points_[i].weight;
      const float now = points_[i].cost;
      if (cost < now) {
        moves_[i] = 1;
        change += cost - now;
      } else {
        own[numbers_[points_[i].center]] += now - cost;
      }
    }
    barrier_.wait();
    for (int i = begin; i < end; ++i) {
      if (!is_center_[i]) continue;
      double saved = kOpening;
      for (int t = 0; t < threads_; ++t) saved += lower_[static_cast<size_t>(t * stride_ + numbers_[i])];
      all[numbers_[i]] = saved;
      if (saved > 0) change -= saved;
    }
    own[centers] = change;
    barrier_.wait();
    if (thread == 0) {
      change_ = kOpening;
      for (int t = 0; t < threads_; ++t) change_ += lower_[static_cast<size_t>(t * stride_ + centers)];
    }
    barrier_.wait();

    if (change_ < 0) {
      for (int i = begin; i < end; ++i) {
        const bool closes = all[numbers_[points_[i].center]] > 0;
        if (!moves_[i] && !closes) continue;
        points_[i].cost = distance(points_[i], points_[candidate], dimensions_) * points_[i].weight;
        points_[i].center = candidate;
      }
      for (int i = begin; i < end; ++i) {
        if (is_center_[i] && all[numbers_[i]] > 0) is_center_[i] = 0;
      }
      if (candidate >= begin && candidate < end) is_center_[candidate] = 1;
    }
    barrier_.wait();
  }

  // Of whether all is as it must be, since sums depend on how the points are dealt to threads.
  [[nodiscard]] uint64_t checksum() const {
    for (const Point& point : points_) {
      kernel::check(is_center_[point.center] != 0, "a point's center is one");
      kernel::check(point.cost == distance(point, points_[point.center], dimensions_), "a point's cost");
    }
    return points_.size();
  }

 private:
  static constexpr double kOpening = 2;

  int threads_;
  int dimensions_;
  int stride_;  // of a thread's part of lower_
  std::vector<float> coordinates_;
  std::vector<Point> points_;
  std::vector<char> is_center_;
  std::vector<char> moves_;
  std::vector<int> numbers_;   // of centers
  std::vector<double> lower_;  // a row for each thread, and one for all
  int centers_ = 0;
  double change_ = 0;
  SpinBarrier barrier_;
};

uint64_t run(const kernel::Arguments& arguments) {
  const int points = arguments.size == 0 ? kPoints : static_cast<int>(arguments.size);
  const int chunks = arguments.rounds(50);
  uint64_t checksum = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    Clustering clustering(static_cast<uint64_t>(chunk), arguments.threads, points, kDimensions);
    kernel::on_threads(arguments.threads, [&](int thread) {
      kernel::Random random(21);
      for (int i = 0; i < kCandidates; ++i) clustering.try_center(thread, static_cast<int>(random.below(points)));
    });
    checksum += clustering.checksum();
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("streamcluster", argc, argv, run); }
