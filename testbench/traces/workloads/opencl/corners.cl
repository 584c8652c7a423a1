constant uint weights[4] = {1, 3, 5, 7};

// A function with a loop, called in a loop.
__attribute__((noinline)) uint weighed(global const uint* values, uint count) {
  uint sum = 0;
  for (uint at = 0; at < count; at++) sum += values[at] * weights[at % 4];
  return sum;
}

// Each work-item goes round a different number of times.
kernel void calls(global const uint* values, global uint* sums, uint count) {
  uint item = get_global_id(0);
  uint sum = 0;
  for (uint part = 0; part <= item % 5; part++) sum += weighed(values + part, count);
  sums[item] = sum;
}

// Copies by the whole work-group, and accesses of 16 bytes.
kernel void tiles(global const uint4* from, global uint4* to, local uint4* tile) {
  uint items = get_local_size(0), first = get_group_id(0) * items;
  event_t done = async_work_group_copy(tile, from + first, items, 0);
  wait_group_events(1, &done);
  uint item = get_local_id(0);
  tile[item] += tile[item].wzyx;
  barrier(CLK_LOCAL_MEM_FENCE);
  done = async_work_group_copy(to + first, tile, items, 0);
  wait_group_events(1, &done);
}

// Three of each eight numbers: 12 bytes.
kernel void threes(global const uint* from, global uint* to) {
  uint item = get_global_id(0);
  vstore3(vload3(0, from + 8 * item) + (uint3)(1, 2, 3), 0, to + 8 * item);
}

// One atomic after another; each work-item its own numbers, then all the same one.
kernel void atomics(global int* numbers, global uint* shared) {
  global int* own = numbers + 8 * get_global_id(0);
  atomic_add(&own[0], 5);
  atomic_sub(&own[1], 5);
  atomic_xchg(&own[2], 5);
  atomic_min(&own[3], -5);
  atomic_max((global uint*)&own[4], 5u);
  atomic_and(&own[5], 5);
  atomic_or(&own[6], 5);
  atomic_xor(&own[7], 5);
  // The first finds what it compares with, the second does not.
  atomic_cmpxchg(&own[0], 5, 6);
  atomic_cmpxchg(&own[0], 5, 7);
  atomic_inc(shared);
}
