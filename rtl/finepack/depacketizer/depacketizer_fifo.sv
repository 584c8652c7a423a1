`include "finepack_types.svh"

/// The output buffer. A push of cycle t is readable in t+1.
module depacketizer_fifo #(  // rule: 14
  parameter int unsigned Line  = 128,
  parameter int unsigned Depth = 64,
  localparam type ingress_t = `FINEPACK_INGRESS_T(Line)
) (
  input  logic     clk_i,
  input  logic     rst_ni,
  input  logic     push_i,    // only while room_o
  input  ingress_t access_i,
  output logic     room_o,    // whatever leaves in this cycle
  output logic     st_valid_o,
  input  logic     st_ready_i,
  output ingress_t st_o
);
  localparam int unsigned CountW = $clog2(Depth + 1);

  logic [CountW-1:0] count;
  assign room_o     = 32'(count) < Depth;
  assign st_valid_o = count != '0;

  duet_fifo #(
    .T    (ingress_t),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i,
    .data_i (access_i),
    .pop_i  (st_valid_o && st_ready_i),
    .head_o (st_o),
    .count_o(count)
  );
endmodule
