// Passes for the LLVM that compiles OpenCL: loops are unrolled and loads hoisted as a GPU's compiler does it. `duet trace
// capture --gpu` builds them into the plugin of memtrace.cpp, and Oclgrind's compiler loads them with -fpass-plugin;
// docs/capture.md has their parameters.

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PassManager.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Utils/LCSSA.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>
#include <llvm/Transforms/Utils/LoopUtils.h>
#include <llvm/Transforms/Utils/UnrollLoop.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <vector>

namespace {

using namespace llvm;

/// Iterations that become one, and the most instructions that these may have.
constexpr unsigned UnrollFactor = 4, MaxInstructions = 400;

/// A call that accesses no memory, of a work-item function or of mathematics, does not communicate between work-items: it is
/// not convergent, and may leave a loop. Sizes of the launch are 1 to 2^31 - 1.
struct Calls : PassInfoMixin<Calls> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    for (Instruction& instruction : instructions(function)) {
      auto call = dyn_cast<CallBase>(&instruction);
      Function* callee = call ? call->getCalledFunction() : nullptr;
      if (!callee || !call->doesNotAccessMemory()) continue;
      call->removeFnAttr(Attribute::Convergent);
      callee->removeFnAttr(Attribute::Convergent);
      StringRef name = callee->getName();
      bool size = name.contains("get_global_size") || name.contains("get_local_size") || name.contains("get_num_groups");
      if (auto type = size ? dyn_cast<IntegerType>(call->getType()) : nullptr) {
        auto limit = [&](uint64_t value) { return APInt(type->getBitWidth(), value); };
        MDNode* range = MDBuilder(function.getContext()).createRange(limit(1), limit(1ull << 31));
        call->setMetadata(LLVMContext::MD_range, range);
      }
    }
    return PreservedAnalyses::none();
  }
};

/// Unrolls innermost loops whose trip count is known on entry; a remainder loop has the last iterations.
struct Unroll : PassInfoMixin<Unroll> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager& analyses) {
    LoopInfo& loops = analyses.getResult<LoopAnalysis>(function);
    ScalarEvolution& evolution = analyses.getResult<ScalarEvolutionAnalysis>(function);
    SmallVector<Loop*, 8> innermost;
    for (Loop* loop : loops.getLoopsInPreorder()) {
      if (loop->isInnermost()) innermost.push_back(loop);
    }
    for (Loop* loop : innermost) {
      if (size_of(*loop) * UnrollFactor > MaxInstructions || (hasUnrollTransformation(loop) & TM_Disable)) continue;
      assume_no_wrap(*loop, evolution);
      if (isa<SCEVCouldNotCompute>(evolution.getBackedgeTakenCount(loop))) continue;
      bool is_multiple = evolution.getSmallConstantTripMultiple(loop) % UnrollFactor == 0;
      UnrollLoopOptions options{UnrollFactor, false, !is_multiple, true, false, false};
      UnrollLoop(loop, options, &loops, &evolution, &analyses.getResult<DominatorTreeAnalysis>(function),
                 &analyses.getResult<AssumptionAnalysis>(function), &analyses.getResult<TargetIRAnalysis>(function),
                 &analyses.getResult<OptimizationRemarkEmitterAnalysis>(function), true);
    }
    return PreservedAnalyses::none();
  }

private:
  /// The sum of `for (uint i = a; i < b; i += c)` does not wrap where `b` and `c` are the same in all iterations and `c` is
  /// not negative: a GPU's compiler assumes so, and otherwise the trip count is unknown.
  static void assume_no_wrap(Loop& loop, ScalarEvolution& evolution) {
    BasicBlock* latch = loop.getLoopLatch();
    auto branch = latch ? dyn_cast<BranchInst>(latch->getTerminator()) : nullptr;
    auto compare = branch && branch->isConditional() ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
    if (!compare) return;
    bool stays = loop.contains(branch->getSuccessor(0));
    auto predicate = stays ? compare->getPredicate() : compare->getInversePredicate();
    Value *next = compare->getOperand(0), *bound = compare->getOperand(1);
    if (predicate == CmpInst::ICMP_UGT || predicate == CmpInst::ICMP_UGE) {
      std::swap(next, bound);
      predicate = CmpInst::getSwappedPredicate(predicate);
    }
    bool below = predicate == CmpInst::ICMP_ULT || predicate == CmpInst::ICMP_ULE;
    auto sum = dyn_cast<BinaryOperator>(next);
    if (!below || !sum || sum->getOpcode() != Instruction::Add || !loop.isLoopInvariant(bound)) return;
    for (unsigned side : {0, 1}) {
      auto counter = dyn_cast<PHINode>(sum->getOperand(side));
      Value* step = sum->getOperand(1 - side);
      auto constant = dyn_cast<ConstantInt>(step);
      bool counts = counter && counter->getParent() == loop.getHeader() && counter->getIncomingValueForBlock(latch) == sum;
      if (!counts || !loop.isLoopInvariant(step) || (constant && constant->isNegative())) continue;
      sum->setHasNoUnsignedWrap();
      evolution.forgetLoop(&loop);
      if (auto recurrence = dyn_cast<SCEVAddRecExpr>(evolution.getSCEV(sum))) {
        evolution.setNoWrapFlags(const_cast<SCEVAddRecExpr*>(recurrence), SCEV::FlagNUW);
      }
    }
  }

  /// Instructions of an iteration; too many where the loop must stay as it is.
  static unsigned size_of(const Loop& loop) {
    unsigned size = 0;
    for (const BasicBlock* block : loop.blocks()) {
      for (const Instruction& instruction : *block) {
        auto call = dyn_cast<CallBase>(&instruction);
        if (call && (call->isConvergent() || call->cannotDuplicate())) return MaxInstructions + 1;
        size += !isa<PHINode>(instruction) && !isa<DbgInfoIntrinsic>(instruction);
      }
    }
    return size;
  }
};

