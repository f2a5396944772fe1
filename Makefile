# Every repeated act has a name; .ci/run calls the same names. `make` alone lists them.
.DEFAULT_GOAL := help
.PHONY: help demo test test-hard soak fuzz lint types stubs stubs-check docs clauses bench bench-full bench-check package format clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST := $(shell find rust -name '*.rs' -not -path '*/tests/*' -not -path 'rust/fuzz/*') Cargo.toml Cargo.lock rust/core/Cargo.toml rust/py/Cargo.toml
export VIRTUAL_ENV := $(abspath $(VENV))

help: ## list what can be typed
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit("lastsaid needs Python 3.11 or newer; set PYTHON=python3.11" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install -q --group dev
	touch $@

# One build verb, which removes what an older build left: two extensions side by side would load the stale one.
$(VENV)/.checked: $(VENV)/.tools $(RUST)
	rm -f python/lastsaid/_core*.so $(VENV)/.release
	PIP_QUIET=1 $(BIN)/maturin develop -q --profile checked
	touch $@

$(VENV)/.release: $(VENV)/.tools $(RUST)
	rm -f python/lastsaid/_core*.so $(VENV)/.checked
	PIP_QUIET=1 $(BIN)/maturin develop -q --release
	touch $@

demo: $(VENV)/.checked ## the lost answer, from a log that ships with the project
	@$(BIN)/python docs/examples/lost_answer.py

test: $(VENV)/.checked ## both engines, the core, the command line (about five minutes)
	cargo test -q --locked -p lastsaid-core --profile checked
	$(BIN)/pytest -q

test-hard: $(VENV)/.checked ## the same laws with many more examples (minutes)
	PROPTEST_CASES=20000 cargo test -q --locked -p lastsaid-core --profile checked
	LASTSAID_HYPOTHESIS_PROFILE=hard $(BIN)/pytest -q -o timeout=1800

SEED ?= 1
COUNT ?= 100000
JOBS ?= $(shell nproc 2>/dev/null || echo 1)
soak: $(VENV)/.checked ## random and hostile input for both engines: make soak SEED=1 COUNT=100000 (SECONDS=60 instead)
	cd tests && ../$(BIN)/python -m differential --seed $(SEED) --jobs $(JOBS) $(if $(SECONDS),--seconds $(SECONDS),--count $(COUNT))

FUZZ := json frames fold
fuzz: $(VENV)/.checked ## libFuzzer on the core, each target so long: make fuzz SECONDS=60 (a nightly toolchain, cargo-fuzz)
	@cargo +nightly fuzz --version >/dev/null 2>&1 || { echo 'make fuzz needs: rustup toolchain install nightly && cargo install cargo-fuzz' >&2; exit 2; }
	$(BIN)/python tools/fuzz_seeds.py
	for target in $(FUZZ); do mkdir -p rust/fuzz/corpus/$$target && \
		cargo +nightly fuzz run --fuzz-dir rust/fuzz $$target rust/fuzz/corpus/$$target rust/fuzz/seeds/$$target -- \
		-max_total_time=$(or $(SECONDS),60) -max_len=4096 -dict=rust/fuzz/seeds/words -print_final_stats=1 -verbosity=0 || exit 1; done
	$(BIN)/python -m pip install -q --only-binary :all: --group fuzz || { echo 'atheris does not install here: the reference is not fuzzed'; exit 0; }; \
		mkdir -p rust/fuzz/corpus/engines && cd tests && ../$(BIN)/python -m fuzz.engines -max_total_time=$(or $(SECONDS),60) -max_len=2048 \
		-artifact_prefix=../rust/fuzz/artifacts/ ../rust/fuzz/corpus/engines ../rust/fuzz/seeds/fold

lint: $(VENV)/.checked ## ruff, rustfmt, clippy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	cargo fmt --check
	cargo clippy -q --locked --workspace --all-targets --profile checked -- -D warnings
	cargo check -q --locked -p lastsaid-py --features abi3 --profile checked

types: $(VENV)/.checked ## mypy strict, both engines against one Protocol, the stub against the extension
	$(BIN)/mypy
	$(BIN)/mypy --strict tests/typing
	$(BIN)/stubtest lastsaid._core --mypy-config-file pyproject.toml

stubs: $(VENV)/.tools ## write python/lastsaid/_core.pyi anew
	$(BIN)/python tools/stubs.py

stubs-check: $(VENV)/.tools ## is the stub fresh?
	$(BIN)/python tools/stubs.py --check

docs: $(VENV)/.checked ## rustdoc without warnings, links that lead somewhere
	RUSTDOCFLAGS='-D warnings' cargo doc -q --locked --no-deps -p lastsaid-core --profile checked
	$(BIN)/python tools/links.py

clauses: $(VENV)/.tools ## which tests cite which clause of the specification
	$(BIN)/python tools/clauses.py

# The benches' own environment: the engine as a wheel, as users have it, and what it is measured against.
BENCH := .venv-bench
PYSRC := $(shell find python -name '*.py')
$(BENCH)/.wheel: $(VENV)/.tools $(RUST) $(PYSRC)
	$(PYTHON) tools/bench_environment.py $(BENCH) --wheel $(BIN)/maturin
	touch $@

$(BENCH)/.peers: benches/peers.txt pyproject.toml | $(BENCH)/.wheel
	$(PYTHON) tools/bench_environment.py $(BENCH) --peers
	touch $@

bench: $(BENCH)/.wheel $(BENCH)/.peers ## measure (minutes), and write benches/README.md: make bench ONLY="log_file calls" for some questions
	$(BENCH)/bin/python benches/run.py .benchmarks.json $(if $(ONLY),--only $(ONLY)) $(BENCHFLAGS)
	$(BENCH)/bin/python tools/bench_plots.py .benchmarks.json
	$(BENCH)/bin/python tools/bench_page.py .benchmarks.json

bench-full: BENCHFLAGS += --full
bench-full: bench ## the same with logs of 1 GB, lists of 1,000,000, streams of 1e7 chunks (an hour, 20 GB of disk)

bench-check: $(BENCH)/.wheel ## instruction counts of the main work against benches/instructions.json (valgrind; UPDATE=1 keeps them)
	$(BENCH)/bin/python tools/bench_check.py $(BENCH)/bin/python $(if $(UPDATE),--update)

package: $(VENV)/.tools ## wheel and source distribution, installed and tried in an environment of their own
	$(BIN)/python tools/package.py

format: $(VENV)/.tools ## what lint asks for
	$(BIN)/ruff check --fix-only -q
	$(BIN)/ruff format -q
	cargo fmt

clean: ## remove what was built
	rm -rf $(VENV) $(BENCH) target dist python/lastsaid/_core*.so .benchmarks.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
