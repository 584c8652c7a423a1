`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "gtsc_l2_types.svh"

/// A bank of the L2 under G-TSC: write-back, lends lines in logical time (Tabbakh, thesis, chapter
/// 3; specification 5.4, 5.5). All outputs are functions of registers. A request accepted in cycle
/// t can act in t+1; a hit is answered in t+4, a request to memory shows in t+2. One action in
/// L2Div cycles.
module gtsc_l2  // rule: Cycle rules
  import timestamp_pkg::*;
#(
  parameter int unsigned NSm     = 16,   // SMs, 1..32
  parameter int unsigned TsW     = 16,   // bits of a timestamp, 5..32
  parameter int unsigned Lease   = 10,   // logical time for which a line is lent, 1..2^(TsW-2)
  parameter int unsigned Line    = 128,  // bytes of a line: 16, 32, 64, 128
  parameter int unsigned LineW   = 25,   // bits of its address, 8..40
  parameter int unsigned L2Banks = 8,    // banks, a power of 2, 1..16
  parameter int unsigned L2Sets  = 128,  // sets of this one, a power of 2, 1..1024
  parameter int unsigned L2Ways  = 8,    // ways of a set, 1..16
  parameter int unsigned L2Mshr  = 32,   // lines that are waited for, 1..64
  parameter int unsigned L2Wait  = 4,    // requests that wait for one of them, 1..16
  parameter int unsigned L2Div   = 2,    // cycles from one action to the next, 1..4
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(Line, LineW, TsW),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(Line, TsW),
  localparam type dram_req_t = `TIMESTAMP_DRAM_REQ_T(Line, LineW),
  localparam type dram_rsp_t = `TIMESTAMP_DRAM_RSP_T(Line, LineW),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineW, L2Ways),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineW),
  localparam type cnt_t      = `GTSC_L2_CNT_T
) (
  input  logic       clk_i,
  input  logic       rst_ni,
  // bus: requests of the L1s, and answers
  input  logic       bus_req_valid_i,
  input  bus_req_t   bus_req_i,
  output logic       bus_req_ready_o,
  output logic       bus_rsp_valid_o,
  output bus_rsp_t   bus_rsp_o,
  input  logic       bus_rsp_ready_i,
  // dram: requests to memory, and lines that were read
  output logic       dram_req_valid_o,
  output dram_req_t  dram_req_o,
  input  logic       dram_req_ready_i,
  input  logic       dram_rsp_valid_i,
  input  dram_rsp_t  dram_rsp_i,
  output logic       dram_rsp_ready_o,
  // all timestamps begin anew
  output logic       ovf_o,       // a timestamp would not fit
  input  logic       halt_i,      // stand still
  output logic       halted_o,
  input  logic       rst_i,       // leases begin anew
  output logic       rst_done_o,
  // sync: a release or an acquire
  input  logic       sync_valid_i,
  input  logic       sync_i,
  output logic       sync_ready_o,
  output logic       sync_done_o, // pulse
  // a policy says which way a line takes
  input  logic       policy_i,    // static
  output logic       ask_valid_o, // until pick_valid_i
  output ask_t       ask_o,
  input  logic       pick_valid_i,
  input  pick_t      pick_i,
  // event: what the action of the cycle before did to a line
  output logic       event_valid_o,
  output event_t     event_o,
  // err: pulse
  output logic       err_valid_o,
  output logic [3:0] err_code_o,
  output cnt_t       cnt_o        // events since reset
);
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned NSmP     = clamp(1, 32, NSm);
  localparam int unsigned TsWP     = clamp(5, 32, TsW);
  localparam int unsigned LeaseP   = clamp(1, 1 << (TsWP - 2), Lease);
  localparam int unsigned LineP    = legal_line(Line);
  localparam int unsigned LineWP   = clamp(8, 40, LineW);
  localparam int unsigned L2BanksP = legal_power(16, L2Banks);
  localparam int unsigned L2SetsP  = legal_power(clamp(1, 1024, (1 << clamp(0, 30, LineWP - 1))
                                                                / L2BanksP), L2Sets);
  localparam int unsigned L2WaysP  = clamp(1, 16, L2Ways);
  localparam int unsigned L2MshrP  = clamp(1, 64, L2Mshr);
  localparam int unsigned L2WaitP  = clamp(1, 16, L2Wait);
  localparam int unsigned L2DivP   = clamp(1, 4, L2Div);

  localparam int unsigned SetW  = (L2SetsP > 1) ? $clog2(L2SetsP) : 1;
  localparam logic [TsWP:0] Max = {1'b0, {TsWP{1'b1}}} - 1'b1;

  typedef `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TsWP) req_t;
  typedef `TIMESTAMP_BUS_RSP_T(LineP, TsWP) rsp_t;
  typedef logic [8*LineP-1:0] data_t;
  typedef logic [TsWP-1:0]    ts_t;
  typedef logic [SetW-1:0]    set_t;
  typedef logic [L2WaysP-1:0] ways_t;
  typedef logic [((L2MshrP > 1) ? $clog2(L2MshrP) : 1)-1:0] mshr_t;

  logic ovf_d, ovf_q, halted_q;
  cnt_t cnt_d, cnt_q;

  // -----------------------------------------------------------------------------------------------
  // All but leases
  logic       performs, fills, refuse;
  req_t       request;
  rsp_t       answer;
  set_t       set, at_set;
  logic [3:0] at_way;
  ways_t      valid;
  data_t      at_data, old_data;
  logic       refused, performed, filled, goes, gone, empty;
  logic       read_in, write_out, held;
  // Leases of TC alone are waited for.
  logic       unused_waits, unused_write, unused_no_way, unused_waiting;
  mshr_t      unused_mshr;

  duet_l2_bank #(  // rule: The action of a cycle
    .NSm  (NSmP),
    .Line (LineP),
    .LineW(LineWP),
    .Banks(L2BanksP),
    .Sets (L2SetsP),
    .Ways (L2WaysP),
    .Mshr (L2MshrP),
    .Wait (L2WaitP),
    .Div  (L2DivP),
    .Keeps(1'b0),
    .Waits(1'b0),
    .req_t(req_t),
    .rsp_t(rsp_t)
  ) u_bank (
    .clk_i,
    .rst_ni,
    .bus_req_valid_i,
    .bus_req_i,
    .bus_req_ready_o,
    .bus_rsp_valid_o,
    .bus_rsp_o,
    .bus_rsp_ready_i,
    .dram_req_valid_o,
    .dram_req_o,
    .dram_req_ready_i,
    .dram_rsp_valid_i,
    .dram_rsp_i,
    .dram_rsp_ready_o,
    .sync_valid_i,
    .sync_i,
    .sync_ready_o,
    .sync_done_o,
    .policy_i,
    .ask_valid_o,
    .ask_o,
    .pick_valid_i,
    .pick_i,
    .event_valid_o,
    .event_o,
    .err_valid_o,
    .err_code_o,
    .set_o       (set),
    .valid_o     (valid),
    .over_i      ('1),
    .mshr_over_i ('1),
    .stop_i      (halt_i || rst_i || ovf_q),
    .performs_o  (performs),
    .fills_o     (fills),
    .refuse_i    (refuse),
    .request_o   (request),
    .at_set_o    (at_set),
    .at_way_o    (at_way),
    .at_data_o   (at_data),
    .old_data_o  (old_data),
    .answer_i    (answer),
    .refused_o   (refused),
    .performed_o (performed),
    .filled_o    (filled),
    .waits_o     (unused_waits),
    .goes_o      (goes),
    .gone_o      (gone),
    .empty_o     (empty),
    .mshr_write_o(unused_write),
    .mshr_o      (unused_mshr),
    .read_o      (read_in),
    .write_o     (write_out),
    .held_o      (held),
    .no_way_o    (unused_no_way),
    .waiting_o   (unused_waiting)
  );

  // -----------------------------------------------------------------------------------------------
  // What a request is answered
  logic       over, renews, writes, mem_over;
  logic [1:0] rep;  // own generation
  ts_t        wts, rts, new_wts, new_rts, mem_ts;

  gtsc_l2_perform #(  // rule: 2
    .TsW  (TsWP),
    .Lease(LeaseP),
    .Line (LineP),
    .req_t(req_t),
    .rsp_t(rsp_t)
  ) u_perform (
    .clk_i,
    .rst_ni,
    .valid_i(performs),
    .req_i  (request),
    .rep_i  (rep),
    .wts_i  (wts),
    .rts_i  (rts),
    .data_i (at_data),
    .old_i  (old_data),
    .over_o (over),
    .renew_o(renews),
    .write_o(writes),
    .wts_o  (new_wts),
    .rts_o  (new_rts),
    .rsp_o  (answer)
  );
  // An action whose timestamp does not fit changes nothing.
  assign mem_over = ({1'b0, mem_ts} + (TsWP + 1)'(LeaseP) > Max);  // rule: Ports ovf_o
  assign refuse   = (performs && over) || (fills && mem_over);  // rule: Ports ovf_o

  // -----------------------------------------------------------------------------------------------
  // Leases, and how they begin anew
  logic begins, sweep;
  set_t sweep_set;

  gtsc_l2_leases #(  // rule: Registers _leases
    .TsW  (TsWP),
    .Lease(LeaseP),
    .Sets (L2SetsP),
    .Ways (L2WaysP)
  ) u_leases (
    .clk_i,
    .rst_ni,
    .at_set_i   (at_set),
    .at_way_i   (at_way),
    .wts_o      (wts),
    .rts_o      (rts),
    .write_i    (performed || filled),
    .wts_i      (filled ? mem_ts : new_wts),
    .rts_i      (filled ? mem_ts + ts_t'(LeaseP) : new_rts),
    .go_i       (goes),
    .go_rts_i   (gone ? new_rts : rts),  // rule: 8
    .set_i      (set),
    .valid_i    (valid),
    .empty_i    (empty),
    .begin_i    (begins),
    .sweep_i    (sweep),
    .sweep_set_i(sweep_set),
    .mem_ts_o   (mem_ts)
  );

  gtsc_l2_sweep #(  // rule: 5
    .Sets(L2SetsP)
  ) u_sweep (
    .clk_i,
    .rst_ni,
    .rst_i,
    .rst_done_o,
    .begin_o(begins),
    .sweep_o(sweep),
    .set_o  (sweep_set),
    .rep_o  (rep)
  );

  // -----------------------------------------------------------------------------------------------
  // Next state
  assign ovf_d = (ovf_q || refused) && !begins;  // rule: Ports ovf_o

  always_comb begin : count  // rule: 6
    cnt_d = cnt_q;
    if (performed) begin
      unique case (request.op)
        BusRd:   cnt_d.busrd = cnt_q.busrd + 32'd1;
        BusWr:   cnt_d.buswr = cnt_q.buswr + 32'd1;
        default: cnt_d.busatom = cnt_q.busatom + 32'd1;
      endcase
      if (!writes && !renews) cnt_d.fills_sent = cnt_q.fills_sent + 32'd1;
      if (renews) cnt_d.renews_sent = cnt_q.renews_sent + 32'd1;
    end
    if (read_in) cnt_d.dram_reads = cnt_q.dram_reads + 32'd1;
    if (write_out) cnt_d.writebacks = cnt_q.writebacks + 32'd1;
    if (goes) cnt_d.evictions = cnt_q.evictions + 32'd1;
    if (held) cnt_d.hold_cycles = cnt_q.hold_cycles + 32'd1;  // rule: 7
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ovf_q    <= 1'b0;
      halted_q <= 1'b0;
      cnt_q    <= '0;
    end else begin
      ovf_q    <= ovf_d;
      halted_q <= halt_i;  // rule: Ports halt_i
      cnt_q    <= cnt_d;
    end
  end

  assign ovf_o    = ovf_q;  // rule: Ports ovf_o
  assign halted_o = halted_q;  // rule: Ports halt_i
  assign cnt_o    = cnt_q;  // rule: Ports

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 32, "NSm must be 1..32")
  `DUET_ASSERT_PARAM(TsWLegal, TsW >= 5 && TsW <= 32, "TsW must be 5..32")
  `DUET_ASSERT_PARAM(LeaseLegal, Lease == LeaseP, "Lease must be 1..2^(TsW-2)")
  `DUET_ASSERT_PARAM(LineLegal, Line == LineP, "Line must be 16, 32, 64 or 128")
  `DUET_ASSERT_PARAM(LineWLegal, LineW >= 8 && LineW <= 40, "LineW must be 8..40")
  `DUET_ASSERT_PARAM(L2BanksLegal, L2Banks == L2BanksP,
                     "L2Banks must be a power of 2 of at most 16")
  `DUET_ASSERT_PARAM(L2SetsLegal, L2Sets == L2SetsP,
                     "L2Sets must be a power of 2 of at most 1024, and of 2^(LineW-1) / L2Banks")
  `DUET_ASSERT_PARAM(L2WaysLegal, L2Ways >= 1 && L2Ways <= 16, "L2Ways must be 1..16")
  `DUET_ASSERT_PARAM(L2MshrLegal, L2Mshr >= 1 && L2Mshr <= 64, "L2Mshr must be 1..64")
  `DUET_ASSERT_PARAM(L2WaitLegal, L2Wait >= 1 && L2Wait <= 16, "L2Wait must be 1..16")
  `DUET_ASSERT_PARAM(L2DivLegal, L2Div >= 1 && L2Div <= 4, "L2Div must be 1..4")

  // Specification section 8.1.
  `DUET_ASSERT(OverflowLasts, !$past(ovf_q) || ovf_q || $past(begins),
               "overflow forgotten before the leases began anew")
  `DUET_PROMISE_STATIC(Static, policy_i)
endmodule
