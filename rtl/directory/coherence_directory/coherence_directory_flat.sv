`include "duet_assert.svh"

/// A row of the ideal array: the sharers of `IdealRow` lines, without tags. Replaces
/// coherence_directory_row: a line is tracked while it has a sharer, and nothing is evicted.
/// Combinational.
module coherence_directory_flat  // rule: 6
  import coherence_directory_pkg::*;
#(
  parameter int unsigned Gpus = 4,
  localparam int unsigned Sharers  = Gpus - 1,
  localparam int unsigned LineW    = $clog2(IdealRow),
  localparam int unsigned RowWidth = IdealRow * Sharers
) (
  input  logic                clk_i,  // for the assertion only
  input  logic                rst_ni,
  input  logic [RowWidth-1:0] row_i,
  // look: lookup of a line
  input  logic                look_i,
  input  logic [LineW-1:0]    idx_i,      // line in the row
  output logic                tracked_o,  // it has sharers
  output logic [Sharers-1:0]  slots_o,
  // row update, see coherence_directory_decide
  input  logic                line_i,
  input  logic [Sharers-1:0]  slots_i,
  output logic                wr_o,
  output logic [RowWidth-1:0] row_o
);
  typedef logic [IdealRow-1:0][Sharers-1:0] row_t;

  row_t old, updated;
  assign old = row_i;

  always_comb begin : look
    slots_o = '0;
    if (look_i) slots_o = old[idx_i];
  end
  assign tracked_o = (slots_o != '0);

  assign wr_o = line_i;
  always_comb begin : write_back
    updated = old;
    if (wr_o) updated[idx_i] = slots_i;
  end
  assign row_o = updated;

  `DUET_ASSERT(OnlyAfterLook, look_i || !wr_o, "row changes without a request")
endmodule
