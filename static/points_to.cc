#include "static/points_to.h"

#include <algorithm>
#include <cassert>
#include <numeric>
#include <set>
#include <tuple>

#include "compiler/analysis/library.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SparseBitVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"
#include "static/library_models.h"
#include "static/member_pointers.h"
#include "static/virtual_tables.h"

namespace norn::statics {

using llvm::cast;
using llvm::dyn_cast;
using llvm::isa;
using llvm::Value;

namespace {

using Node = unsigned;      // something that holds pointers: a value, the memory at a location
using Location = unsigned;  // an object and an offset in it
using Set = llvm::SparseBitVector<>;

constexpr int64_t kPointerBytes = 8;
constexpr int64_t kEndless = INT64_MAX / 4;  // the size of an object that nobody knows
constexpr int64_t kFarthest = 1 << 20;       // offsets beyond this are one
constexpr int64_t kOutside = 64;             // how far a pointer may go out of its object, to come back
constexpr size_t kMostLocations = 128;       // told apart in one object
constexpr int64_t kShortArray = 16;          // elements of longer ones are one
constexpr Location kNoLocation = ~0U;

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
};

// What a function of the C library hands to the kernel, or takes of it.
struct Passing {
  enum class Way : uint8_t { kNone, kSends, kSendsValue, kReceives } way = Way::kNone;
  unsigned argument = 0;
  unsigned length = 0;  // the argument that says it
  int64_t size = 0;     // 0: that one does
};

Passing passing_of(llvm::StringRef name) {
  constexpr int64_t kSignal = 128;  // sizeof(siginfo_t)
  constexpr int64_t kEvent = 12;    // sizeof(epoll_event)
  using Way = Passing::Way;
  return llvm::StringSwitch<Passing>(name)
      .Cases("write", "pwrite", "pwrite64", "send", "sendto", "mq_send", "mq_timedsend", "msgsnd",
             Passing{Way::kSends, 1, 2, 0})
      .Cases("read", "pread", "pread64", "recv", "recvfrom", "mq_receive", "mq_timedreceive", "msgrcv",
             Passing{Way::kReceives, 1, 2, 0})
      .Case("fwrite", Passing{Way::kSends, 0, 1, 0})
      .Case("fread", Passing{Way::kReceives, 0, 1, 0})
      .Cases("sigqueue", "pthread_sigqueue", Passing{Way::kSendsValue, 2, 0, kPointerBytes})
      .Cases("sigwaitinfo", "sigtimedwait", Passing{Way::kReceives, 1, 0, kSignal})
      .Case("epoll_ctl", Passing{Way::kSends, 3, 0, kEvent})
      .Cases("epoll_wait", "epoll_pwait", "epoll_pwait2", Passing{Way::kReceives, 1, 0, kEvent})
      .Default({});
}

}  // namespace

class PointsTo::Solver {
 public:
  explicit Solver(llvm::Module& module)
      : module_(module), layout_(module.getDataLayout()), members_(member_pointers(module)) {
    exceptions_ = new_node();
    for (const llvm::GlobalVariable& global : module.globals()) {
      if (is_virtual_table(global) && global.hasInitializer()) find_virtual(*global.getInitializer());
    }
    for (llvm::GlobalVariable& global : module.globals()) add_global(global);
    for (llvm::GlobalVariable& global : module.globals()) {
      if (global.hasInitializer()) read_initializer(global);
    }
    for (llvm::Function& function : module) {
      if (!function.isDeclaration()) read_function(function);
    }
    solve();
  }

  // ---- Answers ----------------------------------------------------------------------------------------------------

