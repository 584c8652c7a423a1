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
  wire  [31:0] mask = {{8{be_i[3]}}, {8{be_i[2]}}, {8{be_i[1]}}, {8{be_i[0]}}};
  always_ff @(posedge clk_i) begin
    if (en_i && we_i) mem[addr_i] <= (mem[addr_i] & ~mask) | (wdata_i & mask);
    if (en_i && !we_i) rdata_q <= mem[addr_i];
  end
  assign rdata_o = rdata_q;
endmodule
