`include "duet_assert.svh"
`include "coherence_directory_types.svh"

/// Response FIFO. A response that is pushed in cycle t is on `rsp` from t+1 on when there is no other. There
/// is always room: a request is taken with a credit for its response.
module coherence_directory_responses #(
  parameter int unsigned Rsps = 4,
  localparam int unsigned CountW = $clog2(Rsps + 1),
  localparam type         rsp_t  = `DIRECTORY_RSP_T
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
  localparam int unsigned PtrW = $clog2(Rsps);

  rsp_t              mem_q [Rsps];  // not reset: count_q says what means something
  logic [PtrW-1:0]   wr_d, wr_q, rd_d, rd_q;
  logic [CountW-1:0] count_d, count_q;
  logic              pop;

  assign pop = rsp_valid_o && rsp_ready_i;

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Rsps - 1) ? '0 : ptr + 1'b1;
  endfunction
  always_comb begin : next_state
    wr_d    = push_i ? after(wr_q) : wr_q;
    rd_d    = pop ? after(rd_q) : rd_q;
    count_d = count_q + CountW'(push_i) - CountW'(pop);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      wr_q    <= '0;
      rd_q    <= '0;
      count_q <= '0;
    end else begin
      wr_q    <= wr_d;
      rd_q    <= rd_d;
      count_q <= count_d;
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[wr_q] <= push_rsp_i;
  end

  assign count_o     = count_q;
  assign rsp_valid_o = (count_q != '0);
  assign rsp_o       = rsp_valid_o ? mem_q[rd_q] : '0;

  `DUET_ASSERT(NoOverflow, !push_i || 32'(count_q) < Rsps, "response pushed into a full FIFO")
  `DUET_ASSERT_STABLE(RspStable, rsp_valid_o, rsp_ready_i, rsp_o)
endmodule
