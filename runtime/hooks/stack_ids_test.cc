#include "runtime/hooks/stack_ids.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>
#include <vector>

#include "norn/site.h"

extern "C" void* norn_arena_map(size_t bytes) { return calloc(1, bytes); }
__thread const norn_site** __norn_stack = nullptr;

namespace norn::rt {

constinit Arena memory;

// Code of other compilers is code_sites.cc's.
const norn_site* name_code_site(const norn_site* site) { return site; }
const norn_site* call_under_way(const CallStack& /*calls*/, size_t /*slot*/) { return nullptr; }

namespace {

norn_site make_site(const char* function, uint64_t hash, uint32_t flags = 0) {
  norn_site site{};
  site.function = function;
  site.hash = hash;
  site.flags = flags;
  return site;
}

class PlaceTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(init_stack_ids()); }

  void SetUp() override {
    calls_.begin = slots_.data();
    calls_.end = slots_.data() + slots_.size();
    calls_.stack_ids = ids_.data();
    state_.running = &calls_;
    set_stack({});
  }

  void set_stack(const std::vector<const norn_site*>& sites) {
    for (size_t i = 0; i < sites.size(); ++i) slots_[i] = sites[i];
    __norn_stack = slots_.data() + sites.size();
  }

  std::vector<std::string> functions(StackId stack) {
    std::vector<std::string> result;
    for (const StackNode* node = stack_node(stack); node != nullptr; node = stack_node(node->parent)) {
      result.emplace_back(node->site.load()->function);
    }
    return result;
  }

  std::vector<const norn_site*> slots_ = std::vector<const norn_site*>(4096);
  std::vector<StackId> ids_ = std::vector<StackId>(4096);
  CallStack calls_;
  ThreadState state_;
  norn_site main_ = make_site("main", 1);
  norn_site f_ = make_site("f", 2);
  norn_site g_ = make_site("g", 3);
  norn_site access_ = make_site("access", 4);
};

TEST_F(PlaceTest, IsTheSiteAndItsCalls) {
  set_stack({&main_, &f_});
  EXPECT_EQ(functions(stack_id(state_, &access_)), (std::vector<std::string>{"access", "f", "main"}));
  EXPECT_EQ(functions(stack_id(state_, nullptr)), (std::vector<std::string>{"f", "main"}));
}

TEST_F(PlaceTest, IsFoundAgainByAnyThread) {
  set_stack({&main_, &f_});
  const StackId first = stack_id(state_, &access_);
  ThreadState other;
  other.running = &calls_;
  EXPECT_EQ(stack_id(state_, &access_), first);
  EXPECT_EQ(stack_id(other, &access_), first);
}

TEST_F(PlaceTest, AFrameThatChangedBelowIsNoticed) {
  set_stack({&main_, &f_, &f_});
  const StackId first = stack_id(state_, &access_);
  set_stack({&main_, &g_, &f_});
  const StackId second = stack_id(state_, &access_);
  EXPECT_NE(first, second);
  EXPECT_EQ(functions(second), (std::vector<std::string>{"access", "f", "g", "main"}));
}

TEST_F(PlaceTest, ADeepRecursionKeepsItsInnerFrames) {
  std::vector<norn_site> sites(40, f_);
  std::vector<const norn_site*> stack;
  stack.reserve(3000);
  for (size_t i = 0; i < 3000; ++i) stack.push_back(&sites[i % sites.size()]);
  set_stack(stack);
  const size_t frames = functions(stack_id(state_, &access_)).size();
  EXPECT_GT(frames, ThreadState::kMostCalls / 2);
  EXPECT_LE(frames, ThreadState::kMostCalls + 1);
}

TEST_F(PlaceTest, ARecursionIsShownTwiceRound) {
  set_stack({&main_, &f_, &f_, &f_, &f_, &g_});
  EXPECT_EQ(functions(stack_id(state_, &access_)), (std::vector<std::string>{"access", "g", "f", "f", "main"}));
  set_stack({&main_, &f_, &g_, &g_, &f_, &g_, &f_, &f_});
  const StackId one = stack_id(state_, &access_);
  set_stack({&main_, &f_, &g_, &g_, &f_, &f_, &g_, &f_});
  EXPECT_EQ(stack_id(state_, &access_), one);
}

TEST_F(PlaceTest, WhatWasCalledSinceIsNoticed) {
  set_stack({&main_, &f_, &g_});
  const StackId first = stack_id(state_, &access_);
  slots_[2] = &f_;  // another call by the same frame
  const StackId second = stack_id(state_, &access_);
  EXPECT_EQ(functions(second), (std::vector<std::string>{"access", "f", "f", "main"}));
  slots_[2] = &g_;
  EXPECT_EQ(stack_id(state_, &access_), first);
}

TEST_F(PlaceTest, AStackThatIsNotKnownIsLeftOut) {
  const norn_site* elsewhere[2] = {&main_, &f_};
  __norn_stack = elsewhere + 2;
  EXPECT_EQ(functions(stack_id(state_, &access_)), (std::vector<std::string>{"access"}));
}

TEST_F(PlaceTest, TheIdentityOfLibraryCodeIsThatOfItsCaller) {
  norn_site library = make_site("push_back", 9, NORN_SITE_LIBRARY);
  set_stack({&main_, &f_});
  const StackId from_f = stack_id(state_, &library);
  set_stack({&main_, &g_});
  const StackId from_g = stack_id(state_, &library);
  EXPECT_NE(stack_identity(from_f), stack_identity(from_g));
  set_stack({&g_, &f_});
  EXPECT_EQ(stack_identity(stack_id(state_, &library)), stack_identity(from_f));
  EXPECT_EQ(stack_identity(stack_id(state_, &access_)), [&] {
    set_stack({});
    return stack_identity(stack_id(state_, &access_));
  }());
}

TEST_F(PlaceTest, AnUnloadedModulesSitesAreKept) {
  std::string name = "gone";
  std::vector<norn_site> module(1, make_site(name.c_str(), 77));
  set_stack({&main_});
  const StackId stack = stack_id(state_, module.data());
  forget_sites(module.data(), module.data() + 1);
  name = "xxxx";
  module[0] = make_site("another", 78);
  EXPECT_EQ(functions(stack), (std::vector<std::string>{"gone", "main"}));
  EXPECT_NE(stack_id(state_, module.data()), stack);
}

}  // namespace
}  // namespace norn::rt
