// histogram [VALUES [BINS [SEED]]]: counts values with integer atomics.

#include "host.hpp"

#include <algorithm>

namespace {

constexpr size_t Groups = 8, GroupItems = 128;

}  // namespace

int main(int argc, char** argv) {
  cl_uint count = number(argc, argv, 1, 8192), bin_count = number(argc, argv, 2, 64);
  Random random(number(argc, argv, 3, 1));
  std::vector<cl_uint> values(count), expected(bin_count);
  for (cl_uint& value : values) {
    // The sum of two, so that bins differ.
    value = random.below(bin_count) + random.below(4 * bin_count);
    expected[value % bin_count]++;
  }

  Device device(argv[0], "histogram");
  cl_kernel histogram = device.kernel("histogram");
  Buffer input = device.buffer(values);
  Buffer bins = device.buffer<cl_uint>(bin_count), greatest = device.buffer<cl_uint>(1);
  device.fill<cl_uint>(bins, 0);
  device.fill<cl_uint>(greatest, 0);
  device.run(histogram, {Groups * GroupItems}, {GroupItems}, input, count, bins, bin_count,
             greatest, Local<cl_uint>{bin_count});

  bool right = device.read<cl_uint>(bins) == expected;
  right &= device.read<cl_uint>(greatest)[0] == *std::max_element(values.begin(), values.end());
  return verdict("histogram", right);
}
