// The graph of what points where, and its solution.
#include "static/points_to/pointer_solver.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "llvm/IR/InstIterator.h"
#include "static/points_to/virtual_tables.h"

namespace norn::statics {

using llvm::Value;

PointerSolver::PointerSolver(llvm::Module& module)
    : module_(module), layout_(module.getDataLayout()), returned_sources_(module), members_(member_pointers(module)) {
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

const PointerSolver::Answer& PointerSolver::answer(const Value* value) {
  static const Answer none;
  if (!carries_pointers(value->getType())) return none;
  return answer_of(find(node_of(value)));
}

const PointerSolver::Answer& PointerSolver::answer_of(Node node) {
  const auto [known, fresh] = known_answers_.try_emplace(node, nullptr);
  if (!fresh) return *known->second;
  const Set& set = nodes_[node].points_to;
  std::vector<const Answer*>& alike = answers_by_hash_[set.hash()];
  for (const Answer* each : alike) {
    if (nodes_[each->node].points_to == set) return *(known->second = each);
  }
  Answer& made = answers_.emplace_back();
  made.node = node;
  for (const Location where : set) {
    const Place& place = locations_[find_location(where)];
    made.objects.push_back(place.object);
    if (place.offset < 0 || place.offset >= objects_[place.object].size) continue;
    made.places.push_back({place.object, place.offset, period_at(place.object, place.offset)});
  }
  const auto sort = [](auto& all) {
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    all.shrink_to_fit();
  };
  sort(made.places);
  sort(made.objects);
  alike.push_back(&made);
  return *(known->second = &made);
}

const std::vector<PointedTo>& PointerSolver::of(const Value* value) { return answer(value).places; }
const std::vector<ObjectId>& PointerSolver::objects_at(const Value* value) { return answer(value).objects; }

std::map<ObjectId, std::vector<PointedTo>> PointerSolver::holders_of(const std::set<ObjectId>& wanted) {
  std::map<ObjectId, std::vector<PointedTo>> holders;
  std::vector<bool> is_wanted(objects_.size(), false);
  for (const ObjectId object : wanted) is_wanted[object] = true;
  std::vector<size_t> held(objects_.size(), 0);  // by which place it was seen last
  size_t places = 0;
  for (ObjectId holder = 0; holder < objects_.size(); ++holder) {
    for (const auto& [offset, location] : objects_[holder].locations) {
      const Node content = locations_[find_location(location)].content;
      if (content == 0) continue;
      ++places;
      for (const Location where : nodes_[find(content)].points_to) {
        const ObjectId object = locations_[find_location(where)].object;
        if (!is_wanted[object] || held[object] == places) continue;
        held[object] = places;
        holders[object].push_back({holder, offset, period_at(holder, offset)});
      }
    }
  }
  return holders;
}

std::vector<const std::vector<ObjectId>*> PointerSolver::contents_of(ObjectId object) {
  std::vector<const std::vector<ObjectId>*> contents;
  for (const auto& [offset, location] : objects_[object].locations) {
    const Place& place = locations_[find_location(location)];
    if (place.content == 0) continue;
    const std::vector<ObjectId>& objects = answer_of(find(place.content)).objects;
    if (!objects.empty()) contents.push_back(&objects);
  }
  std::sort(contents.begin(), contents.end());
  contents.erase(std::unique(contents.begin(), contents.end()), contents.end());
  return contents;
}

PointerSolver::Node PointerSolver::new_node() {
  if (nodes_.empty()) {
    nodes_.emplace_back();
    leaders_.push_back(0);
  }
  nodes_.emplace_back();
  leaders_.push_back(static_cast<Node>(nodes_.size() - 1));
  return static_cast<Node>(nodes_.size() - 1);
}

PointerSolver::Node PointerSolver::find(Node node) {
  while (leaders_[node] != node) node = leaders_[node] = leaders_[leaders_[node]];
  return node;
}

PointerSolver::Location PointerSolver::find_location(Location location) {
  while (location_leaders_[location] != location) {
    location = location_leaders_[location] = location_leaders_[location_leaders_[location]];
  }
  return location;
}

ObjectId PointerSolver::new_object(ObjectKind kind, const Value* origin, int64_t size) {
  Object object{{kind, origin}};
  object.size = size;
  object.whole = kind == ObjectKind::kFunction;
  objects_.push_back(std::move(object));
  const auto id = static_cast<ObjectId>(objects_.size() - 1);
  of_origin_[origin].push_back(id);
  return id;
}

int64_t PointerSolver::normal(const Object& object, int64_t offset) const {
  if (object.whole || offset < 0) return object.whole ? 0 : offset;
  for (const Region& region : object.regions) {
    if (offset >= region.begin && offset < region.end) return region.begin + (offset - region.begin) % region.period;
  }
  return offset;
}

int64_t PointerSolver::period_at(ObjectId object, int64_t offset) const {
  for (const Region& region : objects_[object].regions) {
    if (offset >= region.begin && offset < region.end) return region.period;
  }
  return 0;
}

// kNoLocation: outside of the object, where no pointer leads that may be used.
PointerSolver::Location PointerSolver::location(ObjectId id, int64_t offset) {
  if (objects_[id].info.kind == ObjectKind::kFunction && offset != 0) return kNoLocation;
  if (objects_[id].whole) offset = 0;
  const int64_t outside = objects_[id].single ? 0 : kOutside;
  if (offset < -outside || offset > objects_[id].size + outside) return kNoLocation;
  const size_t most = objects_[id].size == kEndless ? kMostOfUnknown : kMostLocations;
  if (objects_[id].locations.size() >= most && (offset < 0 || offset > objects_[id].size)) return kNoLocation;
  if (objects_[id].locations.size() >= most || offset > kFarthest) {
    add_region(id, {0, kEndless, 8});
    if (offset > kFarthest) add_region(id, {0, kEndless, 1});
  }
  if (offset >= 0) offset = normal(objects_[id], offset);
  if (const Location* known = objects_[id].locations.find(offset)) return find_location(*known);
  const auto made = static_cast<Location>(locations_.size());
  locations_.push_back({id, offset});
  location_leaders_.push_back(made);
  objects_[id].locations.insert(offset, made);
  return made;
}

PointerSolver::Node PointerSolver::content(Location where) {
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

void PointerSolver::add_region(ObjectId id, Region region) {
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
  const Locations before = object.locations;
  for (const auto& [offset, where] : before) {
    const int64_t now = normal(objects_[id], offset);
    if (now == offset) continue;
    objects_[id].locations.erase(offset);
    if (const Location* known = objects_[id].locations.find(now)) {
      merge_locations(*known, where);
    } else {
      locations_[find_location(where)].offset = now;
      objects_[id].locations.insert(now, find_location(where));
    }
  }
  // What it is copied to has such elements now, too.
  for (size_t i = 0; i < objects_[id].copied.size(); ++i) copy_pieces(id, Object::Copied(objects_[id].copied[i]));
}

void PointerSolver::merge_locations(Location into, Location from) {
  into = find_location(into);
  from = find_location(from);
  if (into == from) return;
  location_leaders_[from] = into;
  merged_locations_.insert(from);
  const Node content = locations_[from].content;
  if (content == 0) return;
  if (locations_[into].content == 0) {
    locations_[into].content = content;
  } else {
    merge(locations_[into].content, content);
  }
}

// Two nodes become one.
void PointerSolver::merge(Node a, Node b) {
  a = find(a);
  b = find(b);
  if (a == b) return;
  leaders_[b] = a;
  ++figures_.collapsed;
  NodeFacts other = std::move(nodes_[b]);
  nodes_[b] = {};
  NodeFacts& into = nodes_[a];
  // What both passed on need not go again.
  Set passed = into.points_to;
  passed.remove(into.fresh);
  Set other_passed = other.points_to;
  other_passed.remove(other.fresh);
  passed.intersect(other_passed);
  into.points_to.add(other.points_to);
  into.copies.add(other.copies);
  const auto append = [](auto& to, auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append(into.steps, other.steps);
  append(into.loads, other.loads);
  append(into.stores, other.stores);
  append(into.memory, other.memory);
  append(into.calls, other.calls);
  into.told_apart = 0;
  into.fresh = into.points_to;
  into.fresh.remove(passed);
  if (!into.fresh.empty()) wake(a);
}

void PointerSolver::wake(Node node) {
  if (nodes_[node].waiting) return;
  nodes_[node].waiting = true;
  waiting_.push_back(node);
}

void PointerSolver::add(Node node, Location where) {
  if (where == kNoLocation) return;
  node = find(node);
  if (!nodes_[node].points_to.insert(where)) return;
  nodes_[node].fresh.insert(where);
  wake(node);
}

void PointerSolver::add_all(Node node, const Set& set) {
  node = find(node);
  Set more;
  if (!nodes_[node].points_to.add(set, more)) return;
  if (nodes_[node].fresh.empty()) {
    nodes_[node].fresh = std::move(more);
  } else {
    nodes_[node].fresh.add(more);
  }
  wake(node);
}

void PointerSolver::copy(Node from, Node to) {
  from = find(from);
  to = find(to);
  if (from == to || !nodes_[from].copies.insert(to)) return;
  if (!nodes_[from].points_to.empty()) add_all(to, nodes_[from].points_to);
}

// What was there before a constraint was added is passed to it with the rest.
void PointerSolver::look_again(Node node) {
  node = find(node);
  nodes_[node].fresh = nodes_[node].points_to;
  if (!nodes_[node].fresh.empty()) wake(node);
}

void PointerSolver::solve() {
  size_t until_cycles = 0;
  while (!waiting_.empty()) {
    if (until_cycles == 0) {
      collapse_cycles();
      collapse_exploded();
      until_cycles = std::max<size_t>(nodes_.size() / 20, 5000);
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

unsigned PointerSolver::rank(Node node) const { return node < ranks_.size() ? ranks_[node] : 0; }

// Tarjan's components of the graph of copies, without recursion. Ranks are in the order of their completion: what is
// copied to has a smaller one.
void PointerSolver::collapse_cycles() {
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

// A pointer to very many places that has many in one object has lost what it points to; that object's fields are told
// apart no more. This bounds the sets of large programs, and leaves small ones as they are.
void PointerSolver::collapse_exploded() {
  std::vector<ObjectId> exploded;
  std::vector<size_t> places(objects_.size(), 0);
  std::vector<ObjectId> touched;
  for (Node node = 1; node < nodes_.size(); ++node) {
    const size_t words = nodes_[node].points_to.words();
    if (find(node) != node || words < kLargeSet / 64 || words == nodes_[node].looked_at) continue;
    nodes_[node].looked_at = words;
    if (nodes_[node].points_to.count() < kLargeSet) continue;
    touched.clear();
    for (const Location where : nodes_[node].points_to) {
      const Location leader = find_location(where);
      if (leader != where) continue;
      const ObjectId object = locations_[leader].object;
      if (++places[object] == 1) touched.push_back(object);
    }
    for (const ObjectId object : touched) {
      if (places[object] > kMostOfOne) exploded.push_back(object);
      places[object] = 0;
    }
  }
  std::sort(exploded.begin(), exploded.end());
  exploded.erase(std::unique(exploded.begin(), exploded.end()), exploded.end());
  for (const ObjectId object : exploded) add_region(object, {0, kEndless, kPointerBytes});
  if (merged_locations_.empty()) return;
  for (Node node = 1; node < nodes_.size(); ++node) {
    if (find(node) != node) continue;
    make_current(nodes_[node].points_to);
    make_current(nodes_[node].fresh);
  }
  merged_locations_.clear();
}

// What stands for locations that became one.
void PointerSolver::make_current(Set& set) {
  if (!set.intersects(merged_locations_)) return;
  std::vector<Location> now;
  for (const Location where : set) now.push_back(find_location(where));
  set = set_of(now);
}

// Sorting words is less than sorting what is in them.
PointerSolver::Set PointerSolver::set_of(const std::vector<Location>& locations) {
  scratch_.resize(locations_.size() / 64 + 1, 0);
  touched_.clear();
  for (const Location where : locations) {
    uint64_t& word = scratch_[where / 64];
    if (word == 0) touched_.push_back(where / 64);
    word |= uint64_t{1} << (where % 64);
  }
  std::sort(touched_.begin(), touched_.end());
  Set made;
  for (const uint32_t index : touched_) {
    made.append(index, scratch_[index]);
    scratch_[index] = 0;
  }
  return made;
}

// Nodes are added meanwhile, so nothing is held by reference.
void PointerSolver::pass_on(Node node, const Set& fresh) {
  {
    std::vector<Node> now;  // what stands for them since some became one
    bool changed = false;
    for (const Node to : nodes_[node].copies) {
      const Node leader = find(to);
      changed |= leader != to;
      if (leader == node) continue;
      now.push_back(leader);
      add_all(leader, fresh);
    }
    if (changed) {
      std::sort(now.begin(), now.end());
      Set copies;
      for (const Node leader : now) copies.insert(leader);
      nodes_[node].copies = std::move(copies);
    }
  }
  const bool more = !nodes_[node].steps.empty() || !nodes_[node].loads.empty() || !nodes_[node].stores.empty() ||
                    !nodes_[node].memory.empty() || !nodes_[node].calls.empty();
  if (!more) return;
  join_alike(node);
  std::vector<Location> current;
  for (const Location stale : fresh) current.push_back(find_location(stale));
  const Set places = set_of(current);
  for (size_t i = 0; i < nodes_[find(node)].steps.size(); ++i) {
    const StepTo step = nodes_[find(node)].steps[i];
    step_on(step, places);
  }
  for (const Location where : places) pass_location_on(node, find_location(where));
}

// What is the same step from one node, or loaded from the same places, is one node, if nothing else comes to it
// (Hardekopf and Lin, Exploiting Pointer and Location Equivalence to Optimize Pointer Analysis, SAS 2007, finds such
// before it solves; here nodes become one meanwhile).
void PointerSolver::join_alike(Node start) {
  NodeFacts& facts = nodes_[find(start)];
  if (facts.steps.size() + facts.loads.size() == facts.told_apart) return;
  std::vector<std::pair<Node, Node>> alike;
  const auto join = [&](auto& all, const auto& less, const auto& to) {
    std::sort(all.begin(), all.end(), less);
    size_t kept = 0;
    for (size_t i = 0; i < all.size(); ++i) {
      if (kept > 0 && all[i].only && !less(all[kept - 1], all[i])) {
        alike.emplace_back(to(all[kept - 1]), to(all[i]));
      } else {
        all[kept++] = all[i];
      }
    }
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(kept), all.end());
  };
  join(
      facts.steps,
      [](const StepTo& a, const StepTo& b) {
        return std::tuple(a.only, a.step.key()) < std::tuple(b.only, b.step.key());
      },
      [](const StepTo& step) { return step.to; });
  join(
      facts.loads,
      [](const Transfer& a, const Transfer& b) { return std::pair(a.only, a.size) < std::pair(b.only, b.size); },
      [](const Transfer& load) { return load.with; });
  facts.told_apart = facts.steps.size() + facts.loads.size();
  for (const auto& [a, b] : alike) merge(a, b);
}

// All at once.
void PointerSolver::step_on(const StepTo& step, const Set& places) {
  std::vector<Location> stepped_to;
  for (const Location where : places) {
    const Location there = stepped(where, step.step);
    if (there != kNoLocation) stepped_to.push_back(there);
  }
  add_all(step.to, set_of(stepped_to));
}

void PointerSolver::pass_location_on(Node start, Location where) {
  // The node may become part of another on the way.
  const auto facts = [&]() -> NodeFacts& { return nodes_[find(start)]; };
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
    const Location between = location(memory.between, 0);
    if (memory.is_source) {
      copy_memory(where, between, memory.size);
    } else {
      copy_memory(between, where, memory.size);
    }
  }
  const ObjectInfo info = objects_[locations_[where].object].info;
  if (info.kind != ObjectKind::kFunction) return;
  for (size_t i = 0; i < facts().calls.size(); ++i) connect_indirect(*facts().calls[i], info.origin);
}

template <class Do>
void PointerSolver::for_pieces(Location where, int64_t size, Do piece) {
  const Place place = locations_[find_location(where)];
  if (objects_[place.object].whole) return;
  for (int64_t at = 0; at < std::max<int64_t>(size, 1) && at < 512; at += kPointerBytes) {
    const int64_t offset = place.offset + at;
    if (offset < 0 || offset >= objects_[place.object].size) continue;
    if (const Location there = location(place.object, offset); there != kNoLocation) piece(content(there));
  }
}

PointerSolver::Location PointerSolver::stepped(Location from, const Step& step) {
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
void PointerSolver::copy_memory(Location from, Location to, int64_t size) {
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
  copy_pieces(source.object, copied);
}

void PointerSolver::copy_pieces(ObjectId source, const Object::Copied& copied) {
  std::vector<int64_t> offsets;
  for (const auto& [offset, where] : objects_[source].locations) {
    if (locations_[find_location(where)].content != 0) offsets.push_back(offset);
  }
  for (const int64_t offset : offsets) copy_piece(source, offset, copied);
}

void PointerSolver::copy_piece(ObjectId source, int64_t offset, const Object::Copied& copied) {
  const int64_t period = period_at(source, offset);
  int64_t distance = offset - copied.from;
  // In a region the piece stands for all its elements.
  if (distance < 0 && period != 0) distance = ((distance % period) + period) % period;
  if (distance < 0 || (copied.size != kEndless && distance >= copied.size)) return;
  if (copied.at + distance >= objects_[copied.to].size) return;
  if (period != 0 && period_at(copied.to, copied.at + distance) == 0) {
    Region region{copied.at, copied.size == kEndless ? objects_[copied.to].size : copied.at + copied.size, period};
    add_region(copied.to, region);
  }
  const Location from = location(source, offset);
  const Location to = location(copied.to, copied.at + distance);
  if (from == kNoLocation || to == kNoLocation || find_location(from) == find_location(to)) return;
  const Node what = content(from);
  const Node where = content(to);
  copy(what, where);
}

PointerSolver::Figures PointerSolver::figures() const {
  Figures figures = figures_;
  figures.nodes = nodes_.size();
  figures.objects = objects_.size();
  return figures;
}

}  // namespace norn::statics
