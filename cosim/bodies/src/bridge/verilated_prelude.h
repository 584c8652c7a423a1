// Read before every file of Verilator's runtime and of a body: where they print and stop
// (verilated_runtime.cpp).
#pragma once
extern "C" int duet_printf(const char* format, ...);
#define VL_PRINTF duet_printf
#define VL_USER_STOP
#define VL_USER_STOP_MAYBE
#define VL_USER_FINISH
#define VL_USER_FATAL
#define VL_USER_WARN
// The runtime calls it, and declares it only where it defines it.
void vl_stop_maybe(const char* file, int line, const char* scope, bool maybe);
