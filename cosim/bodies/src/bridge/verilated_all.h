// Read before a body: all of its headers that do not come from its RTL. Compilers read them once.
#pragma once
#include "verilated_prelude.h"

#include "verilated_body.h"
