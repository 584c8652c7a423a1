// A Verilated block: ports as images of 32-bit words, and clock edges. Both sides of the boundary
// compile this file: the host, and the shared object that holds one body.
#pragma once
#include <cstddef>
#include <cstdint>

namespace duet {

// Text that the body owns, valid until its next call.
struct Text {
  const char* data;
  size_t size;
};

class Body {
 public:
  virtual ~Body() = default;
  // Holds rst_ni low for two edges while `in` is driven; `out` gets the outputs after it.
  virtual void reset(const uint32_t* in, uint32_t* out) = 0;
  // Drives `in` with the clock low, then raises the clock; `out` gets the outputs after the edge.
  // True when messages() has something to say: an assertion has failed, most likely.
  virtual bool tick(const uint32_t* in, uint32_t* out) = 0;
  // Drives `in` with the clock low and no edge; `out` gets the outputs.
  virtual void settle(const uint32_t* in, uint32_t* out) = 0;
  // Assertions that have failed.
  virtual size_t errors() const = 0;
  // What the block has printed since the last call.
  virtual Text messages() = 0;
  // From now on each tick adds the values of all signals to trace(), or no longer. False in a body
  // that was built without them.
  virtual bool set_trace(bool on) = 0;
  // The text of a VCD since the last call: its header once, then the changes of one cycle after the
  // other.
  virtual Text trace() = 0;
};

// What a shared object exports.
// The number of this interface: a host refuses an object of another one.
constexpr uint32_t kInterface = 2;
// A new body. All registers are 0 before its reset, or where `seed` is not 0 as that seed has it.
using MakeBody = Body*(int seed);
// A plain C++ harness over the same top: drives `stimulus` (`words` words for each cycle) from
// reset, reads all outputs in each cycle, and returns the nanoseconds that it took. The floor of
// the benchmark.
using RunFloor = size_t(const uint32_t* stimulus, size_t words, size_t cycles);

}  // namespace duet
