// A Body over one Verilated class. `Ports` copies between an image and its ports, and evaluates:
// a cycle by one evaluation where the generated code allows it, else by two.
#pragma once
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "body.h"
#include "verilated.h"
#include "verilated_coverage.h"
#include "verilated_runtime.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

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

// Whether a top has a core that is held in reset by a port.
template <class Top, class = void>
struct HasCore : std::false_type {};
template <class Top>
struct HasCore<Top, std::void_t<decltype(std::declval<Top&>().core_hold_i)>> : std::true_type {};

// Asserts the reset. It must be seen to fall: a flip-flop behind a clock gate that is closed in
// reset is reset by nothing else.
template <class Top>
inline void fall_of_reset(Top& top) {
  top.clk_i = 0;
  top.rst_ni = 1;
  top.eval();  // Verilator's first of a top, which sets it up
  top.rst_ni = 0;
  top.eval();
}

// The inputs settle while the clock is low, then it rises.
template <class Top>
inline void fall(Top& top) {
  top.clk_i = 0;
  top.eval();
}
template <class Top>
inline void rise(Top& top) {
  top.clk_i = 1;
  top.eval();
}

#if VM_TRACE
// All signals as the text of a VCD.
template <class Top>
class Trace {
 public:
  bool is_on() const { return on_; }

  bool set(Top& top, bool on) {
    if (on && !vcd_) {
      vcd_ = std::make_unique<VerilatedVcdC>(&file_);
      top.trace(vcd_.get(), 99);
      vcd_->open("memory");
    }
    on_ = on;
    return true;
  }

  void dump() { vcd_->dump(cycle_++); }

  Text take() {
    if (vcd_) vcd_->flush();
    taken_.clear();
    taken_.swap(file_.text);
    return {taken_.data(), taken_.size()};
  }

 private:
  struct MemoryFile final : VerilatedVcdFile {
    std::string text;
    bool open(const std::string&) override { return true; }
    void close() override {}
    ssize_t write(const char* from, ssize_t size) override {
      text.append(from, size);
      return size;
    }
  };

  MemoryFile file_;
  std::unique_ptr<VerilatedVcdC> vcd_;
  std::string taken_;
  uint64_t cycle_ = 0;
  bool on_ = false;
};
#else
template <class Top>
struct Trace {
  constexpr bool is_on() const { return false; }
  bool set(Top&, bool on) { return !on; }
  void dump() {}
  Text take() { return {"", 0}; }
};
#endif

// The context outlives the top, so it is a base that is built first.
struct Context {
  VerilatedContext context;
  explicit Context(int seed) {
    // Else each body would start a thread for every processor but one, none of which has work.
    context.threads(1);
#if VM_TRACE
    context.traceEverOn(true);
#endif
    if (seed) {
      context.randReset(2);
      context.randSeed(seed);
    }
  }
};

template <class Top, class Ports>
class VerilatedBody final : private Context, public Body {
 public:
  explicit VerilatedBody(int seed) : Context{seed}, fresh_(seed != 0), top_{&context, "rtl"} {}
  ~VerilatedBody() override {
    top_.final();
    take_report();
    add_coverage(context);
  }

  void reset(const uint32_t* in, uint32_t* out) override {
    Ports::drive(top_, in);
    try {
      release_core();
      fall_of_reset(top_);
      for (int edge = 0; edge < 2; ++edge) cycle();
    } catch (const Broken&) {
    }
    top_.rst_ni = 1;
    Ports::read(top_, out);
    listen();
  }

  bool tick(const uint32_t* in, uint32_t* out) override {
    Ports::drive(top_, in);
    try {
      cycle();
    } catch (const Broken&) {
    }
    Ports::read(top_, out);
    listen();
    return pending_;
  }

  void settle(const uint32_t* in, uint32_t* out) override {
    Ports::drive(top_, in);
    top_.clk_i = 0;
    Ports::evaluate(top_);
    Ports::read(top_, out);
  }

  size_t errors() const override { return report_.errors; }

  Text messages() override {
    pending_ = false;
    taken_.clear();
    taken_.swap(report_.messages);
    return {taken_.data(), taken_.size()};
  }

  bool set_trace(bool on) override { return trace_.set(top_, on); }
  Text trace() override { return trace_.take(); }

 private:
  void cycle() {
    if (!trace_.is_on()) return Ports::cycle(top_);
    fall(top_);
    trace_.dump();
    rise(top_);
  }

  // Keeps what the evaluation before has told. Any other of this object in any thread counts too,
  // and is rare.
  void listen() {
    const size_t now = told.load(std::memory_order_relaxed);
    if (now == heard_) return;
    heard_ = now;
    const Report report = take_report();
    report_.messages += report.messages;
    report_.errors += report.errors;
    pending_ |= !report.messages.empty() || report.errors > 0;
  }

  // A core whose reset is held by a register may be in reset by chance, and would not see it fall:
  // one edge with inputs of 0 lets it go. No rule holds in it.
  void release_core() {
    if (HasCore<Top>::value && fresh_) {
      context.assertOn(false);
      top_.rst_ni = 1;
      fall(top_);
      rise(top_);
      context.assertOn(true);
    }
    fresh_ = false;
  }

  Report report_;
  bool pending_ = false;  // report_ has something new
  size_t heard_ = 0;
  bool fresh_;  // not reset yet, and registers are random
  Top top_;
  std::string taken_;
  Trace<Top> trace_;
};

// Nothing but what a hand-written C++ test bench would do. Returns the nanoseconds of the loop
// alone: the bridge is not charged with building its body either.
template <class Top, class Ports>
size_t floor_verilated(const uint32_t* stimulus, size_t words, size_t cycles) {
  Context owner{0};
  const auto top_owner = std::make_unique<Top>(&owner.context, "floor");
  Top& top = *top_owner;
  std::vector<uint32_t> out(1024);
  const auto cycle = [&] {
    fall(top);
    rise(top);
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
  take_report();
  return static_cast<size_t>(spent.count());
}

}  // namespace duet

// Exports the body of one Verilated class.
#define DUET_EXPORT_BODY(Top, Ports)                                                              \
  extern "C" __attribute__((visibility("default"))) uint32_t duet_interface() {                   \
    return duet::kInterface;                                                                      \
  }                                                                                               \
  extern "C" __attribute__((visibility("default"))) uint32_t duet_evaluations() {                 \
    return Ports::kEvaluations;                                                                   \
  }                                                                                               \
  extern "C" __attribute__((visibility("default"))) duet::Body* duet_make_body(int seed) {        \
    return new duet::VerilatedBody<Top, Ports>(seed);                                             \
  }                                                                                               \
  extern "C" __attribute__((visibility("default"))) size_t duet_run_floor(                        \
      const uint32_t* stimulus, size_t words, size_t cycles) {                                    \
    return duet::floor_verilated<Top, Ports>(stimulus, words, cycles);                            \
  }
