#include "options/share.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace norn::options {
namespace {

TEST(Share, IsSaidAsKOfN) {
  std::string error;
  const auto third = share_of("3/8", error);
  ASSERT_TRUE(third);
  EXPECT_EQ(third->index, 2u);
  EXPECT_EQ(third->count, 8u);
  for (const char* bad : {"", "3", "0/8", "9/8", "/", "1/0", "a/b", "-1/2", "1/2/3", "1/99999999999"})
    EXPECT_FALSE(share_of(bad, error)) << bad;
}

TEST(Share, IsFoundInTheEnvironment) {
  std::string error;
  EXPECT_FALSE(share_of("env", error));
  setenv("SLURM_ARRAY_TASK_ID", "5", 1);
  setenv("SLURM_ARRAY_TASK_COUNT", "4", 1);
  setenv("SLURM_ARRAY_TASK_MIN", "3", 1);
  const auto of_array = share_of("env", error);
  ASSERT_TRUE(of_array);
  EXPECT_EQ(of_array->index, 2u);
  EXPECT_EQ(of_array->count, 4u);
  setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  EXPECT_EQ(share_of("env", error)->count, 2u);
  for (const char* name : {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT", "SLURM_ARRAY_TASK_MIN",
                           "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"})
    unsetenv(name);
}

}  // namespace
}  // namespace norn::options
