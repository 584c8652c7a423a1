#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <vector>
typedef unsigned int uint;
#define __kernel extern "C" __global__
#define __global
#define __local __shared__
#define CLK_LOCAL_MEM_FENCE 0
#define barrier(x) __syncthreads()
#define atomic_add(p, v) atomicAdd(p, v)
__device__ inline uint get_global_id(int d) {
  return d == 0 ? blockIdx.x * blockDim.x + threadIdx.x : blockIdx.y * blockDim.y + threadIdx.y;
}
__device__ inline uint get_local_id(int d) { return d == 0 ? threadIdx.x : threadIdx.y; }
__device__ inline uint get_group_id(int d) { return d == 0 ? blockIdx.x : blockIdx.y; }
#include "kernels.cl"
#undef __global
#define OK(x)                                                                    \
  do {                                                                           \
    cudaError_t e_ = (x);                                                        \
    if (e_ != cudaSuccess) {                                                     \
      fprintf(stderr, "%s:%d %s\n", __FILE__, __LINE__, cudaGetErrorString(e_)); \
      exit(1);                                                                   \
    }                                                                            \
  } while (0)
static std::vector<void*> owned;
static cudaEvent_t ev0, ev1;
static std::vector<float> launch_us;
static bool timing = false;
template <class T>
T* make(const std::vector<T>& v) {
  T* p;
  OK(cudaMalloc(&p, v.size() * sizeof(T)));
  owned.push_back(p);
  OK(cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice));
  return p;
}
#define MAKE(T, v) make<T>(v)
#define ZERO(T, n) make<T>(std::vector<T>(n))
#define LAUNCH(k, gx, gy, lx, ly, ...)                                \
  do {                                                                \
    if (timing) cudaEventRecord(ev0);                                 \
    k<<<dim3((gx) / (lx), (gy) / (ly)), dim3(lx, ly)>>>(__VA_ARGS__); \
    if (timing) {                                                     \
      cudaEventRecord(ev1);                                           \
      cudaEventSynchronize(ev1);                                      \
      float ms;                                                       \
      cudaEventElapsedTime(&ms, ev0, ev1);                            \
      launch_us.push_back(ms * 1000);                                 \
    }                                                                 \
    OK(cudaGetLastError());                                           \
  } while (0)
#define STORE(T, p, v)                                         \
  do {                                                         \
    T v_ = v;                                                  \
    OK(cudaMemcpy(p, &v_, sizeof v_, cudaMemcpyHostToDevice)); \
  } while (0)
template <class T>
T fetch1(T* p) {
  T v;
  OK(cudaMemcpy(&v, p, sizeof v, cudaMemcpyDeviceToHost));
  return v;
}
#define FETCH(T, p) fetch1<T>(p)
