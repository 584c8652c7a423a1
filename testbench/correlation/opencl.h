#pragma once
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>
static cl_context cx;
static cl_command_queue cq;
static cl_program cp;
inline void ok(cl_int e, const char* w) {
  if (e) {
    fprintf(stderr, "%s %d\n", w, e);
    exit(1);
  }
}
inline void start(const char* path) {
  cl_platform_id p;
  cl_device_id d;
  cl_int e;
  ok(clGetPlatformIDs(1, &p, 0), "platform");
  ok(clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, 0), "device");
  cx = clCreateContext(0, 1, &d, 0, 0, &e);
  ok(e, "context");
  cq = clCreateCommandQueue(cx, d, 0, &e);
  ok(e, "queue");
  std::ifstream f(path);
  std::string s((std::istreambuf_iterator<char>(f)), {});
  const char* t = s.c_str();
  cp = clCreateProgramWithSource(cx, 1, &t, 0, &e);
  ok(e, "program");
  ok(clBuildProgram(cp, 1, &d, "", 0, 0), "build");
}
template <class T>
cl_mem make(const std::vector<T>& v) {
  cl_int e;
  cl_mem m = clCreateBuffer(cx, CL_MEM_READ_WRITE, v.size() * sizeof(T), 0, &e);
  ok(e, "buffer");
  ok(clEnqueueWriteBuffer(cq, m, CL_TRUE, 0, v.size() * sizeof(T), v.data(), 0, 0, 0), "write");
  return m;
}
inline void args(cl_kernel, int) {}
template <class A, class... R>
void args(cl_kernel k, int i, A a, R... r) {
  ok(clSetKernelArg(k, i, sizeof a, &a), "arg");
  args(k, i + 1, r...);
}
template <class... A>
void launch(const char* n, size_t gx, size_t gy, size_t lx, size_t ly, A... a) {
  cl_int e;
  cl_kernel k = clCreateKernel(cp, n, &e);
  ok(e, n);
  args(k, 0, a...);
  size_t g[2] = {gx, gy}, l[2] = {lx, ly};
  ok(clEnqueueNDRangeKernel(cq, k, 2, 0, g, l, 0, 0, 0), n);
  ok(clFinish(cq), "finish");
  clReleaseKernel(k);
}
#define MAKE(T, v) make<T>(v)
#define ZERO(T, n) make<T>(std::vector<T>(n))
#define LAUNCH(k, gx, gy, lx, ly, ...) launch(#k, gx, gy, lx, ly, __VA_ARGS__)
#define STORE(T, p, v)                                                             \
  do {                                                                             \
    T v_ = v;                                                                      \
    ok(clEnqueueWriteBuffer(cq, p, CL_TRUE, 0, sizeof v_, &v_, 0, 0, 0), "write"); \
  } while (0)
template <class T>
T fetch1(cl_mem p) {
  T v;
  ok(clEnqueueReadBuffer(cq, p, CL_TRUE, 0, sizeof v, &v, 0, 0, 0), "read");
  return v;
}
#define FETCH(T, p) fetch1<T>(p)
