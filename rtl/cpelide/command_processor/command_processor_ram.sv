/// A memory of 32-bit words with byte enables: DTCM and the private memory. What is read in cycle t
/// is on `rdata_o` from t+1 on, until the next read.
module command_processor_ram #(
  parameter int unsigned Words = 4096,
  localparam int unsigned AddressWidth = $clog2(Words)
) (
  input  logic                    clk_i,
  input  logic                    en_i,
  input  logic                    we_i,
  input  logic [3:0]              be_i,
  input  logic [AddressWidth-1:0] addr_i,
  input  logic [31:0]             wdata_i,
  output logic [31:0]             rdata_o
);
  logic [31:0] mem [Words];
  // Zero once: a reset does not clear it.
  initial for (int unsigned i = 0; i < Words; i++) mem[i] = '0;

  logic [31:0] rdata_q;
  always_ff @(posedge clk_i) begin
    for (int unsigned b = 0; b < 4; b++) begin
      if (en_i && we_i && be_i[b]) mem[addr_i][8*b +: 8] <= wdata_i[8*b +: 8];
    end
    if (en_i && !we_i) rdata_q <= mem[addr_i];
  end
  assign rdata_o = rdata_q;
endmodule
