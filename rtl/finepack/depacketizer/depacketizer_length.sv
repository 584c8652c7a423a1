/// Payload bytes that an outer header promises (rule 4 of the README). Combinational.
module depacketizer_length (  // rule: 4
  input  logic [7:0]  fmt_type_i,  // byte 0
  input  logic [9:0]  length_i,    // DWs, 0 is 1024
  input  logic [3:0]  last_be_i,
  output logic [12:0] total_o      // of an unknown type: any number
);
  import finepack_pkg::*;

  logic [2:0] fmt;
  logic [4:0] tlp_type;
  assign {fmt, tlp_type} = fmt_type_i;

  // A FinePack packet is padded to a DW; each clear bit of Last BE is a byte of padding.
  logic [12:0] pad;
  always_comb begin
    pad = '0;
    if (tlp_type == TypeFinePack) begin
      if (last_be_i == 4'b0001) pad = 13'd3;
      if (last_be_i == 4'b0011) pad = 13'd2;
      if (last_be_i == 4'b0111) pad = 13'd1;
    end
  end
  assign total_o = (fmt == FmtWithData) ? {length_i == 10'd0, length_i, 2'b00} - pad : '0;
endmodule
