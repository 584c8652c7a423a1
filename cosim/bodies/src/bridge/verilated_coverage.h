// What the bodies of a library have reached, in the folder that DUET_COVERAGE names.
#pragma once
#include "verilated.h"
#if VM_COVERAGE
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <mutex>
#include <string>
#include <unordered_map>

#include "verilated_cov.h"
#include "verilated_runtime.h"
#endif

namespace duet {

#if VM_COVERAGE
// How often all bodies together have reached each line and toggle: a run makes hundreds of bodies.
// One file of Verilator's format, written when the program ends.
class Reached {
 public:
  void add(VerilatedContext& context) {
    if (!folder_) return;
    const std::lock_guard<std::mutex> lock{mutex_};
    // Verilator tells it to a file alone.
    const std::string path = name(".part");
    try {
      context.coveragep()->write(path.c_str());
    } catch (const Broken&) {
      return fail(path);
    }
    std::ifstream file{path};
    for (std::string line; std::getline(file, line);) {
      const size_t end = line.rfind("' ");
      if (line[0] != 'C' || end == std::string::npos) continue;
      counts_[line.substr(0, end)] += std::strtoull(&line[end + 2], nullptr, 10);
    }
    std::remove(path.c_str());
  }

  ~Reached() {
    if (counts_.empty()) return;
    const std::string path = name(".dat");
    std::ofstream file{path};
    file << "# SystemC::Coverage-3\n";
    for (const auto& [point, count] : counts_) file << point << "' " << count << "\n";
    file.close();
    if (!file) fail(path);
  }

 private:
  // Each library has an object of its own, whose address tells them apart.
  std::string name(const char* ending) const {
    return std::string{folder_} + "/" + std::to_string(getpid()) + "-" +
           std::to_string(reinterpret_cast<uintptr_t>(this)) + ending;
  }

  static void fail(const std::string& path) {
    std::fprintf(stderr, "duet: %s: cannot be written\n", path.c_str());
  }

  const char* const folder_ = std::getenv("DUET_COVERAGE");
  std::mutex mutex_;
  std::unordered_map<std::string, uint64_t> counts_;
};

inline void add_coverage(VerilatedContext& context) {
  static Reached reached;
  reached.add(context);
}
#else
inline void add_coverage(VerilatedContext&) {}
#endif

}  // namespace duet
