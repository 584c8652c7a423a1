// Oclgrind plugin: records what an OpenCL program does to global memory. `duet trace capture` builds and
// loads it; docs/capture.md describes the files.
//
//   DUET_CAPTURE=PREFIX oclgrind --plugins memtrace.so PROGRAM ARGS...
//
// writes PREFIX.bin (records), .iter and .work (beside each access of a work-item), .meta (text),
// .blob (data of the host) and .sum (bytes and checksums of the others). They are complete after each kernel: some programs abort at exit.
// With DUET_CAPTURE_COSTS=gpu each LLVM instruction counts as the instructions that a GPU's compiler makes of it.

#include <oclgrind/Context.h>
#include <oclgrind/Kernel.h>
#include <oclgrind/KernelInvocation.h>
#include <oclgrind/Memory.h>
#include <oclgrind/Plugin.h>
#include <oclgrind/WorkGroup.h>
#include <oclgrind/WorkItem.h>

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugLoc.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "gpu_cost.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <stack>
#include <string>
#include <unistd.h>
#include <unordered_map>
#include <vector>

namespace {

using namespace oclgrind;

/// Exit status of a program whose capture cannot be written: EX_IOERR of sysexits.h.
constexpr int CannotWrite = 74;

enum Kind : uint8_t {
  Load = 0, Store = 1, Atomic = 2, AtomicWithoutStore = 3, GroupLoad = 4, GroupStore = 5,
  Barrier = 8,
  KernelBegin = 16, KernelEnd = 17, GroupBegin = 18, GroupEnd = 19,
  HostLoad = 32, HostStore = 33, HostMap = 34, HostUnmap = 35, Alloc = 36, Free = 37,
};

/// Work-item of a copy by the whole work-group.
constexpr uint16_t WholeGroup = 0xffff;

struct Record {
  uint32_t kernel;
  uint32_t group;
  uint16_t item;  // linear in the group
  uint16_t pc;    // unique in a kernel, in program order
  uint8_t kind;
  uint8_t size;
  uint16_t aux;   // atomics: AtomicOp; barriers and maps: flags; allocations: 1 with data
  uint64_t addr;
  uint8_t value[16];  // atomics: old and new value; host: bytes and place in .blob
};
static_assert(sizeof(Record) == 40, "the file has no padding");

[[noreturn]] void fail(const std::string& what) {
  fprintf(stderr, "duet: capture: %s\n", what.c_str());
  // The program's own end would overwrite the reason with its symptoms.
  _exit(CannotWrite);
}

/// CRC-32 (ISO 3309) of all that was added.
class Checksum {
public:
  void add(const char* data, size_t bytes) {
    static const std::array<uint32_t, 256> table = [] {
      std::array<uint32_t, 256> table;
      for (uint32_t n = 0; n < table.size(); n++) {
        uint32_t c = n;
        for (int bit = 0; bit < 8; bit++) c = (c & 1 ? 0xedb88320 : 0) ^ (c >> 1);
        table[n] = c;
      }
      return table;
    }();
    for (size_t i = 0; i < bytes; i++) {
      state = table[(state ^ static_cast<uint8_t>(data[i])) & 0xff] ^ (state >> 8);
    }
  }

  uint32_t value() const { return ~state; }

private:
  uint32_t state = ~0u;
};

/// A file that is written in whole pieces, so that a program which aborts leaves no half record.
class Output {
public:
  /// `written` is called where a piece was written before its time.
  Output(const std::string& path, std::function<void()> written) : path(path), grown(written) {
    // A program that runs another one which uses OpenCL too would mix two captures.
    file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) fail(path + ": " + strerror(errno));
  }

  void put(const void* data, size_t bytes) {
    auto from = static_cast<const char*>(data);
    held.insert(held.end(), from, from + bytes);
    written += bytes;
    if (held.size() < 1 << 20) return;
    flush();
    grown();
  }

  __attribute__((format(printf, 2, 3))) void print(const char* format, ...) {
    char* text = nullptr;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0) fail(path + ": out of memory");
    put(text, length);
    free(text);
  }

  void flush() {
    for (size_t done = 0; done < held.size();) {
      ssize_t n = write(file, held.data() + done, held.size() - done);
      if (n < 0 && errno != EINTR) fail(path + ": " + strerror(errno));
      done += std::max<ssize_t>(n, 0);
    }
    checksum.add(held.data(), held.size());
    held.clear();
  }

  uint64_t size() const { return written; }

  /// What is in the file: bytes and checksum.
  std::string contents() const {
    char text[64];
    snprintf(text, sizeof text, "%llu %08x", static_cast<unsigned long long>(written - held.size()),
             checksum.value());
    return text;
  }

private:
  std::string path;
  std::function<void()> grown;
  int file;
  Checksum checksum;
  std::vector<char> held;
  uint64_t written = 0;
};

