/// Puts the bytes of one access at their place in the line and makes its mask. Combinational.
module depacketizer_align #(  // rule: 8
  parameter int unsigned Line           = 128,
  parameter int unsigned SubHeaderBytes = 5,
  localparam int unsigned IdxW = $clog2(Line)
) (
  input  logic                               en_i,        // the result is used in this cycle
  input  logic [8*(Line+SubHeaderBytes)-1:0] low_i,       // the oldest bytes of the window
  input  logic                               skip_i,      // a sub-header stands before the payload
  input  logic [IdxW:0]                      len_i,       // payload bytes
  input  logic [IdxW-1:0]                    lo_i,        // their place in the line
  input  logic [IdxW:0]                      mask_len_i,  // bytes of the mask, before byte enables
  input  logic [IdxW-1:0]                    mask_lo_i,   // its place in the line
  input  logic                               first_i,     // apply first_be_i to the first DW
  input  logic [3:0]                         first_be_i,
  input  logic                               last_i,  // apply last_be_i to the last DW
  input  logic [3:0]                         last_be_i,
  output logic [Line-1:0]                    mask_o,
  output logic [8*Line-1:0]                  data_o  // 0 outside the payload and its byte enables
);
  // A mask bit for each bit of the 4 bytes.
  function automatic logic [31:0] widen(input logic [3:0] be);
    return {{8{be[3]}}, {8{be[2]}}, {8{be[1]}}, {8{be[0]}}};
  endfunction

  logic [IdxW:0] last_dw;  // first byte of the last DW
  logic [3:0]    last_off;
  assign last_off = ~last_be_i;
  assign last_dw  = mask_len_i - (IdxW + 1)'(4);

  always_comb begin
    mask_o = '0;
    if (en_i) begin
      mask_o = ~({Line{1'b1}} << mask_len_i);
      if (first_i) mask_o[3:0] &= first_be_i;
      if (last_i) mask_o &= ~(Line'(last_off) << last_dw);
      mask_o <<= mask_lo_i;
    end
  end

  logic [IdxW:0] above;  // bytes of the line above the payload when it stands at byte 0
  assign above = (IdxW + 1)'(Line) - len_i;
  always_comb begin  // rule: 15
    data_o = '0;
    if (en_i && len_i != '0) begin
      data_o = skip_i ? low_i[8*SubHeaderBytes+:8*Line] : low_i[8*Line-1:0];
      if (first_i && first_be_i != 4'b1111) data_o[31:0] &= widen(first_be_i);
      if (last_i && last_be_i != 4'b1111) begin
        data_o &= ~((8 * Line)'(widen(last_off)) << {last_dw, 3'b000});
      end
      // Up to the line's end and back to its place: what follows the payload falls off.
      data_o = data_o << {above, 3'b000};
      data_o = data_o >> {above - (IdxW + 1)'(lo_i), 3'b000};
    end
  end
endmodule
