`include "duet_assert.svh"

/// Order in which the ways of each set were last used. It needs no reset: of two ways that have
/// been used it is known which one came later, and others are not to be among the candidates.
module duet_lru #(
  parameter int unsigned  Sets = 4,
  parameter int unsigned  Ways = 2,
  localparam int unsigned SetW = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic [SetW-1:0] set_i,
  input  logic [Ways-1:0] among_i,   // candidates
  output logic [WayW-1:0] oldest_o,  // of the candidates; means nothing without one
  input  logic            use_i,     // of way_i
  input  logic [WayW-1:0] way_i
);
  // Row i, bit j: way i was used after way j.
  logic [Ways-1:0][Ways-1:0] after_q [Sets];
  logic [Ways-1:0][Ways-1:0] after, after_d;

  assign after = after_q[set_i];

  always_comb begin : choose
    oldest_o = '0;
    for (int unsigned i = 0; i < Ways; i++) begin
      if (among_i[i] && (after[i] & among_i) == '0) oldest_o = WayW'(i);
    end
  end

  always_comb begin : next_state
    after_d = after;
    for (int unsigned i = 0; i < Ways; i++) after_d[i][way_i] = 1'b0;
    after_d[way_i]        = '1;
    after_d[way_i][way_i] = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (use_i) after_q[set_i] <= after_d;
  end

  `DUET_ASSERT(WayThere, !use_i || 32'(way_i) < Ways, "use of a way that does not exist")
endmodule
