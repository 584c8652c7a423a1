`include "duet_assert.svh"
`include "timestamp_types.svh"

/// Queries the replacement policy of a cache for a way, and keeps its pick until the action that
/// needs it is done.
module timestamp_policy  // rule: timestamp_l1 10; timestamp_l2 8
  import duet_pkg::*;
  import timestamp_pkg::*;
#(
  parameter int unsigned LineW = 25,
  parameter int unsigned Ways  = 4,
  localparam type ask_t  = `TIMESTAMP_ASK_T(LineW, Ways),
  localparam type pick_t = `TIMESTAMP_PICK_T,
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic  clk_i,
  input  logic  rst_ni,
  input  logic  query_i,      // the policy is queried from the next cycle on,
  input  ask_t  ask_i,        // with these candidates, at least one
  input  logic  done_i,       // the action is done
  output logic  ask_valid_o,  // until pick_valid_i
  output ask_t  ask_o,
  input  logic  pick_valid_i,
  input  pick_t pick_i,
  output logic  wrong_o,      // the pick of this cycle is no candidate
  output logic  picked_o,     // a pick is kept; the next ones mean nothing without
  output logic  legal_o,      // it was a candidate
  output logic  keep_o,       // the line is to stay
  output logic [WayW-1:0] way_o  // the pick, or the lowest candidate where the pick was none
);
  logic  ask_valid_d, ask_valid_q, picked_d, picked_q, legal_q, keep_q;
  ask_t  ask_q;
  logic  take, legal;
  logic [WayW-1:0] way_q;

  assign take        = ask_valid_q && pick_valid_i;
  assign legal       = (16'(ask_q.ways) & (16'd1 << pick_i.way)) != '0;
  assign wrong_o     = take && !legal;
  assign ask_valid_d = query_i || (ask_valid_q && !pick_valid_i);
  assign picked_d    = take || (picked_q && !done_i);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ask_valid_q <= 1'b0;
      picked_q    <= 1'b0;
    end else begin
      ask_valid_q <= ask_valid_d;
      picked_q    <= picked_d;
    end
  end

  // ask_valid_q and picked_q cover these.
  always_ff @(posedge clk_i) begin
    if (query_i) ask_q <= ask_i;
    if (take) begin
      legal_q <= legal;
      keep_q  <= pick_i.keep;
      way_q   <= WayW'(legal ? pick_i.way : 4'(lowest(64'(ask_q.ways))));
    end
  end

  assign ask_valid_o = ask_valid_q;
  assign ask_o       = ask_valid_q ? ask_q : '0;
  assign picked_o    = picked_q;
  assign legal_o     = legal_q;
  assign keep_o      = keep_q;
  assign way_o       = way_q;

  `DUET_ASSERT(OneQuery, !query_i || !(ask_valid_q || picked_q), "query during another one")
  `DUET_ASSERT(Candidate, !query_i || ask_i.ways != '0, "query without a candidate")
endmodule
