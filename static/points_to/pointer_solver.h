// What PointsTo is behind its answers: constraints read out of a module (pointer_constraints.cc, pointer_calls.cc), and
// the graph that they become, solved (pointer_solver.cc). points_to.h says how.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"
#include "static/points_to/location_set.h"
#include "static/points_to/member_pointers.h"
#include "static/points_to/points_to.h"
#include "static/points_to/return_sources.h"

namespace norn::statics {

struct Passing;  // pointer_calls.cc

class PointerSolver final {
 public:
  using Value = llvm::Value;
  using Figures = PointsTo::Figures;
  using Node = unsigned;      // something that holds pointers: a value, the memory at a location
  using Location = unsigned;  // an object and an offset in it
  using Set = LocationSet;

  // A range of an object whose elements are not told apart.
  struct Region {
    int64_t begin;
    int64_t end;
    int64_t period;
  };

  // How an address comes of another.
  struct Step {
    int64_t bytes = 0;       // behind where it is, or behind the region's element
    bool varies = false;     // in a region, of which `begin` and `end` count from where it is
    Region region{0, 0, 0};  // end: kEndless if nobody knows
    [[nodiscard]] auto key() const { return std::tuple(bytes, varies, region.begin, region.end, region.period); }
  };
  static constexpr Location kNoLocation = ~0U;

  static constexpr int64_t kPointerBytes = 8;
  static constexpr int64_t kEndless = INT64_MAX / 4;  // the size of an object that nobody knows
  static constexpr int64_t kFarthest = 1 << 20;       // offsets beyond this are one
  static constexpr int64_t kOutside = 16;             // how far a pointer may go out of its object, to come back
  static constexpr size_t kMostLocations = 128;       // told apart in one object
  static constexpr size_t kMostOfUnknown = 32;        // in one of which nobody knows the size
  static constexpr size_t kLargeSet = 500;            // of pointers that are looked at for objects in pieces
  static constexpr size_t kMostOfOne = 4;             // places in one object that such a pointer tells apart
  static constexpr int64_t kShortArray = 16;          // elements of longer ones are one

  explicit PointerSolver(llvm::Module& module);
  [[nodiscard]] const std::vector<PointedTo>& of(const Value* value);
  [[nodiscard]] const std::vector<ObjectId>& objects_at(const Value* value);
  [[nodiscard]] std::map<ObjectId, std::vector<PointedTo>> holders_of(const std::set<ObjectId>& wanted);
  [[nodiscard]] std::vector<const std::vector<ObjectId>*> contents_of(ObjectId object);
  const llvm::Module& module_;
  const llvm::DataLayout& layout_;

  // Where in an object there are locations, in order.
  class Locations {
   public:
    using Entry = std::pair<int64_t, Location>;
    [[nodiscard]] const Location* find(int64_t offset) const {
      const auto at = place(offset);
      return at != entries_.end() && at->first == offset ? &at->second : nullptr;
    }
    void insert(int64_t offset, Location location) { entries_.insert(place(offset), {offset, location}); }
    void erase(int64_t offset) { entries_.erase(place(offset)); }
    [[nodiscard]] size_t size() const { return entries_.size(); }
    [[nodiscard]] auto begin() const { return entries_.begin(); }
    [[nodiscard]] auto end() const { return entries_.end(); }

   private:
    [[nodiscard]] std::vector<Entry>::const_iterator place(int64_t offset) const {
      return std::lower_bound(entries_.begin(), entries_.end(), offset,
                              [](const Entry& entry, int64_t wanted) { return entry.first < wanted; });
    }
    std::vector<Entry> entries_;
  };

