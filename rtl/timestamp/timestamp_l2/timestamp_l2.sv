`include "duet_assert.svh"
`include "timestamp_types.svh"
`include "timestamp_l2_types.svh"

/// A bank of the L2 under timestamp coherence: write-back, grants leases (Tabbakh, thesis, chapter
/// 3; specification 5.4, 5.5, 5.8). Under TC it holds all lines that L1s hold. All outputs are
/// functions of registers. A request accepted in cycle t can act in t+1; a hit is answered in t+4,
/// a request to memory is valid in t+2. One action in L2Div cycles.
module timestamp_l2  // rule: The action of a cycle
  import duet_pkg::*;
  import timestamp_pkg::*;
#(
  parameter int unsigned Protocol = ProtocolGtsc,  // 0 G-TSC, 1 TC-Strong, 2 TC-Weak
  parameter int unsigned NSm      = 16,            // SMs, 1..32
  parameter int unsigned TsW      = 16,            // bits of a timestamp of G-TSC, 5..32
  parameter int unsigned Lease    = 10,            // G-TSC: logical time of a lease, 1..2^(TsW-2)
  parameter int unsigned Line     = 128,           // bytes of a line: 16, 32, 64, 128
  parameter int unsigned LineW    = 25,            // bits of its address, 8..40
  parameter int unsigned L2Banks  = 8,             // banks, a power of 2, 1..16
  parameter int unsigned L2Sets   = 128,           // sets of this bank, a power of 2, 1..1024
  parameter int unsigned L2Ways   = 8,             // ways of a set, 1..16
  parameter int unsigned L2Mshr   = 32,            // MSHRs, 1..64
  parameter int unsigned L2Wait   = 4,             // requests that wait in an MSHR, 1..16
  parameter int unsigned L2Div    = 2,             // cycles from one action to the next, 1..4
  parameter int unsigned TcLease  = 100,           // TC: cycles of a lease, 1..65535
  // Parameters of the parts. Illegal ones are not passed on: the assertions below report them.
  localparam bit          Gtsc     = (Protocol == ProtocolGtsc),
  localparam int unsigned TsBits   = ts_bits(Protocol, TsW),
  localparam int unsigned Length   = Gtsc ? clamp(1, 1 << (TsBits - 2), Lease)
                                          : clamp(1, 65535, TcLease),
  localparam int unsigned LineP    = legal_line(Line),
  localparam int unsigned LineWP   = clamp(8, 40, LineW),
  localparam int unsigned L2BanksP = legal_power(16, L2Banks),
  localparam int unsigned L2SetsP  = legal_power(clamp(1, 1024, (1 << clamp(0, 30, LineWP - 1))
                                                                / L2BanksP), L2Sets),
  localparam int unsigned L2WaysP  = clamp(1, 16, L2Ways),
  localparam int unsigned L2MshrP  = clamp(1, 64, L2Mshr),
  localparam type bus_req_t  = `TIMESTAMP_BUS_REQ_T(LineP, LineWP, TsBits),
  localparam type bus_rsp_t  = `TIMESTAMP_BUS_RSP_T(LineP, TsBits),
  localparam type dram_req_t = `TIMESTAMP_DRAM_REQ_T(LineP, LineWP),
  localparam type dram_rsp_t = `TIMESTAMP_DRAM_RSP_T(LineP, LineWP),
  localparam type ask_t      = `TIMESTAMP_ASK_T(LineWP, L2WaysP),
  localparam type pick_t     = `TIMESTAMP_PICK_T,
  localparam type event_t    = `TIMESTAMP_EVENT_T(LineWP),
  localparam type counters_t      = `TIMESTAMP_L2_CNT_T
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
  // G-TSC: all timestamps restart
  output logic       ovf_o,        // a timestamp would overflow
  input  logic       halt_i,       // stop acting
  output logic       halted_o,
  input  logic       rst_i,        // reset the leases
  output logic       rst_done_o,
  // sync: a release or an acquire
  input  logic       sync_valid_i,
  input  logic       sync_i,
  output logic       sync_ready_o,
  output logic       sync_done_o,  // pulse
  // the replacement policy picks the way of a line
  input  logic       policy_i,     // static
  output logic       ask_valid_o,  // until pick_valid_i
  output ask_t       ask_o,
  input  logic       pick_valid_i,
  input  pick_t      pick_i,
  // event: what the action of the cycle before did to a line
  output logic       event_valid_o,
  output event_t     event_o,
  // err: pulse
  output logic       err_valid_o,
  output logic [3:0] err_code_o,
  output counters_t       counters_o         // events since reset
);
  // TC-Strong: a write waits until its line's lease is over.
  localparam bit          Waits = (Protocol == ProtocolTcs);
  localparam int unsigned BankW = $clog2(L2BanksP);
  localparam int unsigned SetW  = (L2SetsP > 1) ? $clog2(L2SetsP) : 1;
  localparam int unsigned WayW  = (L2WaysP > 1) ? $clog2(L2WaysP) : 1;
  localparam int unsigned MshrW = (L2MshrP > 1) ? $clog2(L2MshrP) : 1;

  typedef logic [LineWP-1:0]  line_t;
  typedef logic [8*LineP-1:0] data_t;
  typedef logic [SetW-1:0]    set_t;
  typedef logic [L2WaysP-1:0] ways_t;
  typedef logic [MshrW-1:0]   mshr_t;
  typedef struct packed {
    logic [TsBits-1:0] wts;
    logic [TsBits-1:0] rts;
  } lease_t;

  typedef enum logic [3:0] {
    ActNone,
    ActServe,     // B1: the oldest request of an MSHR
    ActFill,      // B2
    ActDropFill,  // a line that no MSHR waits for
    ActWriteOut,  // step of a sync: a dirty line
    ActPass,      // step of a sync: a set without one
    ActDrop,      // an illegal request
    ActAppend,    // B3
    ActHit,       // B4
    ActWait,      // TC-Strong: a write that finds its line during a lease
    ActMiss,      // B5
    ActAsk        // query of the policy, before B5
  } act_e;

  function automatic set_t set_of(line_t line);
    return set_t'(line >> BankW) & set_t'(L2SetsP - 1);
  endfunction

  // -----------------------------------------------------------------------------------------------
  // Channels: two requests and two lines are held, eight answers, which are valid from the third
  // cycle on, and four requests to memory, of which a cycle can make two: the write goes first.
  logic       req_valid, req_pop, fill_valid, fill_pop, rsp_room, performed, write_out, read_in;
  bus_req_t   head;
  dram_rsp_t  fill;
  bus_rsp_t   answer;
  dram_req_t  written, read;
  logic [2:0] dram_room;

  timestamp_channel #(  // rule: Ports bus_req_
    .T(bus_req_t)
  ) u_requests (
    .clk_i,
    .rst_ni,
    .valid_i(bus_req_valid_i),
    .ready_o(bus_req_ready_o),
    .data_i (bus_req_i),
    .valid_o(req_valid),
    .ready_i(req_pop),
    .data_o (head)
  );
  timestamp_channel #(  // rule: Ports dram_req_
    .T(dram_rsp_t)
  ) u_fills (
    .clk_i,
    .rst_ni,
    .valid_i(dram_rsp_valid_i),
    .ready_o(dram_rsp_ready_o),
    .data_i (dram_rsp_i),
    .valid_o(fill_valid),
    .ready_i(fill_pop),
    .data_o (fill)
  );
  duet_delay_fifo #(  // rule: Ports bus_req_
    .T    (bus_rsp_t),
    .Depth(8)
  ) u_answers (
    .clk_i,
    .rst_ni,
    .room_o (rsp_room),
    .push_i (performed),
    .data_i (answer),
    .valid_o(bus_rsp_valid_o),
    .ready_i(bus_rsp_ready_i),
    .data_o (bus_rsp_o)
  );
  duet_pair_fifo #(  // rule: Ports dram_req_
    .T    (dram_req_t),
    .Depth(4)
  ) u_memory (
    .clk_i,
    .rst_ni,
    .room_o       (dram_room),
    .push_i       (write_out || read_in),
    .data_i       (write_out ? written : read),
    .second_i     (write_out && read_in),
    .second_data_i(read),
    .valid_o      (dram_req_valid_o),
    .ready_i      (dram_req_ready_i),
    .data_o       (dram_req_o)
  );

  // -----------------------------------------------------------------------------------------------
  // What exists to do: the first of the actions of the cycle
  act_e               todo, act;
  logic               idle, match, full, mshr_free, fill_match, keep, last;
  logic [L2MshrP-1:0] filled_mshrs, first_writes, mshr_over, waiting, ready;
  mshr_t              free_mshr, fill_mshr, serve_mshr;
  logic [3:0]         mshr_way, present_way, victim;
  logic [WayW-1:0]    pick_way;
  bus_req_t           oldest, request;
  logic               present, request_bad, lent;
  ways_t              valid, dirty, reserved, over, may_go;
  logic               picked, pick_legal, pick_keep, pick_wrong;
  logic               sync_q, sync_kind_q, acquire, last_set;  // a sync is in progress; which one
  set_t               set, sync_set_q;

  assign waiting = Waits ? filled_mshrs & first_writes & ~mshr_over : '0;  // rule: 13
  assign ready   = filled_mshrs & ~waiting;  // rule: 13
  assign may_go  = ~reserved & (~valid | over);  // rule: 15
  assign lent    = ((ways_t'(16'd1 << present_way) & ~over) != '0);  // rule: 14

  assign request_bad = (head.op > BusAtom) || (head.op == BusAtom && head.aop > AopXchg)
                       || 32'(head.sm) >= NSm;  // rule: 1

  always_comb begin : look
    todo = ActNone;
    if (ask_valid_o || picked) begin  // rule: 8
      if (picked) todo = ActMiss;
    end else if (ready != '0) begin  // rule: The action of a cycle serve
      todo = ActServe;
    end else if (fill_valid) begin  // rule: The action of a cycle fill
      todo = fill_match ? ActFill : ActDropFill;
    end else if (sync_q) begin  // rule: 9
      if (idle && dirty != '0) todo = ActWriteOut;
      else if (idle && (!acquire || (valid & ~over) == '0)) todo = ActPass;  // rule: 18
    end else if (req_valid) begin
      if (request_bad)   todo = ActDrop;  // rule: 1
      else if (match)    todo = ActAppend;  // rule: The action of a cycle append
      else if (present)  todo = (Waits && head.op != BusRd && lent) ? ActWait : ActHit;  // rule: 14
      else if (policy_i) todo = ActAsk;  // rule: The action of a cycle ask
      else               todo = ActMiss;  // rule: The action of a cycle miss (B5)
    end
  end
  // The set that is looked up.
  assign set = (sync_q && !picked) ? sync_set_q : set_of(head.line);  // rule: 9

  // -----------------------------------------------------------------------------------------------
  // The line that the action touches, and the request that it performs
  line_t      at_line, old_line;
  set_t       at_set;
  logic [3:0] at_way;
  logic       at_valid, at_dirty, performs, writes, drops, drops_dirty, renews, same;
  data_t      at_data, new_data, old_data;
  lease_t     lease;
  logic [1:0] rep;

  always_comb begin : touch
    at_line = head.line;
    at_way  = '0;
    unique case (todo)
      ActServe: begin  // rule: The action of a cycle serve
        at_line = oldest.line;
        at_way  = mshr_way;
      end
      ActFill: begin  // rule: The action of a cycle fill
        at_line = fill.line;
        at_way  = mshr_way;
      end
      ActWriteOut:     at_way = 4'(lowest(64'(dirty)));
      ActHit, ActWait: at_way = present_way;
      ActMiss:         at_way = picked ? 4'(pick_way) : victim;
      default: ;
    endcase
  end
  assign at_set     = (todo == ActWriteOut) ? sync_set_q : set_of(at_line);
  assign serve_mshr = (ready != '0) ? MshrW'(lowest(64'(ready))) : fill_mshr;

  assign performs = (todo == ActServe || todo == ActHit);
  assign request  = (todo == ActServe) ? oldest : head;
  assign writes   = (request.op != BusRd);
  assign renews   = same && !writes;
  // The last request of an MSHR removes a line that is not to be kept. TC keeps all.
  assign drops       = Gtsc && todo == ActServe && last && !keep;  // rule: 8; 17
  assign drops_dirty = drops && (at_dirty || writes);  // rule: 8

  timestamp_l2_update #(  // rule: 2
    .Line(LineP)
  ) u_update (
    .write_i  (performs && request.op == BusWr),
    .atomic_i (performs && request.op == BusAtom),
    .aop_i    (request.aop),
    .wide_i   (request.sz),
    .mask_i   (request.mask),
    .operand_i(request.data),
    .line_i   (at_data),
    .line_o   (new_data),
    .old_o    (old_data)
  );

  always_comb begin : respond  // rule: 2
    answer     = '0;
    answer.rep = rep;
    answer.sm  = request.sm;
    answer.id  = request.id;
    {answer.wts, answer.rts} = lease;  // rule: 12
    unique case (request.op)
      BusRd: begin
        answer.op = renews ? RspRnw : RspFill;
        if (renews) answer.wts = '0;
        else        answer.data = at_data;
      end
      BusWr: begin
        answer.op = RspWrAck;
        answer.ok = Gtsc && (same || request.mask == '1);  // rule: 12
      end
      default: begin
        answer.op   = RspAtomAck;
        answer.data = old_data;
      end
    endcase
  end

  // -----------------------------------------------------------------------------------------------
  // Whether the action acts, and what it then does
  logic       stop, may, can, refuse, refused;
  logic       filled, evicts, dropped, empty;
  logic       req_over, fill_over, restart;
  logic       ovf_d, ovf_q, halted_q;
  logic [1:0] pause_d, pause_q;  // cycles until an action can act

  assign stop = Gtsc && (halt_i || rst_i || ovf_q);
  assign may  = !stop && pause_q == '0;  // rule: 4

  always_comb begin : room
    can = 1'b1;
    unique case (todo)
      ActNone:          can = 1'b0;
      ActServe, ActHit: can = rsp_room && (!drops_dirty || dram_room != '0);
      ActWriteOut:      can = (dram_room != '0);
      ActAppend:        can = !full;  // rule: The action of a cycle append
      ActWait:          can = mshr_free;  // rule: 14
      ActMiss: begin  // rule: The action of a cycle miss (B5)
        can = mshr_free && (picked || may_go != '0) && 32'(dram_room) > 32'(at_dirty);
      end
      ActAsk:           can = mshr_free && may_go != '0 && dram_room >= 3'd2;  // rule: 8
      default: ;
    endcase
  end
  // An action whose timestamp would overflow changes nothing.
  assign refuse  = (performs && req_over) || (todo == ActFill && fill_over);  // rule: Ports ovf_o
  assign refused = may && can && refuse;  // rule: 3
  assign act     = (may && can && !refuse) ? todo : ActNone;  // rule: 3

  assign performed = (act == ActServe || act == ActHit);
  assign filled    = (act == ActFill);
  assign dropped   = (act == ActServe && drops);  // rule: 8
  assign evicts    = dropped || (act == ActMiss && at_valid);  // rule: 6
  assign empty     = (act == ActPass && acquire);  // rule: 9
  assign req_pop   = (act inside {ActDrop, ActAppend, ActHit, ActWait, ActMiss});
  assign fill_pop  = (act inside {ActFill, ActDropFill});

  assign write_out = (act == ActWriteOut) || (act == ActMiss && at_valid && at_dirty)
                     || (dropped && drops_dirty);  // rule: 6
  assign read_in   = (act == ActMiss);  // rule: The action of a cycle miss (B5)
  assign written   = '{we: 1'b1, line: old_line, data: dropped ? new_data : at_data};
  assign read      = '{we: 1'b0, line: head.line, data: '0};

  // -----------------------------------------------------------------------------------------------
  // Lines, MSHRs, leases
  timestamp_l2_ways #(  // rule: Registers _ways
    .Line (LineP),
    .LineW(LineWP),
    .Banks(L2BanksP),
    .Sets (L2SetsP),
    .Ways (L2WaysP)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .set_i     (set),
    .line_i    (head.line),
    .present_o (present),
    .way_o     (present_way),
    .valid_o   (valid),
    .dirty_o   (dirty),
    .reserved_o(reserved),
    .may_go_i  (may_go),
    .victim_o  (victim),
    .empty_i   (empty),
    .at_set_i  (at_set),
    .at_way_i  (at_way),
    .at_valid_o(at_valid),
    .at_dirty_o(at_dirty),
    .at_line_o (old_line),
    .at_data_o (at_data),
    .use_i     (performed || filled),
    .allocate_i(act == ActMiss),
    .reserve_i (act == ActMiss || act == ActWait),
    .release_i (act == ActServe && last),
    .fill_i    (filled),
    .write_i   (performed && writes),
    .clean_i   (act == ActWriteOut),
    .remove_i  (dropped),
    .data_i    (filled ? fill.data : new_data)
  );

  timestamp_l2_misses #(  // rule: Registers _misses
    .req_t(bus_req_t),
    .LineW(LineWP),
    .Mshr (L2MshrP),
    .Wait (clamp(1, 16, L2Wait))
  ) u_misses (
    .clk_i,
    .rst_ni,
    .idle_o           (idle),
    .filled_o         (filled_mshrs),
    .writes_o         (first_writes),
    .req_i            (head),
    .match_o          (match),
    .full_o           (full),
    .append_i         (act == ActAppend),
    .free_o           (mshr_free),
    .free_mshr_o      (free_mshr),
    .allocate_i       (act == ActMiss || act == ActWait),
    .allocate_filled_i(act == ActWait),
    .allocate_way_i   (at_way),
    .allocate_keep_i  (!Gtsc || !picked || pick_keep),
    .fill_line_i      (fill.line),
    .fill_match_o     (fill_match),
    .fill_mshr_o      (fill_mshr),
    .fill_i           (filled),
    .mshr_i           (serve_mshr),
    .way_o            (mshr_way),
    .keep_o           (keep),
    .oldest_o         (oldest),
    .last_o           (last),
    .pop_i            (act == ActServe)
  );

  timestamp_l2_leases #(  // rule: Registers _leases
    .Protocol(Protocol),
    .TsW     (TsBits),
    .Length  (Length),
    .Sets    (L2SetsP),
    .Ways    (L2WaysP),
    .Mshr    (L2MshrP),
    .req_t   (bus_req_t)
  ) u_leases (
    .clk_i,
    .rst_ni,
    .at_set_i    (at_set),
    .at_way_i    (at_way),
    .req_i       (request),
    .lease_o     (lease),
    .same_o      (same),
    .rep_o       (rep),
    .req_over_o  (req_over),
    .fill_over_o (fill_over),
    .set_i       (set),
    .valid_i     (valid),
    .over_o      (over),
    .mshr_over_o (mshr_over),
    .performed_i (performed),
    .filled_i    (filled),
    .evicts_i    (evicts),
    .dropped_i   (dropped),
    .empty_i     (empty),
    .mshr_write_i(act inside {ActServe, ActFill, ActWait}),
    .mshr_i      ((act == ActWait) ? free_mshr : serve_mshr),
    .rst_i,
    .rst_done_o,
    .begin_o     (restart)
  );

  // -----------------------------------------------------------------------------------------------
  // The replacement policy
  timestamp_policy #(  // rule: 8
    .LineW(LineWP),
    .Ways (L2WaysP)
  ) u_policy (
    .clk_i,
    .rst_ni,
    .query_i (act == ActAsk),
    .ask_i   ('{sm: head.sm, line: head.line, ways: may_go}),
    .done_i  (act == ActMiss),
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
  wire unused_pick = pick_legal;

  // -----------------------------------------------------------------------------------------------
  // Next state: syncs, events, errors, counters
  logic       sync_d, sync_done_q, event_valid_d, event_valid_q;
  set_t       sync_set_d;
  event_t     event_d, event_q;
  logic [3:0] err_d, err_q;
  counters_t       counters_d, counters_q;

  assign acquire  = (sync_kind_q == SyncAcquire);
  assign last_set = (32'(sync_set_q) == L2SetsP - 1);

  always_comb begin : next_state
    sync_d     = sync_q || sync_valid_i;  // rule: 9
    sync_set_d = sync_set_q;
    if (act == ActPass) begin
      sync_d     = !last_set;
      sync_set_d = last_set ? '0 : sync_set_q + 1'b1;
    end
    ovf_d   = (ovf_q || refused) && !restart;  // rule: Ports ovf_o
    pause_d = (pause_q == '0) ? '0 : pause_q - 2'd1;  // rule: 4
    if (act != ActNone) pause_d = 2'(clamp(1, 4, L2Div) - 1);

    event_valid_d = 1'b1;  // rule: 10
    event_d       = '{kind: EventUsed, way: at_way, line: old_line};
    unique case (act)
      ActServe, ActHit: event_d.kind = dropped ? EventGone : EventUsed;
      ActFill:          event_d.kind = EventCame;
      ActMiss: begin
        event_valid_d = at_valid;
        event_d.kind  = EventGone;
      end
      ActPass: begin
        event_valid_d = acquire && last_set;
        event_d       = '{kind: EventAllGone, default: '0};
      end
      default: event_valid_d = 1'b0;
    endcase

    err_d = ErrNone;  // rule: 1
    if (pick_wrong)         err_d = ErrL2Pick;  // rule: 8
    if (act == ActDropFill) err_d = ErrL2Fill;  // rule: 1
    if (act == ActDrop)     err_d = ErrL2Request;  // rule: 1
  end

  always_comb begin : count  // rule: 6
    counters_d = counters_q;
    if (Gtsc) begin
      if (performed) begin
        unique case (request.op)
          BusRd:   counters_d.busrd = counters_q.busrd + 32'd1;
          BusWr:   counters_d.buswr = counters_q.buswr + 32'd1;
          default: counters_d.busatom = counters_q.busatom + 32'd1;
        endcase
        if (!writes && !renews) counters_d.fills_sent = counters_q.fills_sent + 32'd1;
        if (renews) counters_d.renews_sent = counters_q.renews_sent + 32'd1;
      end
      if (read_in) counters_d.dram_reads = counters_q.dram_reads + 32'd1;
      if (write_out) counters_d.writebacks = counters_q.writebacks + 32'd1;
      if (evicts) counters_d.evictions = counters_q.evictions + 32'd1;
      if (may && !can && (todo inside {ActAppend, ActHit, ActMiss, ActAsk})) begin  // rule: 7
        counters_d.hold_cycles = counters_q.hold_cycles + 32'd1;
      end
    end else begin  // rule: 16
      if (waiting != '0) counters_d.stall_lease = counters_q.stall_lease + 32'd1;
      if (may && (todo inside {ActMiss, ActAsk}) && !picked && may_go == '0) begin
        counters_d.stall_evict = counters_q.stall_evict + 32'd1;
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pause_q       <= '0;
      ovf_q         <= 1'b0;
      halted_q      <= 1'b0;
      sync_q        <= 1'b0;
      sync_set_q    <= '0;
      sync_done_q   <= 1'b0;
      event_valid_q <= 1'b0;
      err_q         <= ErrNone;
      counters_q         <= '0;
    end else begin
      pause_q       <= pause_d;
      ovf_q         <= ovf_d;
      halted_q      <= Gtsc && halt_i;  // rule: Ports halt_i
      sync_q        <= sync_d;
      sync_set_q    <= sync_set_d;
      sync_done_q   <= act == ActPass && last_set;  // rule: 9
      event_valid_q <= event_valid_d;
      err_q         <= err_d;
      counters_q         <= counters_d;
    end
  end

  // sync_q and event_valid_q cover these.
  always_ff @(posedge clk_i) begin
    if (sync_valid_i && !sync_q) sync_kind_q <= sync_i;  // rule: 9
    if (event_valid_d) event_q <= event_d;  // rule: 10
  end

  assign ovf_o         = ovf_q;  // rule: Ports ovf_o
  assign halted_o      = halted_q;  // rule: Ports halt_i
  assign sync_ready_o  = !sync_q;  // rule: 9
  assign sync_done_o   = sync_done_q;  // rule: 9
  assign event_valid_o = event_valid_q;  // rule: 10
  assign event_o       = event_valid_q ? event_q : '0;  // rule: 11
  assign err_valid_o   = (err_q != ErrNone);  // rule: Errors
  assign err_code_o    = err_q;  // rule: Errors
  assign counters_o         = counters_q;  // rule: Ports

  // -----------------------------------------------------------------------------------------------
  `DUET_ASSERT_PARAM(ProtocolLegal, Protocol <= ProtocolTcw, "Protocol must be 0, 1 or 2")
  `DUET_ASSERT_PARAM(NSmLegal, NSm >= 1 && NSm <= 32, "NSm must be 1..32")
  `DUET_ASSERT_PARAM(TsWLegal, TsW >= 5 && TsW <= 32, "TsW must be 5..32")
  `DUET_ASSERT_PARAM(LeaseLegal, Lease == clamp(1, 1 << (clamp(5, 32, TsW) - 2), Lease),
                     "Lease must be 1..2^(TsW-2)")
  `DUET_ASSERT_PARAM(LineLegal, Line == LineP, "Line must be 16, 32, 64 or 128")
  `DUET_ASSERT_PARAM(LineWLegal, LineW == LineWP, "LineW must be 8..40")
  `DUET_ASSERT_PARAM(L2BanksLegal, L2Banks == L2BanksP,
                     "L2Banks must be a power of 2 of at most 16")
  `DUET_ASSERT_PARAM(L2SetsLegal, L2Sets == L2SetsP,
                     "L2Sets must be a power of 2 of at most 1024, and of 2^(LineW-1) / L2Banks")
  `DUET_ASSERT_PARAM(L2WaysLegal, L2Ways == L2WaysP, "L2Ways must be 1..16")
  `DUET_ASSERT_PARAM(L2MshrLegal, L2Mshr == L2MshrP, "L2Mshr must be 1..64")
  `DUET_ASSERT_PARAM(L2WaitLegal, L2Wait >= 1 && L2Wait <= 16, "L2Wait must be 1..16")
  `DUET_ASSERT_PARAM(L2DivLegal, L2Div >= 1 && L2Div <= 4, "L2Div must be 1..4")
  `DUET_ASSERT_PARAM(TcLeaseLegal, TcLease >= 1 && TcLease <= 65535, "TcLease must be 1..65535")

  // Specification section 8.1.
  `DUET_ASSERT(StandsStill, !stop || act == ActNone, "action while halted")
  `DUET_ASSERT(OverflowLasts, !$past(ovf_q) || ovf_q || $past(restart),
               "overflow forgotten before the leases restarted")
  `DUET_ASSERT(PassBusy, act != ActPass || sync_q, "set passed while no sync is in progress")
  `TIMESTAMP_ASSERT_INPUT(NoError, err_d == ErrNone, "bad input, see err_code_o")
  `DUET_PROMISE_STATIC(Static, policy_i)
endmodule