/// The files of the capture.
struct Files {
  explicit Files(const std::string& prefix)
      : prefix(prefix), bin(prefix + ".bin", grown()), iter(prefix + ".iter", grown()),
        work(prefix + ".work", grown()), meta(prefix + ".meta", grown()),
        blob(prefix + ".blob", grown()) {}

  void flush() {
    // Records last: what they refer to is there.
    for (Output* file : {&iter, &work, &meta, &blob, &bin}) file->flush();
    sum();
  }

  std::string prefix;
  Output bin, iter, work, meta, blob;

private:
  std::function<void()> grown() {
    return [this] { sum(); };
  }

  /// Says what is in the files, so that damage is found.
  void sum() {
    std::string text = "duet capture 2\n";
    text += "bin " + bin.contents() + "\niter " + iter.contents() + "\nwork " + work.contents();
    text += "\nmeta " + meta.contents() + "\nblob " + blob.contents() + "\n";
    std::string path = prefix + ".sum", part = path + ".part";
    FILE* file = fopen(part.c_str(), "we");
    if (!file || fputs(text.c_str(), file) < 0 || fclose(file) != 0 ||
        rename(part.c_str(), path.c_str()) != 0) {
      fail(path + ": " + strerror(errno));
    }
  }
};

/// Opened by the first thing to record: some programs make a context only to look at it. Never closed:
/// they serve until the process ends.
Files& files() {
  static Files* files = [] {
    const char* prefix = getenv("DUET_CAPTURE");
    if (!prefix || !*prefix) fail("the environment does not say where to: DUET_CAPTURE=PREFIX");
    return new Files(prefix);
  }();
  return *files;
}

/// Launches so far, of all contexts.
uint32_t launches = 0;

/// Loops that an access's iteration names, outermost first.
constexpr size_t Loops = 4;
using Iteration = std::array<uint32_t, Loops>;

/// What a work-item executes between two accesses, as in the file. A chain is the longest in which each instruction reads
/// the result of the one before, by the class that determines its latency.
struct Work {
  uint32_t instructions, first_use, special, local, passes;
  struct Chain {
    uint32_t arithmetic, special, local;
    /// Of two chains the one that takes longer.
    uint32_t length() const { return 4 * arithmetic + 20 * special + 25 * local; }
  } chain;
};
static_assert(sizeof(Work) == 32, "the file has no padding");

/// First uses: not known, none, or the number of instructions after the access, plus this.
constexpr uint32_t Never = 1, After = 1;

/// Instructions of a GPU at the begin and end of each work-item: the stack, the descriptor of memory, the exit.
constexpr uint32_t Prologue = 3;

/// Static instructions and loops of the program that a kernel belongs to.
class Code {
public:
  /// A loop's first instruction is reached once in each iteration.
  struct Header {
    const llvm::Loop* loop;
    unsigned number;
  };

  explicit Code(const llvm::Module& module) {
    for (const llvm::Function& function : module) {
      if (function.isDeclaration()) continue;
      number(function);
      find_loops(const_cast<llvm::Function&>(function));
      connect(function);
      if (!counts_as_gpu()) continue;
      count_branches(function);
      count_arguments(function);
    }
  }

  unsigned loops() const { return loop_count; }

  uint16_t pc(const llvm::Instruction* instruction) const {
    auto found = pcs.find(instruction);
    return found == pcs.end() ? 0 : found->second;
  }

  /// What is known of each static instruction.
  struct Fact {
    unsigned number;
    Cost cost;
    /// Numbers of the instructions whose results it reads; of a phi node, one for each block that it comes from.
    std::vector<unsigned> operands;
    const Header* header;
    /// Predicated blocks that join here: a work-item that comes from the first has jumped over one, and issues its
    /// instructions all the same.
    std::vector<std::pair<const llvm::BasicBlock*, uint32_t>> skipped;
  };

  /// The operand of a phi node that comes from elsewhere.
  static constexpr unsigned Elsewhere = UINT_MAX;

  const Fact& fact(const llvm::Instruction* instruction) const { return facts.at(instruction); }

  size_t instructions() const { return facts.size(); }

  const Header* header(const llvm::Instruction* instruction) const {
    auto found = headers.find(instruction);
    return found == headers.end() ? nullptr : &found->second;
  }