  struct Object {
    ObjectInfo info;
    int64_t size = kEndless;
    bool whole = false;   // one location: functions, threads, constants without pointers
    bool single = false;  // a variable of one number or pointer: nobody steps out of it to come back
    std::vector<Region> regions{};
    Locations locations{};
    // Memory that goes elsewhere as it is (memcpy): what is at from + k is also at `to` + k.
    struct Copied {
      int64_t from;
      int64_t size;
      ObjectId to;
      int64_t at;
    };
    std::vector<Copied> copied{};
  };
  std::vector<Object> objects_;
  std::map<const Value*, std::vector<ObjectId>> of_origin_;
  std::unordered_map<const llvm::CallBase*, std::vector<const llvm::Function*>> callees_;
  std::unordered_map<const llvm::CallBase*, std::vector<const llvm::Function*>> created_;
  const ReturnedSources returned_sources_;
  Figures figures_;

 private:
  struct Place {
    ObjectId object;
    int64_t offset;
    Node content = 0;  // 0: nothing was ever there
  };
  struct StepTo {
    Node to;
    Step step;
    bool only;  // nothing else comes to `to`
  };
  struct Transfer {
    Node with;
    int64_t size;
    bool only;  // of a load: nothing else comes to `with`
  };
  struct MemoryCopy {
    ObjectId between;
    int64_t size;  // kEndless: not known
    bool is_source;
  };
  struct NodeFacts {
    Set points_to;
    Set fresh;
    Set copies;
    std::vector<StepTo> steps{};
    std::vector<Transfer> loads{};
    std::vector<Transfer> stores{};
    std::vector<MemoryCopy> memory{};
    std::vector<const llvm::CallBase*> calls{};  // that call what it points to
    bool waiting = false;
    size_t looked_at = 0;   // words of its set, when it was looked for objects in pieces
    size_t told_apart = 0;  // steps and loads of which no two give the same
  };

  // What a set says, once for all nodes that have it.
  struct Answer {
    Node node = 0;  // whose set it is
    std::vector<PointedTo> places{};
    std::vector<ObjectId> objects{};
  };
  const Answer& answer(const Value* value);
  const Answer& answer_of(Node node);
  std::deque<Answer> answers_;
  std::unordered_map<Node, const Answer*> known_answers_;
  std::unordered_map<uint64_t, std::vector<const Answer*>> answers_by_hash_;

  // pointer_solver.cc: the graph, and solving it
  Node new_node();
  Node find(Node node);
  Location find_location(Location location);
  ObjectId new_object(ObjectKind kind, const Value* origin, int64_t size);
  [[nodiscard]] int64_t normal(const Object& object, int64_t offset) const;
  [[nodiscard]] int64_t period_at(ObjectId object, int64_t offset) const;
  Location location(ObjectId id, int64_t offset);
  Node content(Location where);
  void add_region(ObjectId id, Region region);
  void merge_locations(Location into, Location from);
  void merge(Node a, Node b);
  void wake(Node node);
  void add(Node node, Location where);
  void add_all(Node node, const Set& set);
  void copy(Node from, Node to);
  void look_again(Node node);
  void solve();
  [[nodiscard]] unsigned rank(Node node) const;
  void collapse_cycles();
  void collapse_exploded();
  void make_current(Set& set);
  Set set_of(const std::vector<Location>& locations);
  void pass_on(Node node, const Set& fresh);
  void join_alike(Node node);
  void step_on(const StepTo& step, const Set& places);
  void pass_location_on(Node start, Location where);
  template <class Do>
  void for_pieces(Location where, int64_t size, Do piece);
  Location stepped(Location from, const Step& step);
  void copy_memory(Location from, Location to, int64_t size);
  void copy_pieces(ObjectId source, const Object::Copied& copied);
  void copy_piece(ObjectId source, int64_t offset, const Object::Copied& copied);

  // pointer_constraints.cc
  [[nodiscard]] bool carries_pointers(llvm::Type* type) const;
  [[nodiscard]] int64_t size_of(llvm::Type* type) const;
  void add_global(const llvm::GlobalVariable& global);
  void add_arrays(ObjectId object, llvm::Type* type, int64_t at, unsigned depth = 0);
  void read_initializer(const llvm::GlobalVariable& global);
  void put_constant(ObjectId object, int64_t at, const llvm::Constant* constant);

