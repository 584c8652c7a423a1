`include "duet_assert.svh"

/// First in, first out: one write and one read port. What is pushed in cycle t can be the head from
/// t+1 on.
module duet_fifo #(
  parameter type          T      = logic,
  parameter int unsigned  Depth  = 4,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              push_i,  // only while count_o < Depth
  input  T                  data_i,
  input  logic              pop_i,   // only while count_o is not 0
  output T                  head_o,  // the oldest; means nothing while count_o is 0
  output logic [CountW-1:0] count_o  // values held
);
  localparam int unsigned PtrW = (Depth > 1) ? $clog2(Depth) : 1;
  // A FIFO of half a kilobyte or more stands in RAM, a smaller one in flip-flops.
  localparam bit InRam = (Depth >= 16 && Depth * $bits(T) >= 4096);

  logic [PtrW-1:0]   wr_d, wr_q, rd_d, rd_q;
  logic [CountW-1:0] count_d, count_q;

  assign count_o = count_q;

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Depth - 1) ? '0 : ptr + 1'b1;
  endfunction
  always_comb begin : next_state
    wr_d    = push_i ? after(wr_q) : wr_q;
    rd_d    = pop_i ? after(rd_q) : rd_q;
    count_d = count_q + CountW'(push_i) - CountW'(pop_i);
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
  if (InRam) begin : gen_ram
    // The next head is read at the edge at which it becomes the head. What is pushed straight to
    // the head passes by the RAM.
    logic by_q;
    T     pushed_q, stored;
    wire  by = push_i && wr_q == rd_d;

    duet_ram #(
      .Depth(Depth),
      .Width($bits(T))
    ) u_ram (
      .clk_i,
      .wr_i     (push_i),
      .wr_addr_i(wr_q),
      .wr_mask_i('1),
      .wr_data_i(data_i),
      .rd_i     (pop_i && !by),
      .rd_addr_i(rd_d),
      .rd_data_o(stored)
    );

    always_ff @(posedge clk_i) begin
      if (pop_i || by) by_q <= by;
      if (by) pushed_q <= data_i;
    end
    assign head_o = by_q ? pushed_q : stored;
  end else begin : gen_flops
    T mem_q [Depth];
    always_ff @(posedge clk_i) begin
      if (push_i) mem_q[wr_q] <= data_i;
    end
    assign head_o = mem_q[rd_q];
  end

  `DUET_ASSERT(CountLegal, 32'(count_q) <= Depth, "more values than places")
  `DUET_ASSUME(NoOverflow, !push_i || 32'(count_q) < Depth, "push into a full FIFO")
  `DUET_ASSUME(NoUnderflow, !pop_i || count_q != '0, "pop of an empty FIFO")
endmodule
