/// What a write or an atomic makes of a line (specification 3). Combinational.
module timestamp_l2_update  // rule: 2
  import timestamp_pkg::*;
#(
  parameter int unsigned Line = 128
) (
  input  logic              write_i,
  input  logic              atomic_i,
  input  logic [3:0]        aop_i,
  input  logic              wide_i,     // elements of 8 bytes, else 4
  input  logic [Line-1:0]   mask_i,
  input  logic [8*Line-1:0] operand_i,
  input  logic [8*Line-1:0] line_i,
  output logic [8*Line-1:0] line_o,
  output logic [8*Line-1:0] old_o       // atomic: the elements that it changes; else 0
);
  // Numbers of 32 bits come with their sign: it leaves their order without sign as it is.
  function automatic logic [63:0] apply(logic [3:0] aop, logic [63:0] a, logic [63:0] b);
    unique case (aop)
      AopAdd:  apply = a + b;
      AopMin:  apply = ($signed(a) < $signed(b)) ? a : b;
      AopMax:  apply = ($signed(a) > $signed(b)) ? a : b;
      AopUmin: apply = (a < b) ? a : b;
      AopUmax: apply = (a > b) ? a : b;
      AopAnd:  apply = a & b;
      AopOr:   apply = a | b;
      AopXor:  apply = a ^ b;
      default: apply = b;
    endcase
  endfunction
  function automatic logic [63:0] extended(logic [31:0] value);
    return {{32{value[31]}}, value};
  endfunction

  // Each 8 bytes are one element or two.
  logic [7:0]  mask;
  logic [63:0] a, b, low;
  logic [31:0] high;

  always_comb begin : update
    line_o = line_i;
    old_o  = '0;
    mask   = '0;
    a      = '0;
    b      = '0;
    low    = '0;
    high   = '0;
    if (write_i) begin
      for (int unsigned k = 0; k < Line; k++) begin
        if (mask_i[k]) line_o[8*k +: 8] = operand_i[8*k +: 8];
      end
    end else if (atomic_i) begin
      for (int unsigned k = 0; k < Line / 8; k++) begin
        mask = mask_i[8*k +: 8];
        a    = line_i[64*k +: 64];
        b    = operand_i[64*k +: 64];
        low  = wide_i ? apply(aop_i, a, b) : apply(aop_i, extended(a[31:0]), extended(b[31:0]));
        high = wide_i ? low[63:32] : 32'(apply(aop_i, extended(a[63:32]), extended(b[63:32])));
        if (mask[3:0] == '1 && (!wide_i || mask[7:4] == '1)) begin
          line_o[64*k +: 32] = low[31:0];
          old_o[64*k +: 32]  = a[31:0];
        end
        if (mask[7:4] == '1 && (!wide_i || mask[3:0] == '1)) begin
          line_o[64*k+32 +: 32] = high;
          old_o[64*k+32 +: 32]  = a[63:32];
        end
      end
    end
  end
endmodule
