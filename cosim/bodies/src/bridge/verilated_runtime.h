// What Verilator's runtime tells while a body is evaluated. It does not say of which, but does so in
// the thread that evaluates.
#pragma once
#include <atomic>
#include <cstddef>
#include <string>

namespace duet {

struct Report {
  std::string messages;
  size_t errors = 0;
};

// Grows with whatever is told in any thread: all that is asked for where there is nothing.
extern std::atomic<size_t> told;

// What was told in this thread since the last call.
Report take_report();

// Thrown where Verilator cannot go on with a body.
struct Broken {};

}  // namespace duet
