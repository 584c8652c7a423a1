/// Ibex's name for a buffer; its package has the cell without the name. Combinational.
module prim_buf #(
  parameter int Width = 1
) (
  input  logic [Width-1:0] in_i,
  output logic [Width-1:0] out_o
);
  prim_generic_buf #(.Width(Width)) u_buf (.in_i, .out_o);
endmodule
