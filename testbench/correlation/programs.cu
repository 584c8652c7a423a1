#include "cuda.h"
#include "suite.h"
#include <algorithm>
// programs all | programs NAME N M | programs time | programs list
int main(int c, char** v) {
  std::string what = c > 1 ? v[1] : "all";
  if (what == "list") {
    for (auto& k : CASES) printf("%s %u %u\n", k.name, k.n, k.m);
    return 0;
  }
  OK(cudaEventCreate(&ev0));
  OK(cudaEventCreate(&ev1));
  if (what == "all") {
    for (auto& k : CASES) {
      fprintf(stderr, "CASE %s %u %u\n", k.name, k.n, k.m);
      run_program(k.name, k.n, k.m);
      OK(cudaDeviceSynchronize());
      for (auto p : owned) cudaFree(p);
      owned.clear();
    }
    return 0;
  }
  if (what == "time") {
    timing = true;  // warm caches: the median of nine events, launch by launch
    for (auto& k : CASES) {
      vector<vector<float>> runs;
      for (int r = 0; r < 9; r++) {
        launch_us.clear();
        run_program(k.name, k.n, k.m);
        OK(cudaDeviceSynchronize());
        runs.push_back(launch_us);
        for (auto p : owned) cudaFree(p);
        owned.clear();
      }
      printf("TIME %s %u %u", k.name, k.n, k.m);
      for (size_t l = 0; l < runs[0].size(); l++) {
        vector<float> x;
        for (auto& r : runs) x.push_back(r[l]);
        std::sort(x.begin(), x.end());
        printf(" %.2f", x[4]);
      }
      printf("\n");
      fflush(stdout);
    }
    return 0;
  }
  run_program(what, atoi(v[2]), atoi(v[3]));
  OK(cudaDeviceSynchronize());
}
