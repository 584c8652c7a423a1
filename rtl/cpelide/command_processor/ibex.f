// Ibex from its public package, for Verilator and slang. IBEX names the folder with Ibex's rtl/.
+define+RVFI
// Without Ibex's own assertions.
+define+SYNTHESIS
+incdir+${IBEX}/vendor/lowrisc_ip/ip/prim/rtl
+incdir+${IBEX}/vendor/lowrisc_ip/dv/sv/dv_utils
-y ${IBEX}/rtl
-y ${IBEX}/vendor/lowrisc_ip/ip/prim/rtl
-y ${IBEX}/vendor/lowrisc_ip/ip/prim_generic/rtl
// Packages must be read before the modules that import them.
${IBEX}/vendor/lowrisc_ip/ip/prim/rtl/prim_util_pkg.sv
${IBEX}/vendor/lowrisc_ip/ip/prim/rtl/prim_mubi_pkg.sv
${IBEX}/vendor/lowrisc_ip/ip/prim/rtl/prim_secded_pkg.sv
${IBEX}/vendor/lowrisc_ip/ip/prim/rtl/prim_ram_1p_pkg.sv
${IBEX}/vendor/lowrisc_ip/ip/prim/rtl/prim_cipher_pkg.sv
${IBEX}/vendor/lowrisc_ip/ip/prim/rtl/prim_count_pkg.sv
${IBEX}/rtl/ibex_pkg.sv
