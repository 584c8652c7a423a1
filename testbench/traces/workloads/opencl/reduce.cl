// Each work-group adds up its part: work-items first their own values, then pairs of the group, with a
// barrier before each. The sums of the groups are the next launch's input.
kernel void reduce(global const uint* values, uint count, global uint* sums, local uint* partial) {
  uint item = get_local_id(0), items = get_local_size(0);
  uint sum = 0;
  for (uint at = get_global_id(0); at < count; at += get_global_size(0)) sum += values[at];
  partial[item] = sum;
  for (uint reach = items / 2; reach > 0; reach /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item < reach) partial[item] += partial[item + reach];
  }
  if (item == 0) sums[get_group_id(0)] = partial[0];
}

// The same in global memory, where barriers order the work-group's loads and stores.
kernel void reduce_in_place(global uint* values, uint count) {
  uint item = get_local_id(0), items = get_local_size(0);
  for (uint at = item + items; at < count; at += items) values[item] += values[at];
  for (uint reach = items / 2; reach > 0; reach /= 2) {
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (item < reach && item + reach < count) values[item] += values[item + reach];
  }
}
