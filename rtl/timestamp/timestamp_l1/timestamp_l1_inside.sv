`include "duet_assert.svh"

/// Counts the requests of each warp inside the L1: accepted and not answered. Requests of warps
/// that do not exist are not counted.
module timestamp_l1_inside #(  // rule: 2
  parameter int unsigned Warps = 48,  // 1..64
  parameter int unsigned Most  = 16   // requests that can be inside
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_i,       // a request of in_warp_i is accepted
  input  logic [5:0]       in_warp_i,
  input  logic             out_i,      // an answer to out_warp_i is taken
  input  logic [5:0]       out_warp_i,
  output logic [Warps-1:0] busy_o      // warps that have requests inside
);
  localparam int unsigned WarpW  = (Warps > 1) ? $clog2(Warps) : 1;
  localparam int unsigned CountW = $clog2(Most + 1);

  logic [Warps-1:0]  busy_d, busy_q;
  logic [CountW-1:0] count_q [Warps];

  wire same = in_i && out_i && in_warp_i == out_warp_i;
  wire in   = in_i && 32'(in_warp_i) < Warps && !same;
  wire out  = out_i && 32'(out_warp_i) < Warps && !same;
  wire [WarpW-1:0] in_warp  = in ? WarpW'(in_warp_i) : '0;
  wire [WarpW-1:0] out_warp = out ? WarpW'(out_warp_i) : '0;

  assign busy_o = busy_q;

  always_comb begin : next_state
    busy_d = busy_q;
    if (in) busy_d[in_warp] = 1'b1;
    if (out) busy_d[out_warp] = (count_q[out_warp] != CountW'(1));
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      busy_q  <= '0;
      count_q <= '{default: '0};
    end else begin
      busy_q <= busy_d;
      if (in) count_q[in_warp] <= count_q[in_warp] + CountW'(1);
      if (out) count_q[out_warp] <= count_q[out_warp] - CountW'(1);
    end
  end

  `DUET_ASSERT(InFits, !in || 32'(count_q[in_warp]) < Most, "more requests inside than can be")
  `DUET_ASSERT(OutOfIn, !out || busy_q[out_warp], "answer to no request")
endmodule
