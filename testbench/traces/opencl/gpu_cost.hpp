// What a GPU's compiler makes of each LLVM instruction; docs/capture.md has the rules.

#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

namespace {

/// What an instruction counts as.
struct Cost {
  uint32_t instructions;
  bool special;
  /// Its result is its operand's, wherever that comes from.
  bool passes_on;
};

/// Whether an index is another one plus a constant, which an access has as its offset. The sum must not wrap where it has
/// fewer bits than addresses: those of local memory have 32, others 64.
bool has_offset(const llvm::Value* index, bool local) {
  while (auto cast = llvm::dyn_cast<llvm::CastInst>(index)) index = cast->getOperand(0);
  auto sum = llvm::dyn_cast<llvm::BinaryOperator>(index);
  auto constant = sum ? llvm::dyn_cast<llvm::ConstantInt>(sum->getOperand(1)) : nullptr;
  if (!constant) return false;
  const llvm::DataLayout& layout = sum->getModule()->getDataLayout();
  if (sum->getOpcode() == llvm::Instruction::Or) return llvm::MaskedValueIsZero(sum->getOperand(0), constant->getValue(), layout);
  return sum->getOpcode() == llvm::Instruction::Add && (local || sum->getType()->getIntegerBitWidth() == 64);
}

bool is_local(const llvm::GetElementPtrInst& address) { return address.getPointerAddressSpace() == 3; }

/// Whether all users of `value`, a conversion of `sum` or itself, fold the sum into an address.
bool is_offset(const llvm::Value& sum, const llvm::Value& value) {
  return llvm::all_of(value.users(), [&](const llvm::User* user) {
    auto address = llvm::dyn_cast<llvm::GetElementPtrInst>(user);
    if (address) return has_offset(&sum, is_local(*address));
    return llvm::isa<llvm::CastInst>(user) && is_offset(sum, *user);
  });
}

/// Whether an addition alone reads a product: a GPU has one instruction for both.
bool is_added(const llvm::Instruction& product) {
  auto sum = product.hasOneUse() ? llvm::dyn_cast<llvm::Instruction>(product.user_back()) : nullptr;
  if (!sum || sum->getOpcode() != llvm::Instruction::Add || is_offset(*sum, *sum)) return false;
  // Of two products the instruction has one.
  auto first = llvm::dyn_cast<llvm::Instruction>(sum->getOperand(0));
  bool is_product = first && first->hasOneUse() &&
                    (first->getOpcode() == llvm::Instruction::Mul || first->getOpcode() == llvm::Instruction::Shl);
  return first == &product || !is_product;
}

/// Instructions of a GPU for one of LLVM: addresses with constant offsets and conversions of indices are part of others.
Cost gpu_cost(const llvm::Instruction& instruction) {
  using llvm::Instruction;
  switch (instruction.getOpcode()) {
    case Instruction::Or: case Instruction::Add: {
      bool offset = is_offset(instruction, instruction);
      return {offset ? 0u : 1u, false, offset};
    }
    case Instruction::And: {
      // The low half of 64 bits.
      auto mask = llvm::dyn_cast<llvm::ConstantInt>(instruction.getOperand(1));
      bool converts = mask && mask->getBitWidth() == 64 && mask->getZExtValue() == UINT32_MAX;
      return {converts ? 0u : 1u, false, converts};
    }
    case Instruction::Mul: case Instruction::Shl: {
      bool added = is_added(instruction);
      return {added ? 0u : 1u, false, added};
    }
    case Instruction::PHI: case Instruction::BitCast: case Instruction::ZExt: case Instruction::SExt: case Instruction::Trunc:
    case Instruction::PtrToInt: case Instruction::IntToPtr: case Instruction::AddrSpaceCast: case Instruction::Freeze:
    case Instruction::ExtractElement: case Instruction::InsertElement: case Instruction::ShuffleVector:
      return {0, false, true};
    case Instruction::Alloca: return {0, false, false};
    case Instruction::GetElementPtr: {
      auto& address = llvm::cast<llvm::GetElementPtrInst>(instruction);
      bool constant = llvm::all_of(address.indices(), [&](const llvm::Use& index) {
        return llvm::isa<llvm::ConstantInt>(index) || has_offset(index, is_local(address));
      });
      return {constant ? 0u : 1u, false, constant};
    }
    case Instruction::Br: {
      return {llvm::cast<llvm::BranchInst>(instruction).isConditional() ? 1u : 0u, false, false};
    }
    case Instruction::FDiv: return {8, true, false};
    case Instruction::FRem: return {20, true, false};
    case Instruction::UDiv: case Instruction::SDiv: case Instruction::URem: case Instruction::SRem: return {16, true, false};
    case Instruction::SIToFP: case Instruction::UIToFP: case Instruction::FPToSI: case Instruction::FPToUI:
      return {1, true, false};
    case Instruction::Call: {
      auto& call = llvm::cast<llvm::CallInst>(instruction);
      llvm::StringRef name = call.getCalledOperand()->stripPointerCasts()->getName();
      // Two registers, the size of a work-group, and a multiplication with addition.
      if (name.contains("get_global_id")) return {4, false, false};
      if (name.contains("sqrt") || name.contains("exp") || name.contains("log") || name.contains("sin") ||
          name.contains("cos") || name.contains("pow")) {
        return {4, true, false};
      }
      return {1, false, false};
    }
    default: return {1, false, false};
  }
}

/// What a GPU executes around branches, beside the instructions of the blocks.
class Branches {
public:
  Branches(const llvm::Function& function, const llvm::LoopInfo& loops) : loops(loops) {
    for (bool more = true; more;) {
      more = false;
      for (const llvm::Instruction& instruction : llvm::instructions(function)) {
        if (is_source(instruction) || llvm::any_of(instruction.operands(), [&](auto& use) { return divergent.count(use); })) {
          more |= divergent.insert(&instruction).second;
        }
      }
    }
  }

