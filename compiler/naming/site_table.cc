#include "compiler/naming/site_table.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "compiler/naming/names.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

namespace norn::compiler {
namespace {

constexpr uint64_t kAlignment = 8;

llvm::StructType* site_type(llvm::LLVMContext& context) {
  llvm::Type* pointer = llvm::PointerType::getUnqual(context);
  llvm::Type* i8 = llvm::Type::getInt8Ty(context);
  llvm::Type* i16 = llvm::Type::getInt16Ty(context);
  llvm::Type* i32 = llvm::Type::getInt32Ty(context);
  llvm::Type* i64 = llvm::Type::getInt64Ty(context);
  return llvm::StructType::get(context, {pointer, pointer, pointer, pointer, pointer, i32, i32, i64, i8, i8, i16, i32});
}

// `p->x`, `p[3].x` and `p[].x` as the last of them.
std::string with_any_index(llvm::StringRef expression) {
  std::string result;
  for (size_t i = 0; i < expression.size(); ++i) {
    if (expression.substr(i).starts_with("->")) {
      result += "[].";
      ++i;
      continue;
    }
    result += expression[i];
    if (expression[i] != '[') continue;
    while (i + 1 < expression.size() && expression[i + 1] >= '0' && expression[i + 1] <= '9') ++i;
  }
  return result;
}

}  // namespace

SiteTable::SiteTable(llvm::Module& module)
    : module_(module), statements_(module), type_(site_type(module.getContext())) {}

llvm::Constant* SiteTable::text(llvm::StringRef string) {
  if (string.empty()) return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module_.getContext()));
  const auto known = texts_.find(string.str());
  if (known != texts_.end()) return known->second;
  llvm::Constant* bytes = llvm::ConstantDataArray::getString(module_.getContext(), string);
  auto* variable =
      new llvm::GlobalVariable(module_, bytes->getType(), true, llvm::GlobalValue::PrivateLinkage, bytes, "norn.text");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  variable->setAlignment(llvm::Align(1));
  texts_.emplace(string.str(), variable);
  return variable;
}

llvm::Constant* SiteTable::site(llvm::Function& function, const llvm::DebugLoc& at, const SiteFacts& facts) {
  const llvm::DILocation* location = at.get();
  const Identity identity{&function, location, facts.kind, facts.order, facts.size, facts.flags, facts.expression};
  if (const auto known = known_.find(identity); known != known_.end()) return known->second;

  Site site;
  site.facts = facts;
  site.inlined_at = text("");
  site.line = site.column = 0;
  const llvm::DISubprogram* subprogram = function.getSubprogram();
  if (location != nullptr) {
    subprogram = location->getScope()->getSubprogram();
    site.line = location->getLine();
    site.column = location->getColumn();
    if (const llvm::DILocation* caller = location->getInlinedAt()) {
      SiteFacts call;
      call.kind = NORN_SITE_CALL;
      site.inlined_at = this->site(function, llvm::DebugLoc(caller), call);
    }
  }
  if (subprogram != nullptr) {
    site.function = function_name(subprogram);
    const llvm::DIFile* file = location != nullptr ? location->getFile() : subprogram->getFile();
    if (file != nullptr) {
      site.file = file->getFilename().str();
      if (!llvm::sys::path::is_absolute(site.file)) site.directory = file->getDirectory().str();
    }
    if (is_library_function(subprogram)) site.facts.flags |= NORN_SITE_LIBRARY;
  } else {
    site.function = function_name(function.getName());
    site.file = module_.getSourceFileName();
  }

  site.variable =
      new llvm::GlobalVariable(module_, type_, true, llvm::GlobalValue::PrivateLinkage, nullptr, "norn.site");
  site.variable->setSection("norn_sites");
  site.variable->setAlignment(llvm::Align(kAlignment));
  if (function.hasComdat()) site.variable->setComdat(function.getComdat());
  sites_.push_back(site);
  known_.emplace(identity, site.variable);
  return site.variable;
}

SiteTable::Likeness SiteTable::likeness(const Site& site) {
  return {llvm::sys::path::filename(site.file).str(), site.function, site.facts.kind, site.facts.identity};
}

// Copies of one access that the optimiser made, in unrolled loops or for a first turn, are one access: p->x, p[1].x and
// p[].x are all p[].x, and what one of them could not be named by, another may. Where names differ otherwise (members
// of a copied struct) each keeps its own.
void SiteTable::name_copies() {
  using Key = std::tuple<std::string, std::string, uint8_t, uint32_t, uint32_t, llvm::Constant*>;
  const auto key_of = [](const Site& site) {
    return Key{site.file, site.function, site.facts.kind, site.line, site.column, site.inlined_at};
  };
  std::map<Key, std::set<std::string>> names;      // with any index
  std::map<Key, std::set<std::string>> spellings;  // as they are
  std::map<Key, std::string> identities;
  for (const Site& site : sites_) {
    if (site.facts.expression.empty() || site.column == 0) continue;
    names[key_of(site)].insert(with_any_index(site.facts.expression));
    spellings[key_of(site)].insert(site.facts.expression);
    identities[key_of(site)] = site.facts.identity;
  }
  for (Site& site : sites_) {
    const auto known = names.find(key_of(site));
    if (known == names.end() || known->second.size() != 1) continue;
    const bool alone = spellings[known->first].size() == 1;
    if (alone && !site.facts.expression.empty()) continue;
    site.facts.expression = alone ? *spellings[known->first].begin() : *known->second.begin();
    const std::string& identity = identities[known->first];
    site.facts.identity = alone ? identity : with_any_index(identity);
  }
}

void SiteTable::finish() {
  name_copies();
  // The ordinal is the rank of the position among the positions of like sites, and not the order of instructions:
  // that one changes with the optimiser, and unrolled copies of one access are one access.
  std::map<Likeness, std::set<Position>> positions;
  for (const Site& site : sites_) positions[likeness(site)].insert({site.line, site.column});

  llvm::LLVMContext& context = module_.getContext();
  const auto integer = [&](unsigned bits, uint64_t value) {
    return llvm::ConstantInt::get(llvm::IntegerType::get(context, bits), value);
  };
  for (const Site& site : sites_) {
    const Likeness like = likeness(site);
    const std::set<Position>& among = positions[like];
    const auto ordinal = std::distance(among.begin(), among.find({site.line, site.column}));
    const auto& [file, function, kind, expression] = like;
    std::string key = file;
    key += '\0';
    key += function;
    key += '\0';
    if (const auto known = statements_.find({file, function, site.line, site.column}, site.facts.kind, expression)) {
      key += known->what + ":" + std::to_string(known->ordinal);
    } else {
      key += expression;
      key += '\0';
      key += std::to_string(kind) + ":" + std::to_string(ordinal);
    }
    const uint64_t size = site.facts.size <= UINT16_MAX ? site.facts.size : 0;
    site.variable->setInitializer(llvm::ConstantStruct::get(
        type_,
        {text(site.file), text(site.directory), text(site.function), text(site.facts.expression), site.inlined_at,
         integer(32, site.line), integer(32, site.column), integer(64, llvm::xxh3_64bits(key)),
         integer(8, site.facts.kind), integer(8, site.facts.order), integer(16, size), integer(32, site.facts.flags)}));
  }
}

}  // namespace norn::compiler
