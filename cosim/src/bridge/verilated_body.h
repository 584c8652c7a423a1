// A Body over one Verilated class. `Ports` copies between an image and its ports.
#pragma once
#include <chrono>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "body.h"
#include "verilated.h"

namespace duet {

template <class Port>
inline void drive_port(Port& port, const uint32_t* words) {
  if constexpr (std::is_integral_v<Port>) {
    uint64_t value = words[0];
    if constexpr (sizeof(Port) == 8) value |= static_cast<uint64_t>(words[1]) << 32;
    port = static_cast<Port>(value);
  } else {
    std::memcpy(&port[0], words, sizeof(Port));
  }
}

template <class Port>
inline void read_port(const Port& port, uint32_t* words) {
  if constexpr (std::is_integral_v<Port>) {
    words[0] = static_cast<uint32_t>(port);
    if constexpr (sizeof(Port) == 8) words[1] = static_cast<uint32_t>(port >> 32);
  } else {
    std::memcpy(words, &port[0], sizeof(Port));
  }
}

// Asserts the reset. It must be seen to fall: a flip-flop behind a clock gate that is closed in reset is
// reset by nothing else.
template <class Top>
inline void fall_of_reset(Top& top) {
  top.clk_i = 0;
  top.rst_ni = 1;
  top.eval();
  top.rst_ni = 0;
  top.eval();
}

// The context outlives the top, so it is a base that is built first.
struct Context {
  VerilatedContext context;
  Context() {
    // A failed assertion is counted and reported; it must not end the process.
    context.fatalOnError(false);
    context.errorLimit(1 << 30);
  }
};

template <class Top, class Ports>
class VerilatedBody final : private Context, public Body {
 public:
  VerilatedBody() : top_{&context, "rtl"} {}
  ~VerilatedBody() override {
    count_here();
    top_.final();
  }

  void reset(rust::Slice<uint32_t> out) override {
    count_here();
    fall_of_reset(top_);
    for (int edge = 0; edge < 2; ++edge) cycle();
    top_.rst_ni = 1;
    Ports::read(top_, out.data());
  }

  bool tick(rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) override {
    Ports::drive(top_, in.data());
    cycle();
    Ports::read(top_, out.data());
    return messages_pending;
  }

  void settle(rust::Slice<const uint32_t> in, rust::Slice<uint32_t> out) override {
    count_here();
    Ports::drive(top_, in.data());
    top_.clk_i = 0;
    top_.eval();
    Ports::read(top_, out.data());
  }

  size_t errors() const override { return context.errorCount(); }

 private:
  void cycle() {
    count_here();
    top_.clk_i = 0;
    top_.eval();
    top_.clk_i = 1;
    top_.eval();
    context.timeInc(1);
  }

  // Verilator counts a failed assertion in the context of the thread, which is the one that was made
  // last in it, and may be gone: another body's.
  void count_here() { Verilated::threadContextp(&context); }

  Top top_;
};

template <class Top, class Ports>
std::unique_ptr<Body> make_verilated() {
  return std::make_unique<VerilatedBody<Top, Ports>>();
}

// Nothing but what a hand-written C++ test bench would do. Returns the nanoseconds of the loop alone:
// the bridge is not charged with building its body either.
template <class Top, class Ports>
size_t floor_verilated(const uint32_t* stimulus, size_t words, size_t cycles) {
  Context owner;
  const auto top_owner = std::make_unique<Top>(&owner.context, "floor");
  Top& top = *top_owner;
  std::vector<uint32_t> out(1024);
  const auto cycle = [&] {
    top.clk_i = 0;
    top.eval();
    top.clk_i = 1;
    top.eval();
    owner.context.timeInc(1);
  };
  fall_of_reset(top);
  cycle();
  cycle();
  top.rst_ni = 1;
  const auto start = std::chrono::steady_clock::now();
  for (size_t i = 0; i < cycles; ++i) {
    Ports::drive(top, stimulus + i * words);
    cycle();
    Ports::read(top, out.data());
    asm volatile("" : : "r"(out.data()) : "memory");  // the outputs count as used
  }
  const std::chrono::nanoseconds spent = std::chrono::steady_clock::now() - start;
  top.final();
  return static_cast<size_t>(spent.count());
}

struct BodyEntry {
  const char* block;
  const char* config;
  std::unique_ptr<Body> (*make)();
  size_t (*floor)(const uint32_t* stimulus, size_t words, size_t cycles);
};
extern const BodyEntry kBodies[];
extern const size_t kBodyCount;

}  // namespace duet
