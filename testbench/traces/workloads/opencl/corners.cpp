// corners [ENDING]: what the other programs leave out: memory of the host, maps, copies, tables in the
// program, functions, copies by work-groups, odd sizes, all atomics. ENDING 2 aborts after the verdict.

#include "host.hpp"

namespace {

constexpr size_t Items = 96;

cl_uint weighed(const cl_uint* values, cl_uint count) {
  const cl_uint weights[4] = {1, 3, 5, 7};
  cl_uint sum = 0;
  for (cl_uint at = 0; at < count; at++) sum += values[at] * weights[at % 4];
  return sum;
}

std::vector<cl_uint> random_numbers(size_t count) {
  Random random(count);
  std::vector<cl_uint> numbers(count);
  for (cl_uint& value : numbers) value = static_cast<cl_uint>(random.next());
  return numbers;
}

bool calls(Device& device) {
  std::vector<cl_uint> values = random_numbers(16), expected;
  for (size_t item = 0; item < Items; item++) {
    cl_uint sum = 0;
    for (size_t part = 0; part <= item % 5; part++) sum += weighed(&values[part], 6);
    expected.push_back(sum);
  }
  Buffer input = device.buffer_from(values, CL_MEM_USE_HOST_PTR);
  Buffer sums = device.buffer<cl_uint>(Items);
  device.run(device.kernel("calls"), {Items}, {Items / 2}, input, sums, cl_uint{6});
  return device.read<cl_uint>(sums) == expected;
}

bool tiles(Device& device) {
  std::vector<cl_uint> values = random_numbers(4 * Items), expected;
  Buffer first = device.buffer_from(values, CL_MEM_COPY_HOST_PTR);
  Buffer from = device.buffer<cl_uint>(values.size()), to = device.buffer<cl_uint>(values.size());
  device.copy(first, from);
  device.map<cl_uint>(from, CL_MAP_WRITE, 8, 4, [&](cl_uint* mapped) {
    for (size_t at = 0; at < 4; at++) mapped[at] = values[8 + at] = static_cast<cl_uint>(at);
  });
  for (size_t at = 0; at < values.size(); at++) {
    expected.push_back(values[at] + values[at / 4 * 4 + 3 - at % 4]);
  }
  device.run(device.kernel("tiles"), {Items}, {Items / 3}, from, to, Local<cl_uint4>{Items / 3});
  std::vector<cl_uint> result;
  device.map<cl_uint>(to, CL_MAP_READ, 0, values.size(), [&](cl_uint* mapped) {
    result.assign(mapped, mapped + values.size());
  });
  return result == expected;
}

bool threes(Device& device) {
  std::vector<cl_uint> values = random_numbers(8 * Items), expected(8 * Items);
  Buffer from = device.buffer(values), to = device.buffer(expected);
  for (size_t at = 0; at < values.size(); at++) {
    if (at % 8 < 3) expected[at] = values[at] + static_cast<cl_uint>(at) % 8 + 1;
  }
  device.run(device.kernel("threes"), {Items}, {}, from, to);
  return device.read<cl_uint>(to) == expected;
}

bool atomics(Device& device) {
  std::vector<cl_int> expected;
  for (size_t item = 0; item < Items; item++) {
    for (cl_int value : {6, -5, 5, -5, 5, 0, 5, 5}) expected.push_back(value);
  }
  Buffer numbers = device.buffer<cl_int>(expected.size()), shared = device.buffer<cl_uint>(1);
  device.fill<cl_int>(numbers, 0);
  device.fill<cl_uint>(shared, 0);
  device.run(device.kernel("atomics"), {Items}, {Items / 2}, numbers, shared);
  return device.read<cl_int>(numbers) == expected && device.read<cl_uint>(shared)[0] == Items;
}

}  // namespace

int main(int argc, char** argv) {
  bool aborts = number(argc, argv, 1, 1) == 2;
  Device device(argv[0], "corners");
  bool right = calls(device) & tiles(device) & threes(device) & atomics(device);
  int status = verdict("corners", right);
  fflush(stdout);
  if (aborts) abort();
  return status;
}
