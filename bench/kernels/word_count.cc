// Counts words with std::map and std::string: pages are taken by an atomic counter, counted alone, and merged into one
// map under a mutex. Code of the standard library, strings and allocations.
#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "kernel.h"

namespace {

constexpr int kWordsOnPage = 2000;
constexpr uint64_t kVocabulary = 3000;

using Counts = std::map<std::string, uint64_t>;

std::string word(uint64_t number) {
  kernel::Random random(number);
  std::string letters;
  const uint64_t length = 3 + random.below(18);  // some fit in the string itself, some do not
  for (uint64_t i = 0; i < length; ++i) letters.push_back(static_cast<char>('a' + random.below(26)));
  return letters;
}

// Small numbers are frequent, as words are.
std::string page(const std::vector<std::string>& vocabulary, int number) {
  kernel::Random random(static_cast<uint64_t>(number));
  std::string text;
  for (int i = 0; i < kWordsOnPage; ++i) {
    const double unit = random.unit();
    text += vocabulary[static_cast<size_t>(unit * unit * static_cast<double>(kVocabulary))];
    text += i % 11 == 0 ? ",\n" : " ";
  }
  return text;
}

Counts count(const std::string& text) {
  Counts counts;
  std::string letters;
  for (const char character : text) {
    if (character >= 'a' && character <= 'z') {
      letters.push_back(character);
    } else if (!letters.empty()) {
      ++counts[letters];
      letters.clear();
    }
  }
  return counts;
}

uint64_t run(const kernel::Arguments& arguments) {
  const int pages = arguments.rounds(1600);
  std::vector<std::string> vocabulary;
  for (uint64_t i = 0; i < kVocabulary; ++i) vocabulary.push_back(word(i));
  Counts total;
  std::mutex mutex;
  std::atomic<int> next = 0;
  kernel::on_threads(arguments.threads, [&](int) {
    for (int i = next.fetch_add(1); i < pages; i = next.fetch_add(1)) {
      const Counts counts = count(page(vocabulary, i));
      const std::lock_guard guard(mutex);
      for (const auto& [letters, times] : counts) total[letters] += times;
    }
  });
  uint64_t checksum = 0;
  uint64_t sum = 0;
  for (const auto& [letters, times] : total) {
    sum += times;
    for (const char character : letters) checksum = checksum * 31 + static_cast<uint64_t>(character);
    checksum = kernel::mix(checksum + times);
  }
  kernel::check(sum == static_cast<uint64_t>(pages) * kWordsOnPage, "every word is counted once");
  return checksum;
}

}  // namespace

int main(int argc, char** argv) { return kernel::main("word_count", argc, argv, run); }
