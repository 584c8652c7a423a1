// Verilator's messages and stops, of which none may reach stdout or end the process.
#include "verilated_runtime.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "verilated.h"
#include "verilated_prelude.h"

namespace duet {
std::atomic<size_t> told{0};

namespace {
// Enough for the report of a broken run; a run that goes on after it must not fill the memory.
constexpr size_t kMostMessages = 1 << 16;

std::mutex reports_mutex;
std::unordered_map<std::thread::id, Report> reports;

void say(const char* text) {
  const std::lock_guard<std::mutex> lock{reports_mutex};
  Report& report = reports[std::this_thread::get_id()];
  if (report.messages.size() < kMostMessages) report.messages += text;
  ++told;
}

void count_error() {
  const std::lock_guard<std::mutex> lock{reports_mutex};
  ++reports[std::this_thread::get_id()].errors;
  ++told;
}
}  // namespace

Report take_report() {
  const std::lock_guard<std::mutex> lock{reports_mutex};
  const auto found = reports.find(std::this_thread::get_id());
  if (found == reports.end()) return {};
  Report report = std::move(found->second);
  reports.erase(found);
  return report;
}
}  // namespace duet

int duet_printf(const char* format, ...) {
  char line[1024];
  va_list args;
  va_start(args, format);
  const int length = std::vsnprintf(line, sizeof line, format, args);
  va_end(args);
  duet::say(line);
  return length;
}

// A failed assertion is counted and reported; the simulation goes on.
void vl_stop_maybe(const char*, int, const char*, bool) VL_MT_UNSAFE { duet::count_error(); }
void vl_stop(const char*, int, const char*) VL_MT_UNSAFE { duet::count_error(); }
void vl_finish(const char* file, int line, const char*) VL_MT_UNSAFE {
  duet_printf("%s:%d: $finish\n", file, line);
  duet::count_error();
}
void vl_fatal(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  duet_printf("%s:%d: %s\n", file, line, message);
  duet::count_error();
  throw duet::Broken{};
}
void vl_warn(const char* file, int line, const char*, const char* message) VL_MT_UNSAFE {
  duet_printf("%s:%d: %s\n", file, line, message);
}
