// No spin: a search from key to key that ends when a virtual comparator says so walks over data, and waits for nobody.
// RUN: %check %s --levels=-O0,-O2
// RUN: %check-lto %s

#include <string>

#include "arrival.h"

struct Slice {
  const char* data;
  size_t size;
};

struct Comparator {
  virtual ~Comparator() = default;
  virtual int compare(const Slice& a, const Slice& b) const = 0;
};

int direction = 1;

struct ByFirst final : Comparator {
  int compare(const Slice& a, const Slice& b) const override {
    return direction * (a.data[0] - b.data[0]);  // RACE: observed direction
  }
};

class Iterator {
 public:
  Iterator(const Comparator* comparator, const char* keys) : comparator_(comparator), next_(keys) {}

  void seek(const Slice& target) {
    for (;;) {
      if (!parse_next_key()) return;
      if (comparator_->compare({key_.data(), key_.size()}, target) >= 0) return;
    }
  }
  const std::string& key() const { return key_; }

 private:
  bool parse_next_key() {
    if (*next_ == '\0') return false;
    key_.resize(0);
    key_.append(next_, 2);
    next_ += 2;
    return true;
  }

  const Comparator* const comparator_;
  const char* next_;
  std::string key_;
};

ByFirst by_first;
Comparator* volatile comparator = &by_first;
char found;

static void searches() {
  Iterator all(comparator, "aabbccdd");
  all.seek({"cc", 2});
  found = all.key()[0];
  end_turn();
}

static void turns_round() {
  await_turn(1);
  direction = -1;  // RACE: observed direction
}

int main() {
  run_two(searches, turns_round);
  return found - 'c';
}