 public:
  Node node_of(const Value* value);

 private:
  void read_constant(const llvm::Constant& constant, Node node);
  void read_step(const llvm::GEPOperator& gep, Node node, bool turns);
  void add_step(Node from, Node to, const Step& step, bool only = false);
  void load(const Value* address, const Value* to);
  void load_node(Node address, Node to, int64_t size, bool only = false);
  void store(const Value* value, const Value* address);
  void store_node(Node value, Node address, int64_t size);
  void copy_block(const Value* from, const Value* to, const Value* length);
  void copy_block(Node source, Node target, int64_t size);
  Node returned_by(const llvm::Function& function);
  void find_turning(const llvm::Function& function);
  void read_function(const llvm::Function& function);
  void read(const llvm::Instruction& instruction);
  [[nodiscard]] static bool is_of_pointer(const llvm::Instruction& computed);
  void read_arithmetic(const llvm::Instruction& instruction);

  // pointer_calls.cc
  void read_call(const llvm::CallBase& call);
  Node rest_of(const llvm::Function& function);
  void connect(const llvm::CallBase& call, const llvm::Function& callee);
  void connect_result(const llvm::CallBase& call, const llvm::Function& callee);
  Node objects_of_calls(const llvm::Function& function);
  Node others_of(const llvm::Function& function);
  void find_virtual(const llvm::Constant& part);
  [[nodiscard]] bool is_called_as(const llvm::Function& function, const llvm::FunctionType& call) const;
  void connect_indirect(const llvm::CallBase& call, const Value* target);
  void connect_thread(const llvm::CallBase& call, const llvm::Function& kind, const llvm::Function& function);
  void connect_callback(const llvm::CallBase& call, const llvm::Function& function);
  void allocate(const llvm::CallBase& call, int64_t size = kEndless);
  [[nodiscard]] static int64_t allocated_size(const llvm::CallBase& call, llvm::StringRef name);
  void read_library_call(const llvm::CallBase& call, const llvm::Function& callee);
  void pass_by_kernel(const llvm::CallBase& call, const Passing& passing);
  void read_string_call(const llvm::CallBase& call);
  void read_intrinsic(const llvm::IntrinsicInst& intrinsic);
  std::vector<NodeFacts> nodes_;
  std::vector<Node> leaders_;
  std::vector<Place> locations_;
  std::vector<Location> location_leaders_;
  std::vector<Node> waiting_;
  std::vector<uint64_t> scratch_;  // of set_of(): a bit a location, none set between calls
  std::vector<uint32_t> touched_;
  llvm::DenseSet<std::pair<const llvm::CallBase*, const llvm::Function*>> connected_;
  Set merged_locations_;  // into others, since all sets were current
  std::vector<unsigned> ranks_;
  std::set<std::tuple<ObjectId, int64_t, int64_t, ObjectId, int64_t>> copied_;
  llvm::DenseMap<const Value*, Node> of_value_;
  llvm::DenseMap<const llvm::Function*, Node> returned_;
  llvm::DenseMap<const llvm::Function*, Node> of_calls_;  // points to what its calls have of what it allocates
  llvm::DenseMap<const llvm::Function*, Node> others_;    // what it returns beside that and its parameters
  llvm::DenseMap<const llvm::Function*, Node> rests_;     // a pointer to what a function with ... is given beside
  std::map<const llvm::CallBase*, ObjectId> allocated_;
  std::set<std::pair<const llvm::CallBase*, const llvm::Function*>> called_of_library_;  // through pointers
  llvm::SmallPtrSet<const llvm::GetElementPtrInst*, 32> turning_;
  const MemberPointers members_;
  llvm::DenseSet<const llvm::Function*> virtual_;  // functions of virtual tables
  Node exceptions_ = 0;
  ObjectId constants_ = ~0U;  // all that is constant and has no pointers in it
  Node kernel_ = 0;           // points to what was sent and not received

 public:
  [[nodiscard]] Figures figures() const;
};

}  // namespace norn::statics
