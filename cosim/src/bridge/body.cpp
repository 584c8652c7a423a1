#include "verilated_body.h"

#include <cstdarg>
#include <cstdio>
#include <string>

namespace duet {
namespace {

thread_local std::string messages;
// Enough for the report of a broken run; a run that goes on after it must not fill the memory.
constexpr size_t kMostMessages = 1 << 16;

const BodyEntry* find(rust::Str block, rust::Str config) {
  for (size_t i = 0; i < kBodyCount; ++i) {
    if (block == rust::Str(kBodies[i].block) && config == rust::Str(kBodies[i].config)) {
      return &kBodies[i];
    }
  }
  return nullptr;
}

}  // namespace

bool has_body(rust::Str block, rust::Str config) { return find(block, config) != nullptr; }

std::unique_ptr<Body> make_body(rust::Str block, rust::Str config) {
  const BodyEntry* entry = find(block, config);
  return entry ? entry->make() : nullptr;
}

size_t run_floor(rust::Str block, rust::Str config, rust::Slice<const uint32_t> stimulus, size_t cycles) {
  const BodyEntry* entry = find(block, config);
  return entry ? entry->floor(stimulus.data(), stimulus.size() / cycles, cycles) : 0;
}

rust::String take_messages() {
  rust::String taken = rust::String::lossy(messages);
  messages.clear();
  messages_pending = false;
  return taken;
}

}  // namespace duet

extern "C" int duet_printf(const char* format, ...) {
  char line[1024];
  va_list args;
  va_start(args, format);
  const int length = std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  if (duet::messages.size() < duet::kMostMessages) duet::messages += line;
  duet::messages_pending = true;
  return length;
}
