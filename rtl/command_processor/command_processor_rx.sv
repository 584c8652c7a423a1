`include "duet_assert.svh"

/// Messages from the crossbar: ACKs clear their chiplet's bit of ACK_PEND, the others wait in a FIFO for the core
/// (README.md, rules 25 to 28). All cycles are the processor's.
module command_processor_rx
  import command_pkg::*;
#(
  localparam int unsigned CountW = $clog2(RxFifo + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              run_i,
  input  logic              rx_valid_i,
  output logic              rx_ready_o,
  input  msg_t              rx_i,
  // what the mailbox shows
  output logic [CountW-1:0] count_o,     // messages in the FIFO
  output msg_t              head_o,      // the oldest, 0 if there is none
  output logic [15:0]       ack_pend_o,
  input  logic              pop_i,       // take the oldest, if there is one; in an enabled cycle
  input  logic [15:0]       request_i,   // a SYNC_REQ is sent to these chiplets
  output logic              ack_o,       // an ACK is counted
  output logic              push_o,      // another message is appended
  output logic              error_o      // ACK without request, or a message finds the FIFO full
);
  localparam int unsigned PtrW = $clog2(RxFifo);

  typedef struct packed {
    logic [PtrW-1:0]   wr;
    logic [PtrW-1:0]   rd;
    logic [CountW-1:0] count;
    logic [15:0]       ack_pend;
    logic              told;  // that the FIFO is full
  } regs_t;
  regs_t regs_d, regs_q;
  msg_t  mem_q [RxFifo];  // not reset: count says what means something

  wire full   = (32'(regs_q.count) == RxFifo);
  wire accept = rx_valid_i && rx_ready_o;
  wire is_ack = (rx_i.kind == KindAck);
  wire pop    = pop_i && regs_q.count != '0;
  assign rx_ready_o = run_i && !full;

  always_comb begin : next_state
    regs_d  = regs_q;
    ack_o   = 1'b0;
    push_o  = 1'b0;
    error_o = 1'b0;
    if (accept && is_ack) begin
      ack_o   = regs_q.ack_pend[rx_i.chiplet];
      error_o = !ack_o;
      regs_d.ack_pend[rx_i.chiplet] = 1'b0;
    end
    if (accept && !is_ack) push_o = 1'b1;
    if (run_i) begin
      regs_d.told = full && (rx_valid_i || regs_q.told);
      if (full && rx_valid_i && !regs_q.told) error_o = 1'b1;
    end
    // What is asked for in this cycle is asked for after the ACK.
    regs_d.ack_pend = regs_d.ack_pend | request_i;
    regs_d.wr       = regs_q.wr + PtrW'(push_o);
    regs_d.rd       = regs_q.rd + PtrW'(pop);
    regs_d.count    = regs_q.count + CountW'(push_o) - CountW'(pop);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  always_ff @(posedge clk_i) begin
    if (push_o) mem_q[regs_q.wr] <= rx_i;
  end

  assign count_o    = regs_q.count;
  assign head_o     = (regs_q.count != '0) ? mem_q[regs_q.rd] : '0;
  assign ack_pend_o = regs_q.ack_pend;

  `DUET_ASSERT(NoOverflow, !push_o || !full, "message pushed into a full RX FIFO")
  `DUET_ASSERT(QuietWhileStopped, run_i || !(pop_i || request_i != '0), "mailbox access of a core that stands")
endmodule
