#include "compiler/naming/type_layout.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

#include "llvm/ADT/SmallVector.h"
#include "llvm/BinaryFormat/Dwarf.h"

namespace norn::compiler {

using llvm::DICompositeType;
using llvm::DIDerivedType;
using llvm::DIType;
using llvm::dyn_cast;
using llvm::dyn_cast_or_null;

const DIType* bare_type(const DIType* type) {
  while (const auto* derived = dyn_cast_or_null<DIDerivedType>(type)) {
    switch (derived->getTag()) {
      case llvm::dwarf::DW_TAG_typedef:
      case llvm::dwarf::DW_TAG_template_alias:
      case llvm::dwarf::DW_TAG_const_type:
      case llvm::dwarf::DW_TAG_volatile_type:
      case llvm::dwarf::DW_TAG_restrict_type:
      case llvm::dwarf::DW_TAG_atomic_type:
      case llvm::dwarf::DW_TAG_immutable_type:
        type = derived->getBaseType();
        continue;
      default:
        return type;
    }
  }
  return type;
}

Indirection indirection(const DIType* type, const DIType*& pointee) {
  pointee = nullptr;
  const auto* derived = dyn_cast_or_null<DIDerivedType>(bare_type(type));
  if (derived == nullptr) return Indirection::kNone;
  switch (derived->getTag()) {
    case llvm::dwarf::DW_TAG_pointer_type:
      pointee = bare_type(derived->getBaseType());
      return Indirection::kPointer;
    case llvm::dwarf::DW_TAG_reference_type:
    case llvm::dwarf::DW_TAG_rvalue_reference_type:
      pointee = bare_type(derived->getBaseType());
      return Indirection::kReference;
    default:
      return Indirection::kNone;
  }
}

uint64_t byte_size(const DIType* type) {
  type = bare_type(type);
  return type == nullptr ? 0 : type->getSizeInBits() / 8;
}

norn_value_type value_type(const DIType* type) {
  type = bare_type(type);
  if (const auto* derived = dyn_cast_or_null<DIDerivedType>(type))
    return derived->getTag() == llvm::dwarf::DW_TAG_pointer_type ? NORN_VALUE_POINTER : NORN_VALUE_UNKNOWN;
  if (const auto* enumeration = dyn_cast_or_null<DICompositeType>(type);
      enumeration != nullptr && enumeration->getTag() == llvm::dwarf::DW_TAG_enumeration_type) {
    const norn_value_type of_base = value_type(enumeration->getBaseType());
    return of_base == NORN_VALUE_UNKNOWN ? NORN_VALUE_UNSIGNED : of_base;
  }
  const auto* basic = dyn_cast_or_null<llvm::DIBasicType>(type);
  if (basic == nullptr) return NORN_VALUE_UNKNOWN;
  switch (basic->getEncoding()) {
    case llvm::dwarf::DW_ATE_boolean:
      return NORN_VALUE_BOOL;
    case llvm::dwarf::DW_ATE_float:
      return NORN_VALUE_FLOAT;
    case llvm::dwarf::DW_ATE_signed:
      return NORN_VALUE_SIGNED;
    case llvm::dwarf::DW_ATE_unsigned:
      return NORN_VALUE_UNSIGNED;
    // Whoever says signed char, unsigned char or uint8_t means a number, and plain char a character.
    case llvm::dwarf::DW_ATE_signed_char:
    case llvm::dwarf::DW_ATE_unsigned_char:
      if (basic->getName() == "char") return NORN_VALUE_CHAR;
      return basic->getEncoding() == llvm::dwarf::DW_ATE_signed_char ? NORN_VALUE_SIGNED : NORN_VALUE_UNSIGNED;
    default:
      return NORN_VALUE_UNKNOWN;
  }
}

bool is_record(const DIType* type) {
  const auto* composite = dyn_cast_or_null<DICompositeType>(bare_type(type));
  if (composite == nullptr) return false;
  return composite->getTag() == llvm::dwarf::DW_TAG_structure_type ||
         composite->getTag() == llvm::dwarf::DW_TAG_class_type || composite->getTag() == llvm::dwarf::DW_TAG_union_type;
}

bool is_closure(const DIType* type) {
  type = bare_type(type);
  return is_record(type) && type->getTag() == llvm::dwarf::DW_TAG_class_type &&
         (type->getName().empty() || type->getName().starts_with("(lambda"));
}

bool is_library_scope(const llvm::DIScope* scope) {
  for (; scope != nullptr; scope = scope->getScope()) {
    const auto* space = dyn_cast<llvm::DINamespace>(scope);
    if (space != nullptr && (space->getName() == "std" || space->getName() == "__gnu_cxx")) return true;
  }
  return false;
}

bool is_reserved_name(llvm::StringRef name) {
  return name.size() > 1 && name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

namespace {

// The hidden members through which the containers of libstdc++ and libc++ reach their elements: what they point to is
// indexed even where the index is zero, so the first element of a vector `v` is `v[]` and not `*v`.
bool points_to_elements(const DICompositeType* record, llvm::StringRef member) {
  constexpr llvm::StringRef kNames[] = {"_M_start", "_M_finish", "_M_cur", "_M_first", "_M_p",
                                        "_M_data",  "__begin_",  "__end_", "__data_"};
  if (record->getName().contains("atomic")) return false;
  if (member == "_M_ptr") return record->getName().starts_with("span");
  return std::find(std::begin(kNames), std::end(kNames), member) != std::end(kNames);
}

struct Member {
  const DIDerivedType* entry;
  uint64_t bit_begin;
  uint64_t bit_end;
};

// The data members and base classes of a record that touch the bits [begin, end).
llvm::SmallVector<Member, 4> members_in(const DICompositeType* record, uint64_t begin, uint64_t end) {
  llvm::SmallVector<Member, 4> found;
  for (const llvm::DINode* element : record->getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember()) continue;
    if (member->getTag() != llvm::dwarf::DW_TAG_member && member->getTag() != llvm::dwarf::DW_TAG_inheritance) continue;
    if (member->isVirtual()) continue;  // a virtual base: its place is known at run time only
    const uint64_t from = member->getOffsetInBits();
    uint64_t bits = member->getSizeInBits();
    if (!member->isBitField()) bits = byte_size(member->getBaseType()) * 8;
    // A flexible array member has no size and reaches as far as anybody asks.
    const auto* array = dyn_cast_or_null<DICompositeType>(bare_type(member->getBaseType()));
    const bool flexible = bits == 0 && array != nullptr && array->getTag() == llvm::dwarf::DW_TAG_array_type;
    const uint64_t to = flexible ? ~uint64_t{0} : from + bits;
    if (from < end && begin < to) found.push_back({member, from, to});
  }
  return found;
}

// The class of an empty base or member has size 1 in DWARF and shares its address with others.
bool is_empty_record(const DIType* type) {
  const auto* record = dyn_cast_or_null<DICompositeType>(bare_type(type));
  if (record == nullptr || !is_record(record)) return false;
  for (const llvm::DINode* element : record->getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember()) continue;
    const bool part =
        member->getTag() == llvm::dwarf::DW_TAG_member || member->getTag() == llvm::dwarf::DW_TAG_inheritance;
    if (part && !is_empty_record(member->getBaseType())) return false;
  }
  return !record->isForwardDecl();
}

// A type of the C library whose members are nobody else's business: pthread_mutex_t, sem_t.
bool is_opaque(const DICompositeType* record) {
  if (is_library_scope(record)) return false;
  bool any = false;
  for (const llvm::DINode* element : record->getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember()) continue;
    if (member->getTag() != llvm::dwarf::DW_TAG_member || !member->getName().starts_with("__")) return false;
    any = true;
  }
  return any;
}

