// bfs [NODES [DEGREE [SEED]]]: levels of a breadth-first search over a random graph.

#include "host.hpp"

namespace {

constexpr size_t GroupItems = 256;

/// Edges of node n: edges[first[n]] up to edges[first[n + 1]].
struct Graph {
  std::vector<cl_uint> first, edges;
};

/// Each node has 1 to 2 * degree - 1 edges to random nodes.
Graph random_graph(unsigned nodes, unsigned degree, uint64_t seed) {
  Random random(seed);
  Graph graph;
  for (unsigned node = 0; node < nodes; node++) {
    graph.first.push_back(graph.edges.size());
    for (unsigned edges = 1 + random.below(2 * degree - 1); edges > 0; edges--) {
      graph.edges.push_back(random.below(nodes));
    }
  }
  graph.first.push_back(graph.edges.size());
  return graph;
}

std::vector<cl_int> expected_levels(const Graph& graph) {
  std::vector<cl_int> level(graph.first.size() - 1, -1);
  std::vector<cl_uint> queue{0};
  level[0] = 0;
  for (size_t at = 0; at < queue.size(); at++) {
    cl_uint node = queue[at];
    for (cl_uint edge = graph.first[node]; edge < graph.first[node + 1]; edge++) {
      cl_uint neighbour = graph.edges[edge];
      if (level[neighbour] >= 0) continue;
      level[neighbour] = level[node] + 1;
      queue.push_back(neighbour);
    }
  }
  return level;
}

}  // namespace

int main(int argc, char** argv) {
  cl_uint nodes = number(argc, argv, 1, 4096);
  unsigned degree = number(argc, argv, 2, 4), seed = number(argc, argv, 3, 1);
  Graph graph = random_graph(nodes, degree, seed);

  Device device(argv[0], "bfs");
  cl_kernel expand = device.kernel("expand"), advance = device.kernel("advance");
  std::vector<cl_uchar> root(nodes);
  root[0] = 1;
  std::vector<cl_int> start(nodes, -1);
  start[0] = 0;
  Buffer first = device.buffer(graph.first), edges = device.buffer(graph.edges);
  Buffer frontier = device.buffer(root), visited = device.buffer(root);
  Buffer found = device.buffer<cl_uchar>(nodes), level = device.buffer(start);
  Buffer again = device.buffer<cl_int>(1);
  device.fill<cl_uchar>(found, 0);

  do {
    device.fill<cl_int>(again, 0);
    std::vector<size_t> global{round_up(nodes, GroupItems)}, local{GroupItems};
    device.run(expand, global, local, first, edges, frontier, found, visited, level, nodes);
    device.run(advance, global, local, frontier, found, visited, again, nodes);
  } while (device.read<cl_int>(again)[0]);

  return verdict("bfs", device.read<cl_int>(level) == expected_levels(graph));
}
