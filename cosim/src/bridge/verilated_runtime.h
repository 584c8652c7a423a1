// What Verilator's runtime tells of the body that is being evaluated.
#pragma once
#include <cstddef>
#include <string>

namespace duet {

struct Report {
  std::string messages;
  size_t errors = 0;
  bool pending = false;  // messages has something new
};

// The report of the body that this thread evaluates.
extern thread_local Report* current_report;

// Thrown where Verilator cannot go on with a body.
struct Broken {};

}  // namespace duet
