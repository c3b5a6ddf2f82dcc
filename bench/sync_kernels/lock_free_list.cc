// An ordered list without locks (Harris, DISC 2001): a node is removed by marking its link with a compare-and-exchange,
// and whoever passes by takes it out. All threads work on the same few keys, so that nearly every access is to an
// atomic link. Nodes are never used again while threads run.
#include <atomic>
#include <deque>

#include "../kernels/kernel.h"

namespace {

constexpr uint64_t kKeys = 64;
constexpr int kChunk = 200;  // of operations, dealt to the threads

struct Node {
  uint64_t key = 0;
  std::atomic<uintptr_t> next{0};  // the lowest bit: this node is removed
};

constexpr bool is_marked(uintptr_t link) { return (link & 1) != 0; }
Node* node_of(uintptr_t link) { return reinterpret_cast<Node*>(link & ~uintptr_t{1}); }
uintptr_t link_to(const Node* node) { return reinterpret_cast<uintptr_t>(node); }

class List {
 public:
  // False: the key was there. `node` is used up if it was not.
  bool insert(Node& node) {
    for (;;) {
      const Place place = find(node.key);
      if (place.at != nullptr && place.at->key == node.key) return false;
      node.next.store(link_to(place.at), std::memory_order_relaxed);
      uintptr_t expected = link_to(place.at);
      if (place.link->compare_exchange_strong(expected, link_to(&node), std::memory_order_release)) return true;
    }
  }

  bool remove(uint64_t key) {
    for (;;) {
      const Place place = find(key);
      if (place.at == nullptr || place.at->key != key) return false;
      uintptr_t next = place.at->next.load(std::memory_order_acquire);
      if (is_marked(next)) continue;
      if (!place.at->next.compare_exchange_strong(next, next | 1, std::memory_order_acq_rel)) continue;
      uintptr_t expected = link_to(place.at);
      (void)place.link->compare_exchange_strong(expected, next, std::memory_order_release);
      return true;
    }
  }

  bool contains(uint64_t key) const {
    const Node* node = node_of(head_.load(std::memory_order_acquire));
    while (node != nullptr && node->key < key) node = node_of(node->next.load(std::memory_order_acquire));
    return node != nullptr && node->key == key && !is_marked(node->next.load(std::memory_order_acquire));
  }

  // Only while no other thread uses the list.
  [[nodiscard]] int64_t size() const {
    int64_t count = 0;
    for (uintptr_t link = head_.load(); node_of(link) != nullptr; link = node_of(link)->next.load())
      count += is_marked(node_of(link)->next.load()) ? 0 : 1;
    return count;
  }

 private:
  struct Place {
    std::atomic<uintptr_t>* link;  // that leads to `at`
    Node* at;                      // the first whose key is not smaller; or none
  };

  Place find(uint64_t key) {
    for (;;) {
      std::atomic<uintptr_t>* link = &head_;
      Node* node = node_of(link->load(std::memory_order_acquire));
      bool again = false;
      while (node != nullptr && !again) {
        const uintptr_t next = node->next.load(std::memory_order_acquire);
        if (is_marked(next)) {
          uintptr_t expected = link_to(node);
          again = !link->compare_exchange_strong(expected, next & ~uintptr_t{1}, std::memory_order_acq_rel);
          node = node_of(next);
        } else {
          if (node->key >= key) break;
          link = &node->next;
          node = node_of(next);
        }
      }
      if (!again) return {link, node};
    }
  }

  std::atomic<uintptr_t> head_{0};
};

uint64_t run(const kernel::Arguments& arguments) {
  const int chunks = arguments.rounds(120000);
  List list;
  std::vector<std::deque<Node>> nodes(static_cast<size_t>(arguments.threads));
  std::atomic<int64_t> balance{0};
  kernel::on_threads(arguments.threads, [&](int index) {
    std::deque<Node>& own = nodes[static_cast<size_t>(index)];
    int64_t added = 0;
    const int end = kernel::share(chunks, index + 1, arguments.threads);
    for (int chunk = kernel::share(chunks, index, arguments.threads); chunk < end; ++chunk) {
      kernel::Random random(static_cast<uint64_t>(chunk));
      for (int i = 0; i < kChunk; ++i) {
        const uint64_t key = random.below(kKeys);
        if (i % 10 == 0) {
          Node& node = own.emplace_back();
          node.key = key;
          if (list.insert(node)) {
            ++added;
          } else {
            own.pop_back();
          }
        } else if (i % 10 == 1) {
          added -= list.remove(key) ? 1 : 0;
        } else {
          (void)list.contains(key);
        }
      }
    }
    balance += added;
  });
  kernel::check(balance.load() == list.size(), "what was put in and not taken out is there");
  return static_cast<uint64_t>(chunks);
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("lock_free_list", argc, argv, run); }
