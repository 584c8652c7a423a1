`include "duet_assert.svh"

/// Lines that loads wait for, the specification's M, with the loads. One of them is looked at and
/// changed in a cycle.
module tc_l1_misses #(  // rule: States
  parameter int unsigned  Mshr    = 4,
  parameter int unsigned  Waiters = 2,
  parameter int unsigned  LineW   = 10,
  localparam int unsigned CountW  = $clog2(Waiters + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // the M at an index, which may lie outside of the table
  input  logic [5:0]        m_i,
  output logic              m_sent_o,    // there is one, and its answer is to come
  output logic [LineW-1:0]  m_line_o,    // its line
  // the M that is to be judged next
  output logic              ready_o,     // there is one
  output logic [5:0]        ready_m_o,
  // the M of a line
  input  logic [LineW-1:0]  line_i,
  output logic              known_o,     // there is one
  output logic              room_o,      // there is a free one
  // the M at hand: that of line_i; where there is none the free one
  output logic [5:0]        at_o,
  output logic              st_after_o,  // a store or a flush came after the request
  output logic              full_o,
  output logic [CountW-1:0] count_o,     // loads that wait
  output logic [5:0]        warp_o,      // the first of them
  output logic [7:0]        id_o,
  output logic [31:0]       ts_o,
  output logic [31:0]       least_o,     // of their timestamps
  input  logic [5:0]        warp_i,
  output logic              waits_o,     // one of this warp waits
  // changes of the M at hand
  input  logic              push_i,      // a load comes
  input  logic [5:0]        push_warp_i,
  input  logic [7:0]        push_id_i,
  input  logic [31:0]       push_ts_i,
  input  logic              pop_i,       // the first load goes
  input  logic              to_sent_i,   // it is SENT
  input  logic              to_pend_i,   // PEND
  input  logic              to_free_i,   // FREE
  input  logic              answered_i,  // it is not st_after any more
  input  logic              stored_i,    // a store came after the request, where there was one
  input  logic              flush_i      // one that may come after requests of all M
);
  localparam int unsigned MW = (Mshr > 1) ? $clog2(Mshr) : 1;

  // Neither PEND nor SENT is FREE.
  logic [Mshr-1:0]  pend_d, pend_q, sent_d, sent_q, after_d, after_q;
  logic [LineW-1:0] line_q [Mshr];

  // -----------------------------------------------------------------------------------------------
  // Which one
  logic [MW-1:0]   m, ready_m, known_m, free_m, at;
  logic [Mshr-1:0] match;

  assign m        = (32'(m_i) < Mshr) ? MW'(m_i) : '0;  // rule: gtsc_l1 3
  assign m_sent_o = 32'(m_i) < Mshr && sent_q[m];  // rule: gtsc_l1 3
  assign m_line_o = line_q[m];

  always_comb begin : pick
    ready_m = '0;
    free_m  = '0;
    for (int unsigned k = Mshr; k > 0; k--) begin
      if (pend_q[k-1]) ready_m = MW'(k - 1);
      if (!pend_q[k-1] && !sent_q[k-1]) free_m = MW'(k - 1);
    end
  end
  assign ready_o   = (pend_q != '0);
  assign ready_m_o = 6'(ready_m);
  assign room_o    = ((pend_q | sent_q) != '1);

  always_comb begin : find
    match   = '0;
    known_m = '0;
    for (int unsigned k = 0; k < Mshr; k++) begin
      match[k] = (pend_q[k] || sent_q[k]) && line_q[k] == line_i;
      if (match[k]) known_m = MW'(k);
    end
  end
  assign known_o = (match != '0);

  assign at         = known_o ? known_m : free_m;
  assign at_o       = 6'(at);
  assign st_after_o = after_q[at];
  assign full_o     = (32'(count_o) == Waiters);

  // -----------------------------------------------------------------------------------------------
  // Changes
  always_comb begin : next_state
    pend_d  = pend_q;
    sent_d  = sent_q;
    after_d = after_q;
    if (to_sent_i || to_pend_i || to_free_i) begin
      sent_d[at] = to_sent_i;
      pend_d[at] = to_pend_i;
    end
    if (answered_i) after_d[at] = 1'b0;  // rule: gtsc_l1 5
    if (stored_i && known_o) after_d[at] = 1'b1;  // rule: gtsc_l1 13
    if (flush_i) after_d = sent_q;  // rule: 7
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pend_q  <= '0;
      sent_q  <= '0;
      after_q <= '0;
    end else begin
      pend_q  <= pend_d;
      sent_q  <= sent_d;
      after_q <= after_d;
    end
  end

  // Its state covers it.
  always_ff @(posedge clk_i) begin
    if ((to_sent_i || to_pend_i) && !known_o) line_q[at] <= line_i;
  end

  logic [31:0] unused_most;
  duet_waiters #(  // rule: 4
    .Fifos(Mshr),
    .Depth(Waiters),
    .TsW  (32)
  ) u_waiters (
    .clk_i,
    .rst_ni,
    .fifo_i    (at),
    .count_o,
    .warp_o,
    .id_o,
    .ts_o,
    .least_o,
    .most_o    (unused_most),
    .warp_i,
    .waits_o,
    .pop_i,
    .push_i,
    .push_warp_i,
    .push_id_i,
    .push_ts_i,
    .reset_ts_i('0)
  );

  // Specification 8.1
  `DUET_ASSERT(OneState, (pend_q & sent_q) == '0, "PEND and SENT")
  `DUET_ASSERT(OneForLine, $onehot0(match), "two M of one line")
  `DUET_ASSERT(AfterSent, (after_q & ~sent_q) == '0, "st_after without SENT")
  `DUET_ASSERT(FreeIffEmpty, (pend_q[at] || sent_q[at]) == (count_o != '0),
               "FREE with loads, or another one without")
endmodule
