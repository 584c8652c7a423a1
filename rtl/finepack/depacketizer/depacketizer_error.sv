/// The error pulse: a fault found in cycle t is shown in t+1, the lower code of two (rule 13).
module depacketizer_error (  // rule: 13
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic       parse_i,  // the parser found an error
  input  logic [3:0] code_i,
  input  logic       stray_i,  // a beat without a packet was accepted: code 7
  output logic       err_valid_o,
  output logic [3:0] err_code_o
);
  import finepack_pkg::*;

  logic       valid_q;
  logic [3:0] code_q, code_d;
  always_comb begin
    code_d = '0;
    if (stray_i) code_d = ErrTruncated;
    if (parse_i && !(stray_i && code_i > ErrTruncated)) code_d = code_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      code_q  <= '0;
    end else begin
      valid_q <= parse_i || stray_i;
      code_q  <= code_d;
    end
  end
  assign err_valid_o = valid_q;
  assign err_code_o  = code_q;
endmodule
