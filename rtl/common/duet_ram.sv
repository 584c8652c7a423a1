`include "duet_assert.svh"

/// A memory for RAM: one write port, one read port with a register. What is read in cycle t is on
/// `rd_data_o` from t+1 on, until the next read. A read of the word that is written in the same
/// cycle gives the word before it in simulation and anything in a macro: users keep clear of it.
/// A process with macros of its own replaces this file.
module duet_ram #(
  parameter int unsigned Depth     = 64,
  parameter int unsigned Width     = 64,
  parameter int unsigned LaneWidth = Width,  // bits that are written together; divides Width
  parameter bit          Zero      = 1'b0,   // 0 everywhere at the start
  localparam int unsigned AddressWidth = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                    clk_i,
  input  logic                    wr_i,
  input  logic [AddressWidth-1:0] wr_addr_i,
  input  logic [Width-1:0]        wr_mask_i,  // bits to write: all of a lane or none
  input  logic [Width-1:0]        wr_data_i,
  input  logic                    rd_i,
  input  logic [AddressWidth-1:0] rd_addr_i,
  output logic [Width-1:0]        rd_data_o
);
  logic [Width-1:0] mem [Depth];
  logic [Width-1:0] rd_data_q;

  if (Zero) begin : gen_zero
    initial for (int unsigned i = 0; i < Depth; i++) mem[i] = '0;
  end

  if (LaneWidth == Width) begin : gen_word
    wire unused_mask = &wr_mask_i;
    always_ff @(posedge clk_i) begin
      if (wr_i) mem[wr_addr_i] <= wr_data_i;
    end
  end else begin : gen_lanes
`ifdef VERILATOR
    // The same as below, at once: a simulator needs a tenth of the time.
    always_ff @(posedge clk_i) begin
      if (wr_i) mem[wr_addr_i] <= (mem[wr_addr_i] & ~wr_mask_i) | (wr_data_i & wr_mask_i);
    end
`else
    always_ff @(posedge clk_i) begin
      for (int unsigned l = 0; l < Width / LaneWidth; l++) begin
        if (wr_i && wr_mask_i[l*LaneWidth]) begin
          mem[wr_addr_i][l*LaneWidth +: LaneWidth] <= wr_data_i[l*LaneWidth +: LaneWidth];
        end
      end
    end
`endif
  end

  // The read stands inside the edge, so that a simulator looks a word up only when it is read.
  always_ff @(posedge clk_i) begin
    if (rd_i) rd_data_q <= mem[rd_addr_i];
  end
  assign rd_data_o = rd_data_q;
endmodule
