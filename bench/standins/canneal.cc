// In the manner of PARSEC's canneal: simulated annealing of the places of a netlist's elements. A thread takes two
// elements at random, reads where they and all that they are wired to are (atomic pointers that any thread may change),
// and swaps the two if that shortens the wires, or by chance. Threads meet at a barrier once a temperature.
//
// Where elements end depends on the schedule: the checksum is of the set of places, which swaps do not change.
#include <pthread.h>

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <random>
#include <string>

#include "kernel.h"

namespace {

constexpr int kElements = 2000;
constexpr int kWires = 5;  // in each direction
constexpr int kTemperatures = 64;

struct Place {
  int x, y;
};

struct Element {
  std::string name;
  std::vector<Element*> from;
  std::vector<Element*> to;
  std::atomic<Place*> place = nullptr;  // null while it is being swapped
};

Place* get(const Element& element) {
  Place* place;
  do {
    place = element.place.load(std::memory_order_acquire);
  } while (place == nullptr);
  return place;
}

Place* check_out(Element& element) {
  for (;;) {
    Place* place = get(element);
    if (element.place.compare_exchange_weak(place, nullptr, std::memory_order_acq_rel)) return place;
  }
}

// Takes the lower element first, so that two swaps never wait for each other.
void swap(Element* one, Element* other) {
  if (one > other) std::swap(one, other);
  Place* first = check_out(*one);
  Place* second = other->place.load(std::memory_order_acquire);
  for (;;) {
    if (second != nullptr && other->place.compare_exchange_weak(second, first, std::memory_order_acq_rel)) break;
    second = other->place.load(std::memory_order_acquire);
  }
  one->place.store(second, std::memory_order_release);
}

double length(const Place* one, const Place* other) {
  return std::abs(one->x - other->x) + std::abs(one->y - other->y);
}

// How much longer the element's wires are from `then` than from `now`.
double longer(const Element& element, const Place* now, const Place* then) {
  double change = 0;
  for (size_t i = 0; i < element.from.size(); ++i) {
    const Place* place = get(*element.from[i]);
    change += length(then, place) - length(now, place);
  }
  for (size_t i = 0; i < element.to.size(); ++i) {
    const Place* place = get(*element.to[i]);
    change += length(then, place) - length(now, place);
  }
  return change;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int count = arguments.size == 0 ? kElements : static_cast<int>(arguments.size);
  std::vector<Place> places(count);
  std::vector<Element> elements(count);
  kernel::Random random(3);
  for (int i = 0; i < count; ++i) {
    places[i] = {i % 200, i / 200};
    elements[i].place.store(&places[i], std::memory_order_relaxed);
    for (int wire = 0; wire < kWires; ++wire) {
      Element& other = elements[random.below(count)];
      elements[i].from.push_back(&other);
      other.to.push_back(&elements[i]);
    }
  }
  const int swaps = arguments.rounds(120000);  // a temperature
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, static_cast<unsigned>(arguments.threads));
  std::atomic<int> taken = 0;
  kernel::on_threads(arguments.threads, [&](int thread) {
    std::mt19937 own(static_cast<uint32_t>(thread) + 11);
    const auto any = [&] { return &elements[own() % static_cast<uint32_t>(count)]; };
    double heat = 2000;
    for (int temperature = 0; temperature < kTemperatures; ++temperature, heat /= 1.5) {
      const int mine =
          kernel::share(swaps, thread + 1, arguments.threads) - kernel::share(swaps, thread, arguments.threads);
      Element* one = any();
      for (int i = 0; i < mine; ++i) {
        Element* other = any();
        if (one == other) continue;
        const Place* first = get(*one);
        const Place* second = get(*other);
        const double change = longer(*one, first, second) + longer(*other, second, first);
        if (change < 0 || std::exp(-change / heat) > own() * 0x1p-32) {
          swap(one, other);
          taken.fetch_add(1, std::memory_order_relaxed);
        }
        one = other;
      }
      pthread_barrier_wait(&barrier);
    }
  });
  pthread_barrier_destroy(&barrier);
  kernel::check(swaps == 0 || taken > 0, "a swap was taken");
  uint64_t checksum = 0;
  for (int i = 0; i < count; ++i)
    checksum += kernel::mix(static_cast<uint64_t>(elements[i].place.load() - places.data()));
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("canneal", argc, argv, run); }
