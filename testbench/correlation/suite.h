// What runs: each program with its sizes. BUF(T), MAKE, FILL, LAUNCH come from cuda.h or opencl.h.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>
using std::vector;
struct Rand {
  uint64_t s;
  Rand(uint64_t x) : s(x * 2654435761u + 88172645463325252ull) {}
  uint32_t next() {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return s >> 16;
  }
  uint32_t below(uint32_t n) { return (uint64_t)next() * n >> 32; }
};
inline vector<float> floats(size_t n, int seed) {
  Rand r(seed);
  vector<float> v(n);
  for (auto& x : v) x = (r.next() & 0xffff) / 65536.0f;
  return v;
}
inline vector<uint32_t> words(size_t n, uint32_t below, int seed) {
  Rand r(seed);
  vector<uint32_t> v(n);
  for (auto& x : v) x = below ? r.below(below) : r.next();
  return v;
}
inline vector<uint32_t> permutation(size_t n, int seed) {
  Rand r(seed);
  vector<uint32_t> v(n);
  std::iota(v.begin(), v.end(), 0u);
  for (size_t i = n; i > 1; i--) std::swap(v[i - 1], v[r.below(i)]);
  return v;
}
struct Graph {
  vector<uint32_t> first, edge;
};
// Web-like: targets are the smaller of two random nodes; degrees 1 to 2 d - 1.
inline Graph graph(uint32_t nodes, uint32_t d, int seed) {
  Rand r(seed);
  Graph g;
  for (uint32_t n = 0; n < nodes; n++) {
    g.first.push_back(g.edge.size());
    for (uint32_t e = 1 + r.below(2 * d - 1); e > 0; e--) {
      uint32_t a = r.below(nodes), b = r.below(nodes);
      g.edge.push_back(a < b ? a : b);
    }
  }
  g.first.push_back(g.edge.size());
  return g;
}

