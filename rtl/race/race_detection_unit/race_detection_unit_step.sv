/// One step of stage C: the lowest granules of those that are left, one for each lane, and their
/// bits in a signature (specification 5.1, 5.2). Combinational.
module race_detection_unit_step  // rule: 3
  import duet_pkg::*;
  import race_pkg::*;
#(
  parameter int unsigned M        = 8192,
  parameter int unsigned Granules = 1,  // of a line
  parameter int unsigned Lanes    = 1,
  localparam int unsigned IndexW = $clog2(M)
) (
  input  logic                                     valid_i,
  input  hash_t                                    hash_i,   // of the line's first granule
  input  logic [Granules-1:0]                      left_i,   // granules
  output logic [Granules-1:0]                      left_o,   // the same after the step
  output logic [Lanes-1:0]                         lane_o,   // the lane has a granule
  output logic [Lanes-1:0][Hashes-1:0][IndexW-1:0] index_o,  // its bits
  output logic [Lanes-1:0][Hashes-1:0]             fresh_o   // no lower lane has the same bit
);
  localparam int unsigned PlaceW = IndexW - 3;

  logic [6:0] number;
  hash_t      h;

  always_comb begin : step
    number  = '0;
    h       = '0;
    left_o  = left_i;
    lane_o  = '0;
    index_o = '0;
    fresh_o = '0;
    if (valid_i) begin
      for (int unsigned l = 0; l < Lanes; l++) begin
        if (left_o != '0) begin
          number     = (Granules == 1) ? '0 : lowest_of_128(128'(left_o));
          h          = hash_i ^ GranuleHash[number];
          lane_o[l]  = 1'b1;
          fresh_o[l] = '1;
          left_o     = left_o & (left_o - 1'b1);
          for (int unsigned j = 0; j < Hashes; j++) begin
            index_o[l][j] = IndexW'(bit_index(h, j, PlaceW));
            for (int unsigned k = 0; k < l; k++) begin
              for (int unsigned i = 0; i < Hashes; i++) begin
                if (index_o[l][j] == index_o[k][i]) fresh_o[l][j] = 1'b0;
              end
            end
          end
        end
      end
    end
  end
endmodule
