`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "tc_l1_types.svh"

/// The L1 of an SM under TC-Strong or TC-Weak (Tabbakh, thesis, section 3.2.1; specification 5.8):
/// each line has a lease in physical time. One action in a cycle. All outputs are functions of
/// registers. What is accepted in cycle t acts in t+1 at the earliest, and what it sends is valid
/// in t+2.
module tc_l1  // rule: Cycle rules
  import timestamp_pkg::*;
#(
  parameter int unsigned Warps   = 48,   // 1..64
  parameter int unsigned Line    = 128,  // bytes: 16, 32, 64, 128
  parameter int unsigned LineW   = 25,   // bits of the address of a line, 8..40
  parameter int unsigned L1Sets  = 32,   // 1..256, a power of 2
  parameter int unsigned L1Ways  = 4,    // 1..8
  parameter int unsigned L1Mshr  = 32,   // 1..64
  parameter int unsigned Waiters = 8,    // of each of them, 1..48
  parameter int unsigned Stq     = 64,   // stores under way, 1..64
  parameter int unsigned Proto   = 0,    // 0 TC-Strong, 1 TC-Weak
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned WarpsP   = clamp(1, 64, Warps),
  localparam int unsigned LineP    = legal_line(Line),
  localparam int unsigned LineWP   = clamp(8, 40, LineW),
  localparam int unsigned L1SetsP  = legal_power((LineWP > 8) ? 256 : 128, L1Sets),
  localparam int unsigned L1WaysP  = clamp(1, 8, L1Ways),
  localparam int unsigned L1MshrP  = clamp(1, 64, L1Mshr),
  localparam int unsigned WaitersP = clamp(1, 48, Waiters),
  localparam int unsigned StqP     = clamp(1, 64, Stq),
  localparam type core_req_t = `TIMESTAMP_CORE_REQ_T(LineP, LineWP),
  localparam type core_rsp_t = `TIMESTAMP_CORE_RSP_T(LineP, TcTsW),
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TcTsW),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(LineP, TcTsW),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineWP, L1WaysP),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineWP),
  localparam type cnt_t      = `TC_L1_CNT_T
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // core: the SM
  input  logic              core_req_valid_i,
  output logic              core_req_ready_o,
  input  core_req_t         core_req_i,
  output logic              core_rsp_valid_o,
  input  logic              core_rsp_ready_i,
  output core_rsp_t         core_rsp_o,
  // bus: the L2 banks
  output logic              bus_req_valid_o,
  input  logic              bus_req_ready_i,
  output bus_req_t          bus_req_o,
  input  logic              bus_rsp_valid_i,
  output logic              bus_rsp_ready_o,
  input  bus_rsp_t          bus_rsp_i,
  input  logic [4:0]        sm_id_i,        // static
  output logic [WarpsP-1:0] warp_busy_o,    // warps that have requests inside
  input  logic              flush_i,        // all lines go
  output logic              flush_done_o,   // pulse
  output logic [WarpsP-1:0] fence_ok_o,     // warps whose fences may pass
  // a policy says which way a line takes
  input  logic              policy_i,       // static
  output logic              ask_valid_o,    // until pick
  output ask_t              ask_o,
  input  logic              pick_valid_i,
  input  pick_t             pick_i,
  output logic              event_valid_o,
  output event_t            event_o,
  // err: pulse
  output logic              err_valid_o,
  output logic [3:0]        err_code_o,
  output cnt_t              cnt_o           // events since reset
);
  localparam int unsigned WayW   = (L1WaysP > 1) ? $clog2(L1WaysP) : 1;
  localparam int unsigned CountW = $clog2(WaitersP + 1);
  // In FIFOs, waiting, stored.
  localparam int unsigned Inside = 4 + L1MshrP * WaitersP + StqP;

  // What a walk goes by.
  typedef struct packed {
    logic [31:0]        ends;  // the lease
    logic [8*LineP-1:0] data;
  } answer_t;

  // Specification 5.1, A0 to A4.
  typedef enum logic [2:0] {ActNone, ActWalk, ActFlush, ActAnswer, ActJudge, ActRequest} act_e;

  logic [31:0]       now_q;                 // cycles since reset
  logic              flush_d, flush_q;      // a flush is to come
  logic              flush_done_q;

  // -----------------------------------------------------------------------------------------------
  // Channels
  logic      req_valid, rsp_valid, core_rsp_room, bus_req_room;
  logic      core_req_pop, core_rsp_push, bus_req_push, bus_rsp_pop;
  core_req_t req;
  core_rsp_t core_rsp;
  bus_req_t  bus_req;
  bus_rsp_t  rsp;

  duet_l1_channels #(  // rule: gtsc_l1 Ports core_req_; gtsc_l1 Ports bus_req_
    .Warps     (WarpsP),
    .Most      (Inside),
    .core_req_t(core_req_t),
    .core_rsp_t(core_rsp_t),
    .bus_req_t (bus_req_t),
    .bus_rsp_t (bus_rsp_t)
  ) u_channels (
    .clk_i,
    .rst_ni,
    .core_req_valid_i,
    .core_req_ready_o,
    .core_req_i,
    .core_rsp_valid_o,
    .core_rsp_ready_i,
    .core_rsp_o,
    .bus_req_valid_o,
    .bus_req_ready_i,
    .bus_req_o,
    .bus_rsp_valid_i,
    .bus_rsp_ready_o,
    .bus_rsp_i,
    .warp_busy_o,
    .req_valid_o    (req_valid),
    .req_o          (req),
    .req_pop_i      (core_req_pop),
    .rsp_valid_o    (rsp_valid),
    .rsp_o          (rsp),
    .rsp_pop_i      (bus_rsp_pop),
    .core_rsp_room_o(core_rsp_room),
    .core_rsp_push_i(core_rsp_push),
    .core_rsp_data_i(core_rsp),
    .bus_req_room_o (bus_req_room),
    .bus_req_push_i (bus_req_push),
    .bus_req_data_i (bus_req)
  );

  // -----------------------------------------------------------------------------------------------
  // Which action
  act_e act;
  logic walking, judge_ready;
  logic picked, pick_keep, pick_wrong;  // the policy has said a way; the line takes it

  always_comb begin : choose  // rule: Cycle rules
    act = ActNone;
    if (ask_valid_o) act = ActNone;  // rule: gtsc_l1 10
    else if (walking) act = core_rsp_room ? ActWalk : ActNone;  // rule: gtsc_l1 5
    else if (flush_q && !picked) act = ActFlush;  // rule: 7
    else if (!core_rsp_room) act = ActNone;  // rule: gtsc_l1 3
    else if (rsp_valid) act = ActAnswer;
    else if (!bus_req_room) act = ActNone;
    else if (judge_ready) act = ActJudge;
    else if (req_valid) act = ActRequest;
  end

  // -----------------------------------------------------------------------------------------------
  // The M, the store and the line that it is about
  logic               answer_acks, at_m;  // an answer to a store; M is known by its index
  logic [5:0]         m, judge_m, made_m, walk_m;
  logic               m_sent, known, m_room, m_after, m_full, m_waits;
  logic [LineWP-1:0]  m_line, line;
  logic [CountW-1:0]  m_count;
  logic [5:0]         waiter_warp, store_warp;
  logic [7:0]         waiter_id, store_id;
  logic [31:0]        waiter_ts, least_ts;
  logic               store_there, store_room;
  logic [5:0]         store_next;
  logic               present;
  logic [WayW-1:0]    way, victim, pick_way;
  logic [31:0]        line_ends, rsp_ends;
  logic [8*LineP-1:0] line_data;

  assign at_m = (act == ActWalk || act == ActJudge || (act == ActAnswer && !answer_acks));

  assign m    = (act == ActWalk) ? walk_m : (act == ActAnswer) ? rsp.id[5:0] : judge_m;
  assign line = at_m ? m_line : req.line;  // rule: Cycle rules

  assign rsp_ends = {rsp.wts, rsp.rts};  // rule: 1

  // -----------------------------------------------------------------------------------------------
  // Answers and walks
  logic              fill, ack;   // of the head, where it is not dropped
  logic              answer_bad;  // it is
  logic              late;        // a fill whose lease is over
  logic              ask, install;
  logic              judge_walks, judge_asks;
  logic              start, step, served, last;
  answer_t           walk, walk_by;
  logic [WayW-1:0]   install_way;

  tc_l1_answers #(  // rule: 6
    .Ways(L1WaysP)
  ) u_answers (
    .valid_i      (act == ActAnswer),
    .op_i         (rsp.op),
    .id_i         (rsp.id),
    .over_i       (now_q >= rsp_ends),
    .store_there_i(store_there),
    .sent_i       (m_sent),
    .st_after_i   (m_after),
    .present_i    (present),
    .way_i        (way),
    .victim_i     (victim),
    .policy_i     (policy_i),
    .picked_i     (picked),
    .keep_i       (pick_keep),
    .pick_way_i   (pick_way),
    .acks_o       (answer_acks),
    .ack_o        (ack),
    .fill_o       (fill),
    .bad_o        (answer_bad),
    .late_o       (late),
    .ask_o        (ask),
    .install_o    (install),
    .install_way_o(install_way)
  );
  // Way to here and back, and what TC has not.
  wire unused_rsp = ^{rsp.sm, rsp.rep, rsp.ok};

  always_comb begin : go_by  // rule: 4
    walk = walk_by;
    if (act == ActAnswer) walk = '{ends: rsp_ends, data: rsp.data};
    if (act == ActJudge) walk = '{ends: line_ends, data: line_data};
  end

  assign judge_walks = act == ActJudge && present && least_ts < line_ends;  // rule: 4
  assign judge_asks  = act == ActJudge && !judge_walks;  // rule: 4

  assign start  = (fill && !ask) || judge_walks;  // rule: 4
  assign served = step && waiter_ts < walk.ends;  // rule: 4

  duet_l1_walk #(  // rule: gtsc_l1 5
    .Waiters(WaitersP),
    .by_t   (answer_t)
  ) u_walk (
    .clk_i,
    .rst_ni,
    .start_i(start),
    .m_i    (m),
    .count_i(m_count),
    .by_i   (walk),
    .go_on_i(act == ActWalk),
    .on_o   (walking),
    .m_o    (walk_m),
    .by_o   (walk_by),
    .step_o (step),
    .last_o (last)
  );

  // -----------------------------------------------------------------------------------------------
  // Requests
  logic bad, hit, hold, merge, miss, nop;
  logic change, atomic;  // a store or an atomic; the latter
  logic legal;
  logic [8*LineP-1:0] unused_bits, req_data;

  duet_l1_request #(  // rule: gtsc_l1 1
    .Warps(WarpsP),
    .Line (LineP),
    .req_t(core_req_t)
  ) u_request (
    .req_i  (req),
    .legal_o(legal),
    .bits_o (unused_bits),
    .data_o (req_data)
  );

  tc_l1_requests u_requests (  // rule: Cycle rules
    .valid_i     (act == ActRequest),
    .legal_i     (legal),
    .op_i        (req.op),
    .empty_i     (req.mask == '0),
    .in_lease_i  (present && now_q < line_ends),
    .known_i     (known),
    .st_after_i  (m_after),
    .full_i      (m_full),
    .waits_i     (m_waits),
    .room_i      (m_room),
    .store_room_i(store_room),
    .bad_o       (bad),
    .hit_o       (hit),
    .hold_o      (hold),
    .merge_o     (merge),
    .miss_o      (miss),
    .nop_o       (nop),
    .change_o    (change),
    .atomic_o    (atomic)
  );

  // -----------------------------------------------------------------------------------------------
  // What is taken and sent
  assign core_req_pop = act == ActRequest && !hold;  // rule: Cycle rules
  assign bus_rsp_pop  = act == ActAnswer && !ask;  // rule: gtsc_l1 10
  assign bus_req_push = miss || judge_asks || change;  // rule: gtsc_l1 6

  assign core_rsp_push = served || ack || hit || nop || bad;  // rule: gtsc_l1 5
  always_comb begin : core_answer  // rule: gtsc_l1 1
    core_rsp      = '0;
    core_rsp.op   = req.op;
    core_rsp.warp = req.warp;
    core_rsp.id   = req.id;
    if (step) begin  // rule: gtsc_l1 5
      core_rsp.op   = OpLd;
      core_rsp.warp = waiter_warp;
      core_rsp.id   = waiter_id;
      core_rsp.data = walk.data;
    end else if (ack) begin  // rule: gtsc_l1 4
      core_rsp.op   = OpSt;
      core_rsp.warp = store_warp;
      core_rsp.id   = store_id;
      if (rsp.op == RspAtomAck) begin
        core_rsp.op   = OpAtom;
        core_rsp.data = rsp.data;
      end
    end else if (hit) begin  // rule: 3
      core_rsp.data = line_data;
    end
  end

  always_comb begin : bus_request  // rule: gtsc_l1 6
    bus_req      = '0;
    bus_req.op   = BusRd;
    bus_req.sm   = sm_id_i;
    bus_req.id   = {2'b00, made_m};
    bus_req.line = line;
    if (change) begin
      bus_req.op   = BusWr;
      bus_req.id   = {2'b10, store_next};
      bus_req.mask = req.mask;
      bus_req.data = req_data;
    end
    if (atomic) begin
      bus_req.op  = BusAtom;
      bus_req.aop = req.aop;
      bus_req.sz  = req.sz;
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Parts
  tc_l1_misses #(  // rule: States
    .Mshr   (L1MshrP),
    .Waiters(WaitersP),
    .LineW  (LineWP)
  ) u_misses (
    .clk_i,
    .rst_ni,
    .m_i        (m),
    .m_sent_o   (m_sent),
    .m_line_o   (m_line),
    .ready_o    (judge_ready),
    .ready_m_o  (judge_m),
    .line_i     (line),
    .known_o    (known),
    .room_o     (m_room),
    .at_o       (made_m),
    .st_after_o (m_after),
    .full_o     (m_full),
    .count_o    (m_count),
    .warp_o     (waiter_warp),
    .id_o       (waiter_id),
    .ts_o       (waiter_ts),
    .least_o    (least_ts),
    .warp_i     (req.warp),
    .waits_o    (m_waits),
    .push_i     (merge || miss || (step && !served)),
    .push_warp_i(step ? waiter_warp : req.warp),
    .push_id_i  (step ? waiter_id : req.id),
    .push_ts_i  (step ? waiter_ts : now_q),
    .pop_i      (step),
    .to_sent_i  (miss || judge_asks),
    .to_pend_i  (last && !(served && m_count == CountW'(1))),
    .to_free_i  (last && served && m_count == CountW'(1)),
    .answered_i (start && act == ActAnswer),
    .stored_i   (change),
    .flush_i    (act == ActFlush)
  );

  tc_l1_stores #(  // rule: gtsc_l1 3
    .Stq(StqP)
  ) u_stores (
    .clk_i,
    .rst_ni,
    .entry_i(rsp.id[5:0]),
    .there_o(store_there),
    .warp_o (store_warp),
    .id_o   (store_id),
    .free_i (ack),
    .room_o (store_room),
    .next_o (store_next),
    .make_i (change),
    .warp_i (req.warp),
    .id_i   (req.id)
  );

  tc_l1_lines #(  // rule: 3
    .Line (LineP),
    .LineW(LineWP),
    .Sets (L1SetsP),
    .Ways (L1WaysP)
  ) u_lines (
    .clk_i,
    .rst_ni,
    .line_i       (line),
    .present_o    (present),
    .way_o        (way),
    .exp_o        (line_ends),
    .data_o       (line_data),
    .victim_o     (victim),
    .hit_i        (hit),
    .drop_i       (change && present),  // rule: 5
    .install_i    (install),
    .install_way_i(install_way),
    .exp_i        (rsp_ends),
    .data_i       (rsp.data),
    .flush_i      (act == ActFlush)
  );

  tc_l1_fences #(  // rule: 8
    .Warps(WarpsP),
    .Weak (Proto == ProtoTcw)
  ) u_fences (
    .clk_i,
    .rst_ni,
    .busy_i(warp_busy_o),
    .now_i (now_q),
    .ack_i (ack),
    .warp_i(store_warp),
    .exp_i (rsp_ends),
    .ok_o  (fence_ok_o)
  );

  // -----------------------------------------------------------------------------------------------
  // The policy
  duet_l1_policy #(  // rule: gtsc_l1 10
    .LineW(LineWP),
    .Ways (L1WaysP)
  ) u_policy (
    .clk_i,
    .rst_ni,
    .ask_i     (ask),
    .line_i    (line),
    .ways_i    ('1),
    .done_i    (act == ActAnswer),
    .ask_valid_o,
    .ask_o,
    .pick_valid_i,
    .pick_i,
    .picked_o  (picked),
    .keep_o    (pick_keep),
    .way_o     (pick_way),
    .wrong_o   (pick_wrong),
    .used_i    (hit),
    .came_i    (install),
    .gone_i    (change && present),
    .all_gone_i(act == ActFlush),
    .line_way_i(install ? install_way : way),
    .event_valid_o,
    .event_o
  );

  // -----------------------------------------------------------------------------------------------
  // Errors and counters
  logic [3:0] err_d, err_q;
  cnt_t       cnt_d, cnt_q;

  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if (pick_wrong) err_d = ErrL1Pick;  // rule: gtsc_l1 10
    if (answer_bad) err_d = answer_acks ? ErrL1Ack : ErrL1Fill;  // rule: gtsc_l1 3
    if (bad) err_d = ErrL1Request;  // rule: gtsc_l1 1
  end

  always_comb begin : count  // rule: Ports
    cnt_d = cnt_q;
    if (hit) cnt_d.load_hit = cnt_q.load_hit + 32'd1;
    if (miss && !present) cnt_d.miss_cold = cnt_q.miss_cold + 32'd1;
    if (miss && present) cnt_d.miss_expired = cnt_q.miss_expired + 32'd1;
    if (late) cnt_d.late_fills = cnt_q.late_fills + 32'd1;  // rule: 6
  end

  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign cnt_o       = cnt_q;  // rule: Ports

  // -----------------------------------------------------------------------------------------------
  // Another one before it acts means nothing.
  assign flush_d      = flush_q ? act != ActFlush : flush_i;  // rule: 7
  assign flush_done_o = flush_done_q;  // rule: 7

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      now_q        <= '0;
      flush_q      <= 1'b0;
      flush_done_q <= 1'b0;
      err_q        <= ErrNone;
      cnt_q        <= '0;
    end else begin
      now_q        <= now_q + 32'd1;  // rule: 1
      flush_q      <= flush_d;
      flush_done_q <= (act == ActFlush);  // rule: 7
      err_q        <= err_d;
      cnt_q        <= cnt_d;
    end
  end

  // -----------------------------------------------------------------------------------------------
  `DUET_ASSERT_PARAM(WarpsLegal, Warps == WarpsP, "Warps must be 1..64")
  `DUET_ASSERT_PARAM(LineLegal, Line == LineP, "Line must be 16, 32, 64 or 128")
  `DUET_ASSERT_PARAM(LineWLegal, LineW == LineWP, "LineW must be 8..40")
  `DUET_ASSERT_PARAM(L1SetsLegal, L1Sets == L1SetsP,
                     "L1Sets must be a power of 2, at most 256 and 2^(LineW-1)")
  `DUET_ASSERT_PARAM(L1WaysLegal, L1Ways == L1WaysP, "L1Ways must be 1..8")
  `DUET_ASSERT_PARAM(L1MshrLegal, L1Mshr == L1MshrP, "L1Mshr must be 1..64")
  `DUET_ASSERT_PARAM(WaitersLegal, Waiters == WaitersP, "Waiters must be 1..48")
  `DUET_ASSERT_PARAM(StqLegal, Stq == StqP, "Stq must be 1..64")
  `DUET_ASSERT_PARAM(ProtoLegal, Proto <= ProtoTcw, "Proto must be 0 or 1")

  `DUET_ASSERT_STABLE(CoreRspStable, core_rsp_valid_o, core_rsp_ready_i, core_rsp_o)
  `DUET_ASSERT_STABLE(BusReqStable, bus_req_valid_o, bus_req_ready_i, bus_req_o)
  `DUET_ASSERT_STABLE(AskStable, ask_valid_o, pick_valid_i, ask_o)
  // Specification 8.1
  `DUET_ASSERT(HitInLease, !hit || (present && now_q < line_ends), "hit outside of the lease")
  `DUET_ASSERT(NoPendAtRequest, act != ActRequest || !judge_ready,
               "a request meets loads that wait for nothing")
  `DUET_ASSERT(BusyWhileInside,
               warp_busy_o != '0 || (u_misses.pend_q == '0 && u_misses.sent_q == '0
                                     && u_stores.valid_q == '0),
               "requests of no warp are inside")
  `DUET_ASSERT(NowInRange, !now_q[31], "run of 2^31 cycles: leases begin to wrap")
  `TIMESTAMP_ASSERT_INPUT(NoError, !err_valid_o, "bad input: err_code_o")
  `DUET_PROMISE_STATIC(Static, {sm_id_i, policy_i})
endmodule