inline void run_program(const std::string& name, uint32_t n, uint32_t m) {
  auto up = [](uint32_t n, uint32_t k) { return (n + k - 1) / k * k; };
  if (name == "copy1") {
    auto a = MAKE(float, floats(n, 1));
    auto b = ZERO(float, n);
    LAUNCH(copy1, up(n, 256), 1, 256, 1, a, b, n);
  } else if (name == "triad") {
    auto a = MAKE(float, floats(n, 1)), b = MAKE(float, floats(n, 2));
    auto c = ZERO(float, n);
    LAUNCH(triad, up(n, 256), 1, 256, 1, a, b, c, n);
  } else if (name == "strided") {
    auto a = MAKE(float, floats((size_t)n * m, 1));
    auto b = ZERO(float, n);
    LAUNCH(strided, up(n, 256), 1, 256, 1, a, b, n, m);
  } else if (name == "gather") {
    auto i = MAKE(uint32_t, words(n, m, 3));
    auto a = MAKE(float, floats(m, 1));
    auto b = ZERO(float, n);
    LAUNCH(gather, up(n, 256), 1, 256, 1, i, a, b, n);
  } else if (name == "scatter") {
    auto i = MAKE(uint32_t, permutation(n, 3));
    auto a = MAKE(float, floats(n, 1));
    auto b = ZERO(float, n);
    LAUNCH(scatter, up(n, 256), 1, 256, 1, i, a, b, n);
  } else if (name == "histogram") {
    auto a = MAKE(uint32_t, words(n, 0, 4));
    auto b = ZERO(uint32_t, m);
    uint32_t mask = m - 1;
    LAUNCH(histogram, up(n, 256), 1, 256, 1, a, b, n, mask);
  } else if (name == "reduce") {
    auto a = MAKE(uint32_t, words(n, 100, 5));
    auto b = ZERO(uint32_t, 1);
    LAUNCH(reduce, up(n, 256), 1, 256, 1, a, b, n);
  } else if (name == "transpose_plain") {
    auto a = MAKE(float, floats((size_t)n * n, 1));
    auto b = ZERO(float, (size_t)n* n);
    LAUNCH(transpose_plain, n, n, 16, 16, a, b, n);
  } else if (name == "transpose_tiled") {
    auto a = MAKE(float, floats((size_t)n * n, 1));
    auto b = ZERO(float, (size_t)n* n);
    LAUNCH(transpose_tiled, n, n, 16, 16, a, b, n);
  } else if (name == "gemm_tiled") {
    auto a = MAKE(float, floats((size_t)n * n, 1)), b = MAKE(float, floats((size_t)n * n, 2));
    auto c = ZERO(float, (size_t)n* n);
    LAUNCH(gemm_tiled, n, n, 16, 16, a, b, c, n);
  } else if (name == "gemm_plain") {
    auto a = MAKE(float, floats((size_t)n * n, 1)), b = MAKE(float, floats((size_t)n * n, 2));
    auto c = ZERO(float, (size_t)n* n);
    LAUNCH(gemm_plain, n, n, 16, 16, a, b, c, n);
  } else if (name == "stencil2d") {
    auto a = MAKE(float, floats((size_t)n * n, 1));
    auto b = ZERO(float, (size_t)n* n);
    for (uint32_t k = 0; k < m; k++) {
      if (k & 1)
        LAUNCH(stencil2d, n, n, 32, 8, b, a, n);
      else
        LAUNCH(stencil2d, n, n, 32, 8, a, b, n);
    }
  } else if (name == "stencil3d") {
    auto a = MAKE(float, floats((size_t)n * n * n, 1));
    auto b = ZERO(float, (size_t)n * n * n);
    for (uint32_t k = 0; k < m; k++) {
      if (k & 1)
        LAUNCH(stencil3d, n, n, 32, 8, b, a, n);
      else
        LAUNCH(stencil3d, n, n, 32, 8, a, b, n);
    }
  } else if (name == "spmv") {
    Graph g = graph(n, m, 6);
    uint32_t e = g.edge.size();
    auto f = MAKE(uint32_t, g.first), c = MAKE(uint32_t, g.edge);
    auto v = MAKE(float, floats(e, 1)), x = MAKE(float, floats(n, 2));
    auto y = ZERO(float, n);
    LAUNCH(spmv, up(n, 256), 1, 256, 1, f, c, v, x, y, n);
  } else if (name == "bfs_level") {
    Graph g = graph(n, m, 7);
    auto f = MAKE(uint32_t, g.first), e = MAKE(uint32_t, g.edge);
    vector<int> l(n, -1);
    l[n - 1] = 0;
    auto level = MAKE(int, l);
    auto again = ZERO(int, 1);
    int now = 0;
    for (; now < 64; now++) {
      STORE(int, again, 0);
      LAUNCH(bfs_level, up(n, 256), 1, 256, 1, f, e, level, again, n, now);
      if (!FETCH(int, again)) break;
    }
  } else if (name == "pagerank_push") {
    Graph g = graph(n, m, 8);
    auto f = MAKE(uint32_t, g.first), e = MAKE(uint32_t, g.edge), s = MAKE(uint32_t, words(n, 1000, 9));
    auto next = ZERO(uint32_t, n);
    LAUNCH(pagerank_push, up(n, 256), 1, 256, 1, f, e, s, next, n);
  } else if (name == "kmeans_assign") {
    auto p = MAKE(float, floats((size_t)n * 8, 1)), c = MAKE(float, floats(m * 8, 2));
    auto b = ZERO(int, n);
    LAUNCH(kmeans_assign, up(n, 256), 1, 256, 1, p, c, b, n, m);
  } else if (name == "row_sums") {
    auto a = MAKE(float, floats((size_t)n * m, 1));
    auto b = ZERO(float, n);
    LAUNCH(row_sums, up(n, 64), 1, 64, 1, a, b, n, m);
  } else if (name == "shared_table") {
    uint32_t rounds = 4;
    auto t = MAKE(float, floats(m, 1));
    auto b = ZERO(float, n);
    LAUNCH(shared_table, up(n, 256), 1, 256, 1, t, b, m, rounds);
  } else if (name == "chase") {  // a cycle through n lines of 128 bytes
    vector<uint32_t> p = permutation(n, 11), next((size_t)n * 32);
    for (uint32_t i = 0; i < n; i++) next[(size_t)p[i] * 32] = p[(i + 1) % n] * 32;
    auto a = MAKE(uint32_t, next);
    auto end = ZERO(uint32_t, 1);
    LAUNCH(chase, 1, 1, 1, 1, a, end, m);
  } else {
    fprintf(stderr, "no program %s\n", name.c_str());
    exit(2);
  }
}
struct Case {
  const char* name;
  uint32_t n, m;
};
static const Case CASES[] = {
    {"copy1", 1 << 14, 0},
    {"copy1", 1 << 17, 0},
    {"copy1", 1 << 20, 0},
    {"copy1", 1 << 22, 0},
    {"triad", 1 << 16, 0},
    {"triad", 1 << 20, 0},
    {"triad", 1 << 22, 0},
    {"strided", 1 << 16, 8},
    {"strided", 1 << 16, 32},
    {"strided", 1 << 18, 2},
    {"strided", 1 << 18, 32},
    {"strided", 1 << 20, 8},
    {"gather", 1 << 17, 1 << 14},
    {"gather", 1 << 18, 1 << 18},
    {"gather", 1 << 19, 1 << 23},
    {"scatter", 1 << 16, 0},
    {"scatter", 1 << 20, 0},
    {"histogram", 1 << 18, 1},
    {"histogram", 1 << 18, 256},
    {"histogram", 1 << 19, 1 << 16},
    {"histogram", 1 << 19, 1 << 22},
    {"reduce", 1 << 16, 0},
    {"reduce", 1 << 21, 0},
    {"transpose_plain", 256, 0},
    {"transpose_plain", 1024, 0},
    {"transpose_tiled", 256, 0},
    {"transpose_tiled", 1024, 0},
    {"gemm_tiled", 128, 0},
    {"gemm_tiled", 256, 0},
    {"gemm_tiled", 512, 0},
    {"gemm_plain", 128, 0},
    {"gemm_plain", 256, 0},
    {"stencil2d", 512, 2},
    {"stencil2d", 1024, 2},
    {"stencil3d", 64, 2},
    {"stencil3d", 128, 2},
    {"spmv", 1 << 15, 8},
    {"spmv", 1 << 17, 8},
    {"bfs_level", 1 << 15, 8},
    {"bfs_level", 1 << 17, 8},
    {"pagerank_push", 1 << 15, 8},
    {"pagerank_push", 1 << 17, 8},
    {"kmeans_assign", 1 << 15, 5},
    {"kmeans_assign", 1 << 18, 5},
    {"row_sums", 1 << 13, 64},
    {"row_sums", 1 << 15, 64},
    {"row_sums", 1 << 13, 256},
    {"shared_table", 1 << 15, 1 << 12},
    {"shared_table", 1 << 16, 1 << 14},
    {"shared_table", 1 << 16, 1 << 16},
    {"chase", 256, 2048},
    {"chase", 1 << 14, 1 << 15},
    {"chase", 1 << 17, 1 << 17},
};
