// What Rust calls of a Body. The shared object that it comes from stays loaded.
#pragma once
#include <memory>

#include "body.h"
#include "rust/cxx.h"

namespace duet {

// `make`: the address of a MakeBody.
inline std::unique_ptr<Body> make_body(size_t make, int32_t seed) {
  return std::unique_ptr<Body>(reinterpret_cast<MakeBody*>(make)(seed));
}

// `run`: the address of a RunFloor.
inline size_t run_floor(size_t run, rust::Slice<const uint32_t> stimulus, size_t cycles) {
  return reinterpret_cast<RunFloor*>(run)(stimulus.data(), stimulus.size() / cycles, cycles);
}

inline void reset(Body& body, rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) {
  body.reset(in.data(), out.data());
}

inline bool tick(Body& body, rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) {
  return body.tick(in.data(), out.data());
}

inline void settle(Body& body, rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) {
  body.settle(in.data(), out.data());
}

inline size_t errors(const Body& body) { return body.errors(); }

inline rust::String lossy(Text text) { return rust::String::lossy(text.data, text.size); }

inline rust::String take_messages(Body& body) { return lossy(body.messages()); }

inline bool set_trace(Body& body, bool on) { return body.set_trace(on); }

inline rust::String take_trace(Body& body) { return lossy(body.trace()); }

}  // namespace duet
