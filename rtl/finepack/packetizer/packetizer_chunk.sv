/// The bytes that one run adds to the payload: sub-header (specification 3.6) and data, or the bare
/// operands of an atomic, or nothing. Combinational. Bytes above `chunk_len_o` are undefined.
module packetizer_chunk #(  // rule: 2
  parameter int unsigned Line           = 128,
  parameter int unsigned SubHeaderBytes = 5,
  parameter int unsigned OffsetWidth    = 30,
  localparam int unsigned IdxW = $clog2(Line),
  localparam int unsigned LenW = $clog2(Line + SubHeaderBytes + 1)
) (
  input  logic                               en_i,  // the result is used in this cycle
  input  logic [1:0]                         kind_i,
  input  logic [3:0]                         aop_i,
  input  logic [63-IdxW:0]                   line_i,
  input  logic [8*Line-1:0]                  data_i,
  input  logic [IdxW-1:0]                    start_i,  // first byte of the run
  input  logic [IdxW:0]                      len_i,    // its bytes
  output logic [LenW-1:0]                    chunk_len_o,
  output logic [8*(Line+SubHeaderBytes)-1:0] chunk_o
);
  import finepack_pkg::*;

  // The base is a multiple of 2**OffsetWidth and the run lies in its window (assertion OffsetsFit),
  // so the offset is the low part of the run's address.
  logic [63:0] run_addr;
  assign run_addr = {line_i, start_i};
  wire unused_base = ^run_addr[63:OffsetWidth];

  always_comb begin
    chunk_len_o = '0;
    chunk_o     = '0;
    if (en_i) begin
      unique case (kind_i)
        DrainPack: begin
          chunk_len_o = LenW'(len_i) + LenW'(SubHeaderBytes);
          chunk_o     = {data_i >> {start_i, 3'b000}, run_addr[OffsetWidth-1:0], 10'(len_i)};
        end
        // The operands stand at byte 0; cas has two.
        DrainAtomic: begin  // rule: 5
          chunk_len_o = LenW'(len_i) << (aop_i == AopCas);
          chunk_o     = {(8 * SubHeaderBytes)'(0), data_i};
        end
        // Reads and marks are header only.
        default: ;
      endcase
    end
  end
endmodule
