// Work-items read words of local memory that follow one another: four of their own, four and two that all read, one that
// all read.
kernel void vectors(global uint* results, local uint* words) {
  uint item = get_local_id(0), items = get_local_size(0);
  for (uint k = 0; k < 4; k++) words[k * items + item] = k * items + item + 1;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint own = words[4 * item] + words[4 * item + 1] + words[4 * item + 2] + words[4 * item + 3];
  uint four = words[0] * 3 + words[1] * 5 + words[2] * 7 + words[3] * 11;
  uint two = words[8] * 3 + words[9];
  results[item] = own + four * 1000 + two * 100000 + words[16] * 1000000;
}