/// Instructions of a basic block between two scheduling barriers.
class Region {
public:
  void add(Instruction& instruction) {
    Node node;
    for (Value* operand : instruction.operands()) {
      if (auto from = dyn_cast<Instruction>(operand)) follow(node, from);
    }
    if (isa<LoadInst>(instruction) || isa<StoreInst>(instruction)) order_access(node, instruction);
    nodes.emplace(&instruction, std::move(node));
    instructions.push_back(&instruction);
  }

  /// Puts the loads first, by depth, each behind what it needs, and all else in the order in which it was.
  void order_before(Instruction& end) {
    std::vector<Instruction*> loads;
    for (Instruction* instruction : instructions) {
      if (isa<LoadInst>(instruction)) loads.push_back(instruction);
    }
    auto depth = [&](Instruction* load) { return nodes.at(load).depth; };
    std::stable_sort(loads.begin(), loads.end(), [&](auto* a, auto* b) { return depth(a) < depth(b); });
    for (Instruction* load : loads) place(load, end);
    for (Instruction* instruction : instructions) place(instruction, end);
  }

private:
  struct Node {
    unsigned depth = 0;  // of loads that it depends on
    std::vector<Instruction*> after;
    bool placed = false;
  };

  /// Of an address space: the last store, and the loads since.
  struct Accesses {
    Instruction* store = nullptr;
    std::vector<Instruction*> loads;
  };

  /// A load follows the stores before it, a store all accesses, in address spaces that may have a byte in common.
  void order_access(Node& node, Instruction& access) {
    constexpr unsigned Generic = 4;
    bool load = isa<LoadInst>(access);
    unsigned own = getLoadStorePointerOperand(&access)->getType()->getPointerAddressSpace();
    spaces[own];
    for (auto& [space, before] : spaces) {
      if (space != own && space != Generic && own != Generic) continue;
      if (before.store) follow(node, before.store);
      if (!load) {
        for (Instruction* other : before.loads) follow(node, other);
      }
    }
    if (load) spaces[own].loads.push_back(&access);
    else spaces[own] = {&access, {}};
  }

  void follow(Node& node, Instruction* from) {
    auto found = nodes.find(from);
    if (found == nodes.end()) return;
    node.depth = std::max(node.depth, found->second.depth + isa<LoadInst>(from));
    node.after.push_back(from);
  }

  void place(Instruction* instruction, Instruction& end) {
    Node& node = nodes.at(instruction);
    if (node.placed) return;
    node.placed = true;
    for (Instruction* before : node.after) place(before, end);
    instruction->moveBefore(&end);
  }

  std::unordered_map<Instruction*, Node> nodes;
  std::vector<Instruction*> instructions;
  std::map<unsigned, Accesses> spaces;
};

/// Hoists loads inside basic blocks: over a store only if that is in another address space, never over a barrier, an atomic
/// or another call that accesses memory.
struct HoistLoads : PassInfoMixin<HoistLoads> {
  PreservedAnalyses run(Function& function, FunctionAnalysisManager&) {
    for (BasicBlock& block : function) {
      Region region;
      for (Instruction* instruction = block.getFirstNonPHI(); instruction;) {
        Instruction* next = instruction->getNextNode();
        if (instruction->isTerminator() || is_barrier(*instruction)) {
          region.order_before(*instruction);
          region = Region();
        } else {
          region.add(*instruction);
        }
        instruction = next;
      }
    }
    return PreservedAnalyses::none();
  }

private:
  static bool is_barrier(const Instruction& instruction) {
    if (auto load = dyn_cast<LoadInst>(&instruction)) return !load->isSimple();
    if (auto store = dyn_cast<StoreInst>(&instruction)) return !store->isSimple();
    return !isa<DbgInfoIntrinsic>(instruction) && instruction.mayReadOrWriteMemory();
  }
};

void add_first(ModulePassManager& module, OptimizationLevel) {
  module.addPass(createModuleToFunctionPassAdaptor(Calls()));
}

void add_last(ModulePassManager& module, OptimizationLevel) {
  FunctionPassManager passes;
  passes.addPass(LoopSimplifyPass());
  passes.addPass(LCSSAPass());
  passes.addPass(Unroll());
  passes.addPass(InstCombinePass());
  passes.addPass(EarlyCSEPass());
  passes.addPass(HoistLoads());
  module.addPass(createModuleToFunctionPassAdaptor(std::move(passes)));
}

}  // namespace

extern "C" PassPluginLibraryInfo llvmGetPassPluginInfo() {
  auto add = [](PassBuilder& builder) {
    builder.registerPipelineStartEPCallback(add_first);
    builder.registerOptimizerLastEPCallback(add_last);
  };
  return {LLVM_PLUGIN_API_VERSION, "duet", "1", add};
}