  /// A block that a branch skips and a GPU predicates: lanes which skip it issue it, too. Null if the branch skips no such
  /// block.
  static const llvm::BasicBlock* predicated(const llvm::BranchInst& branch) {
    if (!branch.isConditional()) return nullptr;
    for (unsigned side : {0, 1}) {
      const llvm::BasicBlock* block = branch.getSuccessor(side);
      bool skips = block->getSinglePredecessor() && block->getSingleSuccessor() == branch.getSuccessor(1 - side);
      if (skips && cost_of(*block) <= MaxPredicated) return block;
    }
    return nullptr;
  }

  /// Instructions of a block; too many to predicate where it calls.
  static unsigned cost_of(const llvm::BasicBlock& block) {
    unsigned cost = 0;
    for (const llvm::Instruction& instruction : block) {
      bool calls = llvm::isa<llvm::CallInst>(instruction) && instruction.mayReadOrWriteMemory();
      cost += calls && !llvm::isa<llvm::DbgInfoIntrinsic>(instruction) ? MaxPredicated + 1 : gpu_cost(instruction).instructions;
    }
    return cost;
  }

  /// Whether lanes diverge at this branch and reconverge: one instruction at each point.
  bool diverges(const llvm::BranchInst& branch) const {
    return branch.isConditional() && divergent.count(branch.getCondition()) && !predicated(branch) &&
           !ends(branch.getSuccessor(0)) && !ends(branch.getSuccessor(1));
  }

  /// Whether an address is a 64-bit induction variable: it advances with the counter of a loop of unknown trip count.
  bool is_advanced(const llvm::GetElementPtrInst& address) const {
    const llvm::Value* index = address.getOperand(address.getNumOperands() - 1);
    while (auto cast = llvm::dyn_cast<llvm::CastInst>(index)) index = cast->getOperand(0);
    auto counter = llvm::dyn_cast<llvm::PHINode>(index);
    const llvm::Loop* loop = loops.getLoopFor(address.getParent());
    if (!counter || !loop || counter->getParent() != loop->getHeader() || !loop->getLoopLatch()) return false;
    auto branch = llvm::dyn_cast<llvm::BranchInst>(loop->getLoopLatch()->getTerminator());
    auto compare = branch && branch->isConditional() ? llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition()) : nullptr;
    auto next = counter->getIncomingValueForBlock(loop->getLoopLatch());
    // Unknown: the counter is compared with what is not the same in each iteration.
    auto varies = [&](unsigned side) { return compare->getOperand(side) != next && !loop->isLoopInvariant(compare->getOperand(side)); };
    bool counts = compare && (compare->getOperand(0) == next || compare->getOperand(1) == next);
    return counts && (varies(0) || varies(1));
  }

private:
  static constexpr unsigned MaxPredicated = 7;

  static bool is_source(const llvm::Instruction& instruction) {
    auto call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (!call) return false;
    // Of an atomic, each lane has another result.
    llvm::StringRef name = call->getCalledOperand()->stripPointerCasts()->getName();
    return call->mayReadOrWriteMemory() || name.contains("get_global_id") || name.contains("get_local_id");
  }

  /// Whether work-items end here.
  static bool ends(const llvm::BasicBlock* block) {
    std::set<const llvm::BasicBlock*> seen;
    while (seen.insert(block).second) {
      const llvm::Instruction* first = block->getFirstNonPHIOrDbg();
      if (llvm::isa<llvm::ReturnInst>(first)) return true;
      auto branch = llvm::dyn_cast<llvm::BranchInst>(first);
      if (!branch || branch->isConditional()) return false;
      block = branch->getSuccessor(0);
    }
    return false;
  }

  const llvm::LoopInfo& loops;
  std::set<const llvm::Value*> divergent;
};

/// Whether instructions are counted as a GPU's compiler makes them.
bool counts_as_gpu() {
  static const char* costs = getenv("DUET_CAPTURE_COSTS");
  return costs && std::string(costs) == "gpu";
}

}  // namespace