  /// Headers of the loops around a block, outermost first.
  const std::vector<const llvm::Instruction*>& around(const llvm::BasicBlock* block) const {
    static const std::vector<const llvm::Instruction*> none;
    auto found = enclosing.find(block);
    return found == enclosing.end() ? none : found->second;
  }

private:
  void number(const llvm::Function& function) {
    // Programs are built again and again with the same kernels; once is enough for a reader.
    static std::set<std::string> described;
    bool describe = described.insert(function.getName().str()).second;
    bool gpu = counts_as_gpu();
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        // No processor executes phi nodes.
        bool phi = llvm::isa<llvm::PHINode>(instruction);
        Cost cost = gpu ? gpu_cost(instruction) : Cost{phi ? 0u : 1u, false, phi};
        facts.emplace(&instruction, Fact{static_cast<unsigned>(facts.size()), cost, {}, nullptr, {}});
        bool access = instruction.mayReadOrWriteMemory() || llvm::isa<llvm::CallInst>(instruction);
        if (!access || llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) continue;
        if (pcs.size() >= UINT16_MAX) fail("a program of more than 65535 memory instructions");
        uint16_t pc = pcs.size() + 1;
        pcs[&instruction] = pc;
        const llvm::DebugLoc& place = instruction.getDebugLoc();
        if (describe) {
          files().meta.print("pc %u fn %s op %s line %u\n", pc, function.getName().str().c_str(),
                             instruction.getOpcodeName(), place ? place.getLine() : 0);
        }
      }
    }
  }

  void find_loops(llvm::Function& function) {
    analyses.emplace_back(function);
    llvm::LoopInfo& info = analyses.back().loops;
    for (const llvm::BasicBlock& block : function) {
      auto& around = enclosing[&block];
      for (llvm::Loop* loop = info.getLoopFor(&block); loop; loop = loop->getParentLoop()) {
        const llvm::Instruction* first = loop->getHeader()->getFirstNonPHIOrDbg();
        if (headers.emplace(first, Header{loop, loop_count}).second) loop_count++;
        around.insert(around.begin(), first);
      }
    }
  }

  void connect(const llvm::Function& function) {
    for (const llvm::BasicBlock& block : function) {
      for (const llvm::Instruction& instruction : block) {
        Fact& fact = facts.at(&instruction);
        fact.header = header(&instruction);
        bool phi = llvm::isa<llvm::PHINode>(instruction);
        for (const llvm::Value* operand : instruction.operands()) {
          auto found = facts.find(llvm::dyn_cast<llvm::Instruction>(operand));
          if (found != facts.end()) fact.operands.push_back(found->second.number);
          else if (phi) fact.operands.push_back(Elsewhere);
        }
      }
    }
  }

  void count_branches(const llvm::Function& function) {
    const llvm::LoopInfo& loops = analyses.back().loops;
    Branches branches(function, loops);
    // Lanes that leave a loop in different iterations diverge once.
    std::set<const llvm::Instruction*> diverges;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      if (auto address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction)) {
        if (branches.is_advanced(*address)) facts.at(address).cost.instructions = 4;
      }
      auto branch = llvm::dyn_cast<llvm::BranchInst>(&instruction);
      if (!branch) continue;
      if (const llvm::BasicBlock* block = Branches::predicated(*branch)) {
        facts.at(branch).cost.instructions = 0;
        facts.at(&*block->getSingleSuccessor()->instructionsWithoutDebug().begin()).skipped.emplace_back(branch->getParent(), Branches::cost_of(*block));
      } else if (branches.diverges(*branch)) {
        const llvm::Loop* loop = loops.getLoopFor(branch->getParent());
        bool leaves = loop && loop->isLoopExiting(branch->getParent());
        const llvm::BasicBlock* before = leaves ? loop->getLoopPredecessor() : branch->getParent();
        if (before) diverges.insert(before->getTerminator());
      }
    }
    for (const llvm::Instruction* branch : diverges) facts.at(branch).cost.instructions += 2;
  }

  /// An argument is loaded in each block that reads it, or before the loops around it.
  void count_arguments(const llvm::Function& function) {
    const llvm::LoopInfo& loops = analyses.back().loops;
    for (const llvm::Argument& argument : function.args()) {
      std::set<const llvm::BasicBlock*> blocks;
      for (const llvm::User* user : argument.users()) {
        const llvm::BasicBlock* block = llvm::cast<llvm::Instruction>(user)->getParent();
        while (const llvm::Loop* loop = loops.getLoopFor(block)) {
          const llvm::BasicBlock* before = loop->getLoopPredecessor();
          if (!before) break;
          block = before;
        }
        blocks.insert(block);
      }
      for (const llvm::BasicBlock* block : blocks) facts.at(block->getFirstNonPHIOrDbg()).cost.instructions++;
    }
  }

  struct Analysis {
    explicit Analysis(llvm::Function& function) : tree(function), loops(tree) {}
    llvm::DominatorTree tree;
    llvm::LoopInfo loops;
  };

  std::list<Analysis> analyses;
  std::unordered_map<const llvm::Instruction*, uint16_t> pcs;
  std::unordered_map<const llvm::Instruction*, Fact> facts;
  std::unordered_map<const llvm::Instruction*, Header> headers;
  std::unordered_map<const llvm::BasicBlock*, std::vector<const llvm::Instruction*>> enclosing;
  unsigned loop_count = 0;
};

class MemTrace : public Plugin {
public:
  explicit MemTrace(const Context* context) : Plugin(context) {}

  ~MemTrace() override {
    finish();
    // The context's memory ends with it, and the next one gives its addresses anew.
    while (!buffers.empty()) release(*buffers.begin());
    if (owner == this) owner = nullptr;
    complete();
  }

