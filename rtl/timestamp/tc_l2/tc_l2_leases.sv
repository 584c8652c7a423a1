`include "duet_assert.svh"

/// The cycles in which the leases of a bank's lines end (specification 5.8).
module tc_l2_leases #(  // rule: Registers
  parameter int unsigned Sets = 128,
  parameter int unsigned Ways = 8,
  parameter int unsigned Mshr = 32,
  localparam int unsigned SetW  = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned MshrW = (Mshr > 1) ? $clog2(Mshr) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic [31:0]      now_o,    // the cycle
  // the line that an action touches
  input  logic [SetW-1:0]  at_set_i,
  input  logic [3:0]       at_way_i,
  output logic [31:0]      exp_o,
  input  logic             write_i,
  input  logic [31:0]      exp_i,
  // the MSHR that the line has after the action, if it has one
  input  logic             mshr_write_i,
  input  logic [MshrW-1:0] mshr_i,
  // what is over
  input  logic [SetW-1:0]  set_i,
  output logic [Ways-1:0]  over_o,       // of each way of the set
  output logic [Mshr-1:0]  mshr_over_o   // of the line of each MSHR, once it is there
);
  logic [31:0]           now_q;
  logic [Ways-1:0][31:0] exp_q [Sets];
  // Copies, as all MSHRs are looked at in each cycle. While a line has one its lease changes by
  // requests of that MSHR alone.
  logic [31:0]           mshr_exp_q [Mshr];

  logic [Ways-1:0][31:0] at_exp, set_exp;
  assign at_exp  = exp_q[at_set_i];
  assign set_exp = exp_q[set_i];

  always_comb begin : look
    exp_o = '0;
    for (int unsigned w = 0; w < Ways; w++) if (32'(at_way_i) == w) exp_o = at_exp[w];
  end
  always_comb begin : over
    for (int unsigned w = 0; w < Ways; w++) over_o[w] = (now_q >= set_exp[w]);  // rule: 4
    for (int unsigned m = 0; m < Mshr; m++) mshr_over_o[m] = (now_q >= mshr_exp_q[m]);  // rule: 2
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) now_q <= '0;  // rule: 1
    else         now_q <= now_q + 32'd1;  // rule: 1
  end

  // The valid bits of lines and MSHRs cover these.
  always_ff @(posedge clk_i) begin
    if (write_i) begin
      for (int unsigned w = 0; w < Ways; w++) begin
        if (32'(at_way_i) == w) exp_q[at_set_i][w] <= exp_i;
      end
    end
    if (mshr_write_i) mshr_exp_q[mshr_i] <= exp_i;
  end

  assign now_o = now_q;

  `DUET_ASSERT(NowFits, !now_q[31], "more cycles than an end of a lease can tell")
endmodule
