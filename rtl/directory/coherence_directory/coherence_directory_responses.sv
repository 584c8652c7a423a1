`include "duet_assert.svh"
`include "coherence_directory_types.svh"

/// Response FIFO. A response that is pushed in cycle t is on `rsp` from t+1 on if the FIFO is
/// empty. It cannot overflow: an accepted request takes a credit for its response.
module coherence_directory_responses #(  // rule: Ports rsp_valid_o
  parameter int unsigned  Responses = 4,
  localparam int unsigned CountW    = $clog2(Responses + 1),
  localparam type         rsp_t     = `DIRECTORY_RSP_T
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              push_i,
  input  rsp_t              push_rsp_i,
  output logic [CountW-1:0] count_o,  // responses held
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output rsp_t              rsp_o
);
  rsp_t head;
  assign rsp_valid_o = (count_o != '0);
  assign rsp_o       = rsp_valid_o ? head : '0;

  duet_fifo #(
    .T    (rsp_t),
    .Depth(Responses)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i,
    .data_i (push_rsp_i),
    .pop_i  (rsp_valid_o && rsp_ready_i),
    .head_o (head),
    .count_o
  );

  `DUET_ASSERT_STABLE(RspStable, rsp_valid_o, rsp_ready_i, rsp_o)
endmodule