// "{ready,done}": several members in one access, by neighbours merged into one store or by bit-fields.
std::string several(llvm::ArrayRef<Member> members) {
  constexpr size_t kShown = 3;
  std::string text = ".{";
  size_t shown = 0;
  for (const Member& member : members) {
    if (member.entry->getName().empty()) return "";
    if (shown == kShown) {
      text += ",…";
      break;
    }
    if (shown++ != 0) text += ",";
    text += member.entry->getName();
  }
  return text + "}";
}

struct Dimensions {
  llvm::SmallVector<int64_t, 2> counts;  // -1: unknown
};

Dimensions dimensions_of(const DICompositeType* array) {
  Dimensions dimensions;
  for (const llvm::DINode* element : array->getElements()) {
    int64_t count = -1;
    if (const auto* range = dyn_cast_or_null<llvm::DISubrange>(element)) {
      if (auto* constant = llvm::dyn_cast_if_present<llvm::ConstantInt*>(range->getCount())) {
        count = constant->getSExtValue();
      }
    }
    dimensions.counts.push_back(count);
  }
  return dimensions;
}

}  // namespace

Part part_at(const DIType* type, Bytes bytes) {
  Part part;
  part.type = bare_type(type);
  llvm::SmallVector<int64_t, 4> strides(bytes.strides);
  constexpr int kDeepest = 64;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const auto* composite = dyn_cast_or_null<DICompositeType>(part.type);
    if (composite == nullptr || bytes.offset < 0) return part;

    if (composite->getTag() == llvm::dwarf::DW_TAG_array_type) {
      const DIType* element = bare_type(composite->getBaseType());
      const uint64_t size = byte_size(element);
      if (size == 0) return part;
      if ((!bytes.scalar || composite->isVector()) && bytes.size > size) return part;
      llvm::SmallVector<int64_t, 4> inner;
      for (const int64_t stride : strides) {
        part.leaps |= byte_size(composite) != 0 && std::abs(stride) >= static_cast<int64_t>(byte_size(composite));
        if (std::abs(stride) < static_cast<int64_t>(size)) inner.push_back(stride);
      }
      const bool indexed = inner.size() != strides.size() || bytes.size > size;
      const Dimensions dimensions = dimensions_of(composite);
      int64_t index = bytes.offset / static_cast<int64_t>(size);
      std::string subscripts;
      for (size_t i = dimensions.counts.size(); i-- > 0;) {
        if (indexed) {
          subscripts.insert(0, "[]");
        } else {
          const int64_t count = dimensions.counts[i];
          const bool outermost = i == 0 || count <= 0;
          subscripts.insert(0, "[" + std::to_string(outermost ? index : index % count) + "]");
          if (!outermost) index /= count;
        }
      }
      part.path += subscripts;
      part.type = element;
      bytes.offset %= static_cast<int64_t>(size);
      strides = inner;
      continue;
    }

    if (!is_record(composite) || is_opaque(composite)) return part;
    const uint64_t whole = byte_size(composite);
    if (!bytes.scalar && bytes.offset == 0 && (bytes.size == 0 || bytes.size >= whole)) return part;
    const uint64_t begin = static_cast<uint64_t>(bytes.offset) * 8;
    const uint64_t end = begin + std::max<uint64_t>(bytes.size, 1) * 8;
    llvm::SmallVector<Member, 4> found = members_in(composite, begin, end);
    llvm::erase_if(found, [](const Member& member) { return is_empty_record(member.entry->getBaseType()); });
    if (found.empty()) return part;
    const bool library = is_library_scope(composite);
    if (composite->getTag() == llvm::dwarf::DW_TAG_union_type) {
      // Whichever has the size of the access, else the first.
      const auto* same = llvm::find_if(
          found, [&](const Member& member) { return byte_size(member.entry->getBaseType()) == bytes.size; });
      found = {same == found.end() ? found.front() : *same};
    } else if (found.size() > 1 && strides.empty()) {
      if (!library) part.path += several(found);
      part.type = nullptr;
      return part;
    }
    const Member& member = found.front();
    const llvm::StringRef name = member.entry->getName();
    part.hidden = part.to_elements = false;
    if (member.entry->getTag() == llvm::dwarf::DW_TAG_member && !name.empty()) {
      if (name.starts_with("_vptr")) {
        part.path += ".vptr";
        part.vptr = true;
      } else if (library && (is_reserved_name(name) || name.starts_with("_M"))) {
        part.hidden = true;
        part.to_elements = points_to_elements(composite, name);
      } else if (is_closure(composite)) {
        part.path = name;
        part.captured = true;
      } else {
        part.path += ".";
        part.path += name;
      }
    }
    if (member.entry->isBitField()) {
      part.type = nullptr;
      return part;
    }
    bytes.offset -= static_cast<int64_t>(member.bit_begin / 8);
    part.type = bare_type(member.entry->getBaseType());
  }
  return part;
}

