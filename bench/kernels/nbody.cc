// Gravitation between all pairs of bodies: every thread reads all positions, which are written anew between two
// barriers. Data that is read-shared most of the time.
#include <pthread.h>

#include <bit>
#include <cmath>

#include "kernel.h"

namespace {

constexpr int kBodies = 256;
constexpr double kStep = 1e-4;

struct Vector {
  double x = 0, y = 0, z = 0;
};

struct Body {
  Vector position;
  Vector velocity;
  double mass = 1;
};

std::vector<Body> cloud() {
  kernel::Random random(7);
  std::vector<Body> bodies(kBodies);
  for (Body& body : bodies) {
    body.position = {random.unit(), random.unit(), random.unit()};
    body.mass = 0.5 + random.unit();
  }
  return bodies;
}

Vector pull(const std::vector<Body>& bodies, const Body& on) {
  constexpr double kSoftening = 1e-2;
  Vector sum;
  for (const Body& body : bodies) {
    const Vector d{body.position.x - on.position.x, body.position.y - on.position.y, body.position.z - on.position.z};
    const double squared = d.x * d.x + d.y * d.y + d.z * d.z + kSoftening;
    const double weight = body.mass / (squared * std::sqrt(squared));
    sum.x += weight * d.x;
    sum.y += weight * d.y;
    sum.z += weight * d.z;
  }
  return sum;
}

Vector momentum(const std::vector<Body>& bodies) {
  Vector sum;
  for (const Body& body : bodies) {
    sum.x += body.mass * body.velocity.x;
    sum.y += body.mass * body.velocity.y;
    sum.z += body.mass * body.velocity.z;
  }
  return sum;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int steps = arguments.rounds(3800);
  std::vector<Body> bodies = cloud();
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(arguments.threads));
  kernel::on_threads(arguments.threads, [&](int index) {
    const int begin = kernel::share(kBodies, index, arguments.threads);
    const int end = kernel::share(kBodies, index + 1, arguments.threads);
    for (int step = 0; step < steps; ++step) {
      for (int i = begin; i < end; ++i) {
        const Vector force = pull(bodies, bodies[i]);
        bodies[i].velocity.x += kStep * force.x;
        bodies[i].velocity.y += kStep * force.y;
        bodies[i].velocity.z += kStep * force.z;
      }
      pthread_barrier_wait(&barrier);
      for (int i = begin; i < end; ++i) {
        bodies[i].position.x += kStep * bodies[i].velocity.x;
        bodies[i].position.y += kStep * bodies[i].velocity.y;
        bodies[i].position.z += kStep * bodies[i].velocity.z;
      }
      pthread_barrier_wait(&barrier);
    }
  });
  pthread_barrier_destroy(&barrier);
  const Vector drift = momentum(bodies);
  kernel::check(std::fabs(drift.x) + std::fabs(drift.y) + std::fabs(drift.z) < 1e-6, "momentum is kept");
  uint64_t checksum = 0;
  for (const Body& body : bodies) {
    checksum = kernel::mix(checksum + std::bit_cast<uint64_t>(body.position.x));
    checksum = kernel::mix(checksum + std::bit_cast<uint64_t>(body.position.y));
    checksum = kernel::mix(checksum + std::bit_cast<uint64_t>(body.position.z));
  }
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("nbody", argc, argv, run); }
