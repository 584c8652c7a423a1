// vectors: words of local memory that follow one another, read by a work-group of 32 work-items.

#include "host.hpp"

int main(int, char** argv) {
  constexpr cl_uint Items = 32;
  std::vector<cl_uint> expected(Items);
  for (cl_uint item = 0; item < Items; item++) {
    cl_uint own = 4 * (4 * item) + 10, four = 1 * 3 + 2 * 5 + 3 * 7 + 4 * 11, two = 9 * 3 + 10;
    expected[item] = own + four * 1000 + two * 100000 + 17 * 1000000;
  }
  Device device(argv[0], "vectors");
  Buffer results = device.buffer<cl_uint>(Items);
  device.run(device.kernel("vectors"), {Items}, {Items}, results, Local<cl_uint>{4 * Items});
  return verdict("vectors", device.read<cl_uint>(results) == expected);
}
