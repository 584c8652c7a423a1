`include "duet_assert.svh"

/// First in, first out: what is pushed in cycle t can be seen from t+3 on. Keeps answers back for
/// as long as the arrays of a cache take, whose bits are looked up at once here.
module duet_delay_fifo #(
  parameter type         T     = logic,
  parameter int unsigned Depth = 8
) (
  input  logic clk_i,
  input  logic rst_ni,
  output logic room_o,
  input  logic push_i,   // only while there is room
  input  T     data_i,
  output logic valid_o,
  input  logic ready_i,
  output T     data_o    // 0 while valid_o is
);
  localparam int unsigned CountW = $clog2(Depth + 1);

  logic [1:0]        young_q;      // pushed in the cycle before, and in the one before that
  logic [CountW-1:0] old_d, old_q; // values that may be seen
  logic [CountW-1:0] count;
  logic              pop;
  T                  head;

  assign pop   = valid_o && ready_i;
  assign old_d = old_q + CountW'(young_q[1]) - CountW'(pop);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      young_q <= '0;
      old_q   <= '0;
    end else begin
      young_q <= {young_q[0], push_i};
      old_q   <= old_d;
    end
  end

  duet_fifo #(
    .T    (T),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i,
    .data_i,
    .pop_i  (pop),
    .head_o (head),
    .count_o(count)
  );

  assign room_o  = (32'(count) < Depth);
  assign valid_o = (old_q != '0);
  assign data_o  = valid_o ? head : '0;

  `DUET_ASSUME(NoOverflow, !push_i || room_o, "push into a full FIFO")
  `DUET_ASSERT_STABLE(Stable, valid_o, ready_i, data_o)
endmodule
