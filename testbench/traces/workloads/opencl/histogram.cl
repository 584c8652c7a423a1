// Each work-item takes every `get_global_size`-th value. Work-groups count in local memory, then add what
// they found; the greatest value of all is kept too.
kernel void histogram(global const uint* values, uint count, global uint* bins, uint bin_count,
                      global uint* greatest, local uint* counts) {
  uint item = get_local_id(0), items = get_local_size(0);
  for (uint bin = item; bin < bin_count; bin += items) counts[bin] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  uint most = 0;
  for (uint at = get_global_id(0); at < count; at += get_global_size(0)) {
    atomic_inc(&counts[values[at] % bin_count]);
    most = max(most, values[at]);
  }
  atomic_max(greatest, most);
  barrier(CLK_LOCAL_MEM_FENCE);

  for (uint bin = item; bin < bin_count; bin += items) {
    if (counts[bin]) atomic_add(&bins[bin], counts[bin]);
  }
}
