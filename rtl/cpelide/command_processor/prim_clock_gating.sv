/// Ibex's name for a clock gate; its package has the cell without the name. The edge that ends a
/// cycle with `en_i` or `test_en_i` is on `clk_o`.
module prim_clock_gating (
  input  logic clk_i,
  input  logic en_i,
  input  logic test_en_i,
  output logic clk_o
);
  prim_generic_clock_gating u_gate (.clk_i, .en_i, .test_en_i, .clk_o);
endmodule