  [[nodiscard]] std::vector<PointedTo> of(const Value* value) {
    std::vector<PointedTo> result;
    if (!carries_pointers(value->getType())) return result;
    for (const Location where : nodes_[find(node_of(value))].points_to) {
      const Location there = find_location(where);
      const Place& place = locations_[there];
      if (place.offset < 0 || place.offset >= objects_[place.object].size) continue;
      result.push_back({place.object, place.offset, period_at(place.object, place.offset)});
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  [[nodiscard]] std::vector<ObjectId> objects_at(const Value* value) {
    std::vector<ObjectId> result;
    if (!carries_pointers(value->getType())) return result;
    for (const Location where : nodes_[find(node_of(value))].points_to)
      result.push_back(locations_[find_location(where)].object);
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }

  [[nodiscard]] std::map<ObjectId, std::vector<PointedTo>> holders_of(const std::set<ObjectId>& wanted) {
    std::map<ObjectId, std::vector<PointedTo>> holders;
    for (ObjectId holder = 0; holder < objects_.size(); ++holder) {
      for (const auto& [offset, location] : objects_[holder].locations) {
        const Node content = locations_[find_location(location)].content;
        if (content == 0) continue;
        std::set<ObjectId> held;
        for (const Location where : nodes_[find(content)].points_to) {
          const ObjectId object = locations_[find_location(where)].object;
          if (wanted.contains(object) && held.insert(object).second)
            holders[object].push_back({holder, offset, period_at(holder, offset)});
        }
      }
    }
    return holders;
  }

  [[nodiscard]] std::vector<ObjectId> reached_from(ObjectId object) {
    std::set<ObjectId> reached;
    for (const auto& [offset, location] : objects_[object].locations) {
      const Place& place = locations_[find_location(location)];
      if (place.content == 0) continue;
      for (const Location where : nodes_[find(place.content)].points_to) {
        reached.insert(locations_[find_location(where)].object);
      }
    }
    return {reached.begin(), reached.end()};
  }

  const llvm::Module& module_;
  const llvm::DataLayout& layout_;

  struct Object {
    ObjectInfo info;
    int64_t size = kEndless;
    bool whole = false;   // one location: functions, threads, constants without pointers
    bool single = false;  // a variable of one number or pointer: nobody steps out of it to come back
    std::vector<Region> regions{};
    std::map<int64_t, Location> locations{};
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
  std::map<const llvm::CallBase*, std::vector<const llvm::Function*>> callees_;
  std::map<const llvm::CallBase*, std::vector<const llvm::Function*>> created_;
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
  };
  struct Transfer {
    Node with;
    int64_t size;
  };
  struct MemoryCopy {
    Node other;
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
  };

  // ---- The graph --------------------------------------------------------------------------------------------------

  Node new_node() {
    if (nodes_.empty()) {
      nodes_.emplace_back();
      leaders_.push_back(0);
    }
    nodes_.emplace_back();
    leaders_.push_back(static_cast<Node>(nodes_.size() - 1));
    return static_cast<Node>(nodes_.size() - 1);
  }

  Node find(Node node) {
    while (leaders_[node] != node) node = leaders_[node] = leaders_[leaders_[node]];
    return node;
  }

  Location find_location(Location location) {
    while (location_leaders_[location] != location) {
      location = location_leaders_[location] = location_leaders_[location_leaders_[location]];
    }
    return location;
  }

  ObjectId new_object(ObjectKind kind, const Value* origin, int64_t size) {
    Object object{{kind, origin}};
    object.size = size;
    object.whole = kind == ObjectKind::kFunction;
    objects_.push_back(std::move(object));
    const auto id = static_cast<ObjectId>(objects_.size() - 1);
    of_origin_[origin].push_back(id);
    return id;
  }

  [[nodiscard]] int64_t normal(const Object& object, int64_t offset) const {
    if (object.whole || offset < 0) return object.whole ? 0 : offset;
    for (const Region& region : object.regions) {
      if (offset >= region.begin && offset < region.end) return region.begin + (offset - region.begin) % region.period;
    }
    return offset;
  }

  [[nodiscard]] int64_t period_at(ObjectId object, int64_t offset) const {
    for (const Region& region : objects_[object].regions) {
      if (offset >= region.begin && offset < region.end) return region.period;
    }
    return 0;
  }

  // kNoLocation: outside of the object, where no pointer leads that may be used.
  Location location(ObjectId id, int64_t offset) {
    const int64_t outside = objects_[id].single ? 0 : kOutside;
    if (!objects_[id].whole && (offset < -outside || offset > objects_[id].size + outside)) return kNoLocation;
    if (objects_[id].locations.size() >= kMostLocations && (offset < 0 || offset > objects_[id].size))
      return kNoLocation;
    if (objects_[id].locations.size() >= kMostLocations || offset > kFarthest) {
      add_region(id, {0, kEndless, 8});
      if (offset > kFarthest) add_region(id, {0, kEndless, 1});
    }
    if (offset >= 0) offset = normal(objects_[id], offset);
    const auto known = objects_[id].locations.find(offset);
    if (known != objects_[id].locations.end()) return find_location(known->second);
    const auto made = static_cast<Location>(locations_.size());
    locations_.push_back({id, offset});
    location_leaders_.push_back(made);
    objects_[id].locations.emplace(offset, made);
    return made;
  }

  Node content(Location where) {
    where = find_location(where);
    if (locations_[where].content != 0) return find(locations_[where].content);
    const Node node = new_node();
    locations_[where].content = node;
    // What is copied as a whole takes this along.
    const Place place = locations_[where];
    for (size_t i = 0; i < objects_[place.object].copied.size(); ++i) {
      const Object::Copied copied = objects_[place.object].copied[i];
      copy_piece(place.object, place.offset, copied);
    }
    return find(node);
  }

  void add_region(ObjectId id, Region region) {
    Object& object = objects_[id];
    if (object.whole || region.period <= 0) return;
    region.begin = std::max<int64_t>(region.begin, 0);
    if (region.end >= object.size && object.size == kEndless) region.end = kEndless;
    for (size_t i = 0; i < object.regions.size();) {
      const Region old = object.regions[i];
      if (region.begin >= old.end || region.end <= old.begin) {
        ++i;
        continue;
      }
      if (old.begin <= region.begin && old.end >= region.end && region.period % old.period == 0 &&
          (region.begin - old.begin) % old.period == 0)
        return;
      region.period = std::gcd(std::gcd(region.period, old.period), std::abs(region.begin - old.begin));
      region.begin = std::min(region.begin, old.begin);
      region.end = std::max(region.end, old.end);
      object.regions.erase(object.regions.begin() + static_cast<std::ptrdiff_t>(i));
      i = 0;
    }
    object.regions.push_back(region);
    // What was told apart before is one now.
    const std::map<int64_t, Location> before = object.locations;
    for (const auto& [offset, where] : before) {
      const int64_t now = normal(objects_[id], offset);
      if (now == offset) continue;
      objects_[id].locations.erase(offset);
      const auto known = objects_[id].locations.find(now);
      if (known == objects_[id].locations.end()) {
        locations_[find_location(where)].offset = now;
        objects_[id].locations.emplace(now, find_location(where));
      } else {
        merge_locations(known->second, where);
      }
    }
  }

  void merge_locations(Location into, Location from) {
    into = find_location(into);
    from = find_location(from);
    if (into == from) return;
    location_leaders_[from] = into;
    const Node content = locations_[from].content;
    if (content == 0) return;
    if (locations_[into].content == 0) {
      locations_[into].content = content;
    } else {
      merge(locations_[into].content, content);
    }
  }

  // Two nodes become one.
  void merge(Node a, Node b) {
    a = find(a);
    b = find(b);
    if (a == b) return;
    leaders_[b] = a;
    ++figures_.collapsed;
    NodeFacts other = std::move(nodes_[b]);
    nodes_[b] = {};
    NodeFacts& into = nodes_[a];
    into.points_to |= other.points_to;
    into.copies |= other.copies;
    const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(into.steps, other.steps);
    append(into.loads, other.loads);
    append(into.stores, other.stores);
    append(into.memory, other.memory);
    append(into.calls, other.calls);
    into.fresh = into.points_to;
    if (!into.fresh.empty()) wake(a);
  }

  void wake(Node node) {
    if (nodes_[node].waiting) return;
    nodes_[node].waiting = true;
    waiting_.push_back(node);
  }

  void add(Node node, Location where) {
    if (where == kNoLocation) return;
    node = find(node);
    if (!nodes_[node].points_to.test_and_set(where)) return;
    nodes_[node].fresh.set(where);
    wake(node);
  }

  void add_all(Node node, const Set& set) {
    node = find(node);
    Set more = set;
    more.intersectWithComplement(nodes_[node].points_to);
    if (more.empty()) return;
    nodes_[node].points_to |= more;
    nodes_[node].fresh |= more;
    wake(node);
  }

  void copy(Node from, Node to) {
    from = find(from);
    to = find(to);
    if (from == to || !nodes_[from].copies.test_and_set(to)) return;
    if (!nodes_[from].points_to.empty()) add_all(to, nodes_[from].points_to);
  }

  // What was there before a constraint was added is passed to it with the rest.
  void look_again(Node node) {
    node = find(node);
    nodes_[node].fresh = nodes_[node].points_to;
    if (!nodes_[node].fresh.empty()) wake(node);
  }

  // ---- Solving ----------------------------------------------------------------------------------------------------

  void solve() {
    size_t until_cycles = 0;
    while (!waiting_.empty()) {
      if (until_cycles == 0) {
        collapse_cycles();
        until_cycles = std::max<size_t>(nodes_.size() / 2, 5000);
      }
      std::vector<Node> wave;
      wave.swap(waiting_);
      std::sort(wave.begin(), wave.end(), [&](Node a, Node b) { return rank(a) > rank(b); });
      for (const Node waiting : wave) {
        nodes_[waiting].waiting = false;
        const Node node = find(waiting);
        if (node != waiting) {
          if (!nodes_[node].fresh.empty()) wake(node);
          continue;
        }
        const Set fresh = std::move(nodes_[node].fresh);
        nodes_[node].fresh.clear();
        if (fresh.empty()) continue;
        ++figures_.passed_on;
        if (until_cycles > 0) --until_cycles;
        pass_on(node, fresh);
      }
    }
  }

  [[nodiscard]] unsigned rank(Node node) const { return node < ranks_.size() ? ranks_[node] : 0; }

  // Tarjan's components of the graph of copies, without recursion. Ranks are in the order of their completion: what is
  // copied to has a smaller one.
  void collapse_cycles() {
    const size_t count = nodes_.size();
    ranks_.assign(count, 0);
    std::vector<unsigned> index(count, 0);
    std::vector<unsigned> low(count, 0);
    std::vector<bool> on_stack(count, false);
    std::vector<Node> stack;
    struct Visit {
      Node node;
      std::vector<Node> to;
      size_t next;
    };
    std::vector<Visit> visits;
    std::vector<std::vector<Node>> cycles;
    unsigned counter = 0;
    unsigned completed = 0;
    const auto successors = [&](Node node) {
      std::vector<Node> to;
      for (const Node copy : nodes_[node].copies) to.push_back(find(copy));
      return to;
    };
    const auto enter = [&](Node node) {
      index[node] = low[node] = ++counter;
      stack.push_back(node);
      on_stack[node] = true;
      visits.push_back({node, successors(node), 0});
    };
    for (Node root = 1; root < count; ++root) {
      if (find(root) != root || index[root] != 0) continue;
      enter(root);
      while (!visits.empty()) {
        Visit& visit = visits.back();
        if (visit.next < visit.to.size()) {
          const Node next = visit.to[visit.next++];
          if (index[next] == 0) {
            enter(next);
          } else if (on_stack[next]) {
            low[visit.node] = std::min(low[visit.node], index[next]);
          }
          continue;
        }
        const Node node = visit.node;
        visits.pop_back();
        if (!visits.empty()) low[visits.back().node] = std::min(low[visits.back().node], low[node]);
        if (low[node] != index[node]) continue;
        std::vector<Node> cycle;
        ++completed;
        for (Node member = 0; member != node;) {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          ranks_[member] = completed;
          cycle.push_back(member);
        }
        if (cycle.size() > 1) cycles.push_back(std::move(cycle));
      }
    }
    for (const std::vector<Node>& cycle : cycles) {
      for (const Node member : cycle) merge(cycle.front(), member);
    }
  }

  // Nodes are added meanwhile, so nothing is held by reference.
  void pass_on(Node node, const Set& fresh) {
    {
      Set now;  // what stands for them since some became one
      bool changed = false;
      for (const Node to : nodes_[node].copies) {
        const Node leader = find(to);
        changed |= leader != to;
        if (leader == node) continue;
        now.set(leader);
        add_all(leader, fresh);
      }
      if (changed) nodes_[node].copies = now;
    }
    const bool more = !nodes_[node].steps.empty() || !nodes_[node].loads.empty() || !nodes_[node].stores.empty() ||
                      !nodes_[node].memory.empty() || !nodes_[node].calls.empty();
    if (!more) return;
    Set seen;
    for (const Location stale : fresh) {
      const Location where = find_location(stale);
      if (!seen.test_and_set(where)) continue;
      pass_location_on(node, where);
    }
  }

  void pass_location_on(Node start, Location where) {
    // The node may become part of another on the way.
    const auto facts = [&]() -> NodeFacts& { return nodes_[find(start)]; };
    for (size_t i = 0; i < facts().steps.size(); ++i) {
      const StepTo step = facts().steps[i];
      add(step.to, stepped(where, step.step));
    }
    for (size_t i = 0; i < facts().loads.size(); ++i) {
      const Transfer load = facts().loads[i];
      for_pieces(where, load.size, [&](Node piece) { copy(piece, load.with); });
    }
    for (size_t i = 0; i < facts().stores.size(); ++i) {
      const Transfer store = facts().stores[i];
      for_pieces(where, store.size, [&](Node piece) { copy(store.with, piece); });
    }
    for (size_t i = 0; i < facts().memory.size(); ++i) {
      const MemoryCopy memory = facts().memory[i];
      const Set others = nodes_[find(memory.other)].points_to;
      for (const Location other : others) {
        if (memory.is_source) {
          copy_memory(where, find_location(other), memory.size);
        } else {
          copy_memory(find_location(other), where, memory.size);
        }
      }
    }
    const ObjectInfo info = objects_[locations_[where].object].info;
    if (info.kind != ObjectKind::kFunction) return;
    for (size_t i = 0; i < facts().calls.size(); ++i) connect_indirect(*facts().calls[i], info.origin);
  }

  template <class Do>
  void for_pieces(Location where, int64_t size, Do piece) {
    const Place place = locations_[find_location(where)];
    if (objects_[place.object].whole) return;
    for (int64_t at = 0; at < std::max<int64_t>(size, 1) && at < 512; at += kPointerBytes) {
      const int64_t offset = place.offset + at;
      if (offset < 0 || offset >= objects_[place.object].size) continue;
      if (const Location there = location(place.object, offset); there != kNoLocation) piece(content(there));
    }
  }

  Location stepped(Location from, const Step& step) {
    const Place place = locations_[find_location(from)];
    if (step.varies) {
      Region region = step.region;
      region.begin += place.offset;
      if (region.end != kEndless) region.end += place.offset;
      const auto wrapped = [&](int64_t offset) { return (offset % region.period + region.period) % region.period; };
      if (step.bytes < 0 || region.begin < 0) region.begin = wrapped(region.begin);
      region.end = std::min(region.end, objects_[place.object].size);
      if (region.end > region.begin) add_region(place.object, region);
      const int64_t there = place.offset + std::max<int64_t>(step.bytes, 0);
      return location(place.object, there < 0 ? wrapped(there) : there);
    }
    const int64_t period = period_at(place.object, place.offset);
    if (period != 0 && step.bytes < 0 && place.offset + step.bytes < 0) {
      return location(place.object, (place.offset + step.bytes) % period + period);
    }
    return location(place.object, place.offset + step.bytes);
  }

  // `from` and `to`: where the blocks begin.
  void copy_memory(Location from, Location to, int64_t size) {
    const Place source = locations_[find_location(from)];
    const Place target = locations_[find_location(to)];
    if (objects_[source.object].whole || objects_[target.object].whole) return;
    const Object::Copied copied{source.offset, size, target.object, target.offset};
    const auto outside = [&](const Place& place) {
      return place.offset < 0 || place.offset >= objects_[place.object].size;
    };
    if (outside(source) || outside(target)) return;
    if (!copied_.insert({source.object, copied.from, copied.size, copied.to, copied.at}).second) return;
    objects_[source.object].copied.push_back(copied);
    std::vector<int64_t> offsets;
    for (const auto& [offset, where] : objects_[source.object].locations) {
      if (locations_[find_location(where)].content != 0) offsets.push_back(offset);
    }
    for (const int64_t offset : offsets) copy_piece(source.object, offset, copied);
  }

  void copy_piece(ObjectId source, int64_t offset, const Object::Copied& copied) {
    const int64_t period = period_at(source, offset);
    int64_t distance = offset - copied.from;
    // In a region the piece stands for all its elements.
    if (distance < 0 && period != 0) distance = ((distance % period) + period) % period;
    if (distance < 0 || (copied.size != kEndless && distance >= copied.size)) return;
    if (copied.at + distance >= objects_[copied.to].size) return;
    const Location from = location(source, offset);
    const Location to = location(copied.to, copied.at + distance);
    if (from == kNoLocation || to == kNoLocation || find_location(from) == find_location(to)) return;
    const Node what = content(from);
    const Node where = content(to);
    copy(what, where);
    if (period != 0 && period_at(copied.to, copied.at + distance) == 0) {
      Region region{copied.at, copied.size == kEndless ? objects_[copied.to].size : copied.at + copied.size, period};
      add_region(copied.to, region);
    }
  }

  // ---- The module -------------------------------------------------------------------------------------------------

  [[nodiscard]] bool carries_pointers(llvm::Type* type) const {
    if (type->isPointerTy()) return true;
    if (!type->isSized() || type->isFPOrFPVectorTy() || type->isTokenTy() || type->isVoidTy()) return false;
    return layout_.getTypeStoreSize(type).getKnownMinValue() >= static_cast<uint64_t>(kPointerBytes);
  }

  [[nodiscard]] int64_t size_of(llvm::Type* type) const {
    return type->isSized() ? static_cast<int64_t>(layout_.getTypeAllocSize(type).getKnownMinValue()) : kEndless;
  }

  void add_global(const llvm::GlobalVariable& global) {
    const ObjectId object = new_object(global.isThreadLocal() ? ObjectKind::kThreadLocal : ObjectKind::kGlobal, &global,
                                       global.isDeclaration() ? kEndless : size_of(global.getValueType()));
    objects_[object].single = global.getValueType()->isSingleValueType();
    // Nobody writes it, and it has no pointers: texts, tables of numbers.
    objects_[object].whole =
        global.isConstant() && global.hasInitializer() && isa<llvm::ConstantData>(global.getInitializer());
    if (!global.getName().starts_with("_ZTV")) add_arrays(object, global.getValueType(), 0);
  }

  // Long arrays have one element.
  void add_arrays(ObjectId object, llvm::Type* type, int64_t at, unsigned depth = 0) {
    if (depth > 4) return;
    if (const auto* array = dyn_cast<llvm::ArrayType>(type)) {
      const int64_t element = size_of(array->getElementType());
      if (static_cast<int64_t>(array->getNumElements()) > kShortArray && element > 0) {
        add_region(object, {at, at + element * static_cast<int64_t>(array->getNumElements()), element});
      } else {
        for (uint64_t i = 0; i < array->getNumElements(); ++i) {
          add_arrays(object, array->getElementType(), at + static_cast<int64_t>(i) * element, depth + 1);
        }
      }
    } else if (auto* structure = dyn_cast<llvm::StructType>(type); structure != nullptr && structure->isSized()) {
      const llvm::StructLayout* fields = layout_.getStructLayout(structure);
      for (unsigned i = 0; i < structure->getNumElements(); ++i) {
        add_arrays(object, structure->getElementType(i),
                   at + static_cast<int64_t>(fields->getElementOffset(i).getKnownMinValue()), depth + 1);
      }
    }
  }

  void read_initializer(const llvm::GlobalVariable& global) {
    put_constant(of_origin_[&global].front(), 0, global.getInitializer());
  }

  void put_constant(ObjectId object, int64_t at, const llvm::Constant* constant) {
    if (isa<llvm::ConstantData>(constant)) return;
    if (isa<llvm::ConstantAggregate>(constant)) {
      llvm::Type* type = constant->getType();
      for (unsigned i = 0; i < constant->getNumOperands(); ++i) {
        int64_t offset = 0;
        if (auto* structure = dyn_cast<llvm::StructType>(type)) {
          offset = static_cast<int64_t>(layout_.getStructLayout(structure)->getElementOffset(i).getKnownMinValue());
        } else {
          offset = static_cast<int64_t>(i) * size_of(constant->getOperand(i)->getType());
        }
        put_constant(object, at + offset, cast<llvm::Constant>(constant->getOperand(i)));
      }
      return;
    }
    if (!carries_pointers(constant->getType())) return;
    if (const Location where = location(object, at); where != kNoLocation) copy(node_of(constant), content(where));
  }

 public:
  Node node_of(const Value* value) {
    const auto [known, first] = of_value_.try_emplace(value, 0);
    if (!first) return known->second;
    const Node node = new_node();
    of_value_[value] = node;
    if (const auto* constant = dyn_cast<llvm::Constant>(value)) read_constant(*constant, node);
    return node;
  }

 private:
  void read_constant(const llvm::Constant& constant, Node node) {
    if (const auto* alias = dyn_cast<llvm::GlobalAlias>(&constant)) {
      copy(node_of(alias->getAliasee()), node);
    } else if (const auto* function = dyn_cast<llvm::Function>(&constant)) {
      if (!of_origin_.contains(function)) new_object(ObjectKind::kFunction, function, 1);
      add(node, location(of_origin_[function].front(), 0));
    } else if (isa<llvm::GlobalVariable>(constant)) {
      add(node, location(of_origin_[&constant].front(), 0));
    } else if (isa<llvm::GlobalValue>(constant)) {
      return;
    } else if (const auto* step = dyn_cast<llvm::GEPOperator>(&constant)) {
      read_step(*step, node, false);
    } else {
      for (const llvm::Use& operand : constant.operands()) {
        if (isa<llvm::Constant>(operand.get()) && !isa<llvm::ConstantData>(operand.get()))
          copy(node_of(operand.get()), node);
      }
    }
  }

  // `turns`: it is done again and again to what it made.
  void read_step(const llvm::GEPOperator& gep, Node node, bool turns) {
    Step step;
    if (gep.getType()->isVectorTy()) {
      step = {0, true, {0, kEndless, 1}};
      add_step(node_of(gep.getPointerOperand()), node, step);
      return;
    }
    if (const MemberStep member = member_step(gep); member != MemberStep::kNone) {
      const Node from = node_of(gep.getPointerOperand());
      const bool of_object = member == MemberStep::kObject;
      for (const int64_t bytes : of_object ? members_.adjustments : members_.slots)
        add_step(from, node, {of_object ? bytes : bytes + 1, false, {0, 0, 0}});  // of a table one less is loaded
      return;
    }
    int64_t at = 0;
    int64_t period = 0;
    bool first = true;
    llvm::Type* outer = gep.getSourceElementType();  // what the index is into
    for (auto index = llvm::gep_type_begin(gep); index != llvm::gep_type_end(gep); ++index) {
      const auto* number = dyn_cast<llvm::ConstantInt>(index.getOperand());
      if (llvm::StructType* structure = index.getStructTypeOrNull()) {
        at += static_cast<int64_t>(layout_.getStructLayout(structure)
                                       ->getElementOffset(static_cast<unsigned>(number->getZExtValue()))
                                       .getKnownMinValue());
      } else {
        const auto element = static_cast<int64_t>(index.getSequentialElementStride(layout_).getKnownMinValue());
        if (number != nullptr) {
          at += number->getSExtValue() * element;
        } else {
          if (period == 0) {
            step.region.begin = at;
            step.region.end = kEndless;
            if (const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(first ? nullptr : outer))
              step.region.end = at + element * static_cast<int64_t>(array->getNumElements());
          }
          period = std::gcd(period, element);
        }
      }
      if (!first) outer = index.getIndexedType();
      first = false;
    }
    step.bytes = at;
    if (period != 0) {
      step.varies = true;
      step.region.period = period;
    } else if (turns && at != 0) {
      step.varies = true;
      step.region = {0, kEndless, std::abs(at)};
      step.bytes = at < 0 ? -1 : 0;
    }
    add_step(node_of(gep.getPointerOperand()), node, step);
  }

  void add_step(Node from, Node to, const Step& step) {
    if (!step.varies && step.bytes == 0) return copy(from, to);
    nodes_[find(from)].steps.push_back({to, step});
    look_again(from);
  }

  void load(const Value* address, const Value* to) {
    if (!carries_pointers(to->getType())) return;
    load_node(node_of(address), node_of(to), size_of(to->getType()));
  }
  void load_node(Node address, Node to, int64_t size) {
    nodes_[find(address)].loads.push_back({to, size});
    look_again(address);
  }
  void store(const Value* value, const Value* address) {
    if (!carries_pointers(value->getType()) || isa<llvm::ConstantData>(value)) return;
    store_node(node_of(value), node_of(address), size_of(value->getType()));
  }
  void store_node(Node value, Node address, int64_t size) {
    nodes_[find(address)].stores.push_back({value, size});
    look_again(address);
  }
  void copy_block(const Value* from, const Value* to, const Value* length) {
    const auto* number = length == nullptr ? nullptr : dyn_cast<llvm::ConstantInt>(length);
    const int64_t size = number == nullptr ? kEndless : static_cast<int64_t>(number->getZExtValue());
    copy_block(node_of(from), node_of(to), size);
  }
  void copy_block(Node source, Node target, int64_t size) {
    nodes_[find(source)].memory.push_back({target, size, true});
    nodes_[find(target)].memory.push_back({source, size, false});
    look_again(source);
    look_again(target);
  }

  Node returned_by(const llvm::Function& function) {
    const auto [known, first] = returned_.try_emplace(&function, 0);
    if (!first) return known->second;
    const Node node = new_node();
    returned_[&function] = node;
    return node;
  }

  // Steps of pointers that go round: of a phi to itself.
  void find_turning(const llvm::Function& function) {
    llvm::SmallPtrSet<const Value*, 16> done;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* gep = dyn_cast<llvm::GetElementPtrInst>(&instruction);
      if (gep == nullptr || turning_.contains(gep)) continue;
      llvm::SmallPtrSet<const Value*, 16> seen;
      llvm::SmallVector<const Value*, 16> open{gep->getPointerOperand()};
      while (!open.empty() && seen.size() < 64) {
        const Value* next = open.pop_back_val();
        if (next == gep) {
          turning_.insert(gep);
          break;
        }
        if (!seen.insert(next).second) continue;
        if (const auto* phi = dyn_cast<llvm::PHINode>(next)) {
          for (const llvm::Use& value : phi->incoming_values()) open.push_back(value.get());
        } else if (const auto* select = dyn_cast<llvm::SelectInst>(next)) {
          open.push_back(select->getTrueValue());
          open.push_back(select->getFalseValue());
        } else if (const auto* inner = dyn_cast<llvm::GetElementPtrInst>(next)) {
          open.push_back(inner->getPointerOperand());
        }
      }
    }
  }

  void read_function(const llvm::Function& function) {
    find_turning(function);
    for (const llvm::Argument& argument : function.args()) {
      if (!argument.hasByValAttr()) continue;
      const ObjectId copied = new_object(ObjectKind::kStack, &argument, size_of(argument.getParamByValType()));
      add(node_of(&argument), location(copied, 0));
    }
    const llvm::DenseSet<const llvm::StoreInst*> passing = passing_tables(function);
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* store = dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || !passing.contains(store)) {
        read(instruction);
      } else {
        node_of(store->getPointerOperand());
      }
    }
  }

  void read(const llvm::Instruction& instruction) {
    // Whoever asks later finds it solved.
    for (const llvm::Use& operand : instruction.operands()) {
      if (operand->getType()->isPointerTy() && !isa<llvm::ConstantData>(operand.get())) node_of(operand.get());
    }
    if (const auto* variable = dyn_cast<llvm::AllocaInst>(&instruction)) {
      const auto* count = dyn_cast<llvm::ConstantInt>(variable->getArraySize());
      const int64_t one = size_of(variable->getAllocatedType());
      const ObjectId object =
          new_object(ObjectKind::kStack, variable,
                     count == nullptr ? kEndless : one * static_cast<int64_t>(count->getZExtValue()));
      objects_[object].single = count != nullptr && count->isOne() && variable->getAllocatedType()->isSingleValueType();
      if (count != nullptr && count->isOne()) add_arrays(object, variable->getAllocatedType(), 0);
      add(node_of(variable), location(object, 0));
    } else if (const auto* loaded = dyn_cast<llvm::LoadInst>(&instruction)) {
      load(loaded->getPointerOperand(), loaded);
    } else if (const auto* stored = dyn_cast<llvm::StoreInst>(&instruction)) {
      store(stored->getValueOperand(), stored->getPointerOperand());
    } else if (const auto* update = dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
      load(update->getPointerOperand(), update);
      store(update->getValOperand(), update->getPointerOperand());
    } else if (const auto* exchange = dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
      if (carries_pointers(exchange->getNewValOperand()->getType())) {
        load_node(node_of(exchange->getPointerOperand()), node_of(exchange), kPointerBytes);
        store(exchange->getNewValOperand(), exchange->getPointerOperand());
      }
    } else if (const auto* step = dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
      read_step(*cast<llvm::GEPOperator>(step), node_of(&instruction), turning_.contains(step));
    } else if (const auto* call = dyn_cast<llvm::CallBase>(&instruction)) {
      read_call(*call);
    } else if (const auto* result = dyn_cast<llvm::ReturnInst>(&instruction)) {
      const Value* value = result->getReturnValue();
      if (value != nullptr && carries_pointers(value->getType()) && !isa<llvm::ConstantData>(value))
        copy(node_of(value), returned_by(*instruction.getFunction()));
    } else if (isa<llvm::LandingPadInst>(instruction)) {
      copy(exceptions_, node_of(&instruction));
    } else if (isa<llvm::VAArgInst>(instruction)) {
      load(instruction.getOperand(0), &instruction);
    } else if (carries_pointers(instruction.getType())) {
      read_arithmetic(instruction);
    }
  }

  // Whether an integer is made of a pointer, or a pointer of it, by what is seen in its function. Others that are
  // computed are numbers: counters that lie where pointers may lie, too.
  [[nodiscard]] static bool is_of_pointer(const llvm::Instruction& computed) {
    const auto leads_on = [](const Value* value) {
      return isa<llvm::BinaryOperator, llvm::PHINode, llvm::SelectInst, llvm::CastInst, llvm::FreezeInst>(value);
    };
    llvm::SmallPtrSet<const Value*, 16> seen;
    llvm::SmallVector<const Value*, 16> open{&computed};
    while (!open.empty() && seen.size() < 64) {
      const auto* value = open.pop_back_val();
      if (isa<llvm::PtrToIntOperator>(value)) return true;
      if (!leads_on(value) || !seen.insert(value).second) continue;
      for (const llvm::Use& operand : cast<llvm::Instruction>(value)->operands()) open.push_back(operand.get());
    }
    seen.clear();
    open.assign({&computed});
    while (!open.empty() && seen.size() < 64) {
      const auto* value = open.pop_back_val();
      if (isa<llvm::IntToPtrInst>(value)) return true;
      if (!leads_on(value) || !seen.insert(value).second) continue;
      for (const llvm::User* user : value->users()) open.push_back(user);
    }
    return false;
  }

  void read_arithmetic(const llvm::Instruction& instruction) {
    const Node node = node_of(&instruction);
    if (isa<llvm::BinaryOperator>(instruction) && !is_of_pointer(instruction)) return;
    switch (instruction.getOpcode()) {
      case llvm::Instruction::Mul:
      case llvm::Instruction::UDiv:
      case llvm::Instruction::SDiv:
      case llvm::Instruction::URem:
      case llvm::Instruction::SRem:
      case llvm::Instruction::Shl:
      case llvm::Instruction::FPToSI:
      case llvm::Instruction::FPToUI:
        return;
      case llvm::Instruction::Sub:
        if (isa<llvm::PtrToIntOperator>(instruction.getOperand(0)) &&
            isa<llvm::PtrToIntOperator>(instruction.getOperand(1)))
          return;
        [[fallthrough]];
      case llvm::Instruction::Add: {
        const auto* number = dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
        if (number != nullptr && number->getBitWidth() <= 64) {
          const int64_t bytes = number->getSExtValue();
          const bool minus = instruction.getOpcode() == llvm::Instruction::Sub;
          return add_step(node_of(instruction.getOperand(0)), node, {minus ? -bytes : bytes, false, {0, 0, 0}});
        }
        for (const llvm::Use& operand : instruction.operands()) {
          if (!isa<llvm::ConstantData>(operand.get()))
            add_step(node_of(operand.get()), node, {-1, true, {0, kEndless, 1}});
        }
        return;
      }
      default:
        // Bits of a pointer are masked, or put together: it is the same pointer.
        for (const llvm::Use& operand : instruction.operands()) {
          if (carries_pointers(operand->getType()) && !isa<llvm::ConstantData>(operand.get()) &&
              !isa<llvm::BasicBlock>(operand.get()))
            copy(node_of(operand.get()), node);
        }
    }
  }

  // ---- Calls ------------------------------------------------------------------------------------------------------

  void read_call(const llvm::CallBase& call) {
    if (const auto* intrinsic = dyn_cast<llvm::IntrinsicInst>(&call)) return read_intrinsic(*intrinsic);
    if (call.isInlineAsm()) {
      for (const llvm::Use& argument : call.args()) {
        if (carries_pointers(call.getType()) && carries_pointers(argument->getType()))
          copy(node_of(argument.get()), node_of(&call));
        if (carries_pointers(call.getType()) && argument->getType()->isPointerTy())
          load_node(node_of(argument.get()), node_of(&call), kPointerBytes);
      }
      return;
    }
    const auto* callee = dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCastsAndAliases());
    if (callee == nullptr) {
      const Node node = node_of(call.getCalledOperand());
      nodes_[find(node)].calls.push_back(&call);
      look_again(node);
    } else if (callee->isDeclaration()) {
      read_library_call(call, *callee);
    } else {
      connect(call, *callee);
    }
  }

  Node rest_of(const llvm::Function& function) {
    const auto [known, first] = rests_.try_emplace(&function, 0);
    if (first) {
      const ObjectId object = new_object(ObjectKind::kStack, &function, kEndless);
      add_region(object, {0, kEndless, 1});
      const Node node = new_node();
      add(node, location(object, 0));
      rests_[&function] = node;
    }
    return rests_[&function];
  }

  void connect(const llvm::CallBase& call, const llvm::Function& callee) {
    std::vector<const llvm::Function*>& known = callees_[&call];
    if (llvm::is_contained(known, &callee)) return;
    known.push_back(&callee);
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const Value* given = call.getArgOperand(i);
      if (!carries_pointers(given->getType()) || isa<llvm::ConstantData>(given)) continue;
      if (i >= callee.arg_size()) {
        if (callee.isVarArg()) store_node(node_of(given), rest_of(callee), kPointerBytes);
      } else if (callee.getArg(i)->hasByValAttr()) {
        copy_block(given, callee.getArg(i), nullptr);
      } else if (carries_pointers(callee.getArg(i)->getType())) {
        copy(node_of(given), node_of(callee.getArg(i)));
      }
    }
    if (carries_pointers(call.getType()) && carries_pointers(callee.getReturnType()))
      copy(returned_by(callee), node_of(&call));
  }

  // The functions that virtual tables have in them.
  void find_virtual(const llvm::Constant& part) {
    if (const auto* function = dyn_cast<llvm::Function>(part.stripPointerCastsAndAliases())) {
      virtual_.insert(function);
    } else if (isa<llvm::ConstantAggregate>(part)) {
      for (const llvm::Use& each : part.operands()) find_virtual(*cast<llvm::Constant>(each.get()));
    }
  }

  // Whether a call through a pointer may mean the function: it takes what is given. A call whose type says nothing of
  // parameters (K&R) may mean any.
  [[nodiscard]] bool is_called_as(const llvm::Function& function, const llvm::FunctionType& call) const {
    const llvm::FunctionType& own = *function.getFunctionType();
    const auto alike = [&](llvm::Type* one, llvm::Type* other) {
      if (one == other) return true;
      return (one->isPointerTy() || one->isIntegerTy(64)) && (other->isPointerTy() || other->isIntegerTy(64));
    };
    if (call.isVarArg()) return own.isVarArg() || own.getNumParams() >= call.getNumParams();
    if (!call.getReturnType()->isVoidTy() && !alike(call.getReturnType(), own.getReturnType())) return false;
    if (own.isVarArg() ? own.getNumParams() > call.getNumParams() : own.getNumParams() != call.getNumParams())
      return false;
    for (unsigned i = 0; i < own.getNumParams(); ++i) {
      if (!alike(own.getParamType(i), call.getParamType(i))) return false;
    }
    return true;
  }

  // What a call through a pointer, or one that is given a function, means for one of the functions.
  void connect_indirect(const llvm::CallBase& call, const Value* target) {
    const auto* function = cast<llvm::Function>(target);
    const llvm::Function* callee = call.getCalledFunction();
    if (callee != nullptr && callee->isDeclaration()) {
      if (callee->getName() == kFork || callee->getName() == kForkTask || callee->getName() == kForkTeam)
        return connect_thread(call, *callee, *function);
      return connect_callback(call, *function);
    }
    if (function->isDeclaration()) return read_library_call(call, *function);
    if (is_virtual_call(call) && !virtual_.contains(function)) return;
    if (is_called_as(*function, *call.getFunctionType())) connect(call, *function);
  }

  void connect_thread(const llvm::CallBase& call, const llvm::Function& kind, const llvm::Function& function) {
    if (function.isDeclaration()) return;
    std::vector<const llvm::Function*>& known = created_[&call];
    if (llvm::is_contained(known, &function)) return;
    known.push_back(&function);
    const auto give = [&](const Value* given, unsigned parameter) {
      if (parameter < function.arg_size() && carries_pointers(given->getType()) &&
          carries_pointers(function.getArg(parameter)->getType()) && !isa<llvm::ConstantData>(given))
        copy(node_of(given), node_of(function.getArg(parameter)));
    };
    if (kind.getName() == kForkTeam) {
      for (unsigned i = 3; i < call.arg_size(); ++i) give(call.getArgOperand(i), i - 1);
      return;
    }
    const ObjectId thread = new_object(ObjectKind::kThread, &call, kPointerBytes);
    objects_[thread].info.target = &function;
    const Node name = new_node();
    add(name, location(thread, 0));
    if (kind.getName() == kForkTask) return give(call.getArgOperand(1), 1);
    give(call.getArgOperand(1), 0);
    if (!isa<llvm::ConstantData>(call.getArgOperand(2)))
      store_node(name, node_of(call.getArgOperand(2)), kPointerBytes);
    if (carries_pointers(function.getReturnType())) copy(returned_by(function), content(location(thread, 0)));
  }

  // A library calls what it was given, with what it was given.
  void connect_callback(const llvm::CallBase& call, const llvm::Function& function) {
    if (function.isDeclaration()) return;
    std::vector<const llvm::Function*>& known = callees_[&call];
    if (llvm::is_contained(known, &function)) return;
    known.push_back(&function);
    for (const llvm::Use& given : call.args()) {
      if (!carries_pointers(given->getType()) || isa<llvm::ConstantData>(given.get())) continue;
      for (const llvm::Argument& parameter : function.args()) {
        if (carries_pointers(parameter.getType()) && !parameter.hasByValAttr())
          copy(node_of(given.get()), node_of(&parameter));
      }
    }
  }

  void allocate(const llvm::CallBase& call, int64_t size = kEndless) {
    if (!carries_pointers(call.getType())) return;
    if (!allocated_.contains(&call)) allocated_[&call] = new_object(ObjectKind::kHeap, &call, size);
    add(node_of(&call), location(allocated_[&call], 0));
  }

  [[nodiscard]] static int64_t allocated_size(const llvm::CallBase& call, llvm::StringRef name) {
    const auto number = [&](unsigned i) -> int64_t {
      const auto* constant = i < call.arg_size() ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(i)) : nullptr;
      return constant == nullptr ? kEndless : static_cast<int64_t>(constant->getZExtValue());
    };
    if (name == "malloc" || name.starts_with("_Znwm") || name.starts_with("_Znam")) return number(0);
    if (name == "calloc" && number(0) != kEndless && number(1) != kEndless && number(1) < kFarthest)
      return number(0) * number(1);
    return kEndless;
  }

  void read_library_call(const llvm::CallBase& call, const llvm::Function& callee) {
    const llvm::StringRef name = callee.getName();
    if (name == kJoin) return;
    if (name == kFork || name == kForkTask || name == kForkTeam) {
      const Node node = node_of(call.getArgOperand(name == kForkTeam ? 2 : 0));
      nodes_[find(node)].calls.push_back(&call);
      return look_again(node);
    }
    switch (compiler::library_role(name)) {
      case compiler::LibraryRole::kAllocates:
        return allocate(call, allocated_size(call, name));
      case compiler::LibraryRole::kReallocates:
        allocate(call);
        return copy(node_of(call.getArgOperand(0)), node_of(&call));
      case compiler::LibraryRole::kFrees:
        return;
      case compiler::LibraryRole::kString:
      case compiler::LibraryRole::kStringMoves:
        return read_string_call(call);
      case compiler::LibraryRole::kLooks:
      case compiler::LibraryRole::kUnknown:
        break;
    }
    if ((name == "memcpy" || name == "memmove" || name == "__memcpy_chk" || name == "__memmove_chk") &&
        call.arg_size() >= 3) {
      copy_block(call.getArgOperand(1), call.getArgOperand(0), call.getArgOperand(2));
      return copy(node_of(call.getArgOperand(0)), node_of(&call));
    }
    if (const Passing passing = passing_of(name); passing.way != Passing::Way::kNone) pass_by_kernel(call, passing);
    if (name == "__cxa_allocate_exception") return allocate(call);
    if (name == "__cxa_throw") return copy(node_of(call.getArgOperand(0)), exceptions_);
    if (name == "__dynamic_cast") {
      return add_step(node_of(call.getArgOperand(0)), node_of(&call), {-1, true, {0, kEndless, 8}});
    }
    if (name.starts_with("__kmpc_reduce")) return;  // what it calls is ordered by OpenMP
    const bool returns = carries_pointers(call.getType());
    const bool may_call = compiler::thread_role(name) == compiler::ThreadRole::kMayCreate;
    for (unsigned i = 0; i < call.arg_size(); ++i) {
      const Value* given = call.getArgOperand(i);
      if (!given->getType()->isPointerTy() || isa<llvm::ConstantData>(given)) continue;
      const Node node = node_of(given);
      // A member of the C++ library does not call its object.
      const bool is_object = i == 0 && (name.starts_with("_ZNSt") || name.starts_with("_ZNKSt"));
      if (may_call && !is_object) {
        nodes_[find(node)].calls.push_back(&call);
        look_again(node);
      }
      if (returns && call.getType()->isPointerTy() && !call.returnDoesNotAlias()) copy(node, node_of(&call));
    }
    if (!returns || !call.getType()->isPointerTy()) return;
    if (call.returnDoesNotAlias() || name == "mmap" || name == "mmap64") return allocate(call);
    if (!of_origin_.contains(&callee)) new_object(ObjectKind::kFunction, &callee, 1);
    if (of_origin_[&callee].size() < 2) new_object(ObjectKind::kForeign, &callee, kEndless);
    add(node_of(&call), location(of_origin_[&callee][1], 0));
  }

  // What is sent may be received by any that receives: pipes, sockets, queues and signals are not told apart. Only
  // blocks of few bytes count, as many as is known; longer ones are texts.
  void pass_by_kernel(const llvm::CallBase& call, const Passing& passing) {
    constexpr int64_t kLongest = 256;
    if (passing.argument >= call.arg_size()) return;
    int64_t size = passing.size;
    if (size == 0) {
      const auto* length =
          passing.length < call.arg_size() ? dyn_cast<llvm::ConstantInt>(call.getArgOperand(passing.length)) : nullptr;
      if (length == nullptr || length->getZExtValue() > static_cast<uint64_t>(kLongest)) return;
      size = static_cast<int64_t>(length->getZExtValue());
    }
    if (kernel_ == 0) {
      const ObjectId object = new_object(ObjectKind::kForeign, call.getCalledFunction(), kEndless);
      add_region(object, {0, kEndless, 1});
      kernel_ = new_node();
      add(kernel_, location(object, 0));
    }
    const Value* given = call.getArgOperand(passing.argument);
    if (!carries_pointers(given->getType()) || isa<llvm::ConstantData>(given)) return;
    switch (passing.way) {
      case Passing::Way::kSends:
        return copy_block(node_of(given), kernel_, size);
      case Passing::Way::kReceives:
        return copy_block(kernel_, node_of(given), size);
      case Passing::Way::kSendsValue:
        return store_node(node_of(given), kernel_, kPointerBytes);
      case Passing::Way::kNone:
        return;
    }
  }

  // A member of std::string: may give it a new buffer; returns itself, a new buffer, or a place in the old one.
  void read_string_call(const llvm::CallBase& call) {
    if (call.arg_size() == 0 || !call.getArgOperand(0)->getType()->isPointerTy()) return;
    if (!allocated_.contains(&call)) allocated_[&call] = new_object(ObjectKind::kHeap, &call, kEndless);
    const Node buffer = new_node();
    add(buffer, location(allocated_[&call], 0));
    const Node self = node_of(call.getArgOperand(0));
    add_step(self, buffer, {16, false, {0, 0, 0}});
    store_node(buffer, self, kPointerBytes);
    if (!call.getType()->isPointerTy()) return;
    copy(buffer, node_of(&call));
    copy(self, node_of(&call));
    load_node(self, node_of(&call), kPointerBytes);
  }

  void read_intrinsic(const llvm::IntrinsicInst& intrinsic) {
    if (const auto* transfer = dyn_cast<llvm::AnyMemTransferInst>(&intrinsic))
      return copy_block(transfer->getRawSource(), transfer->getRawDest(), transfer->getLength());
    if (isa<llvm::AnyMemSetInst>(intrinsic)) return;
    switch (intrinsic.getIntrinsicID()) {
      case llvm::Intrinsic::masked_load:
      case llvm::Intrinsic::masked_gather:
      case llvm::Intrinsic::masked_expandload:
        return load(intrinsic.getArgOperand(0), &intrinsic);
      case llvm::Intrinsic::masked_store:
      case llvm::Intrinsic::masked_scatter:
      case llvm::Intrinsic::masked_compressstore:
        return store(intrinsic.getArgOperand(0), intrinsic.getArgOperand(1));
      case llvm::Intrinsic::vastart: {
        const Node list = node_of(intrinsic.getArgOperand(0));
        const Node inner = new_node();
        for (const int64_t at : {8, 16}) {
          const Node slot = new_node();
          add_step(list, slot, {at, false, {0, 0, 0}});
          store_node(rest_of(*intrinsic.getFunction()), slot, kPointerBytes);
        }
        copy(list, inner);
        return;
      }
      case llvm::Intrinsic::vacopy:
        return copy_block(intrinsic.getArgOperand(1), intrinsic.getArgOperand(0), nullptr);
      default:
        break;
    }
    if (!carries_pointers(intrinsic.getType())) return;
    for (const llvm::Use& argument : intrinsic.args()) {
      if (carries_pointers(argument->getType()) && !isa<llvm::ConstantData>(argument.get()))
        copy(node_of(argument.get()), node_of(&intrinsic));
    }
  }

  std::vector<NodeFacts> nodes_;
  std::vector<Node> leaders_;
  std::vector<Place> locations_;
  std::vector<Location> location_leaders_;
  std::vector<Node> waiting_;
  std::vector<unsigned> ranks_;
  std::set<std::tuple<ObjectId, int64_t, int64_t, ObjectId, int64_t>> copied_;
  llvm::DenseMap<const Value*, Node> of_value_;
  llvm::DenseMap<const llvm::Function*, Node> returned_;
  llvm::DenseMap<const llvm::Function*, Node> rests_;  // a pointer to what a function with ... is given beside
  std::map<const llvm::CallBase*, ObjectId> allocated_;
  llvm::SmallPtrSet<const llvm::GetElementPtrInst*, 32> turning_;
  const MemberPointers members_;
  llvm::DenseSet<const llvm::Function*> virtual_;  // functions of virtual tables
  Node exceptions_ = 0;
  Node kernel_ = 0;  // points to what was sent and not received

 public:
  [[nodiscard]] Figures figures() const {
    Figures figures = figures_;
    figures.nodes = nodes_.size();
    figures.objects = objects_.size();
    return figures;
  }
};

