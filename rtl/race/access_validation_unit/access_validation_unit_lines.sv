`include "duet_assert.svh"

/// Epoch and hits of each line of the L1 (specification 5.3). Epochs are held bit by bit, so that a
/// synchronisation compares those of all lines at once. A lookup sees a line as it was before what
/// else happens in its cycle.
module access_validation_unit_lines  // rule: States For the hits
  import race_pkg::*;
#(
  parameter int unsigned EpochW = 5,
  parameter int unsigned Lines  = 128,
  parameter int unsigned Hits   = 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // lookup: of a line that is there
  input  logic [7:0]        line_i,
  output logic              live_o,      // it has an epoch
  output logic [EpochW-1:0] epoch_o,     // this
  output logic              full_o,      // its hits are used up
  input  logic              hit_i,       // one more hit
  // changes, of lines that are there; a fill beats the others, a clear beats a hit
  input  logic              fill_i,
  input  logic [7:0]        fill_line_i,
  input  logic [EpochW-1:0] fill_epoch_i,
  input  logic              clear_i,     // of the hits
  input  logic [7:0]        clear_line_i,
  // synchronisation to an epoch: lines that say they are of it are older by a whole turn
  input  logic              sync_i,
  input  logic [EpochW-1:0] sync_epoch_i,
  output logic [8:0]        wrapped_o    // how many of them
);
  localparam int unsigned LineW = (Lines > 1) ? $clog2(Lines) : 1;

  logic [Lines-1:0] live_d, live_q;
  logic [Lines-1:0] epoch_q [EpochW];
  logic [2:0]       hits_q [Lines];

  wire [LineW-1:0] line       = LineW'(line_i);
  wire [LineW-1:0] fill_line  = LineW'(fill_line_i);
  wire [LineW-1:0] clear_line = LineW'(clear_line_i);
  // Other bits are 0: the line is there.
  wire unused_line = ^{1'b0, line_i, fill_line_i, clear_line_i};

  always_comb begin : look
    live_o = live_q[line];  // rule: States not live
    full_o = (32'(hits_q[line]) == Hits);  // rule: States hits used up
    for (int unsigned b = 0; b < EpochW; b++) epoch_o[b] = epoch_q[b][line];  // rule: 5
  end

  logic [Lines-1:0] old;  // lines whose epoch would look new again

  always_comb begin : next_state  // rule: States Sync
    old    = '0;
    live_d = live_q;
    if (sync_i) begin
      old = live_q;
      for (int unsigned b = 0; b < EpochW; b++) old &= sync_epoch_i[b] ? epoch_q[b] : ~epoch_q[b];
      if (fill_i) old[fill_line] = 1'b0;  // rule: 7
      live_d = live_q & ~old;
    end
    if (fill_i) live_d[fill_line] = 1'b1;  // rule: Registers _lines
    wrapped_o = 9'($countones(old));  // rule: 7
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) live_q <= '0;
    else         live_q <= live_d;
  end

  // live_q covers these. The last assignment of a cycle holds.
  always_ff @(posedge clk_i) begin
    if (hit_i) hits_q[line] <= hits_q[line] + 3'd1;  // rule: States else
    if (clear_i) hits_q[clear_line] <= '0;  // rule: 10
    if (fill_i) begin
      hits_q[fill_line] <= '0;
      for (int unsigned b = 0; b < EpochW; b++) epoch_q[b][fill_line] <= fill_epoch_i[b];
    end
  end

  `DUET_ASSERT_OF_ARRAY(HitsRange, !live_o || 32'(hits_q[line]) <= Hits,
                        "more hits than a line may have")
  `DUET_ASSERT(HitWithinLimit, !hit_i || !full_o, "further hit without a check")
`ifdef DUET_SIMULATION
  // After a synchronisation no line looks new that is not.
  logic [Lines-1:0] alias_q;
  always_ff @(posedge clk_i) begin
    alias_q <= '0;
    if (sync_i) begin
      for (int unsigned l = 0; l < Lines; l++) begin
        alias_q[l] <= !(fill_i && 32'(fill_line) == l);
        for (int unsigned b = 0; b < EpochW; b++) begin
          if (epoch_q[b][l] != sync_epoch_i[b]) alias_q[l] <= 1'b0;
        end
      end
    end
  end
  `DUET_ASSERT(NoAlias, !$past(sync_i) || (live_q & alias_q) == '0,
               "line of an old epoch that looks new")
`endif
endmodule
