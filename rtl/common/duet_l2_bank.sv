`include "duet_assert.svh"
`include "timestamp_types.svh"

/// An L2 bank without its leases: channels, lines, MSHRs, releases and acquires, the policy, and
/// which action comes in a cycle (specification 5.4). What a lease is, when it ends, and what a
/// request is answered, is the protocol's, which stands around it. One action in Div cycles.
module duet_l2_bank  // rule: gtsc_l2 The action of a cycle
  import duet_pkg::*;
  import timestamp_pkg::*;
#(
  parameter int unsigned NSm   = 16,
  parameter int unsigned Line  = 128,
  parameter int unsigned LineW = 25,
  parameter int unsigned Banks = 8,
  parameter int unsigned Sets  = 128,
  parameter int unsigned Ways  = 8,
  parameter int unsigned Mshr  = 32,
  parameter int unsigned Wait  = 4,
  parameter int unsigned Div   = 2,
  parameter bit          Keeps = 1'b0,   // lines stay though their policy does not want them
  parameter bit          Waits = 1'b0,   // writes and atomics wait for the end of a lease
  parameter type         req_t = logic,  // a TIMESTAMP_BUS_REQ_T
  parameter type         rsp_t = logic,  // a TIMESTAMP_BUS_RSP_T
  localparam type mem_req_t = `TIMESTAMP_DRAM_REQ_T(Line, LineW),
  localparam type mem_rsp_t = `TIMESTAMP_DRAM_RSP_T(Line, LineW),
  localparam type ask_t     = `TIMESTAMP_ASK_T(LineW, Ways),
  localparam type pick_t    = `TIMESTAMP_PICK_T,
  localparam type event_t   = `TIMESTAMP_EVENT_T(LineW),
  localparam int unsigned SetW  = (Sets > 1) ? $clog2(Sets) : 1,
  localparam int unsigned MshrW = (Mshr > 1) ? $clog2(Mshr) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  // the ports of the bank
  input  logic              bus_req_valid_i,
  input  req_t              bus_req_i,
  output logic              bus_req_ready_o,
  output logic              bus_rsp_valid_o,
  output rsp_t              bus_rsp_o,
  input  logic              bus_rsp_ready_i,
  output logic              dram_req_valid_o,
  output mem_req_t          dram_req_o,
  input  logic              dram_req_ready_i,
  input  logic              dram_rsp_valid_i,
  input  mem_rsp_t          dram_rsp_i,
  output logic              dram_rsp_ready_o,
  input  logic              sync_valid_i,
  input  logic              sync_i,
  output logic              sync_ready_o,
  output logic              sync_done_o,
  input  logic              policy_i,
  output logic              ask_valid_o,
  output ask_t              ask_o,
  input  logic              pick_valid_i,
  input  pick_t             pick_i,
  output logic              event_valid_o,
  output event_t            event_o,
  output logic              err_valid_o,
  output logic [3:0]        err_code_o,
  // leases of a set, and of the lines of the MSHRs
  output logic [SetW-1:0]   set_o,
  output logic [Ways-1:0]   valid_o,      // lines of the set
  input  logic [Ways-1:0]   over_i,       // of each way: its line may go
  input  logic [Mshr-1:0]   mshr_over_i,  // of each filled MSHR: writes need not wait
  // the line that an action touches, and the request that it performs
  input  logic              stop_i,       // none comes
  output logic              performs_o,   // one is to be performed
  output logic              fills_o,      // a line is to come
  input  logic              refuse_i,     // not so: it does not fit, and nothing changes
  output req_t              request_o,
  output logic [SetW-1:0]   at_set_o,
  output logic [3:0]        at_way_o,
  output logic [8*Line-1:0] at_data_o,    // the line's bytes
  output logic [8*Line-1:0] old_data_o,   // those that an atomic changes, as they were
  input  rsp_t              answer_i,
  // what is done in this cycle
  output logic              refused_o,
  output logic              performed_o,
  output logic              filled_o,
  output logic              waits_o,      // a write begins to wait for a lease
  output logic              goes_o,       // the line goes: for another one, or
  output logic              gone_o,       // behind the request that is performed
  output logic              empty_o,      // all lines of the set go
  output logic              mshr_write_o, // the line has this MSHR after it
  output logic [MshrW-1:0]  mshr_o,
  // for counters
  output logic              read_o,       // a line is read from memory
  output logic              write_o,      // and written to it
  output logic              held_o,       // a request cannot act
  output logic              no_way_o,     // for want of a way that may go
  output logic              waiting_o     // the oldest request of an MSHR waits for a lease
);
  localparam int unsigned BankW = $clog2(Banks);

  typedef logic [LineW-1:0]  line_t;
  typedef logic [8*Line-1:0] data_t;
  typedef logic [SetW-1:0]   set_t;
  typedef logic [Ways-1:0]   ways_t;

  // What is done in a cycle.
  typedef enum logic [3:0] {
    ActNone,
    ActServe,    // B1: the oldest request of an MSHR
    ActFill,     // B2
    ActDropFill, // a line that nobody waits for
    ActWriteOut, // a step of a sync: a dirty line
    ActPass,     // or a set without one
    ActDrop,     // a request that cannot be
    ActAppend,   // B3
    ActHit,      // B4
    ActWait,     // a write that finds its line lent
    ActMiss,     // B5
    ActAsk       // the policy, before B5
  } act_e;

  function automatic set_t set_of(line_t line);
    return set_t'(line >> BankW) & set_t'(Sets - 1);
  endfunction

  logic [1:0] pause_d, pause_q;  // cycles until an action may come
  logic       event_valid_d, event_valid_q;
  event_t     event_d, event_q;
  logic [3:0] err_d, err_q;

  // -----------------------------------------------------------------------------------------------
  // What is there to do, by priority
  act_e             todo, act;
  logic             req_valid, fill_valid;
  req_t             head;
  mem_rsp_t         fill;
  logic             idle, match, full, mshr_free, fill_match, keep, last;
  logic [Mshr-1:0]  filled, first_writes, waiting, ready;
  logic [MshrW-1:0] free_mshr, fill_mshr, serve_mshr;
  logic [3:0]       mshr_way;
  req_t             oldest;
  logic             present;
  logic [3:0]       present_way, victim;
  ways_t            dirty, reserved, may_go;
  logic             sync, acquire, last_set;
  set_t             sync_set;
  logic             asked, picked, pick_keep, pick_wrong;
  logic [3:0]       pick_way;
  ways_t            ask_ways;
  logic             request_bad, lent;

  assign waiting = Waits ? filled & first_writes & ~mshr_over_i : '0;  // rule: tc_l2 2
  assign ready   = filled & ~waiting;  // rule: tc_l2 2
  // What an L1 may hold stays.
  assign may_go  = ~reserved & (~valid_o | over_i);
  assign lent    = ((ways_t'(16'd1 << present_way) & ~over_i) != '0);  // rule: tc_l2 3

  assign request_bad = (head.op > BusAtom) || (head.op == BusAtom && head.aop > AopXchg)
                       || 32'(head.sm) >= NSm;  // rule: gtsc_l2 1

  always_comb begin : look
    todo = ActNone;
    if (asked) begin  // rule: gtsc_l2 8
      if (picked) todo = ActMiss;
    end else if (ready != '0) begin  // rule: gtsc_l2 The action of a cycle serve
      todo = ActServe;
    end else if (fill_valid) begin  // rule: gtsc_l2 The action of a cycle fill
      todo = fill_match ? ActFill : ActDropFill;
    end else if (sync) begin  // rule: gtsc_l2 9
      if (idle && dirty != '0) todo = ActWriteOut;
      else if (idle && (!acquire || (valid_o & ~over_i) == '0)) todo = ActPass;  // rule: tc_l2 7
    end else if (req_valid) begin
      if (request_bad)   todo = ActDrop;  // rule: gtsc_l2 1
      else if (match)    todo = ActAppend;  // rule: gtsc_l2 The action of a cycle append
      else if (present)  todo = (Waits && head.op != BusRd && lent) ? ActWait : ActHit;
      else if (policy_i) todo = ActAsk;  // rule: gtsc_l2 The action of a cycle ask
      else               todo = ActMiss;  // rule: gtsc_l2 The action of a cycle miss (B5)
    end
  end
  assign set_o = (sync && !asked) ? sync_set : set_of(head.line);  // rule: gtsc_l2 9

  // -----------------------------------------------------------------------------------------------
  // The line that it touches, the request that is performed
  line_t at_line, old_line;
  logic  at_valid, at_dirty, writes, leaves;
  data_t new_data;

  always_comb begin : touch
    at_line  = head.line;
    at_way_o = '0;
    unique case (todo)
      ActServe: begin  // rule: gtsc_l2 The action of a cycle serve
        at_line  = oldest.line;
        at_way_o = mshr_way;
      end
      ActFill: begin  // rule: gtsc_l2 The action of a cycle fill
        at_line  = fill.line;
        at_way_o = mshr_way;
      end
      ActWriteOut:     at_way_o = 4'(lowest(64'(dirty)));
      ActHit, ActWait: at_way_o = present_way;
      ActMiss:         at_way_o = picked ? pick_way : victim;
      default: ;
    endcase
  end
  assign at_set_o   = (todo == ActWriteOut) ? sync_set : set_of(at_line);
  assign serve_mshr = (ready != '0) ? MshrW'(lowest(64'(ready))) : fill_mshr;

  assign performs_o = (todo == ActServe || todo == ActHit);
  assign fills_o    = (todo == ActFill);
  assign request_o  = (todo == ActServe) ? oldest : head;
  assign writes     = (request_o.op != BusRd);
  // The last request of an MSHR takes the line with it that is not to be kept.
  assign leaves     = !Keeps && todo == ActServe && last && !keep;  // rule: gtsc_l2 8; tc_l2 6

  duet_l2_update #(  // rule: gtsc_l2 2
    .Line(Line)
  ) u_update (
    .write_i  (performs_o && request_o.op == BusWr),
    .atomic_i (performs_o && request_o.op == BusAtom),
    .aop_i    (request_o.aop),
    .wide_i   (request_o.sz),
    .mask_i   (request_o.mask),
    .operand_i(request_o.data),
    .line_i   (at_data_o),
    .line_o   (new_data),
    .old_o    (old_data_o)
  );

  // -----------------------------------------------------------------------------------------------
  // Whether it is done
  logic       may, can, rsp_room;
  logic [2:0] dram_room;
  logic       leaves_dirty;

  assign leaves_dirty = leaves && (at_dirty || writes);  // rule: gtsc_l2 8
  assign may          = !stop_i && pause_q == '0;  // rule: gtsc_l2 4

  always_comb begin : room
    can = 1'b1;
    unique case (todo)
      ActNone:          can = 1'b0;
      ActServe, ActHit: can = rsp_room && (!leaves_dirty || dram_room != '0);
      ActWriteOut:      can = (dram_room != '0);
      ActAppend:        can = !full;  // rule: gtsc_l2 The action of a cycle append
      ActWait:          can = mshr_free;  // rule: tc_l2 3
      ActMiss: begin  // rule: gtsc_l2 The action of a cycle miss (B5)
        can = mshr_free && (picked || may_go != '0) && 32'(dram_room) > 32'(at_dirty);
      end
      ActAsk:           can = mshr_free && may_go != '0 && dram_room >= 3'd2;  // rule: gtsc_l2 8
      default: ;
    endcase
  end
  // An action that is refused changes nothing.
  assign refused_o = may && can && refuse_i;  // rule: gtsc_l2 3
  assign act       = (may && can && !refuse_i) ? todo : ActNone;  // rule: gtsc_l2 3

  assign performed_o  = (act == ActServe || act == ActHit);
  assign filled_o     = (act == ActFill);
  assign waits_o      = (act == ActWait);
  assign gone_o       = (act == ActServe && leaves);  // rule: gtsc_l2 8
  assign goes_o       = gone_o || (act == ActMiss && at_valid);  // rule: gtsc_l2 6
  assign empty_o      = (act == ActPass && acquire);  // rule: gtsc_l2 9
  assign mshr_write_o = (act inside {ActServe, ActFill, ActWait});
  assign mshr_o       = waits_o ? free_mshr : serve_mshr;

  assign held_o    = may && !can && (todo inside {ActAppend, ActHit, ActMiss, ActAsk});
  assign no_way_o  = may && (todo inside {ActMiss, ActAsk}) && !picked && may_go == '0;
  assign waiting_o = (waiting != '0);  // rule: tc_l2 5

  // -----------------------------------------------------------------------------------------------
  // Lines, MSHRs
  duet_l2_ways #(  // rule: gtsc_l2 Registers duet_l2_ways
    .Line (Line),
    .LineW(LineW),
    .Banks(Banks),
    .Sets (Sets),
    .Ways (Ways)
  ) u_ways (
    .clk_i,
    .rst_ni,
    .set_i     (set_o),
    .line_i    (head.line),
    .present_o (present),
    .way_o     (present_way),
    .valid_o   (valid_o),
    .dirty_o   (dirty),
    .reserved_o(reserved),
    .may_go_i  (may_go),
    .victim_o  (victim),
    .empty_i   (empty_o),
    .at_set_i  (at_set_o),
    .at_way_i  (at_way_o),
    .at_valid_o(at_valid),
    .at_dirty_o(at_dirty),
    .at_line_o (old_line),
    .at_data_o (at_data_o),
    .use_i     (performed_o || filled_o),
    .take_i    (act == ActMiss),
    .reserve_i (act == ActMiss || act == ActWait),
    .release_i (act == ActServe && last),
    .fill_i    (filled_o),
    .write_i   (performed_o && writes),
    .clean_i   (act == ActWriteOut),
    .go_i      (gone_o),
    .data_i    (filled_o ? fill.data : new_data)
  );

  duet_l2_misses #(  // rule: gtsc_l2 Registers duet_l2_misses
    .req_t(req_t),
    .LineW(LineW),
    .Mshr (Mshr),
    .Wait (Wait)
  ) u_misses (
    .clk_i,
    .rst_ni,
    .idle_o       (idle),
    .filled_o     (filled),
    .writes_o     (first_writes),
    .req_i        (head),
    .match_o      (match),
    .full_o       (full),
    .append_i     (act == ActAppend),
    .free_o       (mshr_free),
    .free_mshr_o  (free_mshr),
    .take_i       (act == ActMiss || act == ActWait),
    .take_filled_i(act == ActWait),
    .take_way_i   (at_way_o),
    .take_keep_i  (Keeps || !picked || pick_keep),
    .fill_line_i  (fill.line),
    .fill_match_o (fill_match),
    .fill_mshr_o  (fill_mshr),
    .fill_i       (filled_o),
    .mshr_i       (serve_mshr),
    .way_o        (mshr_way),
    .keep_o       (keep),
    .oldest_o     (oldest),
    .last_o       (last),
    .pop_i        (act == ActServe)
  );

  // -----------------------------------------------------------------------------------------------
  // What comes and goes
  mem_req_t out, in;

  assign write_o = (act == ActWriteOut) || (act == ActMiss && at_valid && at_dirty)
                   || (gone_o && leaves_dirty);  // rule: gtsc_l2 6
  assign read_o  = (act == ActMiss);  // rule: gtsc_l2 The action of a cycle miss (B5)
  always_comb begin : memory
    out = '0;
    in  = '0;
    if (write_o) out = '{we: 1'b1, line: old_line, data: gone_o ? new_data : at_data_o};
    if (read_o)  in = '{we: 1'b0, line: head.line, data: '0};
  end

  duet_l2_channels #(  // rule: gtsc_l2 Ports bus_req_; gtsc_l2 Ports dram_req_
    .req_t    (req_t),
    .rsp_t    (rsp_t),
    .mem_req_t(mem_req_t),
    .mem_rsp_t(mem_rsp_t)
  ) u_channels (
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
    .req_valid_o (req_valid),
    .req_o       (head),
    .req_pop_i   (act inside {ActDrop, ActAppend, ActHit, ActWait, ActMiss}),
    .fill_valid_o(fill_valid),
    .fill_o      (fill),
    .fill_pop_i  (act inside {ActFill, ActDropFill}),
    .rsp_room_o  (rsp_room),
    .rsp_push_i  (performed_o),
    .rsp_i       (answer_i),
    .mem_room_o  (dram_room),
    .write_i     (write_o),
    .write_req_i (out),
    .read_i      (read_o),
    .read_req_i  (in)
  );

  // -----------------------------------------------------------------------------------------------
  // Syncs, the policy
  duet_l2_sync #(  // rule: gtsc_l2 9
    .Sets(Sets)
  ) u_sync (
    .clk_i,
    .rst_ni,
    .sync_valid_i,
    .sync_i,
    .sync_ready_o,
    .sync_done_o,
    .busy_o   (sync),
    .acquire_o(acquire),
    .set_o    (sync_set),
    .last_o   (last_set),
    .pass_i   (act == ActPass)
  );

  duet_l2_ask #(  // rule: gtsc_l2 8
    .Ways(Ways)
  ) u_ask (
    .clk_i,
    .rst_ni,
    .ask_i   (act == ActAsk),
    .ways_i  (may_go),
    .pick_valid_i,
    .pick_i,
    .done_i  (act == ActMiss),
    .ask_o   (ask_valid_o),
    .ways_o  (ask_ways),
    .busy_o  (asked),
    .picked_o(picked),
    .way_o   (pick_way),
    .keep_o  (pick_keep),
    .wrong_o (pick_wrong)
  );
  always_comb begin : offer  // rule: gtsc_l2 8
    ask_o = '0;
    if (ask_valid_o) ask_o = '{sm: head.sm, line: head.line, ways: ask_ways};
  end

  // -----------------------------------------------------------------------------------------------
  // Next state
  always_comb begin : next_state  // rule: gtsc_l2 4
    pause_d = (pause_q == '0) ? '0 : pause_q - 2'd1;
    if (act != ActNone) pause_d = 2'(Div - 1);
  end

  always_comb begin : tell  // rule: gtsc_l2 10
    event_valid_d = 1'b1;
    event_d       = '{kind: EventUsed, way: at_way_o, line: old_line};
    unique case (act)
      ActServe, ActHit: event_d.kind = gone_o ? EventGone : EventUsed;
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

    err_d = ErrNone;  // rule: gtsc_l2 1
    if (pick_wrong)         err_d = ErrL2Pick;  // rule: gtsc_l2 8
    if (act == ActDropFill) err_d = ErrL2Fill;  // rule: gtsc_l2 1
    if (act == ActDrop)     err_d = ErrL2Request;  // rule: gtsc_l2 1
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      pause_q       <= '0;
      event_valid_q <= 1'b0;
      err_q         <= ErrNone;
    end else begin
      pause_q       <= pause_d;
      event_valid_q <= event_valid_d;
      err_q         <= err_d;
    end
  end

  // event_valid_q covers it.
  always_ff @(posedge clk_i) if (event_valid_d) event_q <= event_d;  // rule: gtsc_l2 10

  assign event_valid_o = event_valid_q;  // rule: gtsc_l2 10
  assign event_o       = event_valid_q ? event_q : '0;  // rule: gtsc_l2 11
  assign err_valid_o   = (err_q != ErrNone);  // rule: gtsc_l2 Errors
  assign err_code_o    = err_q;  // rule: gtsc_l2 Errors

  // Specification section 8.1.
  `DUET_ASSERT(StandsStill, !stop_i || act == ActNone, "action while halted")
  `TIMESTAMP_ASSERT_INPUT(NoError, err_d == ErrNone, "bad input, see err_code_o")
endmodule
