#define TILE 16

// One Jacobi step: each cell becomes the mean of its four neighbours; the border stays. A work-group keeps
// its tile and a ring of neighbours in local memory.
kernel void jacobi(global const float* from, global float* to, uint width, uint height) {
  local float tile[TILE + 2][TILE + 2];
  int x = get_global_id(0), y = get_global_id(1);
  int lx = get_local_id(0) + 1, ly = get_local_id(1) + 1;
  int right = width - 1, bottom = height - 1;
  // Cells beyond the grid are nobody's neighbours: any value will do.
  int cx = min(x, right), cy = min(y, bottom);
  tile[ly][lx] = from[cy * width + cx];
  if (lx == 1) tile[ly][0] = from[cy * width + max(cx - 1, 0)];
  if (lx == TILE) tile[ly][TILE + 1] = from[cy * width + min(cx + 1, right)];
  if (ly == 1) tile[0][lx] = from[max(cy - 1, 0) * width + cx];
  if (ly == TILE) tile[TILE + 1][lx] = from[min(cy + 1, bottom) * width + cx];
  barrier(CLK_LOCAL_MEM_FENCE);

  if (x > right || y > bottom) return;
  float centre = tile[ly][lx];
  bool border = x == 0 || y == 0 || x == right || y == bottom;
  float mean = 0.25f * (tile[ly][lx - 1] + tile[ly][lx + 1] + tile[ly - 1][lx] + tile[ly + 1][lx]);
  to[y * width + x] = border ? centre : mean;
}
