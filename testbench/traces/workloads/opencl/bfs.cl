// One work-item for each node. A level is two launches, so that no node is visited in the level that finds
// it: the frontier sets flags at its neighbours, then the flagged nodes become the frontier.

kernel void expand(global const uint* first, global const uint* edges, global uchar* frontier,
                   global uchar* found, global const uchar* visited, global int* level, uint nodes) {
  uint node = get_global_id(0);
  if (node >= nodes || !frontier[node]) return;
  frontier[node] = 0;
  int next = level[node] + 1;
  for (uint edge = first[node]; edge < first[node + 1]; edge++) {
    uint neighbour = edges[edge];
    if (!visited[neighbour]) {
      // Several may store here, all the same.
      level[neighbour] = next;
      found[neighbour] = 1;
    }
  }
}

kernel void advance(global uchar* frontier, global uchar* found, global uchar* visited,
                    global int* again, uint nodes) {
  uint node = get_global_id(0);
  if (node >= nodes || !found[node]) return;
  frontier[node] = 1;
  visited[node] = 1;
  found[node] = 0;
  *again = 1;
}
