#include "schedule/strategies/frontier.h"

namespace norn::schedule {

bool WayBack::take_number(uint32_t& number) {
  size_t digits = 0;
  number = 0;
  for (; digits < rest_.size && digits < 9 && rest_[digits] >= '0' && rest_[digits] <= '9'; ++digits)
    number = number * 10 + static_cast<uint32_t>(rest_[digits] - '0');
  rest_ = rest_.part(digits);
  return digits != 0;
}

bool WayBack::next(bool& is_pick, uint32_t& number) {
  is_pick = false;
  if (steps_ == 0) {
    if (!rest_.empty() && rest_[0] == '-') rest_ = rest_.part(1);
    is_pick = !rest_.empty() && rest_[0] == 'p';
    if (is_pick) rest_ = rest_.part(1);
    if (!take_number(is_pick ? number : thread_)) return false;
    if (is_pick) return true;
    if (rest_.empty() || rest_[0] != '.') return false;
    rest_ = rest_.part(1);
    if (!take_number(steps_) || steps_ == 0) return false;
  }
  --steps_;
  number = thread_;
  return true;
}

uint32_t Frontier::choose(const Enabled& enabled) {
  bool is_pick = false;
  uint32_t thread = 0;
  if (!is_back_ && way_.next(is_pick, thread) && !is_pick) {
    const uint32_t index = enabled.index_of(thread);
    if (index != kNobody) {
      perform(enabled, index);
      return index;
    }
  }
  is_back_ = true;
  return Window::choose(enabled);
}

uint32_t Frontier::pick(uint32_t n) {
  bool is_pick = false;
  uint32_t answer = 0;
  if (!is_back_ && way_.next(is_pick, answer) && is_pick && answer < n) return answer;
  is_back_ = true;
  return Window::pick(n);
}

}  // namespace norn::schedule
