`include "duet_assert.svh"
`include "coherence_directory_types.svh"
`include "coherence_directory_entry.svh"

/// Job FIFO and invalidation engine: sends the lines of the oldest job one by one, the lowest
/// first. A job that is pushed in cycle t is on `inv` from t+1 on if the FIFO is empty. There is no
/// bubble between jobs.
module coherence_directory_jobs  // rule: 5
  import coherence_directory_pkg::*;
#(
  parameter int unsigned  Variant      = VariantRec,
  parameter int unsigned  Gpus         = 4,
  parameter int unsigned  Line         = 64,
  parameter int unsigned  Range        = 1024,
  parameter int unsigned  AddressWidth = 48,
  parameter int unsigned  Jobs         = 8,
  localparam int unsigned Sharers      = Gpus - 1,
  localparam int unsigned Positions    = Range / Line,
  localparam int unsigned PositionW    = (Positions > 1) ? $clog2(Positions) : 1,
  localparam int unsigned Groups       = (Variant == VariantRec) ? Positions : 1,
  localparam int unsigned BaseW        = AddressWidth - $clog2(Range),
  localparam int unsigned CountW       = $clog2(Jobs + 1),
  localparam type         inv_t        = `DIRECTORY_INV_T(AddressWidth)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  input  logic [3:0]                     self_i,  // this GPU
  // push: the job of the request in S1, at most one of three
  input  logic                           write_i,
  input  logic                           evict_i,
  input  logic                           fence_i,
  input  logic [7:0]                     seq_i,
  input  logic [BaseW-1:0]               base_i,        // address of the request / Range
  input  logic [PositionW-1:0]           pos_i,         // line in the range
  input  logic [Sharers-1:0]             slots_i,       // sharers to invalidate
  input  logic [BaseW-1:0]               whole_base_i,  // the entry to evict
  input  logic [Positions-1:0]           whole_pos_i,
  input  logic [Groups-1:0][Sharers-1:0] whole_slots_i,
  // state
  output logic [CountW-1:0]              count_o,     // jobs held
  output logic [7:0]                     head_seq_o,  // of the oldest
  output logic                           done_o,      // its last line is taken
  // inv: one line per cycle
  output logic                           inv_valid_o,
  input  logic                           inv_ready_i,
  output inv_t                           inv_o
);
  localparam int unsigned LineW  = $clog2(Line);
  localparam int unsigned GroupW = (Groups > 1) ? PositionW : 1;
  typedef `DIRECTORY_JOB_T(BaseW, Positions, Groups, Sharers) job_t;

  logic [Positions-1:0] sent_d, sent_q;  // sent lines of the head

  // The new job.
  logic push;
  job_t job;
  assign push = write_i || evict_i || fence_i;
  always_comb begin : make
    job = '0;
    if (push) job.seq = seq_i;
    if (write_i) begin
      job.cause = CauseWrite;
      job.base  = base_i;
      if (Variant == VariantHmg) begin
        job.pos      = '1;
        job.slots[0] = slots_i;
      end else if (Variant == VariantRec) begin
        job.pos[pos_i]   = 1'b1;
        job.slots[pos_i] = slots_i;
      end else begin
        job.pos[0]   = 1'b1;
        job.slots[0] = slots_i;
      end
    end
    if (evict_i) begin
      job.cause = CauseEvict;
      job.base  = whole_base_i;
      job.pos   = whole_pos_i;
      job.slots = whole_slots_i;
    end
    // One message with address 0 to all other GPUs.
    if (fence_i) begin
      job.cause    = CauseFence;
      job.pos[0]   = 1'b1;
      job.slots[0] = '1;
    end
  end

  typedef struct packed {
`ifdef DUET_SIMULATION
    logic [AddressWidth-1:0] written;  // line address of a WRITE job, for WrittenLine
`endif
    job_t                    job;
  } place_t;
  place_t pushed, oldest;
  assign pushed.job = job;
`ifdef DUET_SIMULATION
  assign pushed.written = {base_i, $clog2(Range)'(0)} | (AddressWidth'(pos_i) << LineW);
`endif

  duet_fifo #(
    .T    (place_t),
    .Depth(Jobs)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .push_i (push),
    .data_i (pushed),
    .pop_i  (done_o),
    .head_o (oldest),
    .count_o
  );

  // The head and its lowest unsent line.
  logic                 held, last;
  job_t                 head;
  logic [Positions-1:0] left, lowest;
  logic [PositionW-1:0] line;
  logic [GroupW-1:0]    group;
  logic [Sharers-1:0]   slots;
  assign held = (count_o != '0);
  always_comb begin : present
    head   = '0;
    left   = '0;
    lowest = '0;
    last   = 1'b0;
    line   = '0;
    group  = '0;
    slots  = '0;
    inv_o  = '0;
    if (held) begin
      head   = oldest.job;
      left   = head.pos & ~sent_q;
      lowest = left & ~(left - Positions'(1));
      last   = (left == lowest);
      for (int unsigned k = 0; k < Positions; k++) if (lowest[k]) line |= PositionW'(k);
      if (Groups > 1) group = GroupW'(line);
      slots = head.slots[group];
      inv_o.cause = head.cause;
      inv_o.last  = last;
      inv_o.seq   = head.seq;
      inv_o.dest  = gpus_of_slots(16'(slots), self_i);
      inv_o.addr  = (AddressWidth'(head.base) << $clog2(Range)) | (AddressWidth'(line) << LineW);
    end
  end

  logic sent;
  assign sent   = held && inv_ready_i;
  assign done_o = sent && last;

  always_comb begin : next_sent
    sent_d = sent_q;
    if (sent) sent_d = sent_q | lowest;
    if (done_o) sent_d = '0;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) sent_q <= '0;
    else         sent_q <= sent_d;
  end

  assign head_seq_o  = held ? head.seq : '0;
  assign inv_valid_o = held;

  `DUET_ASSERT(OneJob, $onehot0({write_i, evict_i, fence_i}), "more than one job in a cycle")
  `DUET_ASSERT(SentLegal, !held || left != '0, "job without a line left")
  `DUET_ASSERT(DestLegal, !held || (inv_o.dest != '0 && !inv_o.dest[self_i]),
               "invalidation to nobody or to the home")
  `DUET_ASSERT(IdealNeverEvicts, Variant != VariantIdeal || !held || inv_o.cause != CauseEvict,
               "eviction from the ideal directory")
  `DUET_ASSERT(WrittenLine, Variant == VariantHmg || !held || inv_o.cause != CauseWrite
                            || inv_o.addr == oldest.written, "WRITE job of another line")
  `DUET_ASSERT_STABLE(InvStable, inv_valid_o, inv_ready_i, inv_o)
endmodule
