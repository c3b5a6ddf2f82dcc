// What an agent could not send yet, on disk: lines in a file, and how many bytes of them were taken by the hive. A line
// is written at once; an agent that is killed loses none, and sends again what was not acknowledged.
//
//   results   lines, each a JSON object as POST /api/v1/results has it
//   sent      how many bytes of them the hive took, in digits
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace norn::hive {

class Spool {
 public:
  // At most so many bytes are kept.
  explicit Spool(size_t most) : most_(most) {}
  ~Spool();
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // The directory is made if there is none. False and one line in `error`: it cannot be used, or another agent does.
  [[nodiscard]] bool open(const std::string& directory, std::string& error);
  // False: there is no room, and it was counted.
  bool add(const std::string& line);
  // The oldest lines that were not taken, so many at most; `end` for taken().
  [[nodiscard]] std::vector<std::string> oldest(size_t number, uint64_t& end) const;
  void taken(uint64_t end);

  [[nodiscard]] bool empty() const { return sent_ == size_; }
  [[nodiscard]] uint64_t lost() const { return lost_; }

 private:
  void write_sent() const;

  const size_t most_;
  int results_ = -1;
  int sent_file_ = -1;
  uint64_t size_ = 0;  // of the results
  uint64_t sent_ = 0;  // never more than size_
  uint64_t lost_ = 0;
};

}  // namespace norn::hive
