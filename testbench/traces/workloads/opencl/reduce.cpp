// reduce [VALUES [SEED]]: the sum of numbers, modulo 2^32, in two launches.

#include "host.hpp"

#include <numeric>

namespace {

constexpr size_t Groups = 16, GroupItems = 128;

}  // namespace

int main(int argc, char** argv) {
  cl_uint count = number(argc, argv, 1, 16384);
  Random random(number(argc, argv, 2, 1));
  std::vector<cl_uint> values(count);
  for (cl_uint& value : values) value = static_cast<cl_uint>(random.next());

  Device device(argv[0], "reduce");
  cl_kernel reduce = device.kernel("reduce"), in_place = device.kernel("reduce_in_place");
  Buffer input = device.buffer(values), sums = device.buffer<cl_uint>(Groups);
  device.run(reduce, {Groups * GroupItems}, {GroupItems}, input, count, sums,
             Local<cl_uint>{GroupItems});
  device.run(in_place, {Groups / 2}, {Groups / 2}, sums, cl_uint{Groups});

  cl_uint expected = std::accumulate(values.begin(), values.end(), cl_uint{0});
  return verdict("reduce", device.read<cl_uint>(sums)[0] == expected);
}
