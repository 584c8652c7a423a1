`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "timestamp_l1_types.svh"

/// The L1 of an SM under timestamp coherence (Tabbakh, thesis, chapter 3; specification 5.1 to
/// 5.6, 5.8). Under G-TSC leases are in logical time, each warp has a clock, and a store waits for
/// no lease. Under TC leases are in cycles. One action in a cycle. All outputs are functions of
/// registers. A message accepted in cycle t acts in t+1 at the earliest; the messages that it
/// causes are valid in t+2.
module timestamp_l1  // rule: Cycle rules
  import timestamp_pkg::*;
#(
  parameter int unsigned Protocol = ProtocolGtsc,  // 0 G-TSC, 1 TC-Strong, 2 TC-Weak
  parameter int unsigned Warps    = 48,            // 1..64
  parameter int unsigned TsW      = 16,            // bits of a timestamp of G-TSC, 5..32
  parameter int unsigned Line     = 128,           // bytes: 16, 32, 64, 128
  parameter int unsigned LineW    = 25,            // bits of the address of a line, 8..40
  parameter int unsigned L1Sets   = 32,            // 1..256, a power of 2
  parameter int unsigned L1Ways   = 4,             // 1..8
  parameter int unsigned L1Mshr   = 32,            // MSHRs, 1..64
  parameter int unsigned Waiters  = 8,             // loads that wait in an MSHR, 1..48
  parameter int unsigned Stq      = 64,            // stores without an acknowledgement, 1..64
  parameter int unsigned Spin     = 1024,          // G-TSC: hits until a clock moves, 1..65535
  // Parameters of the parts, clamped to legal values; assertions below report illegal ones.
  localparam int unsigned WarpsP   = clamp(1, 64, Warps),
  localparam int unsigned TsBits   = ts_bits(Protocol, TsW),
  localparam int unsigned LineP    = legal_line(Line),
  localparam int unsigned LineWP   = clamp(8, 40, LineW),
  localparam int unsigned L1SetsP  = legal_power((LineWP > 8) ? 256 : 128, L1Sets),
  localparam int unsigned L1WaysP  = clamp(1, 8, L1Ways),
  localparam int unsigned L1MshrP  = clamp(1, 64, L1Mshr),
  localparam int unsigned WaitersP = clamp(1, 48, Waiters),
  localparam int unsigned StqP     = clamp(1, 64, Stq),
  localparam type core_req_t = `TIMESTAMP_CORE_REQ_T(LineP, LineWP),
  localparam type core_rsp_t = `TIMESTAMP_CORE_RSP_T(LineP, TsBits),
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TsBits),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(LineP, TsBits),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineWP, L1WaysP),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineWP),
  localparam type counters_t      = `TIMESTAMP_L1_CNT_T
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
  output logic [WarpsP-1:0] warp_busy_o,   // warps that have unanswered requests
  // G-TSC: the generation that gtsc_rst announces, and that of the L1
  input  logic [1:0]        rep_i,
  output logic [1:0]        rep_ack_o,
  // TC
  input  logic              flush_i,       // drop all lines
  output logic              flush_done_o,  // pulse
  output logic [WarpsP-1:0] fence_ok_o,    // warps whose fences can complete
  // the replacement policy picks the way of a fill
  input  logic              policy_i,      // static
  output logic              ask_valid_o,   // until pick_valid_i
  output ask_t              ask_o,
  input  logic              pick_valid_i,
  input  pick_t             pick_i,
  output logic              event_valid_o,
  output event_t            event_o,
  // err: pulse
  output logic              err_valid_o,
  output logic [3:0]        err_code_o,
  output counters_t              counters_o          // events since reset
);
  localparam bit          Gtsc   = (Protocol == ProtocolGtsc);
  localparam int unsigned TimeW  = Gtsc ? TsBits : 32;  // bits of a time: logical, or a cycle
  localparam int unsigned WayW   = (L1WaysP > 1) ? $clog2(L1WaysP) : 1;
  localparam int unsigned CountW = $clog2(WaitersP + 1);
  // The most unanswered requests: in channels, in MSHRs, in the store table.
  localparam int unsigned Inside = 4 + L1MshrP * WaitersP + StqP;

  typedef logic [TsBits-1:0]  ts_t;
  typedef logic [TimeW-1:0]   time_t;
  typedef logic [8*LineP-1:0] data_t;
  typedef logic [WayW-1:0]    way_t;

  // An MSHR.
  typedef struct packed {
    logic              pend;
    logic              stale;     // G-TSC: requested before a flush
    logic              st_after;  // a store (TC: or a flush) came after the request
    logic              full;
    logic [CountW-1:0] count;     // of waiters
    time_t             least;     // earliest time of a waiter
    time_t             most;      // latest time of a waiter
    logic [5:0]        warp;      // warp, id and ts: the oldest waiter
    logic [7:0]        id;
    time_t             ts;
  } mshr_t;
  // The data and lease with which a replay serves waiters.
  typedef struct packed {
    logic       stale;
    logic [1:0] rep;
    ts_t        wts;
    ts_t        rts;
    data_t      data;
  } source_t;

  // Specification 5.1, A0 to A4.
  typedef enum logic [2:0] {
    ActNone, ActReplay, ActFlush, ActAnswer, ActReevaluate, ActRequest
  } act_e;

  // End of a lease: under TC the 32-bit cycle {wts, rts}, under G-TSC rts.
  function automatic time_t end_of(ts_t wts, ts_t rts);  // rule: 15
    return TimeW'({wts, rts});
  endfunction
  // A lease of G-TSC includes its end, a lease of TC does not.
  function automatic logic in_lease(time_t at, time_t lease_end);  // rule: 17
    return Gtsc ? at <= lease_end : at < lease_end;
  endfunction
  function automatic ts_t later(ts_t a, ts_t b);
    return (a > b) ? a : b;
  endfunction
  // The mask selects whole elements, of 8 bytes or of 4.
  function automatic logic whole(logic [LineP-1:0] mask, logic eight);  // rule: 1
    whole = 1'b1;
    for (int unsigned b = 0; b < LineP; b += 4) begin
      if (!(mask[b +: 4] inside {4'h0, 4'hf})) whole = 1'b0;
      if (eight && mask[b +: 4] != mask[(b | 4) +: 4]) whole = 1'b0;
    end
  endfunction

  // -----------------------------------------------------------------------------------------------
  // Channels
  logic      req_valid, rsp_valid, core_rsp_room, bus_req_room;
  logic      core_req_pop, core_rsp_push, bus_req_push, bus_rsp_pop;
  core_req_t req;
  core_rsp_t core_rsp;
  bus_req_t  bus_req;
  bus_rsp_t  rsp;

  timestamp_channel #(  // rule: Ports core_req_
    .T(core_req_t)
  ) u_core_req (
    .clk_i,
    .rst_ni,
    .valid_i(core_req_valid_i),
    .ready_o(core_req_ready_o),
    .data_i (core_req_i),
    .valid_o(req_valid),
    .ready_i(core_req_pop),
    .data_o (req)
  );
  timestamp_channel #(  // rule: Ports core_req_
    .T(core_rsp_t)
  ) u_core_rsp (
    .clk_i,
    .rst_ni,
    .valid_i(core_rsp_push),
    .ready_o(core_rsp_room),
    .data_i (core_rsp),
    .valid_o(core_rsp_valid_o),
    .ready_i(core_rsp_ready_i),
    .data_o (core_rsp_o)
  );
  timestamp_channel #(  // rule: Ports bus_req_
    .T(bus_req_t)
  ) u_bus_req (
    .clk_i,
    .rst_ni,
    .valid_i(bus_req_push),
    .ready_o(bus_req_room),
    .data_i (bus_req),
    .valid_o(bus_req_valid_o),
    .ready_i(bus_req_ready_i),
    .data_o (bus_req_o)
  );
  timestamp_channel #(  // rule: Ports bus_req_
    .T(bus_rsp_t)
  ) u_bus_rsp (
    .clk_i,
    .rst_ni,
    .valid_i(bus_rsp_valid_i),
    .ready_o(bus_rsp_ready_o),
    .data_i (bus_rsp_i),
    .valid_o(rsp_valid),
    .ready_i(bus_rsp_pop),
    .data_o (rsp)
  );
  timestamp_l1_inside #(  // rule: 2
    .Warps(WarpsP),
    .Most (Inside)
  ) u_inside (
    .clk_i,
    .rst_ni,
    .in_i      (core_req_valid_i && core_req_ready_o),
    .in_warp_i (core_req_i.warp),
    .out_i     (core_rsp_valid_o && core_rsp_ready_i),
    .out_warp_i(core_rsp_o.warp),
    .busy_o    (warp_busy_o)
  );

  // -----------------------------------------------------------------------------------------------
  // The action of the cycle
  act_e act;
  logic replaying, flush_wanted, mshr_ready;
  logic picked, pick_legal, pick_keep, pick_wrong;

  always_comb begin : choose  // rule: Cycle rules
    act = ActNone;
    if (ask_valid_o) act = ActNone;  // rule: 10
    else if (replaying) act = core_rsp_room ? ActReplay : ActNone;  // rule: 5
    else if (flush_wanted && !picked) act = ActFlush;  // rule: 10; 21
    else if (!core_rsp_room) act = ActNone;  // rule: 3
    else if (rsp_valid) act = ActAnswer;
    else if (!bus_req_room) act = ActNone;
    else if (mshr_ready) act = ActReevaluate;
    else if (req_valid) act = ActRequest;
  end

  // -----------------------------------------------------------------------------------------------
  // The MSHR, the line and the warp of the action, and their look-up results
  logic               to_store, by_mshr;  // answer to a store; line, warp: the MSHR's
  logic [5:0]         index, ready_index, replay_index, next_index;  // of MSHRs
  logic               sent, known, mshr_room, warp_waits;
  logic [LineWP-1:0]  mshr_line, store_line, line;
  mshr_t              mshr;
  logic [5:0]         store_warp, store_next, warp;
  logic [7:0]         store_id;
  logic               store_there, store_locks, store_room;
  logic               present, locked, freed, gone;
  way_t               way, victim, pick_way;
  ts_t                line_wts, line_rts;
  time_t              line_end;
  data_t              line_data;
  logic [L1WaysP-1:0] may_go;
  logic [1:0]         rep;  // generation of the L1
  time_t              now;  // G-TSC: the warp's clock; TC: the cycle

  assign to_store = (rsp.op == RspWrAck || rsp.op == RspAtomAck);
  assign by_mshr  = (act inside {ActReplay, ActReevaluate}) || (act == ActAnswer && !to_store);
  assign line_end = end_of(line_wts, line_rts);

  // rule: Cycle rules
  assign index = (act == ActReplay) ? replay_index : (act == ActAnswer) ? rsp.id[5:0] : ready_index;
  assign line  = by_mshr ? mshr_line : (act == ActAnswer) ? store_line : req.line;
  assign warp  = by_mshr ? mshr.warp : (act == ActAnswer) ? store_warp : req.warp;

  // -----------------------------------------------------------------------------------------------
  // Answers of banks
  logic answered;                  // the answer's id has the form that its op requires
  logic fill, renewal, ack;        // not dropped
  logic answer_bad;                // dropped
  logic again;                     // a renewal that is not usable: back to PEND
  logic late, kept, query, install;
  way_t install_way;

  assign answered   = act == ActAnswer && !rsp.id[6] && rsp.id[7] == to_store;  // rule: 3
  assign ack        = answered && to_store && store_there;  // rule: 3
  assign fill       = answered && rsp.op == RspFill && sent;  // rule: 3
  assign renewal    = answered && Gtsc && rsp.op == RspRnw && sent;  // rule: 16
  assign answer_bad = act == ActAnswer && !(fill || renewal || ack);  // rule: 3
  assign again      = renewal && (mshr.stale || mshr.st_after || !present || locked);
  assign late       = !Gtsc && fill && !in_lease(now, end_of(rsp.wts, rsp.rts));  // rule: 20

  // Where a fill is installed.
  assign kept    = fill && !mshr.stale && !mshr.st_after && !locked && !late;  // rule: 20
  assign query   = kept && !present && policy_i && may_go != '0 && !picked;  // rule: 10
  assign install = kept && !query
                   && (present || (may_go != '0 && (!policy_i || (pick_keep && pick_legal))));
  assign install_way = present ? way : policy_i ? pick_way : victim;  // rule: 7

  // The network routes by sm.
  wire unused_sm = ^rsp.sm;

  // -----------------------------------------------------------------------------------------------
  // Replays: one waiter in a cycle, the first in the cycle in which the replay starts
  logic              start, step, served, last;
  logic              reevaluate_starts, reevaluate_requests;
  logic [CountW-1:0] left, left_d, left_q;  // waiters before the step; after it
  logic [5:0]        replay_index_q;
  source_t           source, source_q;

  assign reevaluate_starts   = act == ActReevaluate && present && in_lease(mshr.least, line_end);
  assign reevaluate_requests = act == ActReevaluate && !reevaluate_starts;

  assign start        = (fill && !query) || (renewal && !again) || reevaluate_starts;  // rule: 5
  assign step         = start || act == ActReplay;  // rule: 5
  assign left         = start ? mshr.count : left_q;
  assign last         = step && left == CountW'(1);  // rule: 5
  assign left_d       = step ? left - CountW'(1) : left_q;  // rule: 5
  assign replaying    = (left_q != '0);
  assign replay_index = replay_index_q;
  assign served       = step && in_lease(mshr.ts, end_of(source.wts, source.rts));  // rule: 5; 18

  always_comb begin : choose_source  // rule: 5
    source = '{stale: 1'b0, rep: rep, wts: line_wts, rts: line_rts, data: line_data};
    if (act == ActAnswer) begin
      source.stale = mshr.stale;
      source.rep   = rsp.rep;
      source.rts   = renewal ? later(rsp.rts, line_rts) : rsp.rts;
      if (!renewal) begin
        source.wts  = rsp.wts;
        source.data = rsp.data;
      end
    end
    if (act == ActReplay) source = source_q;
  end

  // -----------------------------------------------------------------------------------------------
  // Requests of the SM: the first row that holds (specification 5.2, 5.3, 12)
  logic  legal, bad, hit, hold, merge, wait_lock, miss, nop, change;
  logic  store, atomic, locks, drops;  // a change locks the line; a change drops the line
  data_t bits;                         // the byte mask as a bit mask

  assign legal = 32'(req.warp) < WarpsP && (req.op inside {OpLd, OpSt, OpAtom})  // rule: 1
                 && (req.op != OpAtom || (req.aop <= AopXchg && whole(req.mask, req.sz)));

  always_comb begin : table_of_rows
    {bad, hit, hold, merge, wait_lock, miss, nop, change} = '0;
    if (act == ActRequest) begin
      if (!legal) begin  // rule: 1
        bad = 1'b1;
      end else if (req.op == OpLd) begin
        if (present && !locked && in_lease(now, line_end)) hit = 1'b1;  // LD1; rule: 17
        else if (known && (mshr.stale || mshr.st_after || mshr.full)) hold = 1'b1;  // LD2
        else if (known) merge = 1'b1;  // LD3
        else if (!mshr_room) hold = 1'b1;  // LD4
        else if (locked) wait_lock = 1'b1;  // LD5; rule: States FREE PEND
        else miss = 1'b1;  // LD6, LD7; rule: States FREE SENT
      end else if (req.mask == '0) begin  // rule: 1
        nop = 1'b1;  // ST1
      end else if ((known && (mshr.pend || warp_waits)) || !store_room) begin
        hold = 1'b1;  // ST2, ST3
      end else begin
        change = 1'b1;  // ST4, ST5; rule: States lock n store
      end
    end
  end
  assign store  = change && req.op == OpSt;
  assign atomic = change && req.op == OpAtom;
  assign locks  = Gtsc && store && present;  // rule: States lock n store
  assign drops  = change && present && !locks;  // rule: 19

  always_comb begin : mask_bits  // rule: 6
    for (int unsigned b = 0; b < LineP; b++) bits[8*b +: 8] = {8{req.mask[b]}};
  end

  // -----------------------------------------------------------------------------------------------
  // Messages that are removed and sent
  assign core_req_pop  = act == ActRequest && !hold;  // rule: Cycle rules
  assign bus_rsp_pop   = act == ActAnswer && !query;  // rule: 10
  assign bus_req_push  = miss || reevaluate_requests || change;  // rule: 6
  assign core_rsp_push = served || ack || hit || nop || bad;  // rule: 5

  always_comb begin : core_answer  // rule: 1
    core_rsp = '{rep: rep, ts: TsBits'(now), op: req.op, warp: warp, id: req.id, data: '0};
    if (step) begin  // rule: 5
      core_rsp.rep  = source.rep;
      core_rsp.ts   = later(TsBits'(mshr.ts), source.wts);
      core_rsp.op   = OpLd;
      core_rsp.id   = mshr.id;
      core_rsp.data = source.data;
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
      core_rsp.ts   = later(TsBits'(now), line_wts);
      core_rsp.data = line_data;
    end else if (bad) begin  // rule: 1
      core_rsp.ts = '0;
    end
    if (!Gtsc) {core_rsp.rep, core_rsp.ts} = '0;  // rule: 15
  end

  always_comb begin : bus_request  // rule: 6
    bus_req      = '0;
    bus_req.op   = atomic ? BusAtom : store ? BusWr : BusRd;
    bus_req.sm   = sm_id_i;
    bus_req.id   = change ? {2'b10, store_next} : {2'b00, next_index};
    bus_req.line = line;
    if (Gtsc) begin  // rule: 15
      bus_req.rep     = rep;
      bus_req.wts     = (present && !atomic) ? line_wts : '0;
      bus_req.warp_ts = TsBits'(reevaluate_requests ? mshr.most : now);
    end
    if (change) begin
      bus_req.mask = req.mask;
      bus_req.data = req.data & bits;
    end
    if (atomic) begin
      bus_req.aop = req.aop;
      bus_req.sz  = req.sz;
    end
  end

  // -----------------------------------------------------------------------------------------------
  // State
  timestamp_l1_misses #(  // rule: States A PEND MSHR
    .Gtsc   (Gtsc),
    .Mshr   (L1MshrP),
    .Waiters(WaitersP),
    .LineW  (LineWP),
    .TimeW  (TimeW),
    .mshr_t (mshr_t)
  ) u_misses (
    .clk_i,
    .rst_ni,
    .index_i      (index),
    .sent_o       (sent),
    .sent_line_o  (mshr_line),
    .ready_o      (mshr_ready),
    .ready_index_o(ready_index),
    .line_i       (line),
    .known_o      (known),
    .room_o       (mshr_room),
    .at_o         (next_index),
    .mshr_o       (mshr),
    .warp_i       (req.warp),
    .waits_o      (warp_waits),
    .push_i       (merge || miss || wait_lock || (step && !served)),
    .push_warp_i  (warp),
    .push_id_i    (step ? mshr.id : req.id),
    .push_ts_i    (!step ? now : source.stale ? TimeW'(1) : mshr.ts),  // rule: 18
    .pop_i        (step),
    .to_sent_i    (miss || reevaluate_requests),
    .to_pend_i    (wait_lock || again || (last && !(served && mshr.count == CountW'(1)))),
    .lock_i       (locked),
    .to_free_i    (last && served && mshr.count == CountW'(1)),
    .answered_i   (again || (start && act == ActAnswer)),
    .reset_ts_i   (again && mshr.stale),
    .stored_i     (change),
    .unlock_i     (freed),
    .flush_i      (act == ActFlush)
  );

  timestamp_l1_stores #(  // rule: Registers _stores
    .Gtsc (Gtsc),
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
    .locks_o(store_locks),
    .free_i (ack),
    .room_o (store_room),
    .next_o (store_next),
    .make_i (change),
    .warp_i (req.warp),
    .id_i   (req.id),
    .line_i (req.line),
    .lock_i (locks),
    .flush_i(act == ActFlush)
  );

  timestamp_l1_lines #(  // rule: 7
    .Gtsc (Gtsc),
    .Line (LineP),
    .LineW(LineWP),
    .TsW  (TsBits),
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
    .store_i      (locks),
    .store_bits_i (bits),
    .store_data_i (req.data & bits),
    .drop_i       (drops),
    .install_i    (install),
    .install_way_i(install_way),
    .renew_i      (renewal && !again),
    .unlock_i     (ack && store_locks),
    .ok_i         (rsp.ok),
    .flush_i      (act == ActFlush),
    .freed_o      (freed),
    .gone_o       (gone)
  );

  // -----------------------------------------------------------------------------------------------
  // Time, flushes and fences, which differ between the protocols
  logic tick, generation_bad;

  if (Gtsc) begin : gen_gtsc
    logic [1:0] rep_q;

    assign rep            = rep_q;
    assign rep_ack_o      = rep_q;  // rule: Ports rep_i
    assign flush_wanted   = (rep_i != rep_q);
    assign generation_bad = act == ActFlush && rep_i != rep_q + 2'd1;  // rule: 9
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) rep_q <= '0;
      else if (act == ActFlush) rep_q <= rep_i;  // rule: Ports rep_i
    end

    timestamp_l1_warps #(  // rule: Registers _warps
      .Warps(WarpsP),
      .TsW  (TsBits),
      .Spin (clamp(1, 65535, Spin))
    ) u_warps (
      .clk_i,
      .rst_ni,
      .warp_i    (warp),
      .ts_o      (now),
      .answered_i(served || ack),
      .raise_i   ((served || ack) && core_rsp.rep == rep),
      .ts_i      (core_rsp.ts),
      .hit_i     (hit),
      .rts_i     (line_rts),
      .tick_o    (tick),
      .flush_i   (act == ActFlush)
    );

    assign flush_done_o = 1'b0;
    assign fence_ok_o   = '0;
    wire unused_flush = flush_i;
  end else begin : gen_tc
    logic [31:0] now_q;
    logic        flush_q, flush_done_q;  // a flush is pending; a flush is done

    assign now          = now_q;
    assign flush_wanted = flush_q;
    assign flush_done_o = flush_done_q;  // rule: 21
    always_ff @(posedge clk_i or negedge rst_ni) begin
      if (!rst_ni) begin
        now_q        <= '0;
        flush_q      <= 1'b0;
        flush_done_q <= 1'b0;
      end else begin
        now_q        <= now_q + 32'd1;  // rule: 15
        flush_q      <= flush_q ? act != ActFlush : flush_i;  // rule: 21
        flush_done_q <= (act == ActFlush);  // rule: 21
      end
    end

    timestamp_l1_fences #(  // rule: 22
      .Warps(WarpsP),
      .Weak (Protocol == ProtocolTcw)
    ) u_fences (
      .clk_i,
      .rst_ni,
      .busy_i(warp_busy_o),
      .now_i (now_q),
      .ack_i (ack),
      .warp_i(store_warp),
      .end_i (end_of(rsp.wts, rsp.rts)),
      .ok_o  (fence_ok_o)
    );

    assign {rep, rep_ack_o, generation_bad, tick} = '0;
    wire unused_rep = ^rep_i;
    `DUET_ASSERT(NowInRange, !now_q[31], "run of 2^31 cycles: leases begin to wrap")
  end

  // -----------------------------------------------------------------------------------------------
  // The replacement policy
  event_t event_d, event_q;
  logic   event_valid_d, event_valid_q;

  timestamp_policy #(  // rule: 10
    .LineW(LineWP),
    .Ways (L1WaysP)
  ) u_policy (
    .clk_i,
    .rst_ni,
    .query_i (query),
    .ask_i   ('{sm: '0, line: line, ways: may_go}),
    .done_i  (act == ActAnswer),
    .ask_valid_o,
    .ask_o,
    .pick_valid_i,
    .pick_i,
    .wrong_o (pick_wrong),
    .picked_o(picked),
    .legal_o (pick_legal),
    .keep_o  (pick_keep),
    .way_o   (pick_way)
  );

  always_comb begin : event_of_action  // rule: 11
    event_d = '{kind: EventUsed, way: 4'(install ? install_way : way), line: line};
    if (install) event_d.kind = EventCame;
    else if (gone) event_d.kind = EventGone;
    else if (act == ActFlush) event_d = '{kind: EventAllGone, default: '0};
    event_valid_d = hit || locks || install || gone || act == ActFlush;
  end

  // -----------------------------------------------------------------------------------------------
  // Errors and counters
  logic [3:0] err_d, err_q;
  counters_t       counters_d, counters_q;

  always_comb begin : error  // rule: Errors
    err_d = ErrNone;
    if (pick_wrong && pick_i.keep) err_d = ErrL1Pick;  // rule: 9
    if (generation_bad) err_d = ErrL1Generation;  // rule: 9
    if (answer_bad) err_d = to_store ? ErrL1Ack : ErrL1Fill;  // rule: 3
    if (bad) err_d = ErrL1Request;  // rule: 1
  end

  always_comb begin : count  // rule: Ports
    counters_d = counters_q;
    if (hit) counters_d.load_hit = counters_q.load_hit + 32'd1;
    if (miss && !present) counters_d.miss_cold = counters_q.miss_cold + 32'd1;
    if (miss && present) counters_d.miss_expired = counters_q.miss_expired + 32'd1;
    if (Gtsc) begin
      if (merge) counters_d.merged_loads = counters_q.merged_loads + 32'd1;
      if (wait_lock) counters_d.lock_wait = counters_q.lock_wait + 32'd1;
      if (reevaluate_requests) counters_d.extra_renewals = counters_q.extra_renewals + 32'd1;
      if (store) counters_d.stores = counters_q.stores + 32'd1;
      if (atomic) counters_d.atomics = counters_q.atomics + 32'd1;
      if (fill && !query) counters_d.fill_rsp = counters_q.fill_rsp + 32'd1;  // rule: 8
      if (renewal) counters_d.renew_rsp = counters_q.renew_rsp + 32'd1;  // rule: 8
      if ((fill || renewal) && mshr.stale)
        counters_d.stale_rsp = counters_q.stale_rsp + 32'd1;  // rule: 8
      if (ack && gone) counters_d.lock_drops = counters_q.lock_drops + 32'd1;  // rule: 8
      if (hold) counters_d.hold_cycles = counters_q.hold_cycles + 32'd1;  // rule: 8
      if (tick) counters_d.spin_ticks = counters_q.spin_ticks + 32'd1;
      if (act == ActFlush) counters_d.flushes = counters_q.flushes + 32'd1;
    end
    if (late) counters_d.late_fills = counters_q.late_fills + 32'd1;  // rule: 20
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      left_q        <= '0;
      event_valid_q <= 1'b0;
      err_q         <= ErrNone;
      counters_q         <= '0;
    end else begin
      left_q        <= left_d;
      event_valid_q <= event_valid_d;
      err_q         <= err_d;
      counters_q         <= counters_d;
    end
  end

  // Undefined until left_q or event_valid_q is set.
  always_ff @(posedge clk_i) begin
    if (start) begin
      replay_index_q <= index;
      source_q       <= source;
    end
    if (event_valid_d) event_q <= event_d;
  end

  assign event_valid_o = event_valid_q;  // rule: 11
  assign event_o       = event_valid_q ? event_q : '0;  // rule: 12
  assign err_valid_o   = (err_q != ErrNone);  // rule: Errors
  assign err_code_o    = err_q;  // rule: Errors
  assign counters_o         = counters_q;  // rule: Ports

  // -----------------------------------------------------------------------------------------------
  `DUET_ASSERT_PARAM(ProtocolLegal, Protocol <= ProtocolTcw, "Protocol must be 0, 1 or 2")
  `DUET_ASSERT_PARAM(WarpsLegal, Warps == WarpsP, "Warps must be 1..64")
  `DUET_ASSERT_PARAM(TsWLegal, TsW >= 5 && TsW <= 32, "TsW must be 5..32")
  `DUET_ASSERT_PARAM(LineLegal, Line == LineP, "Line must be 16, 32, 64 or 128")
  `DUET_ASSERT_PARAM(LineWLegal, LineW == LineWP, "LineW must be 8..40")
  `DUET_ASSERT_PARAM(L1SetsLegal, L1Sets == L1SetsP,
                     "L1Sets must be a power of 2, at most 256 and 2^(LineW-1)")
  `DUET_ASSERT_PARAM(L1WaysLegal, L1Ways == L1WaysP, "L1Ways must be 1..8")
  `DUET_ASSERT_PARAM(L1MshrLegal, L1Mshr == L1MshrP, "L1Mshr must be 1..64")
  `DUET_ASSERT_PARAM(WaitersLegal, Waiters == WaitersP, "Waiters must be 1..48")
  `DUET_ASSERT_PARAM(StqLegal, Stq == StqP, "Stq must be 1..64")
  `DUET_ASSERT_PARAM(SpinLegal, Spin >= 1 && Spin <= 65535, "Spin must be 1..65535")

  `DUET_ASSERT_STABLE(CoreRspStable, core_rsp_valid_o, core_rsp_ready_i, core_rsp_o)
  `DUET_ASSERT_STABLE(BusReqStable, bus_req_valid_o, bus_req_ready_i, bus_req_o)
  `DUET_ASSERT_STABLE(AskStable, ask_valid_o, pick_valid_i, ask_o)
  // Specification 8.1
  `DUET_ASSERT(HitInLease, !hit || (present && !locked && in_lease(now, line_end)),
               "hit outside of the lease, or of a locked line")
  `DUET_ASSERT(FillNotLocked, !(fill && !mshr.st_after) || !locked,
               "fill without st_after of a locked line")
  `DUET_ASSERT(ReevaluateNotLocked, act != ActReevaluate || !locked,
               "re-evaluation while the line is locked")
  `DUET_ASSERT(PendIsLocked, act != ActRequest || !(known && mshr.pend) || locked,
               "a request finds a PEND MSHR that waits for no lock")
  `DUET_ASSERT(NoReadyAtRequest, act != ActRequest || !mshr_ready,
               "a request acts before an MSHR that can be re-evaluated")
  `DUET_ASSERT(PickUsed, !picked || act == ActAnswer, "a pick is not used at once")
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
