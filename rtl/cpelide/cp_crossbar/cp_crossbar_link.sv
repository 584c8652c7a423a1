`include "duet_assert.svh"

/// One link: messages in order, each with the cycle in which it is due. The oldest shows from its
/// due cycle on, or from the cycle after the one before it was taken (README.md, rules 4, 7, 9).
module cp_crossbar_link  // rule: 7
  import cpelide_pkg::*;
#(
  parameter int unsigned Places = 101  // messages held, at most 256
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [9:0] now_i,    // this cycle, modulo 1024
  input  logic       push_i,   // only while not full_o
  input  logic [9:0] due_i,    // at most 255 cycles ahead
  input  msg_t       msg_i,
  output logic       full_o,   // whatever leaves in this cycle
  output logic       valid_o,
  input  logic       ready_i,
  output msg_t       msg_o
);
  localparam int unsigned CountW = $clog2(Places + 1);

  logic [CountW-1:0] held, early;  // messages; those that are not known to be due
  logic [9:0]        due;          // of the oldest of these

  // A message may stand here for longer than 10 bits can tell. So each is compared until it is due
  // and then known to be, one in a cycle: one enters in a cycle, so none is due for more than 255
  // cycles before it is compared.
  wire falls_due = early != '0 && 10'(now_i - due) < 10'd512;

  assign full_o  = (32'(held) == Places);  // rule: 4
  assign valid_o = (held != early) || falls_due;

  duet_fifo #(
    .T    (msg_t),
    .Depth(Places)
  ) u_messages (
    .clk_i,
    .rst_ni,
    .push_i,
    .data_i (msg_i),
    .pop_i  (valid_o && ready_i),
    .head_o (msg_o),
    .count_o(held)
  );

  duet_fifo #(
    .T    (logic [9:0]),
    .Depth(Places)
  ) u_due (  // rule: 5
    .clk_i,
    .rst_ni,
    .push_i,
    .data_i (due_i),
    .pop_i  (falls_due),
    .head_o (due),
    .count_o(early)
  );

  `DUET_ASSERT(EarlyAreHeld, early <= held, "more messages to fall due than held")
  `DUET_ASSERT_STABLE(LinkStable, valid_o, ready_i, msg_o)
endmodule
