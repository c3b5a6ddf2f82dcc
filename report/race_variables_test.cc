#include "report/race_variables.h"

#include <gtest/gtest.h>

#include "report/testing/example.h"

namespace norn::report {
namespace {

Race of(Location location) {
  Race race = example::bank_race();
  race.location = location;
  return race;
}

TEST(Variables, TheFirstRaceOfAVariableNumbersItsOthers) {
  const Frame here[] = {{.function = "make()", .file = "a.c", .line = 3}};
  const Frame there[] = {{.function = "make()", .file = "a.c", .line = 4}};
  const Location cell = {
      .name = "cells[1].x", .object = "cells", .address = 8, .size = 4, .kind = LocationKind::kGlobal};
  Location other_cell = cell, other_member = cell;
  other_cell.name = "cells[7].x";
  other_cell.address = 100;
  other_member.name = "cells[1].y";
  other_member.address = 200;
  const Location block = {.name = "n->a",
                          .address = 0x1000,
                          .size = 4,
                          .object_size = 16,
                          .kind = LocationKind::kHeap,
                          .allocated_at = here};
  Location elsewhere = block;
  elsewhere.allocated_at = there;
  const std::vector<Race> races = {of(cell), of(block), of(other_member), of(other_cell), of(elsewhere), of(block)};
  EXPECT_EQ(variables_of(races), (std::vector<size_t>{0, 1, 2, 0, 4, 1}));
  // The keys keep nothing apart that belongs together.
  const std::vector<size_t> numbers = variables_of(races);
  for (size_t i = 0; i < races.size(); ++i)
    for (size_t k = 0; k < i; ++k)
      if (same_variable(races[i].location, races[k].location)) EXPECT_EQ(numbers[i], numbers[k]) << i << ' ' << k;
}

}  // namespace
}  // namespace norn::report