  /// Writes what is still held.
  void complete() {
    finish();
    if (recorded) files().flush();
  }

  // One worker: the order of work-groups and work-items is the same in every run.
  bool isThreadSafe() const override { return false; }

  // Host

  void memoryAllocated(const Memory* memory, size_t addr, size_t size, cl_mem_flags flags,
                       const uint8_t* data) override {
    if (!is_global(memory)) return;
    if (owner && owner != this) fail("two contexts with memory at a time: their addresses collide");
    owner = this;
    finish();
    files().meta.print("alloc %u addr 0x%zx bytes %zu flags 0x%llx\n", launches, addr, size,
                       static_cast<unsigned long long>(flags));
    host(Alloc, addr, size, data, data != nullptr);
    buffers.insert(addr);
  }

  void memoryDeallocated(const Memory* memory, size_t addr) override {
    if (!is_global(memory)) return;
    finish();
    release(addr);
    if (buffers.empty()) owner = nullptr;
  }

  void hostMemoryLoad(const Memory* memory, size_t addr, size_t size) override {
    if (is_global(memory)) extend(HostLoad, addr, size, nullptr);
  }

  void hostMemoryStore(const Memory* memory, size_t addr, size_t size,
                       const uint8_t* data) override {
    if (is_global(memory)) extend(HostStore, addr, size, data);
  }

  void memoryMap(const Memory* memory, size_t addr, size_t offset, size_t size,
                 cl_map_flags flags) override {
    if (!is_global(memory)) return;
    finish();
    maps.push_back({addr, offset, size, flags});
    host(HostMap, addr + offset, size, nullptr, flags);
  }

  void memoryUnmap(const Memory* memory, size_t addr, const void* pointer) override {
    if (!is_global(memory)) return;
    finish();
    auto begin = static_cast<const uint8_t*>(memory->getPointer(addr));
    auto map = std::find_if(maps.begin(), maps.end(), [&](const Map& map) {
      return map.addr == addr && begin + map.offset == pointer;
    });
    if (map == maps.end()) return;
    // What the host wrote is read where it lies.
    bool written = map->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION);
    host(HostUnmap, addr + map->offset, map->size, written ? begin + map->offset : nullptr,
         map->flags);
    maps.erase(map);
  }

  // Kernels

  void kernelBegin(const KernelInvocation* invocation) override {
    finish();
    const Kernel* kernel = invocation->getKernel();
    // Made anew: programs come and go, and their addresses with them.
    code = std::make_unique<Code>(*kernel->getFunction()->getParent());
    local = invocation->getLocalSize();
    groups = invocation->getNumGroups();
    items.resize(local.x * local.y * local.z);
    prologue = counts_as_gpu() ? Prologue : 0;
    describe(*invocation);
    mark(KernelBegin, 0);
  }

  void kernelEnd(const KernelInvocation*) override {
    finish();
    mark(KernelEnd, 0);
    launches++;
    code.reset();
    files().flush();
  }

  void workGroupBegin(const WorkGroup* group) override {
    finish();
    works.clear();
    order.clear();
    groups_begun++;
    for (Item& item : items) {
      item.executed = prologue;
      item.accessed = 0;
      item.iterations.assign(code->loops(), 0);
      item.results.resize(code->instructions());
      item.locals.clear();
      open(item);
    }
    current = nullptr;
    mark(GroupBegin, index_of(group));
  }

  void workGroupComplete(const WorkGroup* group) override {
    finish();
    end_segment();
    for (uint32_t work : order) files().work.put(&works[work], sizeof(Work));
    mark(GroupEnd, index_of(group));
  }

  void workGroupBarrier(const WorkGroup* group, uint32_t flags) override {
    finish();
    end_segment();
    mark(Barrier, index_of(group), flags);
    for (size_t first = 0; first < items.size(); first += Lanes) {
      Work most{};
      for (size_t at = first; at < std::min(first + Lanes, items.size()); at++) {
        Item& item = items[at];
        // The barrier itself is counted, and is none of them.
        uint64_t gap = item.executed - std::min(item.executed, item.accessed + 1);
        works[item.open].instructions = gap;
        merge(most, works[item.open]);
        item.accessed = item.executed;
        open(item);
      }
      order.push_back(works.size());
      works.push_back(most);
    }
  }

  void instructionExecuted(const WorkItem* work_item, const llvm::Instruction* instruction,
                           const TypedValue&) override {
    finish();
    if (llvm::isa<llvm::DbgInfoIntrinsic>(instruction)) return;
    Item& item = item_of(work_item);
    const Code::Fact& fact = code->fact(instruction);
    execute(item, work_item, instruction, fact);
    for (auto& [from, instructions] : fact.skipped) {
      if (work_item->getPreviousBlock() == from) item.executed += instructions;
    }
    if (fact.header) item.iterations[fact.header->number] = next_iteration(item, *fact.header, work_item);
  }

  // Accesses

  void memoryLoad(const Memory* memory, const WorkItem* item, size_t addr, size_t size) override {
    if (is_local(memory)) local_access(item, addr, size, true);
    if (is_global(memory) && !prints(item)) access(Load, item, addr, size, bytes_at(memory, addr, size));
  }

  void memoryStore(const Memory* memory, const WorkItem* item, size_t addr, size_t size,
                   const uint8_t* data) override {
    if (is_local(memory)) local_access(item, addr, size, false);
    if (is_global(memory)) access(Store, item, addr, size, data);
  }

  void memoryLoad(const Memory* memory, const WorkGroup* group, size_t addr,
                  size_t size) override {
    if (is_global(memory)) copy(GroupLoad, group, addr, size, bytes_at(memory, addr, size));
  }

  void memoryStore(const Memory* memory, const WorkGroup* group, size_t addr, size_t size,
                   const uint8_t* data) override {
    if (is_global(memory)) copy(GroupStore, group, addr, size, data);
  }

  // An atomic loads, then stores, unless it is a compare-and-swap that fails. Its new value is known when
  // its instruction is done.
  void memoryAtomicLoad(const Memory* memory, const WorkItem* item, AtomicOp op, size_t addr,
                        size_t size) override {
    if (!is_global(memory)) return;
    finish();
    atomic = begin_access(AtomicWithoutStore, item);
    atomic.addr = addr;
    atomic.size = std::min<size_t>(size, 8);
    atomic.aux = op;
    if (const uint8_t* old = bytes_at(memory, addr, atomic.size)) {
      memcpy(atomic.value, old, atomic.size);
    }
    atomic_memory = memory;
  }

  void memoryAtomicStore(const Memory* memory, const WorkItem*, AtomicOp, size_t addr,
                         size_t) override {
    if (is_global(memory) && atomic_memory && atomic.addr == addr) atomic.kind = Atomic;
  }

