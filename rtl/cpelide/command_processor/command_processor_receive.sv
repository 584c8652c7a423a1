`include "duet_assert.svh"

/// Messages from the crossbar: ACKs clear their chiplet's bit of ACK_PEND, the others wait in a
/// FIFO for the core (README.md, rules 25 to 28). All cycles are the processor's.
module command_processor_receive  // rule: 25
  import cpelide_pkg::*;
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
  output logic [CountW-1:0] count_o,  // messages in the FIFO
  output msg_t              head_o,   // the oldest, 0 if there is none
  output logic [15:0]       ack_pend_o,
  input  logic              pop_i,      // take the oldest, if there is one; in an enabled cycle
  input  logic [15:0]       request_i,  // a SYNC_REQ is sent to these chiplets
  output logic              ack_o,      // an ACK is counted
  output logic              push_o,     // another message is appended
  output logic              error_o     // ACK without request, or a message finds the FIFO full
);
  typedef struct packed {
    logic [15:0] ack_pend;
    logic        told;  // that the FIFO is full
  } regs_t;
  regs_t regs_d, regs_q;
  msg_t  oldest;

  wire full   = (32'(count_o) == RxFifo);
  wire accept = rx_valid_i && rx_ready_o;
  wire is_ack = (rx_i.kind == KindAck);
  assign rx_ready_o = run_i && !full;

  always_comb begin : next_state
    regs_d  = regs_q;
    ack_o   = 1'b0;
    push_o  = 1'b0;
    error_o = 1'b0;
    if (accept && is_ack) begin  // rule: 26
      ack_o                         = regs_q.ack_pend[rx_i.chiplet];
      error_o                       = !ack_o;
      regs_d.ack_pend[rx_i.chiplet] = 1'b0;
    end
    if (accept && !is_ack) push_o = 1'b1;
    if (run_i) begin
      regs_d.told = full && (rx_valid_i || regs_q.told);  // rule: 28
      if (full && rx_valid_i && !regs_q.told) error_o = 1'b1;  // rule: 28
    end
    // What is asked for in this cycle is asked for after the ACK.
    regs_d.ack_pend = regs_d.ack_pend | request_i;  // rule: 26
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  duet_fifo #(  // rule: 27
    .T    (msg_t),
    .Depth(RxFifo)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i(push_o),
    .data_i(rx_i),
    .pop_i (pop_i && count_o != '0),
    .head_o(oldest),
    .count_o
  );

  assign head_o     = (count_o != '0) ? oldest : '0;  // rule: 27
  assign ack_pend_o = regs_q.ack_pend;

  `DUET_ASSERT(QuietWhileStopped, run_i || !(pop_i || request_i != '0),
               "mailbox access of a core that stands")
endmodule
