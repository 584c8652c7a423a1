`include "duet_assert.svh"

/// Account of one destination: the bank that fills, the bank that is sent, and what a release needs
/// to know. The entries are in remote_write_queue_table. Every effect is visible 1 cycle later.
module remote_write_queue_partition #(  // rule: Registers partition, fill_q
  parameter int unsigned Entries    = 64,
  parameter int unsigned Banks      = 2,
  parameter int unsigned MaxPayload = 4096,
  parameter int unsigned BaseWidth  = 34  // 64 - OffsetWidth
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  input  logic [15:0]          timeout_i,
  input  logic                 acct_i,
  // from stage S2
  input  logic                 flush_i,     // hand the filling bank over, before any write
  input  logic                 wr_i,        // a STORE is written into an entry
  input  logic                 wr_first_i,  // entry 0 of an empty bank
  input  logic                 wr_hit_i,    // an entry in use, else the next one
  input  logic [9:0]           wr_cost_i,   // cost of its mask
  input  logic signed [10:0]   wr_delta_i,  // growth of the entry's cost on a hit
  input  logic [BaseWidth-1:0] wr_base_i,
  input  logic                 atomic_i,  // an ATOMIC is pushed
  input  logic                 mark_i,    // a MARK is pushed
  // from the sequencer: the last entry is taken
  input  logic                 drained_i,
  // filling bank
  output logic                 fill_bank_o,
  output logic [6:0]           count_o,
  output logic [12:0]          avail_o,
  output logic [12:0]          sum_o,  // exact payload bytes
  output logic [BaseWidth-1:0] base_o,
  output logic                 dirty_o,    // something was sent or is held since the last release
  output logic                 expired_o,  // no STORE for timeout_i cycles
  // bank that is sent
  output logic                 busy_o,
  output logic [6:0]           drain_count_o,
  output logic [12:0]          drain_sum_o,
  output logic [BaseWidth-1:0] drain_base_o,
  output logic [7:0]           tag_o  // counts the packets
);
  typedef struct packed {
    logic [6:0]           count;
    logic [12:0]          avail;  // what the admission test sees; PAPER charges each STORE in full
    logic [12:0]          sum;    // sum of the entries' costs, which is plen
    logic [BaseWidth-1:0] base;
  } fill_t;

  localparam fill_t Empty = '{count: '0, avail: 13'(MaxPayload), sum: '0, base: '1};

  fill_t                fill_d, fill_q;
  logic                 bank_d, bank_q;
  logic                 dirty_d, dirty_q;
  logic [15:0]          timer_d, timer_q;
  logic                 expired_d, expired_q;
  logic                 busy_d, busy_q;
  logic [6:0]           drain_count_d, drain_count_q;
  logic [12:0]          drain_sum_d, drain_sum_q;
  logic [BaseWidth-1:0] drain_base_d, drain_base_q;
  logic [7:0]           tag_d, tag_q;

  // Exact growth of the payload.
  wire [12:0] growth = wr_hit_i ? 13'(wr_delta_i) : 13'(wr_cost_i);

  always_comb begin : next_fill
    fill_d = fill_q;
    bank_d = bank_q;
    if (flush_i) begin
      fill_d = Empty;
      bank_d = (Banks == 2) ? !bank_q : 1'b0;  // rule: Registers partition, bank_q
    end
    if (wr_i) begin
      if (wr_first_i) begin
        fill_d.count   = 7'd1;
        fill_d.avail = 13'(MaxPayload) - 13'(wr_cost_i);
        fill_d.sum   = 13'(wr_cost_i);
        fill_d.base  = wr_base_i;
      end else begin
        fill_d.count   = fill_q.count + 7'(!wr_hit_i);
        fill_d.avail = fill_q.avail - (acct_i ? 13'(wr_cost_i) : growth);
        fill_d.sum   = fill_q.sum + growth;
      end
    end
  end

  always_comb begin : next_since_release
    dirty_d = dirty_q;  // rule: Registers partition, tag_q
    if (mark_i) dirty_d = 1'b0;  // rule: Registers partition, tag_q
    if (wr_i || atomic_i) dirty_d = 1'b1;  // rule: 7
    // Cycles since the last STORE; it stands still while there is nothing to flush.
    timer_d = timer_q;
    if (wr_i) timer_d = '0;  // rule: 7
    else if (fill_q.count != '0 && timer_q != '1) timer_d = timer_q + 16'd1;  // rule: 7
    expired_d = (timeout_i != '0) && (timer_d >= timeout_i);  // rule: Registers partition, timer_q
  end

  // One bank at most is being sent, so one copy of its account is enough for 1 and 2 banks.
  always_comb begin : next_drain
    busy_d       = busy_q;
    drain_count_d  = drain_count_q;
    drain_sum_d  = drain_sum_q;
    drain_base_d = drain_base_q;
    tag_d        = tag_q;
    if (drained_i) begin  // rule: 13
      busy_d = 1'b0;
      tag_d  = tag_q + 8'd1;  // rule: 12
    end
    if (flush_i) begin  // rule: 13
      busy_d       = 1'b1;
      drain_count_d  = fill_q.count;  // rule: Registers partition, busy_q
      drain_sum_d  = fill_q.sum;  // rule: Registers partition, busy_q
      drain_base_d = fill_q.base;  // rule: Registers partition, busy_q
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      fill_q       <= Empty;
      bank_q       <= 1'b0;
      dirty_q      <= 1'b0;
      timer_q      <= '0;
      expired_q    <= 1'b0;
      busy_q       <= 1'b0;
      drain_count_q  <= '0;
      drain_sum_q  <= '0;
      drain_base_q <= '0;
      tag_q        <= '0;
    end else begin
      fill_q       <= fill_d;
      bank_q       <= bank_d;
      dirty_q      <= dirty_d;
      timer_q      <= timer_d;
      expired_q    <= expired_d;
      busy_q       <= busy_d;
      drain_count_q  <= drain_count_d;
      drain_sum_q  <= drain_sum_d;
      drain_base_q <= drain_base_d;
      tag_q        <= tag_d;
    end
  end

  assign fill_bank_o  = bank_q;
  assign count_o        = fill_q.count;
  assign avail_o      = fill_q.avail;
  assign sum_o        = fill_q.sum;
  assign base_o       = fill_q.base;
  assign dirty_o      = dirty_q;
  assign expired_o    = expired_q;
  assign busy_o       = busy_q;
  assign drain_count_o  = drain_count_q;
  assign drain_sum_o  = drain_sum_q;
  assign drain_base_o = drain_base_q;
  assign tag_o        = tag_q;

  `DUET_ASSERT(EmptyIsFullCredit, (fill_q.count == '0) == (32'(fill_q.avail) == MaxPayload),
               "avail must be MaxPayload exactly when the filling bank is empty")
  `DUET_ASSERT(AvailInRange, 32'(fill_q.avail) <= MaxPayload, "avail left 0..MaxPayload")
  `DUET_ASSERT(ExactAccount, acct_i || MaxPayload - 32'(fill_q.avail) == 32'(fill_q.sum),
               "EXACT: MaxPayload - avail must be the exact payload")
  `DUET_ASSERT(PaperIsStricter, MaxPayload - 32'(fill_q.avail) >= 32'(fill_q.sum),
               "charged less than the exact payload")
  `DUET_ASSERT(CountInRange, 32'(fill_q.count) <= Entries, "more entries than the bank has")
  `DUET_ASSERT(NonEmptyIsDirty, fill_q.count == '0 || dirty_q, "a release would miss held stores")
  `DUET_ASSERT(FlushNotEmpty, !flush_i || fill_q.count != '0, "flush of an empty partition")
  `DUET_ASSERT(FlushBankFree, !flush_i || !busy_q, "flush while the other bank is sent")
  `DUET_ASSERT(WriteBankFree, !wr_i || Banks == 2 || !busy_q, "write into the bank that is sent")
  `DUET_ASSERT(DrainedWasBusy, !drained_i || busy_q, "drain of a bank that was not flushed")
endmodule
