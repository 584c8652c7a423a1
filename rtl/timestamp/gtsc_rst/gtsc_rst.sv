`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "gtsc_rst_types.svh"

/// Lets all timestamps begin anew, after an overflow or at a kernel's end: halts the banks, has
/// them sweep their leases, and tells the L1s the next generation (Tabbakh, thesis, section 3.5.4;
/// specification 5.5). All outputs are functions of registers. An overflow of cycle t halts the
/// banks in t+1.
module gtsc_rst  // rule: Cycle rules
  import timestamp_pkg::*;
#(
  parameter int unsigned NSm     = 16,  // SMs, 1..32
  parameter int unsigned L2Banks = 8,   // banks, a power of 2, 1..16
  localparam type counters_t = `GTSC_RST_CNT_T
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // bit b: bank b
  input  logic [L2Banks-1:0] ovf_i,       // a timestamp would not fit
  input  logic [L2Banks-1:0] halted_i,    // stands still
  input  logic [L2Banks-1:0] rst_done_i,  // all its leases begin anew
  output logic               halt_o,
  output logic               rst_o,
  // the L1s
  input  logic [NSm-1:0][1:0] rep_ack_i,  // generation of each
  output logic [1:0]          rep_o,      // generation that they are to have
  // kend: a kernel has ended
  input  logic               kend_valid_i,
  output logic               kend_ready_o,
  output logic               kend_done_o,  // pulse
  // err: pulse
  output logic               err_valid_o,
  output logic [3:0]         err_code_o,
  output counters_t               counters_o         // events since reset
);
  typedef enum logic [1:0] {
    StIdle,
    StHalt,
    StSweep,
    StFlush
  } state_e;

  state_e     state_d, state_q;
  logic [1:0] rep_d, rep_q;
  logic       kend_d, kend_q;  // the host waits for this reset
  logic       done_d, done_q;
  logic       err_d, err_q;
  counters_t       counters_d, counters_q;

  assign halt_o       = (state_q != StIdle);  // rule: States halt_o
  assign rst_o        = (state_q == StSweep);  // rule: States halt_o
  assign rep_o        = rep_q;  // rule: States Sweep
  assign kend_ready_o = (state_q == StIdle);  // rule: States halt_o
  assign kend_done_o  = done_q;  // rule: States Flush
  assign err_valid_o  = err_q;  // rule: 2
  assign err_code_o   = err_q ? ErrRstGeneration : ErrNone;  // rule: 2
  assign counters_o        = counters_q;  // rule: 1

  always_comb begin : next_state
    state_d = state_q;
    rep_d   = rep_q;
    kend_d  = kend_q;
    done_d  = 1'b0;
    unique case (state_q)
      // One reset for all that ask in the same cycle.
      StIdle: begin  // rule: States Idle
        kend_d = kend_valid_i;  // rule: 3
        if (ovf_i != '0 || kend_valid_i) state_d = StHalt;
      end
      // No bank acts from here on, until each L1 has flushed: no answer of the new generation meets
      // an L1 of the old one.
      StHalt: if (halted_i == '1) state_d = StSweep;  // rule: States Halt
      StSweep: begin  // rule: States Sweep
        if (rst_done_i == '1) begin
          state_d = StFlush;
          rep_d   = rep_q + 2'd1;
        end
      end
      default: begin  // rule: States Flush; 4
        if (rep_ack_i == {NSm{rep_q}}) begin
          state_d = StIdle;
          done_d  = kend_q;
        end
      end
    endcase
  end

  always_comb begin : events
    err_d = 1'b0;  // rule: 2
    for (int unsigned s = 0; s < NSm; s++) begin
      if (rep_ack_i[s] != rep_q && rep_ack_i[s] != rep_q - 2'd1) err_d = 1'b1;  // rule: 2
    end
    counters_d = counters_q;
    if (state_q == StIdle && state_d != StIdle)
      counters_d.resets = counters_q.resets + 32'd1;  // rule: 1
    if (halt_o) counters_d.halt_cycles = counters_q.halt_cycles + 32'd1;  // rule: 1
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin  // rule: Registers
    if (!rst_ni) begin
      state_q <= StIdle;
      rep_q   <= '0;
      kend_q  <= 1'b0;
      done_q  <= 1'b0;
      err_q   <= 1'b0;
      counters_q   <= '0;
    end else begin
      state_q <= state_d;
      rep_q   <= rep_d;
      kend_q  <= kend_d;
      done_q  <= done_d;
      err_q   <= err_d;
      counters_q   <= counters_d;
    end
  end

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 32, "NSm must be 1..32")
  `DUET_ASSERT_PARAM(L2BanksLegal, L2Banks == legal_power(16, L2Banks),
                     "L2Banks must be a power of 2 of at most 16")

  // Specification section 8.1.
  `DUET_ASSERT(RepBySweep, rep_q == $past(rep_q) || $past(rst_o && rst_done_i == '1),
               "generation changed without a sweep")
  `DUET_ASSERT(KendLasts, !kend_done_o || !halt_o, "kernel's end told before the banks may act")
  `TIMESTAMP_ASSERT_INPUT(BanksStand, !rst_o || halted_i == '1, "bank acts during the sweep")
  `TIMESTAMP_ASSERT_INPUT(NoError, !err_d, "L1 of a generation that cannot be")
endmodule
