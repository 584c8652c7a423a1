// What Rust sees of a Verilated block: ports as an image of 32-bit words, and a clock edge.
#pragma once
#include <cstdint>
#include <memory>

#include "rust/cxx.h"

namespace duet {

class Body {
 public:
  virtual ~Body() = default;
  // Holds rst_ni low for two edges; `out` gets the outputs after it.
  virtual void reset(rust::Slice<uint32_t> out) = 0;
  // Drives `in` with the clock low, then raises the clock; `out` gets the outputs after the edge.
  // True when the block has printed something since take_messages(): an assertion, most likely.
  virtual bool tick(rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) = 0;
  // Drives `in` with the clock low and no edge; `out` gets the outputs.
  virtual void settle(rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) = 0;
  // Assertions that have failed.
  virtual size_t errors() const = 0;
};

// True where this body was built.
bool has_body(rust::Str block, rust::Str config);

// Null where no such body was built.
std::unique_ptr<Body> make_body(rust::Str block, rust::Str config);

// A plain C++ harness over the same top: drives `stimulus` (one image per cycle) from reset, reads
// all outputs in each cycle, and returns the nanoseconds that it took. The floor of the benchmark.
size_t run_floor(rust::Str block, rust::Str config, rust::Slice<const uint32_t> stimulus, size_t cycles);

// What Verilated code has printed in this thread since the last call.
rust::String take_messages();

// True when there are messages to take. A plain flag: it is read in every cycle.
inline thread_local bool messages_pending = false;

}  // namespace duet
