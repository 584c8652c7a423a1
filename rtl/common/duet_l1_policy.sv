`include "duet_assert.svh"
`include "timestamp_types.svh"

/// Asks an L1's policy for a way, keeps what it says until the answer has acted, and tells it in
/// the next cycle what has become of a line.
module duet_l1_policy  // rule: gtsc_l1 10
  import timestamp_pkg::*;
#(
  parameter int unsigned LineW = 25,
  parameter int unsigned Ways  = 4,
  localparam type ask_t  = `TIMESTAMP_ASK_T(LineW, Ways),
  localparam type pick_t = `TIMESTAMP_PICK_T,
  localparam type event_t = `TIMESTAMP_EVENT_T(LineW),
  localparam int unsigned WayW = (Ways > 1) ? $clog2(Ways) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             ask_i,
  input  logic [LineW-1:0] line_i,
  input  logic [Ways-1:0]  ways_i,        // that are offered
  input  logic             done_i,        // an answer acts
  output logic             ask_valid_o,
  output ask_t             ask_o,
  input  logic             pick_valid_i,
  input  pick_t            pick_i,
  output logic             picked_o,      // the answer may act
  output logic             keep_o,        // its line takes the way
  output logic [WayW-1:0]  way_o,
  output logic             wrong_o,       // the pick of this cycle was not offered
  // of line_i; of several the first
  input  logic             used_i,
  input  logic             came_i,
  input  logic             gone_i,
  input  logic             all_gone_i,    // of no line
  input  logic [WayW-1:0]  line_way_i,
  output logic             event_valid_o,
  output event_t           event_o
);
  logic            asked_d, asked_q;
  ask_t            ask_q;
  logic            picked_d, picked_q;
  logic            keep_q;
  logic [WayW-1:0] pick_way_q;
  logic            said, offered;

  logic            event_valid_d, event_valid_q;
  event_t          event_d, event_q;

  assign said     = asked_q && pick_valid_i;
  assign offered  = 32'(pick_i.way) < Ways && ask_q.ways[WayW'(pick_i.way)];
  assign wrong_o  = said && pick_i.keep && !offered;
  assign asked_d  = ask_i || (asked_q && !pick_valid_i);
  assign picked_d = said || (picked_q && !done_i);

  always_comb begin : what_became  // rule: gtsc_l1 11
    event_valid_d = used_i || came_i || gone_i || all_gone_i;
    event_d       = '0;
    if (used_i || came_i || gone_i) begin
      event_d.kind = used_i ? EventUsed : came_i ? EventCame : EventGone;
      event_d.way  = 4'(line_way_i);
      event_d.line = line_i;
    end else if (all_gone_i) begin
      event_d.kind = EventAllGone;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q       <= 1'b0;
      picked_q      <= 1'b0;
      event_valid_q <= 1'b0;
      event_q       <= '0;
    end else begin
      asked_q       <= asked_d;
      picked_q      <= picked_d;
      event_valid_q <= event_valid_d;
      event_q       <= event_d;
    end
  end

  // asked_q and picked_q cover these.
  always_ff @(posedge clk_i) begin
    if (ask_i) ask_q <= '{sm: '0, line: line_i, ways: ways_i};
    if (said) begin
      keep_q     <= pick_i.keep && offered;
      pick_way_q <= WayW'(pick_i.way);
    end
  end

  assign ask_valid_o = asked_q;
  assign ask_o       = asked_q ? ask_q : '0;
  assign picked_o    = picked_q;
  assign keep_o      = keep_q;
  assign way_o       = pick_way_q;

  assign event_valid_o = event_valid_q;  // rule: gtsc_l1 11
  assign event_o       = event_q;  // rule: gtsc_l1 11

  `DUET_ASSERT(PickedAnswers, !picked_q || done_i, "what was picked is not done at once")
endmodule
