`include "duet_assert.svh"

/// The array: one memory with one write port and one read port, and the sweep that initialises it.
/// A row that is read in cycle t is on `row_o` from t+1 on and includes a write in t.
/// From the first cycle after reset the sweep writes one row per cycle; `ready_o` rises in the
/// cycle after the last row.
module coherence_directory_table #(  // rule: 14
  parameter int unsigned Rows     = 1024,
  parameter int unsigned RowWidth = 852,
  parameter logic [RowWidth-1:0] InitRow = RowWidth'(0),  // what the sweep writes
  localparam int unsigned IdxW = (Rows > 1) ? $clog2(Rows) : 1
) (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                ready_o,  // the sweep is over
  input  logic                rd_i,
  input  logic [IdxW-1:0]     rd_idx_i,
  output logic [RowWidth-1:0] row_o,  // the row read last
  input  logic                wr_i,   // only while ready_o
  input  logic [IdxW-1:0]     wr_idx_i,
  input  logic [RowWidth-1:0] wr_row_i
);
  logic [IdxW-1:0] sweep_d, sweep_q;  // row that the sweep writes
  logic            ready_d, ready_q;

  logic                wr;
  logic [IdxW-1:0]     wr_idx;
  logic [RowWidth-1:0] wr_row;

  always_comb begin : write_port
    sweep_d = sweep_q;
    ready_d = ready_q;
    wr      = wr_i;
    wr_idx  = wr_idx_i;
    wr_row  = wr_row_i;
    if (!ready_q) begin
      wr      = 1'b1;
      wr_idx  = sweep_q;
      wr_row  = InitRow;
      sweep_d = sweep_q + 1'b1;
      ready_d = (32'(sweep_q) == Rows - 1);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      sweep_q <= '0;
      ready_q <= 1'b0;
    end else begin
      sweep_q <= sweep_d;
      ready_q <= ready_d;
    end
  end

  // A row that is written while it is read bypasses the RAM.
  logic                by_q;
  logic [RowWidth-1:0] written_q, stored;
  wire                 by = wr && wr_idx == rd_idx_i;  // rule: 1

  duet_ram #(  // rule: 1
    .Depth(Rows),
    .Width(RowWidth)
  ) u_ram (
    .clk_i,
    .wr_i     (wr),
    .wr_addr_i(wr_idx),
    .wr_mask_i('1),
    .wr_data_i(wr_row),
    .rd_i     (rd_i && !by),
    .rd_addr_i(rd_idx_i),
    .rd_data_o(stored)
  );

  always_ff @(posedge clk_i) begin
    if (rd_i) by_q <= by;  // rule: 1
    if (rd_i && by) written_q <= wr_row;  // rule: 1
  end

  assign ready_o = ready_q;
  assign row_o   = by_q ? written_q : stored;  // rule: 1

  `DUET_ASSERT(NoAccessInSweep, ready_q || !(rd_i || wr_i), "access during the initial sweep")
  `DUET_ASSERT(IndexLegal, !wr || 32'(wr_idx) < Rows, "write of a row that does not exist")
endmodule
