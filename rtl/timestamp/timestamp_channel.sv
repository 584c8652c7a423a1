/// A channel with two entries. What comes in cycle t can be taken from t+1 on. Both valid_o and
/// ready_o are functions of registers.
module timestamp_channel #(
  parameter type T = logic
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic valid_i,
  output logic ready_o,
  input  T     data_i,
  output logic valid_o,
  input  logic ready_i,
  output T     data_o    // 0 while valid_o is
);
  logic [1:0] count;
  T           head;

  duet_fifo #(
    .T    (T),
    .Depth(2)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i (valid_i && ready_o),
    .data_i,
    .pop_i  (valid_o && ready_i),
    .head_o (head),
    .count_o(count)
  );
  assign ready_o = (count != 2'd2);
  assign valid_o = (count != 2'd0);
  assign data_o  = valid_o ? head : '0;  // rule: timestamp_l1 12
endmodule
