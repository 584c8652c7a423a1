`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "gtsc_l1_types.svh"

/// The L1 of an SM under G-TSC (Tabbakh, thesis, chapter 3; specification 5.1 to 5.6): each line
/// has a lease in logical time, each warp a clock, and a store waits for no lease. One action in a
/// cycle. All outputs are functions of registers. What is accepted in cycle t acts in t+1 at the
/// earliest, and what it sends is valid in t+2.
module gtsc_l1  // rule: Cycle rules
  import timestamp_pkg::*;
#(
  parameter int unsigned Warps   = 48,    // 1..64
  parameter int unsigned TsW     = 16,    // bits of a timestamp, 5..32
  parameter int unsigned Line    = 128,   // bytes: 16, 32, 64, 128
  parameter int unsigned LineW   = 25,    // bits of the address of a line, 8..40
  parameter int unsigned L1Sets  = 32,    // 1..256, a power of 2
  parameter int unsigned L1Ways  = 4,     // 1..8
  parameter int unsigned L1Mshr  = 32,    // 1..64
  parameter int unsigned Waiters = 8,     // of each of them, 1..48
  parameter int unsigned Stq     = 64,    // stores under way, 1..64
  parameter int unsigned Spin    = 1024,  // hits after which a clock moves, 1..65535
  // Parameters of the parts. Illegal ones are not passed on: the assertions below tell of them.
  localparam int unsigned WarpsP   = clamp(1, 64, Warps),
  localparam int unsigned TsWP     = clamp(5, 32, TsW),
  localparam int unsigned LineP    = legal_line(Line),
  localparam int unsigned LineWP   = clamp(8, 40, LineW),
  localparam int unsigned L1SetsP  = legal_power((LineWP > 8) ? 256 : 128, L1Sets),
  localparam int unsigned L1WaysP  = clamp(1, 8, L1Ways),
  localparam int unsigned L1MshrP  = clamp(1, 64, L1Mshr),
  localparam int unsigned WaitersP = clamp(1, 48, Waiters),
  localparam int unsigned StqP     = clamp(1, 64, Stq),
  localparam int unsigned SpinP    = clamp(1, 65535, Spin),
  localparam type core_req_t = `TIMESTAMP_CORE_REQ_T(LineP, LineWP),
  localparam type core_rsp_t = `TIMESTAMP_CORE_RSP_T(LineP, TsWP),
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TsWP),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(LineP, TsWP),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineWP, L1WaysP),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineWP),
  localparam type cnt_t      = `GTSC_L1_CNT_T
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
  input  logic [4:0]        sm_id_i,       // static
  output logic [WarpsP-1:0] warp_busy_o,   // warps that have requests inside
  // rep: generation told by gtsc_rst, and own one
  input  logic [1:0]        rep_i,
  output logic [1:0]        rep_ack_o,
  // a policy says which way a line takes
  input  logic              policy_i,      // static
  output logic              ask_valid_o,   // until pick
  output ask_t              ask_o,
  input  logic              pick_valid_i,
  input  pick_t             pick_i,
  output logic              event_valid_o,
  output event_t            event_o,
  // err: pulse
  output logic              err_valid_o,
  output logic [3:0]        err_code_o,
  output cnt_t              cnt_o          // events since reset
);
  localparam int unsigned WayW   = (L1WaysP > 1) ? $clog2(L1WaysP) : 1;
  localparam int unsigned CountW = $clog2(WaitersP + 1);
  // In FIFOs, waiting, stored.
  localparam int unsigned Inside = 4 + L1MshrP * WaitersP + StqP;

  // What a walk goes by.
  typedef struct packed {
    logic               stale;
    logic [1:0]         rep;
    logic [TsWP-1:0]    wts;
    logic [TsWP-1:0]    rts;
    logic [8*LineP-1:0] data;
  } answer_t;

  // Specification 5.1, A0 to A4.
  typedef enum logic [2:0] {ActNone, ActWalk, ActFlush, ActAnswer, ActJudge, ActRequest} act_e;

  logic [1:0]        rep_d, rep_q;          // own generation

  // -----------------------------------------------------------------------------------------------
  // Channels
  logic      req_valid, rsp_valid, core_rsp_room, bus_req_room;
  logic      core_req_pop, core_rsp_push, bus_req_push, bus_rsp_pop;
  core_req_t req;
  core_rsp_t core_rsp;
  bus_req_t  bus_req;
  bus_rsp_t  rsp;

  duet_l1_channels #(  // rule: Ports core_req_; Ports bus_req_
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
    if (ask_valid_o) act = ActNone;  // rule: 10
    else if (walking) act = core_rsp_room ? ActWalk : ActNone;  // rule: 5
    else if (rep_i != rep_q && !picked) act = ActFlush;  // rule: 10
    else if (!core_rsp_room) act = ActNone;  // rule: 3
    else if (rsp_valid) act = ActAnswer;
    else if (!bus_req_room) act = ActNone;
    else if (judge_ready) act = ActJudge;
    else if (req_valid) act = ActRequest;
  end

  // -----------------------------------------------------------------------------------------------
  // The M, the store, the line and the warp that it is about
  logic               answer_acks, at_m;  // an answer to a store; M is known by its index
  logic [5:0]         m, judge_m, made_m, walk_m;
  logic               m_sent, known, m_room, m_pend, m_stale, m_after, m_full, m_waits;
  logic [LineWP-1:0]  m_line, store_line, line;
  logic [CountW-1:0]  m_count;
  logic [5:0]         waiter_warp, store_warp, warp;
  logic [7:0]         waiter_id, store_id;
  logic [TsWP-1:0]    waiter_ts, least_ts, most_ts, ts;
  logic               store_there, store_holds, store_room;
  logic [5:0]         store_next;
  logic               present, locked, freed, gone, tick;
  logic [WayW-1:0]    way, victim, pick_way;
  logic [TsWP-1:0]    line_wts, line_rts;
  logic [8*LineP-1:0] line_data;
  logic [L1WaysP-1:0] may_go;

  assign at_m = (act == ActWalk || act == ActJudge || (act == ActAnswer && !answer_acks));

  assign m    = (act == ActWalk) ? walk_m : (act == ActAnswer) ? rsp.id[5:0] : judge_m;
  assign line = at_m ? m_line : (act == ActAnswer) ? store_line : req.line;  // rule: Cycle rules
  assign warp = at_m ? waiter_warp : (act == ActAnswer) ? store_warp : req.warp;

  // -----------------------------------------------------------------------------------------------
  // Answers and walks
  logic              fill, renewal, ack;  // of the head, where it is not dropped
  logic              answer_bad;          // it is
  logic              again;               // a renewal of what is no more: it is asked for anew
  logic              ask, install;
  logic              judge_walks, judge_asks;
  logic              start, step, served, last;
  answer_t           walk, walk_by;
  logic [TsWP-1:0]   op_ts;
  logic [WayW-1:0]   install_way;

  gtsc_l1_answers #(  // rule: 3
    .Ways(L1WaysP)
  ) u_answers (
    .valid_i      (act == ActAnswer),
    .op_i         (rsp.op),
    .id_i         (rsp.id),
    .store_there_i(store_there),
    .sent_i       (m_sent),
    .stale_i      (m_stale),
    .st_after_i   (m_after),
    .present_i    (present),
    .locked_i     (locked),
    .way_i        (way),
    .may_go_i     (may_go),
    .victim_i     (victim),
    .policy_i     (policy_i),
    .picked_i     (picked),
    .keep_i       (pick_keep),
    .pick_way_i   (pick_way),
    .acks_o       (answer_acks),
    .ack_o        (ack),
    .fill_o       (fill),
    .renewal_o    (renewal),
    .bad_o        (answer_bad),
    .again_o      (again),
    .ask_o        (ask),
    .install_o    (install),
    .install_way_o(install_way)
  );
  // It was for the way to here.
  wire unused_sm = ^rsp.sm;

  always_comb begin : go_by  // rule: 5
    walk = walk_by;
    unique case (act)
      ActAnswer: begin
        walk.rep   = rsp.rep;
        walk.stale = m_stale;
        walk.wts   = rsp.wts;
        walk.rts   = rsp.rts;
        walk.data  = rsp.data;
        if (renewal) begin
          walk.wts  = line_wts;
          walk.rts  = (rsp.rts > line_rts) ? rsp.rts : line_rts;
          walk.data = line_data;
        end
      end
      ActJudge: begin
        walk.stale = 1'b0;
        walk.rep   = rep_q;
        walk.wts   = line_wts;
        walk.rts   = line_rts;
        walk.data  = line_data;
      end
      default: ;
    endcase
  end

  assign judge_walks = act == ActJudge && present && least_ts <= line_rts;
  assign judge_asks  = act == ActJudge && !judge_walks;  // rule: States PEND SENT

  assign start  = (fill && !ask) || (renewal && !again) || judge_walks;  // rule: 5
  assign served = step && waiter_ts <= walk.rts;  // rule: 5
  assign op_ts  = (waiter_ts > walk.wts) ? waiter_ts : walk.wts;  // rule: 5

  duet_l1_walk #(  // rule: 5
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
  logic bad, hit, hold, merge, wait_lock, miss, nop;
  logic store, atomic, change;  // change: one of the two
  logic legal;
  logic [8*LineP-1:0] bits, req_data;  // of its mask

  duet_l1_request #(  // rule: 1
    .Warps(WarpsP),
    .Line (LineP),
    .req_t(core_req_t)
  ) u_request (
    .req_i  (req),
    .legal_o(legal),
    .bits_o (bits),
    .data_o (req_data)
  );

  gtsc_l1_requests u_requests (  // rule: Cycle rules
    .valid_i     (act == ActRequest),
    .legal_i     (legal),
    .op_i        (req.op),
    .empty_i     (req.mask == '0),
    .present_i   (present),
    .locked_i    (locked),
    .in_lease_i  (ts <= line_rts),
    .known_i     (known),
    .pend_i      (m_pend),
    .stale_i     (m_stale),
    .st_after_i  (m_after),
    .full_i      (m_full),
    .waits_i     (m_waits),
    .room_i      (m_room),
    .store_room_i(store_room),
    .bad_o       (bad),
    .hit_o       (hit),
    .hold_o      (hold),
    .merge_o     (merge),
    .wait_lock_o (wait_lock),
    .miss_o      (miss),
    .nop_o       (nop),
    .store_o     (store),
    .atomic_o    (atomic)
  );
  assign change = store || atomic;  // rule: States lock n store

  // -----------------------------------------------------------------------------------------------
  // What is taken and sent
  assign core_req_pop = act == ActRequest && !hold;  // rule: Cycle rules
  assign bus_rsp_pop  = act == ActAnswer && !ask;  // rule: 10
  assign bus_req_push = miss || judge_asks || change;  // rule: 6

  assign core_rsp_push = served || ack || hit || nop || bad;  // rule: 5
  always_comb begin : core_answer  // rule: 1
    core_rsp.rep  = rep_q;
    core_rsp.ts   = ts;
    core_rsp.op   = req.op;
    core_rsp.warp = warp;
    core_rsp.id   = req.id;
    core_rsp.data = '0;
    if (step) begin  // rule: 5
      core_rsp.rep  = walk.rep;
      core_rsp.ts   = op_ts;
      core_rsp.op   = OpLd;
      core_rsp.id   = waiter_id;
      core_rsp.data = walk.data;
    end else if (ack) begin  // rule: 4
      core_rsp.rep = rsp.rep;
      core_rsp.ts  = rsp.wts;
      core_rsp.op  = OpSt;
      core_rsp.id  = store_id;
      if (rsp.op == RspAtomAck) begin
        core_rsp.op   = OpAtom;
        core_rsp.data = rsp.data;
      end
    end else if (hit) begin  // rule: Cycle rules
      core_rsp.ts   = (ts > line_wts) ? ts : line_wts;
      core_rsp.data = line_data;
    end else if (bad) begin  // rule: 1
      core_rsp.ts = '0;
    end
  end

  always_comb begin : bus_request  // rule: 6
    bus_req         = '0;
    bus_req.op      = BusRd;
    bus_req.rep     = rep_q;
    bus_req.sm      = sm_id_i;
    bus_req.id      = {2'b00, made_m};
    bus_req.line    = line;
    bus_req.wts     = present ? line_wts : '0;
    bus_req.warp_ts = judge_asks ? most_ts : ts;
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
      bus_req.wts = '0;
    end
  end

  // -----------------------------------------------------------------------------------------------
  // Parts
  gtsc_l1_misses #(  // rule: States A PEND MSHR
    .Mshr   (L1MshrP),
    .Waiters(WaitersP),
    .LineW  (LineWP),
    .TsW    (TsWP)
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
    .pend_o     (m_pend),
    .stale_o    (m_stale),
    .st_after_o (m_after),
    .full_o     (m_full),
    .count_o    (m_count),
    .warp_o     (waiter_warp),
    .id_o       (waiter_id),
    .ts_o       (waiter_ts),
    .least_o    (least_ts),
    .most_o     (most_ts),
    .warp_i     (req.warp),
    .waits_o    (m_waits),
    .push_i     (merge || miss || wait_lock || (step && !served)),
    .push_warp_i(warp),
    .push_id_i  (step ? waiter_id : req.id),
    .push_ts_i  (!step ? ts : walk.stale ? TsWP'(1) : waiter_ts),
    .pop_i      (step),
    .to_sent_i  (miss || judge_asks),
    .to_pend_i  (wait_lock || again || (last && !(served && m_count == CountW'(1)))),
    .lock_i     (locked),
    .to_free_i  (last && served && m_count == CountW'(1)),
    .answered_i (again || (start && act == ActAnswer)),
    .reset_ts_i (again && m_stale),
    .stored_i   (change),
    .unlock_i   (freed),
    .flush_i    (act == ActFlush)
  );

  gtsc_l1_stores #(  // rule: Registers _stores
    .Stq  (StqP),
    .LineW(LineWP)
  ) u_stores (
    .clk_i,
    .rst_ni,
    .entry_i(rsp.id[5:0]),
    .there_o(store_there),
    .warp_o (store_warp),
    .id_o   (store_id),
    .line_o (store_line),
    .holds_o(store_holds),
    .free_i (ack),
    .room_o (store_room),
    .next_o (store_next),
    .make_i (change),
    .warp_i (req.warp),
    .id_i   (req.id),
    .line_i (req.line),
    .lock_i (store && present),
    .flush_i(act == ActFlush)
  );

  gtsc_l1_lines #(  // rule: 7
    .Line (LineP),
    .LineW(LineWP),
    .TsW  (TsWP),
    .Sets (L1SetsP),
    .Ways (L1WaysP)
  ) u_lines (
    .clk_i,
    .rst_ni,
    .line_i       (line),
    .present_o    (present),
    .way_o        (way),
    .locked_o     (locked),
    .wts_o        (line_wts),
    .rts_o        (line_rts),
    .data_o       (line_data),
    .may_go_o     (may_go),
    .victim_o     (victim),
    .wts_i        (rsp.wts),
    .rts_i        (rsp.rts),
    .data_i       (rsp.data),
    .hit_i        (hit),
    .store_i      (store && present),
    .store_bits_i (bits),
    .store_data_i (req_data),
    .atomic_i     (atomic && present),
    .install_i    (install),
    .install_way_i(install_way),
    .renew_i      (renewal && !again),
    .unlock_i     (ack && store_holds),
    .ok_i         (rsp.ok),
    .flush_i      (act == ActFlush),
    .freed_o      (freed),
    .gone_o       (gone)
  );

  gtsc_l1_warps #(  // rule: Registers _warps
    .Warps(WarpsP),
    .TsW  (TsWP),
    .Spin (SpinP)
  ) u_warps (
    .clk_i,
    .rst_ni,
    .warp_i    (warp),
    .ts_o      (ts),
    .answered_i(served || ack),
    .raise_i   ((served || ack) && core_rsp.rep == rep_q),
    .ts_i      (core_rsp.ts),
    .hit_i     (hit),
    .rts_i     (line_rts),
    .tick_o    (tick),
    .flush_i   (act == ActFlush)
  );

  // -----------------------------------------------------------------------------------------------
  // The policy
  duet_l1_policy #(  // rule: 10
    .LineW(LineWP),
    .Ways (L1WaysP)
  ) u_policy (
    .clk_i,
    .rst_ni,
    .ask_i     (ask),
    .line_i    (line),
    .ways_i    (may_go),
    .done_i    (act == ActAnswer),
    .ask_valid_o,
    .ask_o,
    .pick_valid_i,
    .pick_i,
    .picked_o  (picked),
    .keep_o    (pick_keep),
    .way_o     (pick_way),
    .wrong_o   (pick_wrong),
    .used_i    (hit || (store && present)),
    .came_i    (install),
    .gone_i    (gone),
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
    if (pick_wrong) err_d = ErrL1Pick;  // rule: 9
    if (act == ActFlush && rep_i != rep_q + 2'd1) err_d = ErrL1Generation;  // rule: 9
    if (answer_bad) err_d = answer_acks ? ErrL1Ack : ErrL1Fill;  // rule: 3
    if (bad) err_d = ErrL1Request;  // rule: 1
  end

  always_comb begin : count  // rule: Ports
    cnt_d = cnt_q;
    if (hit) cnt_d.load_hit = cnt_q.load_hit + 32'd1;
    if (miss && !present) cnt_d.miss_cold = cnt_q.miss_cold + 32'd1;
    if (miss && present) cnt_d.miss_expired = cnt_q.miss_expired + 32'd1;
    if (merge) cnt_d.merged_loads = cnt_q.merged_loads + 32'd1;
    if (wait_lock) cnt_d.lock_wait = cnt_q.lock_wait + 32'd1;
    if (judge_asks) cnt_d.extra_renewals = cnt_q.extra_renewals + 32'd1;
    if (store) cnt_d.stores = cnt_q.stores + 32'd1;
    if (atomic) cnt_d.atomics = cnt_q.atomics + 32'd1;
    if (fill && !ask) cnt_d.fill_rsp = cnt_q.fill_rsp + 32'd1;  // rule: 8
    if (renewal) cnt_d.renew_rsp = cnt_q.renew_rsp + 32'd1;  // rule: 8
    if ((fill || renewal) && m_stale) cnt_d.stale_rsp = cnt_q.stale_rsp + 32'd1;  // rule: 8
    if (ack && gone) cnt_d.lock_drops = cnt_q.lock_drops + 32'd1;  // rule: 8
    if (hold) cnt_d.hold_cycles = cnt_q.hold_cycles + 32'd1;  // rule: 8
    if (tick) cnt_d.spin_ticks = cnt_q.spin_ticks + 32'd1;
    if (act == ActFlush) cnt_d.flushes = cnt_q.flushes + 32'd1;
  end

  assign err_valid_o = (err_q != ErrNone);  // rule: Errors
  assign err_code_o  = err_q;  // rule: Errors
  assign cnt_o       = cnt_q;  // rule: Ports

  // -----------------------------------------------------------------------------------------------
  assign rep_d     = (act == ActFlush) ? rep_i : rep_q;  // rule: Ports rep_i
  assign rep_ack_o = rep_q;  // rule: Ports rep_i

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rep_q <= '0;
      err_q <= ErrNone;
      cnt_q <= '0;
    end else begin
      rep_q <= rep_d;
      err_q <= err_d;
      cnt_q <= cnt_d;
    end
  end

  // -----------------------------------------------------------------------------------------------
  `DUET_ASSERT_PARAM(WarpsLegal, Warps == WarpsP, "Warps must be 1..64")
  `DUET_ASSERT_PARAM(TsWLegal, TsW == TsWP, "TsW must be 5..32")
  `DUET_ASSERT_PARAM(LineLegal, Line == LineP, "Line must be 16, 32, 64 or 128")
  `DUET_ASSERT_PARAM(LineWLegal, LineW == LineWP, "LineW must be 8..40")
  `DUET_ASSERT_PARAM(L1SetsLegal, L1Sets == L1SetsP,
                     "L1Sets must be a power of 2, at most 256 and 2^(LineW-1)")
  `DUET_ASSERT_PARAM(L1WaysLegal, L1Ways == L1WaysP, "L1Ways must be 1..8")
  `DUET_ASSERT_PARAM(L1MshrLegal, L1Mshr == L1MshrP, "L1Mshr must be 1..64")
  `DUET_ASSERT_PARAM(WaitersLegal, Waiters == WaitersP, "Waiters must be 1..48")
  `DUET_ASSERT_PARAM(StqLegal, Stq == StqP, "Stq must be 1..64")
  `DUET_ASSERT_PARAM(SpinLegal, Spin == SpinP, "Spin must be 1..65535")

  `DUET_ASSERT_STABLE(CoreRspStable, core_rsp_valid_o, core_rsp_ready_i, core_rsp_o)
  `DUET_ASSERT_STABLE(BusReqStable, bus_req_valid_o, bus_req_ready_i, bus_req_o)
  `DUET_ASSERT_STABLE(AskStable, ask_valid_o, pick_valid_i, ask_o)
  // Specification 8.1
  `DUET_ASSERT(HitInLease, !hit || (present && !locked && ts <= line_rts),
               "hit outside of the lease, or of a locked line")
  `DUET_ASSERT(FillNotLocked, !(fill && !m_after) || !locked,
               "fill without st_after meets a locked line")
  `DUET_ASSERT(JudgeNotLocked, act != ActJudge || !locked, "a load is asked for too early")
  `DUET_ASSERT(PendIsLocked, act != ActRequest || !(known && m_pend) || locked,
               "a request meets loads that wait for nothing")
  `DUET_ASSERT(BusyWhileInside,
               warp_busy_o != '0 || (u_misses.pend_q == '0 && u_misses.sent_q == '0
                                     && u_stores.valid_q == '0),
               "requests of no warp are inside")
  `DUET_ASSERT_OF_ARRAY(LocksOfStores,
                        act == ActNone
                        || u_stores.holders(line) == (present ? 32'(u_lines.locks[way]) : 0),
                        "a line has other locks than its stores")
  `TIMESTAMP_ASSERT_INPUT(NoError, !err_valid_o, "bad input: err_code_o")
  `DUET_PROMISE_STATIC(Static, {sm_id_i, policy_i})
endmodule
