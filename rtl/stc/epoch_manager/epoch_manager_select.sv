/// What the next epoch grants, and where the epoch bits lie in it (STC, sections 4.3 and 4.4;
/// specification 5.1). Combinational; all outputs are 0 while select_i is.
module epoch_manager_select  // rule: Cycle rules
  import stc_pkg::*;
#(
  parameter int unsigned BandBits  = 4,
  parameter int unsigned SebMin    = 12,
  parameter int unsigned SebMax    = 32,
  parameter int unsigned Variant   = VariantMb,
  parameter int unsigned MaxBands  = 4,
  parameter int unsigned SebOnWrap = 1,
  localparam int unsigned Bands = 1 << BandBits
) (
  input  logic                       select_i,    // the epoch is over
  input  logic [BandBits-1:0]        ec_i,        // the band from which the search goes on
  input  logic [5:0]                 seb_i,
  input  logic                       hold_i,      // the first selection after a move
  input  logic signed [BandBits+1:0] vote_i,
  input  logic [Bands-1:0]           erv_v_i,     // bands that are demanded
  input  logic [Bands-1:0][31:0]     erv_addr_i,  // by a store to here
  output logic                       any_o,       // a band is selected
  output logic [Bands-1:0]           bands_o,     // which, by their numbers under seb_i
  output logic [Bands-1:0]           nvec_o,      // the same by their numbers under nseb_o
  output logic [5:0]                 nseb_o,
  output logic                       move_o,      // SEB was free to move
  output logic [BandBits-1:0]        ec_o,
  output logic                       hold_o
);
  localparam bit Moves = (Variant == VariantAb || Variant == VariantMb);

  logic [Bands-1:0]                  above, left, from, lowest;
  logic [MaxBands-1:0]               found;
  logic [MaxBands-1:0][BandBits-1:0] number;  // of the bands, in the order of the search

  always_comb begin : search
    above   = '0;
    left    = '0;
    from    = '0;
    lowest  = '0;
    found   = '0;
    number  = '0;
    bands_o = '0;
    nvec_o  = '0;
    nseb_o  = '0;
    move_o  = 1'b0;
    ec_o    = '0;
    hold_o  = 1'b0;
    if (select_i) begin
      // Bands behind ec come first, then those from 0 up to ec itself.
      above = {{Bands - 1{1'b1}}, 1'b0} << ec_i;
      left  = (Variant == VariantNv) ? '1 : erv_v_i;  // rule: 1
      for (int unsigned k = 0; k < MaxBands; k++) begin
        from     = ((left & above) != '0) ? left & above : left;
        lowest   = from & (~from + 1'b1);
        found[k] = (from != '0);
        for (int unsigned b = 0; b < Bands; b++) if (lowest[b]) number[k] |= BandBits'(b);
        bands_o |= lowest;
        left    &= ~lowest;
      end

      // SEB moves once per rotation (specification 5.1). rule: Registers the next epoch
      move_o = Moves && (SebOnWrap == 0 || (number[0] <= ec_i && !hold_i));
      nseb_o = seb_i;
      if (move_o && vote_i > 0 && seb_i < 6'(SebMax)) nseb_o = seb_i + 6'd1;
      if (move_o && vote_i < 0 && seb_i > 6'(SebMin)) nseb_o = seb_i - 6'd1;

      if (nseb_o == seb_i) begin
        nvec_o = bands_o;
        ec_o   = number[0];  // rule: Registers the epoch
      end else begin
        // The old numbers mean nothing under the new SEB.
        for (int unsigned k = 0; k < MaxBands; k++) begin
          if (found[k]) nvec_o[BandBits'(band(erv_addr_i[number[k]], nseb_o))] = 1'b1;
        end
        ec_o   = '1;  // rule: Registers the epoch
        hold_o = (SebOnWrap != 0);  // rule: Registers the epoch
      end
    end
  end
  assign any_o = found[0];
endmodule
