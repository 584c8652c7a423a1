`include "duet_assert.svh"

/// One link: messages in order, each with the cycle in which it is due. The oldest shows from its due cycle on, or from
/// the cycle after the one before it was taken (README.md, rules 4, 7, 9).
module cp_crossbar_link
  import command_pkg::*;
#(
  parameter int unsigned Places = 101  // messages held, at most 256
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  input  logic [9:0] now_i,    // this cycle, modulo 1024
  input  logic       push_i,   // only while not full_o
  input  logic [9:0] due_i,    // at most 255 cycles ahead
  input  msg_t       msg_i,
  output logic       full_o,   // whatever leaves in this cycle
  output logic       valid_o,
  input  logic       ready_i,
  output msg_t       msg_o
);
  localparam int unsigned PtrW   = (Places > 1) ? $clog2(Places) : 1;
  localparam int unsigned CountW = $clog2(Places + 1);

  msg_t       msg_q [Places];  // not reset: count says what means something
  logic [9:0] due_q [Places];

  typedef struct packed {
    logic [PtrW-1:0]   wr;
    logic [PtrW-1:0]   rd;
    logic [PtrW-1:0]   next;    // the oldest message that is not known to be due
    logic [CountW-1:0] count;
    logic [CountW-1:0] known;   // messages that were due in an earlier cycle
  } regs_t;
  regs_t regs_d, regs_q;

  function automatic logic [PtrW-1:0] after(logic [PtrW-1:0] ptr);
    return (32'(ptr) == Places - 1) ? '0 : ptr + 1'b1;
  endfunction

  // A message may stand here for longer than 10 bits can tell. So each is compared until it is due and then known to
  // be, one in a cycle: one enters in a cycle, so none is due for more than 255 cycles before it is compared.
  wire falls_due = regs_q.count != regs_q.known && 10'(now_i - due_q[regs_q.next]) < 10'd512;

  assign full_o  = (32'(regs_q.count) == Places);
  assign valid_o = (regs_q.known != '0) || falls_due;
  assign msg_o   = msg_q[regs_q.rd];
  wire   pop     = valid_o && ready_i;

  always_comb begin : next_state
    regs_d = regs_q;
    if (push_i) regs_d.wr = after(regs_q.wr);
    if (pop) regs_d.rd = after(regs_q.rd);
    if (falls_due) regs_d.next = after(regs_q.next);
    regs_d.count = regs_q.count + CountW'(push_i) - CountW'(pop);
    regs_d.known = regs_q.known + CountW'(falls_due) - CountW'(pop);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  always_ff @(posedge clk_i) begin
    if (push_i) begin
      msg_q[regs_q.wr] <= msg_i;
      due_q[regs_q.wr] <= due_i;
    end
  end

  `DUET_ASSERT(NoOverflow, !push_i || !full_o, "message pushed into a full link")
  `DUET_ASSERT(KnownAreHeld, regs_q.known <= regs_q.count, "more messages due than held")
  `DUET_ASSERT_STABLE(LinkStable, valid_o, ready_i, msg_o)
endmodule
