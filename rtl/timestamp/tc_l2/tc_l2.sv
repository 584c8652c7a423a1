`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "tc_l2_types.svh"

/// A bank of the L2 under temporal coherence: write-back, lends lines until a cycle, and holds all
/// lines that L1s hold (Tabbakh, thesis, section 3.2.1; specification 5.4, 5.8). All outputs are
/// functions of registers. A request accepted in cycle t can act in t+1; a hit is answered in t+4,
/// a request to memory shows in t+2. One action in L2Div cycles.
module tc_l2  // rule: Cycle rules
  import timestamp_pkg::*;
#(
  parameter int unsigned NSm     = 16,   // SMs, 1..32
  parameter int unsigned Line    = 128,  // bytes of a line: 16, 32, 64, 128
  parameter int unsigned LineW   = 25,   // bits of its address, 8..40
  parameter int unsigned L2Banks = 8,    // banks, a power of 2, 1..16
  parameter int unsigned L2Sets  = 128,  // sets of this one, a power of 2, 1..1024
  parameter int unsigned L2Ways  = 8,    // ways of a set, 1..16
  parameter int unsigned L2Mshr  = 32,   // lines that are waited for, 1..64
  parameter int unsigned L2Wait  = 4,    // requests that wait for one of them, 1..16
  parameter int unsigned L2Div   = 2,    // cycles from one action to the next, 1..4
  parameter int unsigned Proto   = 0,    // 0 TC-Strong, 1 TC-Weak
  parameter int unsigned TcLease = 100,  // cycles for which a line is lent, 1..65535
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(Line, LineW, TcTsW),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(Line, TcTsW),
  localparam type dram_req_t = `TIMESTAMP_DRAM_REQ_T(Line, LineW),
  localparam type dram_rsp_t = `TIMESTAMP_DRAM_RSP_T(Line, LineW),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineW, L2Ways),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineW),
  localparam type cnt_t      = `TC_L2_CNT_T
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
  localparam int unsigned LineP    = legal_line(Line);
  localparam int unsigned LineWP   = clamp(8, 40, LineW);
  localparam int unsigned L2BanksP = legal_power(16, L2Banks);
  localparam int unsigned L2SetsP  = legal_power(clamp(1, 1024, (1 << clamp(0, 30, LineWP - 1))
                                                                / L2BanksP), L2Sets);
  localparam int unsigned L2WaysP  = clamp(1, 16, L2Ways);
  localparam int unsigned L2MshrP  = clamp(1, 64, L2Mshr);
  localparam int unsigned L2WaitP  = clamp(1, 16, L2Wait);
  localparam int unsigned L2DivP   = clamp(1, 4, L2Div);
  localparam int unsigned TcLeaseP = clamp(1, 65535, TcLease);

  // A write waits for the end of its line's lease.
  localparam bit Strong = (Proto == ProtoTcs);

  localparam int unsigned MshrW = (L2MshrP > 1) ? $clog2(L2MshrP) : 1;
  localparam int unsigned SetW  = (L2SetsP > 1) ? $clog2(L2SetsP) : 1;

  typedef `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TcTsW) req_t;
  typedef `TIMESTAMP_BUS_RSP_T(LineP, TcTsW) rsp_t;
  typedef logic [8*LineP-1:0] data_t;
  typedef logic [SetW-1:0]    set_t;
  typedef logic [L2WaysP-1:0] ways_t;

  cnt_t cnt_d, cnt_q;

  // -----------------------------------------------------------------------------------------------
  // All but leases
  logic               performs;
  req_t               request;
  rsp_t               answer;
  set_t               set, at_set;
  logic [3:0]         at_way;
  ways_t              over;
  data_t              at_data, old_data;
  logic               performed, filled, waits, mshr_write;
  logic [L2MshrP-1:0] mshr_over;
  logic [MshrW-1:0]   mshr;
  logic               goes, no_way, waiting;
  // Of G-TSC's leases, and its counters.
  logic               unused_fills, unused_refused, unused_gone, unused_empty;
  logic               unused_read, unused_write, unused_held;
  ways_t              unused_valid;

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
    .Keeps(1'b1),
    .Waits(Strong),
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
    .valid_o     (unused_valid),
    .over_i      (over),
    .mshr_over_i (mshr_over),
    .stop_i      (1'b0),
    .performs_o  (performs),
    .fills_o     (unused_fills),
    .refuse_i    (1'b0),
    .request_o   (request),
    .at_set_o    (at_set),
    .at_way_o    (at_way),
    .at_data_o   (at_data),
    .old_data_o  (old_data),
    .answer_i    (answer),
    .refused_o   (unused_refused),
    .performed_o (performed),
    .filled_o    (filled),
    .waits_o     (waits),
    .goes_o      (goes),
    .gone_o      (unused_gone),
    .empty_o     (unused_empty),
    .mshr_write_o(mshr_write),
    .mshr_o      (mshr),
    .read_o      (unused_read),
    .write_o     (unused_write),
    .held_o      (unused_held),
    .no_way_o    (no_way),
    .waiting_o   (waiting)
  );

  // -----------------------------------------------------------------------------------------------
  // What a request is answered
  logic        reads;
  logic [31:0] now, exp, longer, new_exp;

  assign reads   = (request.op == BusRd);  // rule: 1
  assign longer  = now + 32'(TcLeaseP);  // rule: 1
  assign new_exp = (reads && longer > exp) ? longer : exp;  // rule: 1
  wire unused_request = ^{request.aop, request.sz, request.rep, request.line, request.wts,
                          request.warp_ts, request.mask, request.data};

  always_comb begin : respond  // rule: 1
    answer = '0;
    if (performs) begin
      answer.sm                = request.sm;
      answer.id                = request.id;
      {answer.wts, answer.rts} = new_exp;
      unique case (request.op)
        BusRd: begin
          answer.op   = RspFill;
          answer.data = at_data;
        end
        BusWr:   answer.op = RspWrAck;
        default: begin
          answer.op   = RspAtomAck;
          answer.data = old_data;
        end
      endcase
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Leases
  tc_l2_leases #(  // rule: Registers
    .Sets(L2SetsP),
    .Ways(L2WaysP),
    .Mshr(L2MshrP)
  ) u_leases (
    .clk_i,
    .rst_ni,
    .now_o       (now),
    .at_set_i    (at_set),
    .at_way_i    (at_way),
    .exp_o       (exp),
    .write_i     (performed || filled),
    .exp_i       (filled ? '0 : waits ? exp : new_exp),
    .mshr_write_i(mshr_write),
    .mshr_i      (mshr),
    .set_i       (set),
    .over_o      (over),
    .mshr_over_o (mshr_over)
  );

  // -----------------------------------------------------------------------------------------------
  // Counters
  always_comb begin : count  // rule: 5
    cnt_d = cnt_q;
    if (waiting) cnt_d.stall_lease = cnt_q.stall_lease + 32'd1;
    if (no_way) cnt_d.stall_evict = cnt_q.stall_evict + 32'd1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) cnt_q <= '0;
    else         cnt_q <= cnt_d;
  end
  assign cnt_o = cnt_q;  // rule: 5

  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 32, "NSm must be 1..32")
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
  `DUET_ASSERT_PARAM(ProtoLegal, Proto <= ProtoTcw, "Proto must be 0 or 1")
  `DUET_ASSERT_PARAM(TcLeaseLegal, TcLease >= 1 && TcLease <= 65535, "TcLease must be 1..65535")

  // Specification section 8.1.
  `DUET_ASSERT(AfterEveryLease, !(Strong && performed && !reads) || now >= exp,
               "store inside a lease")
  `DUET_ASSERT(LentStays, !goes || now >= exp, "line goes that an L1 may hold")
  `DUET_PROMISE_STATIC(Static, policy_i)
endmodule
