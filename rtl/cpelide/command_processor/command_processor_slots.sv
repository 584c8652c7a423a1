`include "duet_assert.svh"

/// Packet slots: each takes one AQL packet and its extension block, which the core reads
/// (README.md, rules 14 to 18). A packet that becomes complete in cycle t is valid from t+1 on. All
/// cycles are the processor's.
module command_processor_slots  // rule: 14
  import cpelide_pkg::*;
(
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   run_i,
  // packets
  input  logic                   aql_valid_i,
  output logic                   aql_ready_o,
  input  aql_t                   aql_i,
  input  logic                   ext_valid_i,
  output logic                   ext_ready_o,
  input  ext_t                   ext_i,
  // what the mailbox shows
  output logic [Slots-1:0]       valid_o,
  output logic [1:0]             oldest_o,    // 0 if none is valid
  output logic [Slots-1:0][31:0] meta_o,
  output logic                   complete_o,  // a packet becomes complete
  input  logic                   pop_i,       // free a slot, in an enabled cycle
  input  logic [1:0]             pop_slot_i,
  // read, in an enabled cycle
  input  logic                   rd_i,
  input  logic [13:2]            rd_addr_i,
  output logic [31:0]            rd_data_o    // read last
);
  // A slot is 64 rows of four beats of four words; the packet is row 0, beat k of the extension
  // block beat 4 + k.
  localparam int unsigned Rows     = 64 * Slots;
  localparam logic [7:0]  MostBeat = 8'd252;  // beats of a block that have a place; rule: 15

  typedef struct packed {
    logic [Slots-1:0]            valid;
    logic [Slots-1:0][Slots-1:0] older;     // [s][o]: o is valid and became so before s
    logic                        filling;  // a packet waits for the rest of its extension block
    logic [1:0]                  slot;     // that packet's
    logic [7:0]                  beat;     // next beat, at most MostBeat
    logic [6:0]                  arrival;  // number of the next packet
    logic [Slots-1:0][31:0]      meta;
  } regs_t;
  regs_t regs_d, regs_q;

  logic [1:0] free;  // lowest slot that is not valid
  always_comb begin : find_free
    free = '0;
    for (int unsigned s = Slots; s > 0; s--) if (!regs_q.valid[s-1]) free = 2'(s - 1);
  end

  assign aql_ready_o = run_i && !regs_q.filling && regs_q.valid != '1;
  assign ext_ready_o = run_i && regs_q.filling;  // rule: 15
  wire aql   = aql_valid_i && aql_ready_o;
  wire ext   = ext_valid_i && ext_ready_o;
  wire plain = (aql_i.packet[55:48] == '0);  // no extension block; rule: 15
  wire fits  = (regs_q.beat < MostBeat);

  always_comb begin : next_state
    regs_d     = regs_q;
    complete_o = 1'b0;
    if (pop_i) begin  // rule: 17
      regs_d.valid[pop_slot_i] = 1'b0;
      for (int unsigned s = 0; s < Slots; s++) regs_d.older[s][pop_slot_i] = 1'b0;
    end
    if (aql) begin
      complete_o         = plain;  // rule: 15
      regs_d.filling     = !plain;  // rule: 15
      regs_d.slot        = free;
      regs_d.beat        = '0;
      regs_d.arrival     = regs_q.arrival + 7'd1;
      regs_d.meta[free]  = {1'b0, regs_q.arrival, aql_i.mask, aql_i.stream};
    end
    if (ext) begin  // rule: 15
      complete_o     = ext_i.last;
      regs_d.filling = !ext_i.last;
      if (fits) regs_d.beat = regs_q.beat + 8'd1;
      else      regs_d.meta[regs_q.slot][31] = 1'b1;
    end
    if (complete_o) begin  // rule: 18
      regs_d.older[regs_d.slot] = regs_d.valid;  // rule: 16
      regs_d.valid[regs_d.slot]  = 1'b1;
    end
  end

  always_comb begin : find_oldest  // rule: 16
    oldest_o = '0;
    for (int unsigned s = 0; s < Slots; s++) begin
      if (regs_q.valid[s] && regs_q.older[s] == '0) oldest_o = 2'(s);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) regs_q <= '0;
    else         regs_q <= regs_d;
  end

  // One row is written per cycle: a packet, or one beat. All are zero once: a reset does not clear
  // them.
  wire [7:0]    place = regs_q.beat + 8'd4;
  logic [511:0] wr_mask, wr_data, rd_row;
  logic [3:0]   rd_word_q;  // of the row read last
  always_comb begin : write_port
    wr_mask = '1;
    wr_data = aql_i.packet;
    if (ext) begin
      wr_mask = 512'({128{1'b1}}) << {place[1:0], 7'd0};
      wr_data = {4{ext_i.data}};
    end
  end
  duet_ram #(  // rule: 15
    .Depth    (Rows),
    .Width    (512),
    .LaneWidth(128),
    .Zero     (1'b1)
  ) u_rows (
    .clk_i,
    .wr_i     (rst_ni && (aql || (ext && fits))),  // what is offered in reset is not taken
    .wr_addr_i(aql ? {free, 6'd0} : {regs_q.slot, place[7:2]}),
    .wr_mask_i(wr_mask),
    .wr_data_i(wr_data),
    .rd_i,
    .rd_addr_i(rd_addr_i[13:6]),
    .rd_data_o(rd_row)
  );
  always_ff @(posedge clk_i) begin
    if (rd_i) rd_word_q <= rd_addr_i[5:2];
  end

  assign valid_o   = regs_q.valid;  // rule: 16
  assign meta_o    = regs_q.meta;  // rule: 16
  assign rd_data_o = rd_row[{rd_word_q, 5'd0} +: 32];

  `DUET_ASSERT(OneOldest,
               regs_q.valid == '0 || (regs_q.valid[oldest_o] && regs_q.older[oldest_o] == '0),
               "valid slots without an oldest one")
  `DUET_ASSERT(OlderIsValid, (regs_q.older[0] | regs_q.older[1] | regs_q.older[2] | regs_q.older[3]
                               | regs_q.valid) == regs_q.valid, "slot behind one that is free")
  `DUET_ASSERT(FillingIsNotValid, !regs_q.filling || !regs_q.valid[regs_q.slot],
               "valid slot is filled")
endmodule
