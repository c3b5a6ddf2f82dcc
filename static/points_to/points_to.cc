#include "static/points_to/points_to.h"

#include <unordered_set>

#include "static/points_to/pointer_solver.h"

namespace norn::statics {

using llvm::Value;

PointsTo::PointsTo(llvm::Module& module) : solver_(std::make_unique<PointerSolver>(module)) {}
PointsTo::~PointsTo() = default;

const std::vector<PointedTo>& PointsTo::of(const Value* pointer) const { return solver_->of(pointer); }
const ObjectInfo& PointsTo::object(ObjectId object) const { return solver_->objects_[object].info; }
size_t PointsTo::objects() const { return solver_->objects_.size(); }
const std::vector<ObjectId>& PointsTo::objects_at(const Value* pointer) const { return solver_->objects_at(pointer); }
std::map<ObjectId, std::vector<PointedTo>> PointsTo::holders_of(const std::set<ObjectId>& wanted) const {
  return solver_->holders_of(wanted);
}

// Objects that point to the same share one list of it, which is gone through once.
std::vector<bool> PointsTo::reached_from(std::vector<ObjectId> open) const {
  std::vector<bool> reached(objects(), false);
  std::unordered_set<const std::vector<ObjectId>*> seen;
  for (const ObjectId root : open) reached[root] = true;
  while (!open.empty()) {
    const ObjectId object = open.back();
    open.pop_back();
    for (const std::vector<ObjectId>* content : contents_of(object)) {
      if (!seen.insert(content).second) continue;
      for (const ObjectId next : *content) {
        if (!reached[next]) open.push_back(next);
        reached[next] = true;
      }
    }
  }
  return reached;
}

const std::vector<const std::vector<ObjectId>*>& PointsTo::contents_of(ObjectId object) const {
  if (contents_.empty()) contents_.resize(objects());
  std::optional<std::vector<const std::vector<ObjectId>*>>& known = contents_[object];
  if (!known) known = solver_->contents_of(object);
  return *known;
}

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

bool PointsTo::returns_fresh(const llvm::CallBase& call) const {
  const std::vector<const llvm::Function*>& all = callees(call);
  return !all.empty() && llvm::all_of(all, [&](const llvm::Function* callee) {
    const ReturnSources* sources = solver_->returned_sources_.of(*callee);
    return sources != nullptr && sources->only_fresh();
  });
}

std::vector<const llvm::Function*> PointsTo::trusted_allocators() const { return solver_->returned_sources_.trusted(); }

PointsTo::Figures PointsTo::figures() const { return solver_->figures(); }

}  // namespace norn::statics
