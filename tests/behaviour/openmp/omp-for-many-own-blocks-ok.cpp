// A list that each thread builds for itself.
// FLAGS: -fopenmp
// REQUIRES-HEADER: omp.h
// NORACE
// RUN: %check %s

struct Node {
  int value;
  Node* next;
};
int total;

int main() {
#pragma omp parallel num_threads(2)
  {
    Node* first = nullptr;
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
      first = new Node{i, first};
      if (first->next != nullptr) ++first->next->value;
    }
    int sum = 0;
    while (first != nullptr) {
      Node* next = first->next;
      sum += first->value;
      delete first;
      first = next;
    }
#pragma omp atomic
    total += sum;
  }
}