private:
  /// Lanes of a warp of the trace, and of a warp whose accesses of local memory take a pass together where no banks
  /// conflict.
  static constexpr size_t Lanes = 64, LocalLanes = 32, Banks = 32;
  static constexpr uint32_t None = UINT32_MAX;

  /// What is known of the result of an instruction.
  struct Result {
    uint32_t load = None;   // the access that it comes from, if its first use has not been seen
    uint64_t executed = 0;  // instructions up to and with that access
    uint64_t group = 0;     // of this work-group, counted from 1
    uint32_t open = None;   // the work that has the chain below
    Work::Chain chain{};
  };

  /// An access of local memory between two barriers.
  struct Local {
    uint16_t pc;
    Iteration iteration;
    uint32_t work;
    uint32_t first, last;  // words
  };

  /// Words of local memory that a GPU's compiler loads with the word before them, up to four at a time.
  struct Vector {
    size_t next;
    unsigned left;
    size_t local;  // the access that they are part of
  };

  struct Item {
    uint64_t executed = 0;  // instructions
    uint64_t accessed = 0;  // of them up to and with the last access
    std::vector<uint32_t> iterations;
    uint32_t open = 0;             // its work since that access
    std::vector<Result> results;  // by the number of the instruction
    std::vector<Local> locals;
    std::vector<Vector> vectors;  // since the last barrier or store to local memory
  };

  void open(Item& item) {
    item.open = works.size();
    works.push_back(Work{});
  }

  static void merge(Work& most, const Work& work) {
    auto max = [](uint32_t& a, uint32_t b) { a = std::max(a, b); };
    max(most.instructions, work.instructions);
    max(most.special, work.special);
    max(most.local, work.local);
    max(most.passes, work.passes);
    if (work.chain.length() > most.chain.length()) most.chain = work.chain;
  }

  /// Counts an instruction, and finds what it reads.
  void execute(Item& item, const WorkItem* work_item, const llvm::Instruction* instruction, const Code::Fact& fact) {
    Work& work = works[item.open];
    Result result;
    result.open = item.open;
    result.group = groups_begun;
    auto read = [&](unsigned number) {
      Result& from = item.results[number];
      if (from.group != groups_begun) return;
      if (from.open == item.open && from.chain.length() > result.chain.length()) result.chain = from.chain;
      if (from.load == None) return;
      // A result comes from one load: that of another operand is used here.
      if (fact.cost.passes_on && result.load == None) {
        result.load = from.load;
        result.executed = from.executed;
      } else {
        uint32_t& first_use = works[from.load].first_use;
        if (first_use == Never) first_use = item.executed + 1 - from.executed + After;
        from.load = None;
      }
    };
    if (auto phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      int from = phi->getBasicBlockIndex(work_item->getPreviousBlock());
      if (from >= 0 && fact.operands[from] != Code::Elsewhere) read(fact.operands[from]);
    } else {
      for (unsigned operand : fact.operands) read(operand);
    }
    if (!in_vector) item.executed += fact.cost.instructions;
    if (accessing.item == &item && accessing.instruction == instruction) {
      // What the access has answered; its chain is the access itself.
      result = Result{accessing.work, item.executed, groups_begun, None, {}};
      accessing = {};
    } else if (fact.cost.instructions > 0) {
      work.special += fact.cost.special;
      if (accesses_local) {
        result.chain.local++;
      } else if (fact.cost.special) {
        result.chain.special++;
      } else {
        result.chain.arithmetic += fact.cost.instructions;
      }
      if (result.chain.length() > work.chain.length()) work.chain = result.chain;
    }
    accesses_local = in_vector = false;
    item.results[fact.number] = result;
  }

  /// Whether a load of local memory is part of a vector, of which the first word counts for all.
  static bool joins(Item& item, size_t addr, size_t size, bool load) {
    constexpr size_t Word = 4, Words = 4;
    if (!load) item.vectors.clear();
    if (!load || size != Word || !counts_as_gpu()) return false;
    for (Vector& vector : item.vectors) {
      if (vector.left == 0 || vector.next != addr) continue;
      vector.next += Word;
      vector.left--;
      item.locals[vector.local].last++;
      return true;
    }
    if (addr % (Word * Words) == 0) item.vectors.push_back({addr + Word, Words - 1, item.locals.size()});
    return false;
  }

  void local_access(const WorkItem* work_item, size_t addr, size_t size, bool load) {
    Item& item = item_of(work_item);
    accesses_local = true;
    in_vector = joins(item, addr, size, load);
    if (in_vector) return;
    works[item.open].local++;
    item.locals.push_back({code->pc(work_item->getCurrentInstruction()), iteration_of(item, work_item), item.open,
                           static_cast<uint32_t>(addr / 4), static_cast<uint32_t>((addr + size - 1) / 4)});
  }

  /// Between two barriers the lanes of a warp access local memory together where they are at the same place: those of
  /// two words half of the lanes at a time, those of four a quarter. Such a part takes as many passes as there are
  /// different words in the bank that has most.
  void end_segment() {
    using Place = std::pair<uint16_t, Iteration>;
    constexpr uint32_t Most = 4;
    for (size_t first = 0; first < items.size(); first += LocalLanes) {
      size_t end = std::min(first + LocalLanes, items.size());
      std::map<Place, uint32_t> parts;
      for (size_t at = first; at < end; at++) {
        for (const Local& local : items[at].locals) {
          uint32_t& most = parts[{local.pc, local.iteration}];
          uint32_t words = local.last - local.first + 1;
          most = std::max(most, words > 2 ? Most : words);
        }
      }
      std::map<Place, std::array<std::set<uint32_t>, Most>> places;
      for (size_t at = first; at < end; at++) {
        for (const Local& local : items[at].locals) {
          Place place{local.pc, local.iteration};
          auto& words = places[place][(at - first) * parts[place] / LocalLanes];
          for (uint32_t word = local.first; word <= local.last; word++) words.insert(word);
        }
      }
      std::map<Place, uint32_t> passes;
      for (auto& [place, words_of] : places) {
        for (auto& words : words_of) {
          std::array<uint32_t, Banks> of_bank{};
          for (uint32_t word : words) of_bank[word % Banks]++;
          passes[place] += *std::max_element(of_bank.begin(), of_bank.end());
        }
      }
      for (size_t at = first; at < end; at++) {
        for (const Local& local : items[at].locals) works[local.work].passes += passes[{local.pc, local.iteration}];
        items[at].locals.clear();
        items[at].vectors.clear();
      }
    }
  }

  struct Map {
    size_t addr, offset, size;
    cl_map_flags flags;
  };

  static bool is_local(const Memory* memory) {
    return memory->getAddressSpace() == AddrSpaceLocal;
  }

  static bool is_global(const Memory* memory) {
    return memory->getAddressSpace() == AddrSpaceGlobal;
  }

  /// Whether `printf` loads its format and strings: not what the program does with its data.
  static bool prints(const WorkItem* item) {
    auto call = llvm::dyn_cast<llvm::CallInst>(item->getCurrentInstruction());
    return call && call->getCalledOperand()->stripPointerCasts()->getName() == "printf";
  }

  /// Null where the program has no memory.
  static const uint8_t* bytes_at(const Memory* memory, size_t addr, size_t size) {
    if (!memory->isAddressValid(addr, size)) return nullptr;
    return static_cast<const uint8_t*>(memory->getPointer(addr));
  }

  uint16_t index_of(const WorkItem* work_item) const {
    Size3 id = work_item->getLocalID();
    return id.x + local.x * (id.y + local.y * id.z);
  }

  // `getGroupIndex` of Oclgrind 21.10 gives two work-groups of a grid the same number.
  uint32_t index_of(const WorkGroup* group) const {
    Size3 id = group->getGroupID();
    return id.x + groups.x * (id.y + groups.y * id.z);
  }

  Item& item_of(const WorkItem* work_item) {
    if (work_item != current) {
      current = work_item;
      current_index = index_of(work_item);
    }
    return items[current_index];
  }

  /// The iteration that the work-item, at a loop's header, is in: 0 when it comes from outside.
  static uint32_t next_iteration(const Item& item, const Code::Header& header, const WorkItem* at) {
    const llvm::BasicBlock* from = at->getPreviousBlock();
    return from && header.loop->contains(from) ? item.iterations[header.number] + 1 : 0;
  }

  /// Iterations of the loops around what the work-item executes, in its callers too, outermost first.
  Iteration iteration_of(const Item& item, const WorkItem* work_item) const {
    Iteration iteration{};
    size_t depth = 0;
    auto add = [&](const llvm::BasicBlock* block) {
      for (const llvm::Instruction* first : code->around(block)) {
        if (depth == Loops) return;
        const Code::Header* header = code->header(first);
        // At the header's first instruction itself the iteration has not been counted yet.
        bool counted = work_item->getCurrentInstruction() != first;
        iteration[depth++] =
            counted ? item.iterations[header->number] : next_iteration(item, *header, work_item);
      }
    };
    if (!work_item->getCallStack().empty()) {
      std::stack<const llvm::Instruction*> calls = work_item->getCallStack();
      std::vector<const llvm::BasicBlock*> blocks;
      for (; !calls.empty(); calls.pop()) blocks.push_back(calls.top()->getParent());
      std::for_each(blocks.rbegin(), blocks.rend(), add);
    }
    add(work_item->getCurrentBlock());
    return iteration;
  }

  Record record(Kind kind, uint32_t group) const {
    Record record{};
    record.kernel = launches;
    record.group = group;
    record.kind = kind;
    return record;
  }

  void put(const Record& record) {
    recorded = true;
    files().bin.put(&record, sizeof record);
  }

  void mark(Kind kind, uint32_t group, uint16_t aux = 0) {
    Record mark = record(kind, group);
    mark.aux = aux;
    put(mark);
  }

  /// The head of an access, and what stands beside its record.
  Record begin_access(Kind kind, const WorkItem* work_item) {
    Item& item = item_of(work_item);
    Record access = record(kind, index_of(work_item->getWorkGroup()));
    access.item = current_index;
    access.pc = code->pc(work_item->getCurrentInstruction());
    iteration = iteration_of(item, work_item);
    access_instruction = work_item->getCurrentInstruction();
    // The instruction itself is counted after its access. It may make several: nothing lies between.
    works[item.open].instructions = item.executed - std::min(item.executed, item.accessed);
    item.accessed = item.executed + 1;
    return access;
  }

  void put_access(const Record& access) {
    put(access);
    files().iter.put(iteration.data(), sizeof iteration);
    Item& item = items[access.item];
    // Of an access in several pieces the last one stands for all.
    if (accessing.instruction == access_instruction && accessing.work != None) works[accessing.work].first_use = 0;
    if (access.kind != Store) works[item.open].first_use = Never;
    accessing = {&item, access_instruction, access.kind == Store ? None : item.open};
    order.push_back(item.open);
    open(item);
  }

  void access(Kind kind, const WorkItem* work_item, size_t addr, size_t size,
              const uint8_t* data) {
    finish();
    Record access = begin_access(kind, work_item);
    pieces(access, addr, size, data, [&] { put_access(access); });
  }

  void copy(Kind kind, const WorkGroup* group, size_t addr, size_t size, const uint8_t* data) {
    finish();
    Record access = record(kind, index_of(group));
    access.item = WholeGroup;
    pieces(access, addr, size, data, [&] { put(access); });
  }

  /// Fills in up to 16 bytes at a time.
  template <typename Put>
  static void pieces(Record& access, size_t addr, size_t size, const uint8_t* data, Put put) {
    for (size_t done = 0; done < size; done += sizeof access.value) {
      access.addr = addr + done;
      access.size = std::min(size - done, sizeof access.value);
      memset(access.value, 0, sizeof access.value);
      if (data) memcpy(access.value, data + done, access.size);
      put();
    }
  }

  void host(Kind kind, size_t addr, uint64_t size, const uint8_t* data, uint16_t aux) {
    uint64_t place = files().blob.size();
    if (data) files().blob.put(data, size);
    put_host(kind, addr, size, place, aux);
  }

  void put_host(Kind kind, size_t addr, uint64_t size, uint64_t place, uint16_t aux) {
    Record host = record(kind, 0);
    host.addr = addr;
    host.aux = aux;
    memcpy(host.value, &size, 8);
    memcpy(host.value + 8, &place, 8);
    put(host);
  }

  void release(size_t addr) {
    buffers.erase(addr);
    host(Free, addr, 0, nullptr, 0);
  }

  /// A host operation may come in many pieces (a fill in as many as its pattern is repeated).
  void extend(Kind kind, size_t addr, size_t size, const uint8_t* data) {
    if (host_bytes == 0 || host_kind != kind || host_addr + host_bytes != addr) {
      finish();
      host_kind = kind;
      host_addr = addr;
      host_place = files().blob.size();
    }
    host_bytes += size;
    if (data) files().blob.put(data, size);
  }

  /// Writes what waits for its end: an atomic, or the pieces of a host operation.
  void finish() {
    if (atomic_memory) {
      const uint8_t* now = bytes_at(atomic_memory, atomic.addr, atomic.size);
      if (now) memcpy(atomic.value + 8, now, atomic.size);
      atomic_memory = nullptr;
      put_access(atomic);
    }
    if (host_bytes > 0) {
      put_host(host_kind, host_addr, host_bytes, host_place, 0);
      host_bytes = 0;
    }
  }

  /// The launch and its arguments, as text.
  void describe(const KernelInvocation& invocation) const {
    const Kernel* kernel = invocation.getKernel();
    Size3 global = invocation.getGlobalSize();
    files().meta.print("kernel %u %s global %zu %zu %zu local %zu %zu %zu groups %zu %zu %zu "
                       "lmem %zu args %u\n",
                       launches, kernel->getName().c_str(), global.x, global.y, global.z, local.x,
                       local.y, local.z, groups.x, groups.y, groups.z,
                       kernel->getLocalMemorySize(), kernel->getNumArguments());
    for (unsigned number = 0; number < kernel->getNumArguments(); number++) {
      describe(*kernel, number);
    }
  }

  void describe(const Kernel& kernel, unsigned number) const {
    const llvm::Argument* argument = kernel.getFunction()->getArg(number);
    unsigned space = kernel.getArgumentAddressQualifier(number);
    std::string name = kernel.getArgumentName(number).str();
    if (name.empty()) name = "arg" + std::to_string(number);
    auto found = [&](llvm::Attribute::AttrKind kind) { return argument->hasAttribute(kind); };
    bool declared = kernel.getArgumentTypeQualifier(number) & CL_KERNEL_ARG_TYPE_CONST;
    // What the compiler found out about it, where the source says nothing.
    files().meta.print(
        "arg %u %u name %s type %s space %s const %d llvm_readonly %d llvm_writeonly %d "
        "llvm_readnone %d",
        launches, number, name.c_str(), kernel.getArgumentTypeName(number).str().c_str(),
        space_name(space), declared, found(llvm::Attribute::ReadOnly),
        found(llvm::Attribute::WriteOnly), found(llvm::Attribute::ReadNone));
    bool memory =
        space == CL_KERNEL_ARG_ADDRESS_GLOBAL || space == CL_KERNEL_ARG_ADDRESS_CONSTANT;
    for (auto value = kernel.values_begin(); memory && value != kernel.values_end(); ++value) {
      if (value->first == argument) files().meta.print(" ptr 0x%zx", value->second.getPointer());
    }
    files().meta.print("\n");
  }

  static const char* space_name(unsigned space) {
    switch (space) {
      case CL_KERNEL_ARG_ADDRESS_GLOBAL: return "global";
      case CL_KERNEL_ARG_ADDRESS_CONSTANT: return "constant";
      case CL_KERNEL_ARG_ADDRESS_LOCAL: return "local";
      default: return "private";
    }
  }

  /// The context that has memory.
  static MemTrace* owner;

  std::set<size_t> buffers;
  std::vector<Map> maps;
  bool recorded = false;

  std::unique_ptr<Code> code;
  /// Instructions of a work-item that its code does not show.
  uint32_t prologue = 0;
  Size3 local{}, groups{};
  std::vector<Item> items;
  const WorkItem* current = nullptr;
  uint16_t current_index = 0;

  /// What work-items have executed, and in which order that stands in the file.
  std::vector<Work> works;
  std::vector<uint32_t> order;
  uint64_t groups_begun = 0;

  Iteration iteration{};
  const llvm::Instruction* access_instruction = nullptr;
  struct {
    const Item* item = nullptr;
    const llvm::Instruction* instruction = nullptr;
    uint32_t work = None;
  } accessing;
  bool accesses_local = false;  // the current instruction
  bool in_vector = false;       // of local memory, with the word before
  Record atomic{};
  const Memory* atomic_memory = nullptr;  // an atomic waits for its new value

  Kind host_kind = HostLoad;
  uint64_t host_addr = 0, host_bytes = 0, host_place = 0;
};

MemTrace* MemTrace::owner = nullptr;

/// Of the contexts that live. Never destroyed: a program may end without releasing them.
auto& plugins = *new std::map<Context*, std::unique_ptr<MemTrace>>;

/// When the program ends with its contexts alive.
__attribute__((destructor)) void complete() {
  for (auto& [context, plugin] : plugins) plugin->complete();
}

}  // namespace

extern "C" void initializePlugins(Context* context) {
  auto& plugin = plugins[context] = std::make_unique<MemTrace>(context);
  context->registerPlugin(plugin.get());
}

extern "C" void releasePlugins(Context* context) {
  auto found = plugins.find(context);
  if (found == plugins.end()) return;
  context->unregisterPlugin(found->second.get());
  plugins.erase(found);
}
