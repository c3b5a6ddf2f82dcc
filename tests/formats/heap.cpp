// Races of C++: in a block of the heap and on a global, under locks that are not the same, called through libstdc++.
// valgrind_xml.py knows the lines.
#include <cstdlib>
#include <mutex>
#include <thread>

struct Node {
  int key;
  int hits;
};

std::mutex mine, other;
int total;

void visit(Node* node) {
  std::lock_guard<std::mutex> guard(mine);
  node->hits++;
}

void look(Node* node) {
  std::lock_guard<std::mutex> guard(other);
  node->hits += 2;
  total++;
}

void count() { total++; }

int main() {
  Node* node = static_cast<Node*>(std::malloc(3 * sizeof(Node))) + 1;
  node->hits = 0;
  std::thread a(visit, node), b(look, node), c(count);
  a.join();
  b.join();
  c.join();
}
