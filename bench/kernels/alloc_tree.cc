// Binary trees made and torn down node by node, beside one tree that lives through the whole run and is read by all.
#include <atomic>
#include <memory>

#include "kernel.h"

namespace {

constexpr int kDepth = 12;
constexpr int kLongLivedDepth = 16;

struct Node {
  uint64_t value = 0;
  std::unique_ptr<Node> left;
  std::unique_ptr<Node> right;
};

std::unique_ptr<Node> grow(int depth, uint64_t value) {
  auto node = std::make_unique<Node>();
  node->value = value;
  if (depth > 0) {
    node->left = grow(depth - 1, 2 * value);
    node->right = grow(depth - 1, 2 * value + 1);
  }
  return node;
}

uint64_t sum(const Node* node) {
  return node == nullptr ? 0 : node->value + sum(node->left.get()) + sum(node->right.get());
}

// A tree grown from 1 numbers its nodes 1, 2, 3, …
constexpr uint64_t sum_of_numbers(int depth) {
  const uint64_t nodes = (uint64_t{2} << depth) - 1;
  return nodes * (nodes + 1) / 2;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int trees = arguments.rounds(4000);
  const std::unique_ptr<Node> long_lived = grow(arguments.scale > 0 ? kLongLivedDepth : 0, 1);
  std::atomic<int> next = 0;
  std::atomic<uint64_t> checksum = 0;
  kernel::on_threads(arguments.threads, [&](int) {
    for (int i = next.fetch_add(1); i < trees; i = next.fetch_add(1)) {
      const std::unique_ptr<Node> tree = grow(kDepth, 1);
      kernel::check(sum(tree.get()) == sum_of_numbers(kDepth), "the sum of a tree");
      tree->value = static_cast<uint64_t>(i);
      checksum.fetch_add(kernel::mix(sum(tree.get())), std::memory_order_relaxed);
      if (i % 64 == 0) {
        kernel::check(sum(long_lived.get()) == sum_of_numbers(kLongLivedDepth), "the sum of the long-lived tree");
      }
    }
  });
  return checksum.load();
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("alloc_tree", argc, argv, run); }
