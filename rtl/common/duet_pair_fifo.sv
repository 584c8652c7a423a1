`include "duet_assert.svh"

/// First in, first out: up to two values are pushed in a cycle, and can be seen from the next on.
module duet_pair_fifo #(
  parameter type          T      = logic,
  parameter int unsigned  Depth  = 4,     // at least 2
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic [CountW-1:0] room_o,    // values that may be pushed
  input  logic              push_i,
  input  T                  data_i,
  input  logic              second_i,  // another one behind it; only with push_i
  input  T                  second_data_i,
  output logic              valid_o,
  input  logic              ready_i,
  output T                  data_o     // 0 while valid_o is
);
  localparam int unsigned PtrW = $clog2(Depth);

  T                  mem_q [Depth];
  logic [PtrW-1:0]   wr_d, wr_q, rd_d, rd_q;
  logic [CountW-1:0] count_d, count_q;
  logic              pop;

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Depth - 1) ? '0 : ptr + 1'b1;
  endfunction

  assign room_o  = CountW'(Depth) - count_q;
  assign valid_o = (count_q != '0);
  assign data_o  = valid_o ? mem_q[rd_q] : '0;
  assign pop     = valid_o && ready_i;

  always_comb begin : next_state
    wr_d = wr_q;
    if (push_i) wr_d = second_i ? after(after(wr_q)) : after(wr_q);
    rd_d    = pop ? after(rd_q) : rd_q;
    count_d = count_q + CountW'(push_i) + CountW'(push_i && second_i) - CountW'(pop);
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

  // Not reset: count_q says what means something.
  always_ff @(posedge clk_i) begin
    if (push_i) mem_q[wr_q] <= data_i;
    if (push_i && second_i) mem_q[after(wr_q)] <= second_data_i;
  end

  `DUET_ASSERT_STABLE(Stable, valid_o, ready_i, data_o)
  `DUET_ASSUME(NoOverflow, !push_i || 32'(room_o) > 32'(second_i), "push into a full FIFO")
  `DUET_ASSUME(SecondBehindFirst, !second_i || push_i, "second value without a first")
endmodule
