// loops [VALUES]: loops whose trip count a compiler may get wrong, beside the host's.

#include "host.hpp"

int main(int argc, char** argv) {
  cl_uint count = number(argc, argv, 1, 1001);
  const cl_uint limit = 0x01000000;
  std::string digits = "20261128 is a number";
  std::vector<cl_uchar> bytes(digits.begin(), digits.end());
  Random random(1);
  std::vector<cl_uint> values(count);
  for (cl_uint& value : values) value = static_cast<cl_uint>(random.next());

  std::vector<cl_uint> expected(6);
  expected[0] = count / 4 * 16 + count % 4;
  expected[1] = static_cast<cl_uint>(digits.find(' '));
  for (cl_uint i = count; i-- > 0;) expected[2] = expected[2] * 31 + values[i];
  for (cl_uint i = 0; i < count / 2; i++) expected[3] += values[i] * values[count - 1 - i];
  for (cl_uint x = count; expected[4] == 0 || x >= limit; expected[4]++) x = x * 1664525 + 1013904223;
  for (cl_uint i = 0; i < count; i += 3) expected[5] += values[i];

  Device device(argv[0], "loops");
  Buffer text = device.buffer(bytes), input = device.buffer(values), results = device.buffer<cl_uint>(6);
  device.run(device.kernel("loops"), {1}, {1}, text, input, count, limit, results);
  return verdict("loops", device.read<cl_uint>(results) == expected);
}