bool is_open_ended(const DIType* type) {
  const auto* record = dyn_cast_or_null<DICompositeType>(bare_type(type));
  if (record == nullptr || !is_record(record) || record->getElements().empty()) return false;
  for (const llvm::DINode* element : record->getElements()) {
    const auto* member = dyn_cast_or_null<DIDerivedType>(element);
    if (member == nullptr || member->isStaticMember() || member->getTag() != llvm::dwarf::DW_TAG_member) continue;
    const auto* array = dyn_cast_or_null<DICompositeType>(bare_type(member->getBaseType()));
    const bool is_array = array != nullptr && array->getTag() == llvm::dwarf::DW_TAG_array_type;
    if (is_array && byte_size(array) == 0) return true;
  }
  return false;
}

namespace {

void add_leaves(const DIType* type, const Leaf& around, bool in_array, size_t limit, std::vector<Leaf>& leaves) {
  type = bare_type(type);
  if (leaves.size() >= limit) return;
  const auto* composite = dyn_cast_or_null<DICompositeType>(type);
  const bool is_array = composite != nullptr && composite->getTag() == llvm::dwarf::DW_TAG_array_type;
  if (is_array && !composite->isVector()) {
    const uint64_t size = byte_size(composite->getBaseType());
    const Dimensions dimensions = dimensions_of(composite);
    Leaf leaf = around;
    for (size_t i = 0; i < dimensions.counts.size(); ++i) leaf.path += "[]";
    // Only one array of a path can be described by stride and count: the outermost of one dimension. Deeper ones are
    // leaves.
    if (in_array || size == 0 || dimensions.counts.size() != 1) {
      leaf.size = byte_size(composite);
      if (!in_array) leaf.stride = leaf.size;
      leaves.push_back(leaf);
      return;
    }
    leaf.stride = size;
    leaf.count = byte_size(composite) / size;
    if (leaf.count != 0) add_leaves(composite->getBaseType(), leaf, true, limit, leaves);
    return;
  }
  if (composite != nullptr && is_record(composite) && !is_library_scope(composite) && !is_opaque(composite)) {
    for (const llvm::DINode* element : composite->getElements()) {
      const auto* member = dyn_cast_or_null<DIDerivedType>(element);
      if (member == nullptr || member->isStaticMember() || member->isVirtual()) continue;
      const bool base = member->getTag() == llvm::dwarf::DW_TAG_inheritance;
      if (!base && member->getTag() != llvm::dwarf::DW_TAG_member) continue;
      if (is_empty_record(member->getBaseType())) continue;
      Leaf leaf = around;
      leaf.offset += member->getOffsetInBits() / 8;
      if (!base && !member->getName().empty()) {
        leaf.path += member->getName().starts_with("_vptr") ? ".vptr" : "." + member->getName().str();
      }
      if (member->isBitField()) {
        leaf.size = (member->getOffsetInBits() % 8 + member->getSizeInBits() + 7) / 8;
        if (!in_array) leaf.stride = leaf.size;
        if (leaves.size() < limit) leaves.push_back(leaf);
        continue;
      }
      add_leaves(member->getBaseType(), leaf, in_array, limit, leaves);
    }
    return;
  }
  Leaf leaf = around;
  leaf.size = byte_size(type);
  if (!in_array) leaf.stride = leaf.size;
  if (leaf.size != 0) leaves.push_back(leaf);
}

}  // namespace

std::vector<Leaf> leaves_of(const DIType* type, size_t limit) {
  std::vector<Leaf> leaves;
  const auto* composite = dyn_cast_or_null<DICompositeType>(bare_type(type));
  if (composite == nullptr || composite->getTag() == llvm::dwarf::DW_TAG_enumeration_type) return leaves;
  if (composite->isVector()) return leaves;  // accessed as a whole
  if (is_record(composite) && (is_library_scope(composite) || is_opaque(composite))) return leaves;
  add_leaves(composite, Leaf{}, false, limit, leaves);
  std::sort(leaves.begin(), leaves.end(), [](const Leaf& a, const Leaf& b) {
    return std::tie(a.offset, b.size, a.path) < std::tie(b.offset, a.size, b.path);  // of a union the largest first
  });
  return leaves;
}

}  // namespace norn::compiler
