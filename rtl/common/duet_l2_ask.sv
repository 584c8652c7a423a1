`include "duet_assert.svh"
`include "timestamp_types.svh"

/// Asks the policy for a way, and keeps what it says until the miss has acted.
module duet_l2_ask  // rule: gtsc_l2 8
  import duet_pkg::*;
#(
  parameter int unsigned Ways = 8,
  localparam type pick_t = `TIMESTAMP_PICK_T
) (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            ask_i,
  input  logic [Ways-1:0] ways_i,    // that are offered, at least one
  input  logic            pick_valid_i,
  input  pick_t           pick_i,
  input  logic            done_i,    // the miss acts
  output logic            ask_o,     // a pick is wanted
  output logic [Ways-1:0] ways_o,
  output logic            busy_o,    // one is wanted, or the miss has not acted
  output logic            picked_o,  // the miss may act
  output logic [3:0]      way_o,
  output logic            keep_o,
  output logic            wrong_o    // the pick of this cycle was not offered
);
  logic            ask_d, ask_q, picked_d, picked_q;
  logic [Ways-1:0] ways_q;
  pick_t           pick_q;
  logic            take, offered;

  assign take    = ask_q && pick_valid_i;
  assign offered = (16'(ways_q) & (16'd1 << pick_i.way)) != '0;
  assign wrong_o = take && !offered;

  assign ask_d    = ask_i || (ask_q && !pick_valid_i);
  assign picked_d = take || (picked_q && !done_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ask_q    <= 1'b0;
      picked_q <= 1'b0;
    end else begin
      ask_q    <= ask_d;
      picked_q <= picked_d;
    end
  end

  // ask_q and picked_q cover these.
  always_ff @(posedge clk_i) begin
    if (ask_i) ways_q <= ways_i;
    if (take) begin
      pick_q <= '{keep: pick_i.keep, way: offered ? pick_i.way : 4'(lowest(64'(ways_q)))};
    end
  end

  assign ask_o    = ask_q;
  assign ways_o   = ask_q ? ways_q : '0;
  assign busy_o   = ask_q || picked_q;
  assign picked_o = picked_q;
  assign way_o    = pick_q.way;
  assign keep_o   = pick_q.keep;

  `DUET_ASSERT(OneAsk, !ask_i || !busy_o, "asked twice")
  `DUET_ASSERT(Offer, !ask_i || ways_i != '0, "asked without an offer")
endmodule
