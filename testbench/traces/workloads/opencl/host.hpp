// What the host side of each program needs. Errors end the program with their number.

#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

inline void check(cl_int error, const char* what) {
  if (error == CL_SUCCESS) return;
  fprintf(stderr, "%s: OpenCL error %d\n", what, error);
  exit(1);
}

/// Memory of the device that holds elements of one type.
struct Buffer {
  cl_mem memory;
  size_t bytes;
};

/// An argument that is local memory for so many elements.
template <typename T> struct Local {
  size_t elements;
};

/// A context with one device, one queue in order, and the program `NAME.cl` beside the executable.
class Device {
public:
  Device(const char* executable, const char* name) {
    cl_platform_id platform;
    check(clGetPlatformIDs(1, &platform, nullptr), "platform");
    cl_device_id device;
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr), "device");
    cl_int error;
    context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &error);
    check(error, "context");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    std::string source = read(folder(executable) + name + ".cl");
    const char* text = source.c_str();
    program = clCreateProgramWithSource(context, 1, &text, nullptr, &error);
    check(error, "program");
    check(clBuildProgram(program, 1, &device, "", nullptr, nullptr), "build");
  }

  ~Device() {
    for (cl_kernel kernel : kernels) clReleaseKernel(kernel);
    for (cl_mem buffer : buffers) clReleaseMemObject(buffer);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
  }

  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  cl_kernel kernel(const char* name) {
    cl_int error;
    kernels.push_back(clCreateKernel(program, name, &error));
    check(error, name);
    return kernels.back();
  }

  template <typename T> Buffer buffer(size_t elements) {
    cl_int error;
    buffers.push_back(
        clCreateBuffer(context, CL_MEM_READ_WRITE, elements * sizeof(T), nullptr, &error));
    check(error, "buffer");
    return {buffers.back(), elements * sizeof(T)};
  }

  /// A buffer that begins with this content instead of a write.
  template <typename T> Buffer buffer_from(std::vector<T>& data, cl_mem_flags flags) {
    cl_int error;
    size_t bytes = data.size() * sizeof(T);
    buffers.push_back(
        clCreateBuffer(context, CL_MEM_READ_WRITE | flags, bytes, data.data(), &error));
    check(error, "buffer");
    return {buffers.back(), bytes};
  }

  /// A buffer with this content.
  template <typename T> Buffer buffer(const std::vector<T>& data) {
    Buffer to = buffer<T>(data.size());
    check(clEnqueueWriteBuffer(queue, to.memory, CL_TRUE, 0, to.bytes, data.data(), 0, nullptr,
                               nullptr),
          "write");
    return to;
  }

  template <typename T> void fill(Buffer to, T value) {
    check(clEnqueueFillBuffer(queue, to.memory, &value, sizeof value, 0, to.bytes, 0, nullptr,
                              nullptr),
          "fill");
  }

  void copy(Buffer from, Buffer to) {
    check(clEnqueueCopyBuffer(queue, from.memory, to.memory, 0, 0, to.bytes, 0, nullptr, nullptr),
          "copy");
  }

  /// Hands part of a buffer to `use`, as the host's memory.
  template <typename T, typename Use>
  void map(Buffer buffer, cl_map_flags flags, size_t first, size_t elements, Use use) {
    cl_int error;
    void* mapped = clEnqueueMapBuffer(queue, buffer.memory, CL_TRUE, flags, first * sizeof(T),
                                      elements * sizeof(T), 0, nullptr, nullptr, &error);
    check(error, "map");
    use(static_cast<T*>(mapped));
    check(clEnqueueUnmapMemObject(queue, buffer.memory, mapped, 0, nullptr, nullptr), "unmap");
    check(clFinish(queue), "finish");
  }

  template <typename T> std::vector<T> read(Buffer from) {
    std::vector<T> data(from.bytes / sizeof(T));
    check(clEnqueueReadBuffer(queue, from.memory, CL_TRUE, 0, from.bytes, data.data(), 0, nullptr,
                              nullptr),
          "read");
    return data;
  }

  /// Without a local size OpenCL chooses one.
  template <typename... Args>
  void run(cl_kernel kernel, std::vector<size_t> global, std::vector<size_t> local,
           const Args&... args) {
    cl_uint number = 0;
    (set(kernel, number++, args), ...);
    check(clEnqueueNDRangeKernel(queue, kernel, global.size(), nullptr, global.data(),
                                 local.empty() ? nullptr : local.data(), 0, nullptr, nullptr),
          "launch");
    check(clFinish(queue), "finish");
  }

private:
  static void set(cl_kernel kernel, cl_uint number, const Buffer& buffer) {
    check(clSetKernelArg(kernel, number, sizeof(cl_mem), &buffer.memory), "argument");
  }

  template <typename T>
  static void set(cl_kernel kernel, cl_uint number, const Local<T>& memory) {
    check(clSetKernelArg(kernel, number, memory.elements * sizeof(T), nullptr), "argument");
  }

  template <typename T> static void set(cl_kernel kernel, cl_uint number, const T& value) {
    check(clSetKernelArg(kernel, number, sizeof value, &value), "argument");
  }

  static std::string folder(const std::string& path) {
    return path.substr(0, path.find_last_of('/') + 1);
  }

  static std::string read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
      fprintf(stderr, "%s: cannot be read\n", path.c_str());
      exit(1);
    }
    return {std::istreambuf_iterator<char>(file), {}};
  }

  cl_context context;
  cl_command_queue queue;
  cl_program program;
  std::vector<cl_kernel> kernels;
  std::vector<cl_mem> buffers;
};

/// SplitMix64. Its own, for `rand` differs between systems, and Oclgrind gives it a new seed.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}

  uint64_t next() {
    state += 0x9e3779b97f4a7c15;
    uint64_t z = state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  /// Below `limit`.
  uint32_t below(uint32_t limit) { return static_cast<uint32_t>(next() >> 32) % limit; }

private:
  uint64_t state;
};

/// The number in the command line at `place`.
inline unsigned number(int argc, char** argv, int place, unsigned otherwise) {
  if (argc <= place) return otherwise;
  char* end;
  unsigned long value = strtoul(argv[place], &end, 10);
  if (*end || end == argv[place] || value == 0 || value > 1u << 24) {
    fprintf(stderr, "%s: must be a number from 1 to %u\n", argv[place], 1u << 24);
    exit(2);
  }
  return value;
}

/// `a` rounded up to a multiple of `b`.
inline size_t round_up(size_t a, size_t b) { return (a + b - 1) / b * b; }

/// The verdict, and the program's exit status.
inline int verdict(const char* program, bool right) {
  printf("%s %s\n", right ? "PASS" : "FAIL", program);
  return right ? 0 : 1;
}
