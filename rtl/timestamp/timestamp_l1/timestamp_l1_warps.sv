`include "duet_assert.svh"
`include "timestamp_types.svh"

/// G-TSC: logical clocks of the warps, and the hits of each warp since its last answer from the L2
/// (specification 5.6). One warp is read and changed in a cycle.
module timestamp_l1_warps #(  // rule: Registers _warps
  parameter int unsigned  Warps = 4,
  parameter int unsigned  TsW   = 6,
  parameter int unsigned  Spin  = 8
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic [5:0]     warp_i,      // read; may not exist
  output logic [TsW-1:0] ts_o,        // its clock
  input  logic           answered_i,  // an answer of the L2: the count restarts
  input  logic           raise_i,     // its clock becomes at least ts_i
  input  logic [TsW-1:0] ts_i,
  input  logic           hit_i,       // a load hits: as raise_i, and the hit counts
  input  logic [TsW-1:0] rts_i,       // hit_i: the last time of the line's lease
  output logic           tick_o,      // the Spin-th hit: its clock becomes rts_i + 1
  input  logic           flush_i      // all clocks restart
);
  localparam int unsigned WarpW = (Warps > 1) ? $clog2(Warps) : 1;

  logic [TsW-1:0]   ts_q [Warps];
  logic [15:0]      spin_q [Warps];
  logic             there;
  logic [WarpW-1:0] warp;
  logic [TsW-1:0]   ts_d;
  logic [15:0]      spin_d;

  assign there  = (32'(warp_i) < Warps);
  assign warp   = there ? WarpW'(warp_i) : '0;
  assign ts_o   = ts_q[warp];
  assign tick_o = hit_i && 32'(spin_q[warp]) == Spin - 1;  // rule: 14

  assign ts_d   = tick_o ? rts_i + TsW'(1) : (ts_i > ts_o) ? ts_i : ts_o;  // rule: 14
  assign spin_d = (answered_i || tick_o) ? '0 : spin_q[warp] + 16'd1;  // rule: 5

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ts_q   <= '{default: TsW'(1)};
      spin_q <= '{default: '0};
    end else if (flush_i) begin
      ts_q   <= '{default: TsW'(1)};
      spin_q <= '{default: '0};
    end else begin
      if (raise_i || hit_i) ts_q[warp] <= ts_d;
      if (answered_i || hit_i) spin_q[warp] <= spin_d;
    end
  end

  // Specification 8.1. A lease that ends at the largest timestamp would wrap the clock.
  `DUET_ASSERT(Monotone, !(raise_i || hit_i) || ts_d >= ts_o || rts_i == '1, "a clock goes back")
  `DUET_ASSERT(OfThere, !(answered_i || raise_i || hit_i) || there, "warp that does not exist")
endmodule
