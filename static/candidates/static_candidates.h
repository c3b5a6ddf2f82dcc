// From points-to sets, threads and locks to candidates: pairs of sites that may access one location at the same time,
// at least one of them writing, not both atomic, under no common lock.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "llvm/ADT/STLFunctionalExtras.h"
#include "static/candidates/argument_contexts.h"
#include "static/candidates/loop_shares.h"
#include "static/candidates/publication.h"
#include "static/candidates/shared_counts.h"
#include "static/order/relative_locks.h"
#include "static/order/thread_tree.h"
#include "static/order/wait_signals.h"
#include "static/points_to/points_to.h"
#include "static/program/linked_program.h"

namespace norn::statics {

// What an instruction does to memory.
struct AccessKind {
  bool write = false;
  bool atomic = false;
  bool relaxed = false;  // atomic, but it does not order what was stored before
  bool spins = false;    // a loop waits for it
  bool frees = false;
  bool of_library = false;  // its innermost statement is the C++ library's
  bool of_state = false;    // and is about the shared state of a future or a stop token
  bool own = false;         // of the thread's own copy of a variable
  // What library code does for shared pointers (shared_counts.h).
  SharedPointerCode pointers{};
};

// A statement as a race knows it: the site of an access; of library code the calls, too, down from the first that is
// not (runtime/hooks/stack_ids.h).
struct Statement {
  uint64_t identity = 0;
  unsigned site = 0;                           // of the access, or of the call of the library
  unsigned own = 0;                            // the program's own, as far as that is known
  std::vector<const llvm::CallBase*> calls{};  // that led to it
  bool of_library = false;                     // `site` is a call, the access is done by what it calls
};

// Accesses of one object that differ in nothing but where they stand.
struct AccessGroup {
  AccessKind kind;
  uint64_t size = 0;
  int thread = 0;
  int64_t offset = 0;
  int64_t period = 0;
  std::vector<Locks::Guard> guards{};  // of what is held, what has to do with the location
  Lockset held{};
  std::optional<LoopShare> share{};
  VectorOwner owner{};
  bool unpublished = false;       // no other thread can know the memory yet
  std::set<unsigned> waited{};    // cells that it comes after the signals of
  std::set<unsigned> precedes{};  // and those that it comes before
  std::vector<bool>
      regions{};  // of its thread's children: whether it may happen while they are alive (Threads::parallel)
  std::map<unsigned, const llvm::Instruction*> statements{};
  // What is equal if they differ in nothing else.
  [[nodiscard]] std::string likeness() const;
  [[nodiscard]] const llvm::Instruction& first() const { return *statements.begin()->second; }
};

struct CandidateSide {
  unsigned statement = 0;
  const llvm::Instruction* instruction = nullptr;
  const AccessGroup* group = nullptr;
};

struct StaticCandidate {
  CandidateSide sides[2];
  ObjectId object = 0;
  int64_t offset = 0;
  bool is_flag = false;  // one side is a loop that waits for the other
  // One side comes before the memory is published, or both are ordered by a count of references: a candidate only if
  // its address gets to others in no order.
  bool is_before_publication = false;
  bool is_ordered = false;  // by atomics, as far as is seen: it has the lowest rank
  int rank = 0;             // lower is likelier to be a race that matters
};

struct Shared {
  size_t accesses = 0;  // sites that may access what several threads can reach
  size_t objects = 0;
  size_t cut = 0;            // of these objects not all candidates are reported
  size_t ordered = 0;        // candidates that atomics order, as far as is seen
  size_t ways_left_out = 0;  // candidates that are the same two statements of the program by other calls in libraries
  size_t cut_ways = 0;       // accesses of library code that more calls lead to than were followed
};

class Candidates final {
 public:
  Candidates(const Program& program, const PointsTo& points_to, const Threads& threads, const Locks& locks,
             const Signals& signals);
  ~Candidates();
  Candidates(const Candidates&) = delete;
  Candidates& operator=(const Candidates&) = delete;

  [[nodiscard]] const std::vector<StaticCandidate>& all() const { return all_; }  // the likeliest first
  [[nodiscard]] const Shared& shared() const { return shared_; }
  [[nodiscard]] const Statement& statement(const CandidateSide& side) const { return statements_[side.statement]; }
  [[nodiscard]] uint64_t identity(const CandidateSide& side) const { return statement(side).identity; }
  // Sites of accesses that two threads may do to the same memory at the same time, one of them writing; whatever locks
  // they hold, and whatever they wait for.
  [[nodiscard]] std::set<unsigned> conflicting_sites() const;
  [[nodiscard]] bool is_shared(ObjectId object) const { return shared_objects_[object]; }

