/// Bytes that the enabled bytes of one line take in a packet: the bytes and one sub-header for each
/// run of neighbours (specification section 5.1). Combinational.
module remote_write_queue_cost #(  // rule: Cycle rules
  parameter int unsigned Line           = 128,  // bytes of a line
  parameter int unsigned SubHeaderBytes = 5     // bytes of a sub-header
) (
  input  logic [Line-1:0] mask_i,
  output logic [9:0]      cost_o  // 0..449
);
  // A run starts at an enabled byte whose lower neighbour is not enabled.
  wire [Line-1:0] starts = mask_i & ~{mask_i[Line-2:0], 1'b0};

  assign cost_o = 10'($countones(mask_i)) + 10'(SubHeaderBytes) * 10'($countones(starts));
endmodule
