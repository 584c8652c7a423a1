`include "duet_assert.svh"
`include "finepack_types.svh"

/// The output buffer (DQ): one write and one read port. A push of cycle t is readable in t+1.
module depacketizer_fifo #(
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
  localparam int unsigned PtrW = $clog2(Depth);
  localparam int unsigned CntW = $clog2(Depth + 1);

  ingress_t        mem_q [Depth];  // not reset: count_q says what means something
  logic [PtrW-1:0] wr_q, wr_d, rd_q, rd_d;
  logic [CntW-1:0] count_q, count_d;

  assign room_o     = count_q < CntW'(Depth);
  assign st_valid_o = count_q != '0;
  assign st_o       = mem_q[rd_q];

  logic pop;
  assign pop = st_valid_o && st_ready_i;

  function automatic logic [PtrW-1:0] next(input logic [PtrW-1:0] ptr);
    return ptr == PtrW'(Depth - 1) ? '0 : ptr + PtrW'(1);
  endfunction
  always_comb begin
    wr_d    = wr_q;
    rd_d    = rd_q;
    count_d = count_q;
    if (push_i) wr_d = next(wr_q);
    if (pop) rd_d = next(rd_q);
    if (push_i && !pop) count_d = count_q + CntW'(1);
    if (!push_i && pop) count_d = count_q - CntW'(1);
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
    if (push_i) mem_q[wr_q] <= access_i;
  end

  `DUET_ASSERT(PushRoom, !push_i || room_o, "push into a full buffer")
endmodule
