// Latencies, rates and orders of a real GPU's memory system. Prints lines of words and numbers.
#include <cuda_runtime.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
using std::vector;
typedef unsigned int uint;
typedef unsigned long long u64;
#define OK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)
__device__ inline uint ca(const uint* p) {
  uint v;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ inline uint cg(const uint* p) {
  uint v;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__device__ inline u64 ns() {
  u64 t;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(t));
  return t;
}
__device__ inline uint smid() {
  uint s;
  asm volatile("mov.u32 %0, %smid;" : "=r"(s));
  return s;
}

template <int MODE>
__global__ void chase(const uint* a, uint warm, uint steps, u64* out) {
  uint at = 0;
  for (uint i = 0; i < warm; i++) at = MODE ? cg(a + at) : ca(a + at);
  u64 t0 = clock64();
  for (uint i = 0; i < steps; i++) at = MODE ? cg(a + at) : ca(a + at);
  u64 t1 = clock64();
  out[0] = t1 - t0;
  out[1] = at;
}
template <int MODE>
__global__ void read_rate(const uint4* a, size_t quads, uint rounds, uint* out) {
  uint s = 0;
  size_t n = (size_t)gridDim.x * blockDim.x, me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (uint r = 0; r < rounds; r++)
    for (size_t i = me; i < (quads > n * 4 ? quads : n * 4); i += n * 4) {
      uint4 v[4];
#pragma unroll
      for (int k = 0; k < 4; k++) {
        size_t j = i + k * n;
        if (j >= quads) j -= (j / quads) * quads;
        if (MODE == 1)
          v[k] = __ldcg(a + j);
        else
          v[k] = __ldca(a + j);
      }
#pragma unroll
      for (int k = 0; k < 4; k++) s += v[k].x ^ v[k].y ^ v[k].z ^ v[k].w;
    }
  if (s == 123456789) out[0] = s;
}
__global__ void write_rate(uint4* a, size_t quads, uint rounds) {
  size_t n = (size_t)gridDim.x * blockDim.x, me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (uint r = 0; r < rounds; r++)
    for (size_t i = me; i < quads; i += n) a[i] = make_uint4(r, me, i, 7);
}
__global__ void copy_rate(const uint4* a, uint4* b, size_t quads) {
  size_t n = (size_t)gridDim.x * blockDim.x, me = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
  for (size_t i = me; i < quads; i += n) b[i] = a[i];
}
// Each block reads its own `quads` again and again: the L1.
__global__ void l1_rate(const uint4* a, uint quads, uint rounds, u64* out) {
  uint s = 0;
  const uint4* m = a + (size_t)blockIdx.x * quads;
  for (uint i = threadIdx.x; i < quads; i += blockDim.x) s += __ldca(m + i).x;
  __syncthreads();
  u64 t0 = clock64();
  for (uint r = 0; r < rounds; r++)
    for (uint i = threadIdx.x; i < quads; i += blockDim.x) {
      uint4 v;
      asm volatile("ld.global.ca.v4.u32 {%0,%1,%2,%3}, [%4];"
                   : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                   : "l"(m + i));
      s += v.x;
    }
  __syncthreads();
  u64 t1 = clock64();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
  if (s == 99) out[0] = 1;
}
// A chain per warp, `chains` warps on each SM, one line each step: lines under way against rate (Little's
// law).
__global__ void many_chains(const uint* a, const uint* start, uint steps, uint* out) {
  uint w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  uint at = start[w];
  for (uint i = 0; i < steps; i++) at = cg(a + (size_t)at * 32 + lane);
  if (at == 0xffffffff) out[0] = at;
}
__global__ void atomics(uint* a, uint mask, uint stride, uint each) {
  uint me = blockIdx.x * blockDim.x + threadIdx.x;
  for (uint i = 0; i < each; i++) atomicAdd(a + (size_t)((me + i * 7919) & mask) * stride, 1u);
}
__global__ void atomic_chain(uint* a, uint steps, u64* out) {
  uint v = 0;
  u64 t0 = clock64();
  for (uint i = 0; i < steps; i++) v = atomicAdd(a + v, 0u);
  out[0] = clock64() - t0;
  out[1] = v;
}  // memory is 0
__global__ void store_fence(uint* a, uint steps, uint stores, u64* out) {
  u64 t0 = clock64();
  for (uint i = 0; i < steps; i++) {
    for (uint s = 0; s < stores; s++) ((volatile uint*)a)[s * 32] = i;
    __threadfence();
  }
  out[0] = clock64() - t0;
}
// Two SMs hand a flag to and fro.
__global__ void ping_pong(volatile uint* f, uint rounds, uint other, u64* out) {
  if (threadIdx.x) return;
  if (blockIdx.x == 0) {
    u64 t0 = ns();
    for (uint r = 0; r < rounds; r++) {
      f[0] = r + 1;
      while (f[32] != r + 1);
    }
    out[0] = ns() - t0;
    out[1] = smid();
  } else if (blockIdx.x == other) {
    for (uint r = 0; r < rounds; r++) {
      while (f[0] != r + 1);
      f[32] = r + 1;
    }
    out[2] = smid();
  }
}
__global__ void empty() {}
__global__ void store_all(uint* a, uint n) {
  uint i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
__global__ void clock_rate(u64* out) {
  u64 c = clock64(), t = ns();
  while (ns() - t < 2000000);
  out[0] = clock64() - c;
  out[1] = ns() - t;
}

static double counted(size_t quads, size_t n) {
  size_t q = quads > n * 4 ? quads : n * 4;
  double loads = 0;
  for (size_t me = 0; me < n; me++)
    if (me < q) loads += 4.0 * ((q - me + n * 4 - 1) / (n * 4));
  return loads * 16;
}
static float timed(cudaEvent_t e0, cudaEvent_t e1) {
  float ms;
  OK(cudaEventSynchronize(e1));
  OK(cudaEventElapsedTime(&ms, e0, e1));
  return ms;
}
int main() {
  cudaDeviceProp p;
  OK(cudaGetDeviceProperties(&p, 0));
  printf("device %s sms %d l2 %d smem_sm %zu\n", p.name, p.multiProcessorCount, p.l2CacheSize,
         p.sharedMemPerMultiprocessor);
  int sms = p.multiProcessorCount;
  size_t big = 2ull << 30;
  uint *a, *b;
  u64* o;
  OK(cudaMalloc(&a, big));
  OK(cudaMalloc(&b, big));
  OK(cudaMallocManaged(&o, 1 << 20));
  OK(cudaMemset(a, 0, big));
  OK(cudaMemset(b, 0, big));
  cudaEvent_t e0, e1;
  OK(cudaEventCreate(&e0));
  OK(cudaEventCreate(&e1));
  clock_rate<<<1, 1>>>(o);
  OK(cudaDeviceSynchronize());
  clock_rate<<<1, 1>>>(o);
  OK(cudaDeviceSynchronize());
  double ghz = (double)o[0] / o[1];
  printf("clock_ghz %.4f\n", ghz);
  for (int mode = 0; mode < 2; mode++)
    for (size_t kb :
         {4,    16,   32,   64,    96,    128,   160,   192,   208,   224,   256,   384,    512,    1024,
          2048, 4096, 8192, 16384, 20480, 24576, 28672, 32768, 40960, 49152, 65536, 131072, 262144, 524288}) {
      uint n = kb * 8;
      vector<uint> order(n), next((size_t)n * 32);
      std::iota(order.begin(), order.end(), 0u);
      u64 s = 88172645463325252ull;
      for (uint i = n; i > 1; i--) {
        s ^= s << 13;
        s ^= s >> 7;
        s ^= s << 17;
        std::swap(order[i - 1], order[(s >> 16) % i]);
      }
      for (uint i = 0; i < n; i++)
        next[(size_t)order[i] * 32] = order[(i + 1) % n] * 32;  // starts at 0's place in the cycle
      OK(cudaMemcpy(a, next.data(), next.size() * 4, cudaMemcpyHostToDevice));
      uint warm = std::min(n, 600000u), steps = std::min(std::max(n, 2000u), 40000u);
      if (mode)
        chase<1><<<1, 1>>>(a, warm, steps, o);
      else
        chase<0><<<1, 1>>>(a, warm, steps, o);
      OK(cudaDeviceSynchronize());
      printf("chase %s kb %zu cycles %.2f\n", mode ? "cg" : "ca", kb, (double)o[0] / steps);
      fflush(stdout);
    }
  for (size_t mb : {1, 2, 4, 8, 16, 24, 32, 40, 48, 64, 128, 512, 2048}) {
    size_t quads = mb * 65536;
    uint rounds = std::max<size_t>(1, 2048 / mb);
    double moved = counted(quads, (size_t)sms * 8 * 256) * rounds;
    for (int w = 0; w < 2; w++) {
      OK(cudaEventRecord(e0));
      read_rate<1><<<sms * 8, 256>>>((uint4*)a, quads, rounds, b);
      OK(cudaEventRecord(e1));
    }
    float ms = timed(e0, e1);
    printf("read_cg mb %zu bytes_per_cycle %.1f gb_s %.1f\n", mb, moved / (ms * 1e6 * ghz), moved / ms / 1e6);
    for (int w = 0; w < 2; w++) {
      OK(cudaEventRecord(e0));
      write_rate<<<sms * 8, 256>>>((uint4*)b, quads, rounds);
      OK(cudaEventRecord(e1));
    }
    ms = timed(e0, e1);
    printf("write mb %zu bytes_per_cycle %.1f gb_s %.1f\n", mb, mb * 1048576.0 * rounds / (ms * 1e6 * ghz),
           mb * 1048576.0 * rounds / ms / 1e6);
    fflush(stdout);
  }
  {
    size_t quads = (1ull << 30) / 16;
    for (int w = 0; w < 2; w++) {
      OK(cudaEventRecord(e0));
      copy_rate<<<sms * 16, 512>>>((uint4*)a, (uint4*)b, quads);
      OK(cudaEventRecord(e1));
    }
    float ms = timed(e0, e1);
    printf("copy gb_s %.1f\n", 2.0 * (1ull << 30) / ms / 1e6);
  }
  for (int blocks : {1, 2, 4, 8, 16, 33, 66, 99, 132}) {
    double rate[2];
    for (int far = 0; far < 2; far++) {
      size_t quads = (far ? 1024 : 16) * 65536;
      uint rounds = far ? 1 : 32;
      for (int w = 0; w < 2; w++) {
        OK(cudaEventRecord(e0));
        read_rate<1><<<blocks, 1024>>>((uint4*)a, quads, rounds, b);
        OK(cudaEventRecord(e1));
      }
      float ms = timed(e0, e1);
      rate[far] = counted(quads, (size_t)blocks * 1024) * rounds / (ms * 1e6 * ghz);
    }
    printf("sms %d l2_bytes_per_cycle %.1f hbm_bytes_per_cycle %.1f\n", blocks, rate[0], rate[1]);
    fflush(stdout);
  }
  for (uint kb : {8, 16, 32, 64, 128, 192}) {
    l1_rate<<<sms, 1024>>>((uint4*)a, kb * 64, 64, o);
    OK(cudaDeviceSynchronize());
    u64 m = 0;
    for (int k = 0; k < sms; k++) m = std::max(m, o[k]);
    printf("l1 kb %u bytes_per_cycle_sm %.1f\n", kb, kb * 1024.0 * 64 / m);
  }
  for (uint lim : {1u << 23, 65536u}) {  // lines of 128 bytes: 1 GB, far beyond the L2; 8 MB, inside
    vector<uint> order(lim), h((size_t)lim * 32);
    std::iota(order.begin(), order.end(), 0u);
    u64 s = 99;
    for (uint i = lim; i > 1; i--) {
      s ^= s << 13;
      s ^= s >> 7;
      s ^= s << 17;
      std::swap(order[i - 1], order[(s >> 16) % i]);
    }
    for (uint i = 0; i < lim; i++)
      for (int k = 0; k < 32; k++) h[(size_t)order[i] * 32 + k] = order[(i + 1) % lim];
    OK(cudaMemcpy(a, h.data(), h.size() * 4, cudaMemcpyHostToDevice));
    vector<uint> first(order);
    for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
      uint total = sms * warps, steps = 400;
      vector<uint> starts(total);
      float ms = 0;
      dim3 g(sms * ((warps + 31) / 32));
      for (int pass = 0; pass < 2; pass++) {
        for (uint w = 0; w < total; w++)
          starts[w] = order[(u64)(w * 2 + pass + 1) * (lim / (2 * total + 2)) % lim];
        uint* st = b + (64u << 20);
        OK(cudaMemcpy(st, starts.data(), total * 4, cudaMemcpyHostToDevice));
        if (lim > 65536)
          OK(cudaMemset(b, pass, 256u << 20));
        else
          read_rate<1><<<sms * 8, 256>>>((uint4*)a, (size_t)lim * 8, 2, b);
        OK(cudaDeviceSynchronize());
        OK(cudaEventRecord(e0));
        many_chains<<<g, std::min(warps, 32) * 32>>>(a, st, steps, b);
        OK(cudaEventRecord(e1));
        ms = timed(e0, e1);
      }
      double cyc = ms * 1e6 * ghz;
      printf("chains lines %u warps %d cycles_per_step %.1f bytes_per_cycle %.1f\n", lim, warps, cyc / steps,
             128.0 * total * steps / cyc);
      fflush(stdout);
    }
  }
  struct {
    uint mask, stride;
    const char* n;
  } at[] = {{0, 1, "one_word"},  {31, 1, "one_line"}, {255, 1, "8_lines"},       {255, 32, "256_lines"},
            {65535, 1, "256kb"}, {65535, 32, "8mb"},  {(1 << 22) - 1, 1, "16mb"}};
  for (auto& t : at) {
    for (int w = 0; w < 2; w++) {
      OK(cudaEventRecord(e0));
      atomics<<<sms * 4, 256>>>(b, t.mask, t.stride, 64);
      OK(cudaEventRecord(e1));
    }
    float ms = timed(e0, e1);
    printf("atomics %s per_cycle %.2f\n", t.n, sms * 4.0 * 256 * 64 / (ms * 1e6 * ghz));
  }
  OK(cudaMemset(b, 0, 4096));
  atomic_chain<<<1, 1>>>(b, 4000, o);
  OK(cudaDeviceSynchronize());
  printf("atomic_chain cycles %.1f\n", o[0] / 4000.0);
  for (uint st : {0, 1, 4, 16, 64}) {
    store_fence<<<1, 1>>>(b, 1000, st, o);
    OK(cudaDeviceSynchronize());
    printf("store_fence stores %u cycles %.1f\n", st, o[0] / 1000.0);
  }
  for (uint other : {1, 2, 3, 4, 16, 40, 66, 100, 131}) {
    OK(cudaMemset(b, 0, 4096));
    ping_pong<<<sms, 1024>>>(b, 2000, other, o);
    OK(cudaDeviceSynchronize());
    printf("ping_pong sm %llu sm %llu ns_round %.1f\n", o[1], o[2], o[0] / 2000.0);
  }
  {
    for (int w = 0; w < 10; w++) empty<<<1, 32>>>();
    OK(cudaDeviceSynchronize());
    OK(cudaEventRecord(e0));
    for (int w = 0; w < 1000; w++) empty<<<1, 32>>>();
    OK(cudaEventRecord(e1));
    printf("empty_kernel us %.3f\n", timed(e0, e1));
    OK(cudaEventRecord(e0));
    for (int w = 0; w < 1000; w++) empty<<<sms * 8, 256>>>();
    OK(cudaEventRecord(e1));
    printf("empty_kernel_full us %.3f\n", timed(e0, e1));
  }
  for (uint n : {1u << 12, 1u << 16, 1u << 18, 1u << 20}) {
    OK(cudaEventRecord(e0));
    for (int w = 0; w < 200; w++) store_all<<<n / 256, 256>>>(b, n);
    OK(cudaEventRecord(e1));
    printf("store_kernels words %u us %.3f\n", n, timed(e0, e1) / 200 * 1000);
  }
}