 private:
  // By what they have in common, as a number, and offset and period.
  using Groups = std::map<std::tuple<unsigned, int64_t, int64_t>, AccessGroup>;
  struct SharedPlaces {
    std::vector<PointedTo> places{};
    std::vector<ObjectId> objects{};
    ObjectSet set{};  // of these, if they are very many
  };
  // Accesses that may be to any of very many objects: of these nobody asks which.
  struct Cloud {
    AccessGroup group;
    ObjectSet objects{};
    std::set<const SharedPlaces*> added{};  // all of these are among them
  };
  void find_shared();
  void find_apart();
  // Global variables, what libraries have, and what threads that count are given.
  [[nodiscard]] std::vector<ObjectId> roots(llvm::function_ref<bool(int)> counts) const;
  void collect();
  void add_access(int thread, const llvm::Instruction& instruction, const SiteUse& use, const llvm::Value* address,
                  uint64_t size, AccessKind kind);
  // Statements, with the objects that are accessed there, and what those who call it hold meanwhile.
  struct Reached {
    bool all = false;  // whatever points-to says
    ObjectSet objects{};
    [[nodiscard]] bool has(ObjectId object) const { return all || objects.test(object); }
    Lockset around{};
    std::vector<bool> alive{};
    VectorOwner owner{};
  };
  using StatementObjects = std::map<unsigned, Reached>;
  [[nodiscard]] StatementObjects statements_of(int thread, const llvm::Instruction& instruction, const SiteUse& use,
                                               const llvm::Value* address);
  struct Climb {
    Statement statement;
    llvm::SmallVector<const llvm::Argument*, 2> arguments;  // of the function that was come to
    ObjectSet objects;                                      // of what is no argument
    Lockset around;                                         // what is held at the calls
    std::vector<bool> alive;  // which children of the thread may be alive at the calls (Threads::parallel)
    llvm::SmallVector<const llvm::Value*, 2> others;  // what the address is made of, beside arguments
    bool all = false;                                 // objects: whatever points-to says
  };
  void climb(int thread, const llvm::Function& function, Climb climb, StatementObjects& result, unsigned& budget);
  void add_statement(int thread, Climb climb, StatementObjects& result);
  [[nodiscard]] unsigned add_statement(Statement statement);
  void pair_up();
  [[nodiscard]] ObjectId first_alike(ObjectId object);
  void pair_up(ObjectId object, const Groups& groups);
  void pair_up_clouds();
  const SharedPlaces& shared_of(const std::vector<PointedTo>& places);
  [[nodiscard]] bool may_meet(const AccessGroup& a, const AccessGroup& b, const std::set<int>* apart) const;
  template <class Do>
  void for_meeting_clouds(Do what) const;
  void drop_published();
  [[nodiscard]] bool passes_unordered(const PointedTo& holder,
                                      const std::map<ObjectId, std::vector<const StaticCandidate*>>& alive) const;
  [[nodiscard]] bool is_state_of_library(ObjectId object) const;

  const Program& program_;
  const PointsTo& points_to_;
  const Threads& threads_;
  const Locks& locks_;
  const Signals& signals_;
  const ArgumentContexts contexts_;
  Publication publication_;
  LoopShares shares_;
  SharedCounts counts_;
  std::vector<bool> shared_objects_;
  // Objects that each of several threads alike has for itself, with those threads.
  std::map<ObjectId, std::set<int>> apart_;
  std::map<std::vector<uint64_t>, ObjectId> first_alike_;  // by what is done to an object
  std::vector<ObjectId> stands_for_;                       // by object: the first to which the same is done
  std::set<ObjectId> cut_;
  std::set<unsigned> cut_ways_;  // sites of library code that more calls lead to than were followed
  std::vector<Statement> statements_;
  std::map<std::pair<uint64_t, unsigned>, unsigned> statement_numbers_;  // by identity and site
  std::map<std::string, unsigned> likenesses_;                           // numbered
  std::vector<Groups> by_object_;
  std::map<std::string, Cloud> clouds_;  // by what they have in common
  ObjectSet in_clouds_;
  std::map<const std::vector<PointedTo>*, SharedPlaces> shared_places_;
  std::vector<StaticCandidate> all_;
  Shared shared_;
};

}  // namespace norn::statics
