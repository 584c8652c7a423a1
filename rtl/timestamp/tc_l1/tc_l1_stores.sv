`include "duet_assert.svh"

/// Table of stores and atomics under way. One entry is looked at, freed or made in a cycle.
module tc_l1_stores #(  // rule: gtsc_l1 3
  parameter int unsigned  Stq    = 4,
  localparam int unsigned EntryW = (Stq > 1) ? $clog2(Stq) : 1
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [5:0] entry_i,  // looked at; may lie outside of the table
  output logic       there_o,  // there is such a store; the others mean nothing without
  output logic [5:0] warp_o,
  output logic [7:0] id_o,
  input  logic       free_i,   // its entry
  output logic       room_o,
  output logic [5:0] next_o,   // entry of the next store
  input  logic       make_i,
  input  logic [5:0] warp_i,
  input  logic [7:0] id_i
);
  logic [Stq-1:0]    valid_d, valid_q;
  logic [5:0]        warp_q [Stq];
  logic [7:0]        id_q [Stq];
  logic [EntryW-1:0] entry, next;

  assign entry   = (32'(entry_i) < Stq) ? EntryW'(entry_i) : '0;
  assign there_o = 32'(entry_i) < Stq && valid_q[entry];
  assign warp_o  = warp_q[entry];
  assign id_o    = id_q[entry];
  assign room_o  = (valid_q != '1);
  assign next_o  = 6'(next);

  always_comb begin : lowest
    next = '0;
    for (int unsigned e = Stq; e > 0; e--) begin
      if (!valid_q[e-1]) next = EntryW'(e - 1);
    end
  end

  always_comb begin : next_state
    valid_d = valid_q;
    if (free_i) valid_d[entry] = 1'b0;
    if (make_i) valid_d[next] = 1'b1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else         valid_q <= valid_d;
  end

  // valid_q covers these.
  always_ff @(posedge clk_i) begin
    if (make_i) begin
      warp_q[next] <= warp_i;
      id_q[next]   <= id_i;
    end
  end

  `DUET_ASSERT(FreeOfThere, !free_i || there_o, "an entry is freed that is free")
  `DUET_ASSERT(MakeFits, !make_i || room_o, "more stores than entries")
endmodule
