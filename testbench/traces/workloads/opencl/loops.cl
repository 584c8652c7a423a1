// Loops whose trip count a compiler may get wrong: counters that wrap, count down, or are no counters.
kernel void loops(global const uchar* digits, global const uint* values, uint count, uint limit, global uint* results) {
  uint left = count, rounds = 0;
  while (left >= 4) {
    left -= 4;
    rounds++;
  }
  results[0] = rounds * 16 + left;

  uint length = 0;
  while (digits[length] >= '0' && digits[length] <= '9') length++;
  results[1] = length;

  uint sum = 0;
  for (uint i = count - 1; i < count; i--) sum = sum * 31 + values[i];
  results[2] = sum;

  uint folded = 0;
  for (uint i = 0, j = count - 1; i < j; i++, j--) folded += values[i] * values[j];
  results[3] = folded;

  uint x = count, steps = 0;
  do {
    x = x * 1664525 + 1013904223;
    steps++;
  } while (x >= limit);
  results[4] = steps;

  uint strided = 0;
  for (uint i = get_global_id(0); i < count; i += get_global_size(0) * 3) strided += values[i];
  results[5] = strided;
}
