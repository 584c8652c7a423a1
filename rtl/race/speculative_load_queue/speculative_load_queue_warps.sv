`include "duet_assert.svh"

/// Counts the live entries of each warp. A warp that has any must hold its stores (spec_o); a
/// replay drops all of its warp.
module speculative_load_queue_warps #(  // rule: Registers _warps
  parameter int unsigned SlqN = 64,
  localparam int unsigned CountW = $clog2(SlqN + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              alloc_i,
  input  logic [5:0]        alloc_warp_i,
  // the oldest entry
  input  logic [5:0]        head_warp_i,
  input  logic              commit_i,      // commits
  input  logic              replay_i,      // is replayed, and all others of its warp die
  output logic [CountW-1:0] dropped_o,     // number of these others
  output logic [63:0]       spec_o         // warps with a live entry
);
  logic [CountW-1:0] count_q [64];
  logic [63:0]       spec_d, spec_q;
  logic              same;
  logic [CountW-1:0] head_count;

  assign same       = alloc_i && commit_i && alloc_warp_i == head_warp_i;
  assign head_count = count_q[head_warp_i];
  assign dropped_o  = replay_i ? head_count - 1'b1 : '0;  // rule: States live, count = 0, fail = 1

  always_comb begin : next_state
    spec_d = spec_q;
    if (replay_i || (commit_i && 32'(head_count) == 1)) spec_d[head_warp_i] = 1'b0;
    if (alloc_i) spec_d[alloc_warp_i] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      spec_q  <= '0;
      count_q <= '{default: '0};
    end else begin
      spec_q <= spec_d;
      if (replay_i) count_q[head_warp_i] <= '0;
      else if (commit_i && !same) count_q[head_warp_i] <= head_count - 1'b1;
      if (alloc_i && !same) count_q[alloc_warp_i] <= count_q[alloc_warp_i] + 1'b1;
    end
  end
  assign spec_o = spec_q;

  `DUET_ASSERT(HeadIsCounted, !(commit_i || replay_i) || head_count != '0,
               "entry leaves that was not counted")
  `DUET_ASSERT(NotOfReplay, !(alloc_i && replay_i) || alloc_warp_i != head_warp_i,
               "entry of a warp that goes back")
endmodule
