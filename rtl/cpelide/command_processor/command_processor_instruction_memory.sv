`include "duet_assert.svh"

/// IMEM: the host loads it, the core fetches and reads. What is read in cycle t is on the outputs
/// from t+1 on.
module command_processor_instruction_memory  // rule: 4
  import command_processor_pkg::*;
#(
  localparam int unsigned AddressWidth = $clog2(ImemWords)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  // load, in any cycle of clk_i
  input  logic                    we_i,
  input  logic [AddressWidth-1:0] addr_i,
  input  logic [31:0]             data_i,
  // fetch: granted at once, answered in the next enabled cycle
  input  logic                    run_i,
  input  logic                    fetch_i,
  input  logic [31:0]             fetch_addr_i,
  output logic                    fetched_o,
  output logic [31:0]             insn_o,
  output logic                    err_o,  // outside of IMEM
  // data
  input  logic                    rd_i,
  input  logic [AddressWidth-1:0] rd_addr_i,
  output logic [31:0]             rd_data_o  // read last
);
  logic [31:0] mem [ImemWords];
  // Zero once: a reset does not clear it.
  initial for (int unsigned i = 0; i < ImemWords; i++) mem[i] = '0;

  logic        fetched_d, fetched_q, err_d, err_q;
  logic [31:0] insn_q, rd_data_q;
  wire       outside = (region_of(fetch_addr_i[31:8]) != RegionImem);
  wire [1:0] unused_byte = fetch_addr_i[1:0];

  always_comb begin : next_state  // rule: 6
    fetched_d = fetched_q;
    err_d     = err_q;
    if (run_i) begin
      fetched_d = fetch_i;
      err_d     = fetch_i && outside;
    end
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fetched_q <= 1'b0;
      err_q     <= 1'b0;
    end else begin
      fetched_q <= fetched_d;
      err_q     <= err_d;
    end
  end

  // The reads stand inside the edge, so that a simulator looks a word up only when it is read.
  // Two ports: the core that would read is held in reset while a word is loaded.
  wire [AddressWidth-1:0] data_addr = we_i ? addr_i : rd_addr_i;
  always_ff @(posedge clk_i) begin
    if (run_i && fetch_i) insn_q <= outside ? '0 : mem[fetch_addr_i[AddressWidth+1:2]];  // rule: 6
    if (we_i) mem[data_addr] <= data_i;
    else if (rd_i) rd_data_q <= mem[data_addr];
  end

  assign fetched_o = fetched_q;
  assign insn_o    = insn_q;
  assign err_o     = err_q;
  assign rd_data_o = rd_data_q;

  `DUET_ASSERT(NoLoadWhileFetching, !we_i || !fetch_i, "IMEM loaded while the core runs")
endmodule
