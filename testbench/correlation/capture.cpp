#include "opencl.h"
#include "suite.h"
int main(int c, char** v) {
  if (c < 5) {
    for (auto& k : CASES) printf("%s %u %u\n", k.name, k.n, k.m);
    return 0;
  }
  start(v[1]);
  run_program(v[2], atoi(v[3]), atoi(v[4]));
}
