`include "duet_assert.svh"

/// FIFOs of waiters, one for each MSHR. One FIFO is read and changed in a cycle: a waiter is pushed
/// at the back, and the head is removed, or moves to the back.
module timestamp_l1_waiters #(  // rule: 5
  parameter int unsigned  Fifos  = 4,
  parameter int unsigned  Depth  = 2,
  parameter int unsigned  TimeW    = 16,  // bits of a time
  localparam int unsigned FifoW  = (Fifos > 1) ? $clog2(Fifos) : 1,
  localparam int unsigned CountW = $clog2(Depth + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic [FifoW-1:0]  fifo_i,     // the one that is looked at
  output logic [CountW-1:0] count_o,    // loads in it
  output logic [5:0]        warp_o,     // its head; means nothing without one
  output logic [7:0]        id_o,
  output logic [TimeW-1:0]    ts_o,
  output logic [TimeW-1:0]    least_o,    // of the timestamps in it; means nothing without one
  output logic [TimeW-1:0]    most_o,
  input  logic [5:0]        warp_i,
  output logic              waits_o,    // a load of warp_i is in it
  input  logic              pop_i,      // the head goes
  input  logic              push_i,     // a load comes; also in a full FIFO whose head goes
  input  logic [5:0]        push_warp_i,
  input  logic [7:0]        push_id_i,
  input  logic [TimeW-1:0]    push_ts_i,
  input  logic [Fifos-1:0]  reset_ts_i  // all timestamps of these FIFOs become 1
);
  localparam int unsigned PtrW = (Depth > 1) ? $clog2(Depth) : 1;

  logic [Fifos-1:0][PtrW-1:0]  head_q, tail_q;
  logic [Fifos-1:0][Depth-1:0] live_d, live_q;  // places that hold a load
  logic [Fifos-1:0][Depth-1:0] one_d, one_q;    // whose timestamp is 1, whatever ts_q is
  logic [Depth-1:0][5:0]       warp_q [Fifos];
  logic [Depth-1:0][7:0]       id_q [Fifos];
  logic [Depth-1:0][TimeW-1:0]   ts_q [Fifos];

  logic [Depth-1:0]          live, one;
  logic [Depth-1:0][5:0]     warps;
  logic [Depth-1:0][TimeW-1:0] stamps;
  logic [PtrW-1:0]           head, tail;

  assign live    = live_q[fifo_i];
  assign one     = one_q[fifo_i];
  assign warps   = warp_q[fifo_i];
  assign head    = head_q[fifo_i];
  assign tail    = tail_q[fifo_i];
  assign count_o = CountW'($countones(live));
  assign warp_o  = warps[head];
  assign id_o    = id_q[fifo_i][head];
  assign ts_o    = stamps[head];

  always_comb begin : look
    least_o = '1;
    most_o  = '0;
    waits_o = 1'b0;
    stamps  = ts_q[fifo_i];
    for (int unsigned k = 0; k < Depth; k++) begin
      if (one[k]) stamps[k] = TimeW'(1);
      if (live[k]) begin
        if (stamps[k] < least_o) least_o = stamps[k];
        if (stamps[k] > most_o) most_o = stamps[k];
        if (warps[k] == warp_i) waits_o = 1'b1;
      end
    end
  end

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Depth - 1) ? '0 : ptr + 1'b1;
  endfunction

  always_comb begin : next_state
    live_d = live_q;
    one_d  = one_q;
    for (int unsigned f = 0; f < Fifos; f++) begin
      if (reset_ts_i[f]) one_d[f] = '1;
    end
    if (pop_i) live_d[fifo_i][head] = 1'b0;
    if (push_i) begin
      live_d[fifo_i][tail] = 1'b1;
      one_d[fifo_i][tail]  = 1'b0;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_q <= '0;
      tail_q <= '0;
      live_q <= '0;
    end else begin
      if (pop_i) head_q[fifo_i] <= after(head);
      if (push_i) tail_q[fifo_i] <= after(tail);
      live_q <= live_d;
    end
  end

  // live_q covers these.
  always_ff @(posedge clk_i) begin
    one_q <= one_d;
    if (push_i) begin
      warp_q[fifo_i][tail] <= push_warp_i;
      id_q[fifo_i][tail]   <= push_id_i;
      ts_q[fifo_i][tail]   <= push_ts_i;
    end
  end

  `DUET_ASSERT(NoUnderflow, !pop_i || count_o != '0, "no load waits")
  `DUET_ASSERT(NoOverflow, !push_i || pop_i || 32'(count_o) < Depth, "more waiters than places")
endmodule
