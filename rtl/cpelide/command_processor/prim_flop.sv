/// Ibex's name for flip-flops that stay apart; its package has the cell without the name.
module prim_flop #(
  parameter int               Width      = 1,
  parameter logic [Width-1:0] ResetValue = '0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic [Width-1:0] d_i,
  output logic [Width-1:0] q_o
);
  prim_generic_flop #(.Width(Width), .ResetValue(ResetValue)) u_flop (.clk_i, .rst_ni, .d_i, .q_o);
endmodule
