// stencil [WIDTH [HEIGHT [STEPS [SEED]]]]: Jacobi steps over a grid.

#include "host.hpp"

#include <cmath>
#include <utility>

namespace {

constexpr size_t Tile = 16;

void step(const std::vector<cl_float>& from, std::vector<cl_float>& to, size_t width,
          size_t height) {
  to = from;
  for (size_t y = 1; y + 1 < height; y++) {
    for (size_t x = 1; x + 1 < width; x++) {
      size_t at = y * width + x;
      to[at] = 0.25f * (from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  cl_uint width = number(argc, argv, 1, 60), height = number(argc, argv, 2, 40);
  unsigned steps = number(argc, argv, 3, 4), seed = number(argc, argv, 4, 1);
  Random random(seed);
  std::vector<cl_float> grid(size_t{width} * height);
  for (cl_float& cell : grid) cell = random.below(1024) / 8.0f;

  Device device(argv[0], "stencil");
  cl_kernel jacobi = device.kernel("jacobi");
  Buffer from = device.buffer(grid), to = device.buffer<cl_float>(grid.size());
  std::vector<cl_float> next;
  for (unsigned n = 0; n < steps; n++) {
    device.run(jacobi, {round_up(width, Tile), round_up(height, Tile)}, {Tile, Tile}, from, to,
               width, height);
    std::swap(from, to);
    step(grid, next, width, height);
    grid.swap(next);
  }

  std::vector<cl_float> result = device.read<cl_float>(from);
  bool right = true;
  // A device may contract or reassociate.
  for (size_t at = 0; at < grid.size(); at++) right &= std::fabs(result[at] - grid[at]) < 1e-3f;
  return verdict("stencil", right);
}
