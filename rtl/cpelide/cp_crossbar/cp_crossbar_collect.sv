`include "duet_assert.svh"

/// Shows the global command processor one message per cycle: the due one of the lowest source. One
/// that is shown and not taken stays (README.md, rules 10, 11).
module cp_crossbar_collect  // rule: 10
  import cpelide_pkg::*;
#(
  parameter int unsigned Sources = 5
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic [Sources-1:0]          valid_i,
  output logic [Sources-1:0]          ready_o,
  input  logic [Sources-1:0][63:0]    msg_i,    // msg_t
  output logic                        rx_valid_o,
  input  logic                        rx_ready_i,
  output msg_t                        rx_o
);
  logic [Sources-1:0] shown_d, shown_q;  // the source of the message that was shown and not taken
  logic [Sources-1:0] chosen;

  assign rx_valid_o = (valid_i != '0);
  assign shown_d    = rx_ready_i ? '0 : chosen;  // rule: 11
  assign ready_o    = rx_ready_i ? chosen : '0;  // rule: 11

  always_comb begin : choose
    chosen = (shown_q != '0) ? shown_q : valid_i & (~valid_i + 1'b1);
    rx_o   = '0;
    for (int unsigned s = 0; s < Sources; s++) if (chosen[s]) rx_o |= msg_i[s];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) shown_q <= '0;
    else         shown_q <= shown_d;
  end

  `DUET_ASSERT(ChosenIsDue, (chosen & ~valid_i) == '0, "message shown that is not due")
  `DUET_ASSERT_STABLE(RxStable, rx_valid_o, rx_ready_i, rx_o)
endmodule
