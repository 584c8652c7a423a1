`include "duet_assert.svh"

/// Entries of all banks: tag, mask, cost and data, with one associative search, one merging write
/// port and one read port. Row r is a bank: partition * Banks + bank.
/// The search is combinational, a write is visible 1 cycle later, the read port is registered.
module remote_write_queue_table #(  // rule: Registers table, tag_q
  parameter int unsigned Rows           = 6,   // banks of all partitions
  parameter int unsigned Entries        = 64,  // entries of a bank
  parameter int unsigned Line           = 128,
  parameter int unsigned SubHeaderBytes = 5,
  parameter int unsigned TagWidth       = 23,
  localparam int unsigned RowW = (Rows > 1) ? $clog2(Rows) : 1,
  localparam int unsigned IdxW = $clog2(Entries)
) (
  input  logic                 clk_i,
  input  logic                 rst_ni,
  // look: search the filling bank of the partition that S2 addresses
  input  logic                 look_i,
  input  logic [RowW-1:0]      look_row_i,
  input  logic [TagWidth-1:0]  look_tag_i,
  input  logic [6:0]           look_count_i,  // entries of that bank in use
  input  logic [Line-1:0]      look_mask_i,
  output logic                 look_hit_o,      // an entry in use has the tag
  output logic                 look_overlap_o,  // and shares an enabled byte with the mask
  output logic [7:0]           look_common_o,   // number of shared enabled bytes
  output logic signed [10:0]   look_delta_o,    // growth of the hit entry's cost by a merge
  // wr: put the line of S2 into an entry
  input  logic                 wr_i,
  input  logic [RowW-1:0]      wr_row_i,
  input  logic                 wr_first_i,  // allocate entry 0
  input  logic                 wr_hit_i,    // merge into the entry found, else allocate one
  input  logic [9:0]           wr_cost_i,   // cost of the mask
  input  logic [Line-1:0][7:0] wr_data_i,
  // rd: next entry of the packet that is sent
  input  logic                 rd_i,
  input  logic [RowW-1:0]      rd_row_i,
  input  logic [IdxW-1:0]      rd_idx_i,
  output logic [TagWidth-1:0]  rd_tag_o,
  output logic [Line-1:0]      rd_mask_o,
  output logic [Line-1:0][7:0] rd_data_o,
  // sum: accounted payload of the bank that is searched, for the assertion only
  input  logic [12:0]          look_sum_i
);
  localparam int unsigned Depth = Rows * Entries;
  localparam int unsigned AddrW = $clog2(Depth);

  // Memories without reset: `count` of the bank says which entries are in use. The data are in RAM;
  // tags, costs and masks are wanted in the cycle of the search.
  logic [TagWidth-1:0] tag_q  [Rows][Entries];
  logic [9:0]          cost_q [Depth];
  logic [Line-1:0]     mask_q [Depth];

  // Row k: the entries whose number has bit k.
  localparam logic [5:0][63:0] IndexBit64 = {
    64'hFFFF_FFFF_0000_0000, 64'hFFFF_0000_FFFF_0000, 64'hFF00_FF00_FF00_FF00,
    64'hF0F0_F0F0_F0F0_F0F0, 64'hCCCC_CCCC_CCCC_CCCC, 64'hAAAA_AAAA_AAAA_AAAA
  };

  // Search. One comparison for each entry, then the entries beyond count are struck out.
  logic [Entries-1:0] cam_hit;
  logic [IdxW-1:0]    hit_idx;
  always_comb begin : search
    cam_hit = '0;
    if (look_i) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        cam_hit[e] = (tag_q[look_row_i][e] == look_tag_i);
      end
      cam_hit &= ~({Entries{1'b1}} << look_count_i);
    end
    // At most one bit is set: bit k of its index is the OR of the entries whose number has bit k.
    hit_idx = '0;
    for (int unsigned k = 0; k < IdxW; k++) hit_idx[k] = |(cam_hit & Entries'(IndexBit64[k]));
  end

  // What a merge with the entry found would do.
  logic [Line-1:0] old_mask, merged_mask;
  logic [9:0]      old_cost, merged_cost;
  wire [AddrW-1:0] hit_addr = AddrW'({look_row_i, hit_idx});
  assign old_mask    = mask_q[hit_addr];
  assign old_cost    = cost_q[hit_addr];
  assign merged_mask = old_mask | look_mask_i;

  remote_write_queue_cost #(
    .Line          (Line),
    .SubHeaderBytes(SubHeaderBytes)
  ) u_cost (
    .mask_i(merged_mask),
    .cost_o(merged_cost)
  );

  assign look_hit_o     = |cam_hit;
  assign look_overlap_o = look_hit_o && (old_mask & look_mask_i) != '0;  // rule: 8
  assign look_common_o  = look_hit_o ? 8'($countones(old_mask & look_mask_i)) : '0;  // rule: 6
  assign look_delta_o   = $signed({1'b0, merged_cost}) - $signed({1'b0, old_cost});

  // Four byte enables as 32 bit enables.
  function automatic logic [31:0] byte_enables(logic [3:0] mask);
    return {{8{mask[3]}}, {8{mask[2]}}, {8{mask[1]}}, {8{mask[0]}}};
  endfunction

  // Write. Disabled bytes of a new entry are 0, so the merged line needs no mask when it is read; a
  // merge writes the enabled bytes alone.
  logic [IdxW-1:0]      wr_idx;
  logic [AddrW-1:0]     wr_addr;
  logic [Line-1:0]      wr_mask;
  logic [Line/4-1:0][31:0] enable, wr_enable;
  logic [Line-1:0][7:0]    wr_line;
  always_comb begin : merge
    wr_idx = IdxW'(look_count_i);
    if (wr_hit_i) wr_idx = hit_idx;
    if (wr_first_i) wr_idx = '0;
    wr_addr = AddrW'({wr_row_i, wr_idx});
    wr_mask = wr_hit_i ? merged_mask : look_mask_i;
`ifdef DUET_SEEDED_BUG
    // For lockstep's self-test only: the third entry of a bank loses bytes of odd lines.
    if (wr_hit_i && look_tag_i[0] && 32'(hit_idx) == 2) wr_mask = old_mask;
`endif
    enable    = '0;
    wr_enable = '0;
    wr_line   = '0;
    if (wr_i) begin
      for (int unsigned w = 0; w < Line / 4; w++) enable[w] = byte_enables(look_mask_i[4*w +: 4]);
      wr_enable = wr_hit_i ? enable : '1;
      wr_line   = wr_data_i & enable;
    end
  end

  always_ff @(posedge clk_i) begin
    if (wr_i) begin
      tag_q[wr_row_i][wr_idx] <= look_tag_i;
      cost_q[wr_addr]         <= wr_hit_i ? merged_cost : wr_cost_i;
      mask_q[wr_addr]         <= wr_mask;
    end
  end

  // Read.
  logic [TagWidth-1:0] rd_tag_q;
  logic [Line-1:0]     rd_mask_q;
  wire [AddrW-1:0]     rd_addr = AddrW'({rd_row_i, rd_idx_i});
  always_ff @(posedge clk_i) begin  // rule: Registers table, rd_tag_q
    if (rd_i) begin
      rd_tag_q  <= tag_q[rd_row_i][rd_idx_i];
      rd_mask_q <= mask_q[rd_addr];
    end
  end
  duet_ram #(
    .Depth    (Depth),
    .Width    (8 * Line),
    .LaneWidth(8)
  ) u_data (
    .clk_i,
    .wr_i,
    .wr_addr_i(wr_addr),
    .wr_mask_i(wr_enable),
    .wr_data_i(wr_line),
    .rd_i,
    .rd_addr_i(rd_addr),
    .rd_data_o(rd_data_o)
  );
  assign rd_tag_o  = rd_tag_q;
  assign rd_mask_o = rd_mask_q;

`ifdef DUET_SIMULATION
  // Only the bank that S2 addresses is summed: another bank's account cannot have changed since.
  logic [12:0] look_sum;
  always_comb begin : sum_costs
    look_sum = '0;
    if (look_i) begin
      for (int unsigned e = 0; e < Entries; e++) begin
        if (e < 32'(look_count_i)) look_sum += 13'(cost_q[AddrW'({look_row_i, IdxW'(e)})]);
      end
    end
  end

`endif
  `DUET_ASSERT(OneHit, $onehot0(cam_hit), "two entries of a bank have one tag")
  `DUET_ASSERT(SumExact, !look_i || look_sum == look_sum_i,
               "account of a bank differs from the sum of its entries' costs")
  `DUET_ASSERT(NoEmptyEntry, !wr_i || wr_mask != '0, "entry written without an enabled byte")
  `DUET_ASSERT(ReadOtherBank, !wr_i || !rd_i || wr_row_i != rd_row_i,
               "bank written while it is sent")
  `DUET_ASSERT(HitWhenMerged, !wr_i || !wr_hit_i || look_hit_o, "merge without an entry")
endmodule