PointsTo::PointsTo(llvm::Module& module) : solver_(std::make_unique<Solver>(module)) {}
PointsTo::~PointsTo() = default;

std::vector<PointedTo> PointsTo::of(const Value* pointer) const { return solver_->of(pointer); }
const ObjectInfo& PointsTo::object(ObjectId object) const { return solver_->objects_[object].info; }
size_t PointsTo::objects() const { return solver_->objects_.size(); }
std::vector<ObjectId> PointsTo::objects_at(const Value* pointer) const { return solver_->objects_at(pointer); }
std::map<ObjectId, std::vector<PointedTo>> PointsTo::holders_of(const std::set<ObjectId>& wanted) const {
  return solver_->holders_of(wanted);
}
std::vector<ObjectId> PointsTo::reached_from(ObjectId object) const { return solver_->reached_from(object); }

const std::vector<ObjectId>& PointsTo::objects_of(const Value* origin) const {
  static const std::vector<ObjectId> none;
  const auto known = solver_->of_origin_.find(origin);
  return known == solver_->of_origin_.end() ? none : known->second;
}

const std::vector<const llvm::Function*>& PointsTo::callees(const llvm::CallBase& call) const {
  static const std::vector<const llvm::Function*> none;
  const auto known = solver_->callees_.find(&call);
  return known == solver_->callees_.end() ? none : known->second;
}

const std::vector<const llvm::Function*>& PointsTo::created(const llvm::CallBase& call) const {
  static const std::vector<const llvm::Function*> none;
  const auto known = solver_->created_.find(&call);
  return known == solver_->created_.end() ? none : known->second;
}

PointsTo::Figures PointsTo::figures() const { return solver_->figures(); }

}  // namespace norn::statics
