// Verilator prints through VL_PRINTF, which the build maps to this.
#pragma once
#ifdef __cplusplus
extern "C"
#endif
int duet_printf(const char* format, ...);
