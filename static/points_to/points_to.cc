#include "static/points_to/points_to.h"

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
