# What people and .ci/run both use. On Debian each target installs what it lacks (tests/tools/setup.sh);
# elsewhere it says what is missing and stops.

.DEFAULT_GOAL := help
SETUP := tests/tools/setup.sh
FIRMWARE_CARGO := cd tests/firmware && ../tools/cargo-target.sh thumbv6m-none-eabi

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

.PHONY: setup
setup: ## install everything the other targets need
	$(SETUP) rust firmware wasm python node chromium stores lint

.PHONY: demo
demo: playground ## a page to try limits on, with an API behind it; PORT=4170
	@bindings-node/demo/run.sh

REPLAY := cargo run --release -p tokenweir --example replay --features std -- \
	tests/data/access.log --limit "10/min" --key client

.PHONY: replay
replay: ## replay a web server's log against a limit
	$(SETUP) rust
	$(REPLAY)

.PHONY: test
test: rust-test python-test node-test store-test ## all tests

.PHONY: rust-test
# The same random cases each time, so that a change is to blame for what fails; set the seed to try others.
rust-test: export PROPTEST_RNG_SEED ?= 20150517
rust-test: firmware ## the tests of the core, on this machine and on the emulated boards
	cargo test --workspace --all-features
	cargo test --workspace --all-features --release

.PHONY: node-build
node-build: ## the JavaScript packages, native and WebAssembly
	$(SETUP) rust wasm node
	cd bindings-wasm && node build.mjs
	cd bindings-node && node build.mjs

.PHONY: playground
playground: node-build ## the page to try limits on, in bindings-wasm/playground/dist
	cd bindings-wasm && npm run --silent playground

.PHONY: node-test
node-test: playground ## the JavaScript packages: by themselves, packed and installed, and in a browser
	$(SETUP) chromium stores
	bindings-wasm/test.sh

.PHONY: store-test
store-test: node-build ## limits in Redis and PostgreSQL, on servers that the tests start
	$(SETUP) stores python
	tests/stores/test.sh

.PHONY: bench-stores
bench-stores: node-build ## limits in Redis and PostgreSQL beside what people use instead
	$(SETUP) stores python
	tests/stores/bench/run.sh

.PHONY: size
size: node-build ## what the WebAssembly package adds to a page; fails above the limits
	cd bindings-wasm && node size.mjs

.PHONY: bench-node
bench-node: node-build ## the JavaScript packages beside what people use instead
	cd bindings-node && npm ci --prefix bench --no-audit --no-fund && node bench/decide.mjs

.PHONY: loom
loom: ## the atomic limiters in all interleavings of two and three threads
	$(SETUP) rust
	RUSTFLAGS="--cfg loom" CARGO_TARGET_DIR=target/loom \
		cargo test -p tokenweir --features atomic --test loom --release

.PHONY: sanitize
sanitize: ## the atomic limiters' threads under miri and the thread sanitizer; needs a nightly compiler
	$(SETUP) rust
	rustup component add --toolchain nightly miri rust-src
	CARGO_TARGET_DIR=target/miri cargo +nightly miri test -p tokenweir --features atomic --test atomic_threads
	RUSTFLAGS="-Zsanitizer=thread" CARGO_TARGET_DIR=target/tsan \
		cargo +nightly test -Zbuild-std --target $(shell rustc -vV | sed -n 's/^host: //p') \
		-p tokenweir --features atomic --test atomic_threads

.PHONY: firmware
firmware: ## the tests on the emulated boards only
	$(SETUP) rust firmware
	tests/firmware/test.sh

.PHONY: lint
lint: ## formatting, clippy, shellcheck
	$(SETUP) rust firmware lint
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --all-features -- -D warnings
	cd tests/firmware && cargo fmt --all --check
	cd tests/firmware && cargo clippy -p conformance --all-targets -- -D warnings
	$(FIRMWARE_CARGO) clippy --release -- -D warnings
	shellcheck -x .ci/run $(shell find tests bindings-python bindings-wasm bindings-node -name '*.sh' -not -path '*/target/*' -not -path '*/node_modules/*')

.PHONY: doc
doc: ## the documentation, without a warning
	$(SETUP) rust
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features

.PHONY: build-nostd
build-nostd: ## the core for a Cortex-M0, with nothing but core
	$(SETUP) rust firmware
	tests/tools/cargo-target.sh thumbv6m-none-eabi build --release -p tokenweir

.PHONY: msrv
msrv: ## the core with the oldest Rust it promises to work with
	tests/tools/msrv.sh

.PHONY: footprint
footprint: ## bytes and instructions of each limiter on a Cortex-M0
	$(SETUP) rust firmware
	tests/firmware/footprint/measure.sh

.PHONY: python-test
python-test: ## the Python package: its wheel's tests, stubs and types
	$(SETUP) rust python
	bindings-python/tests/run.sh

.PHONY: python-free-threaded-test
python-free-threaded-test: ## what threads share, without a GIL: INTERPRETER=python3.14t, which must be there
	$(SETUP) rust
	bindings-python/tests/free_threaded.sh $(INTERPRETER)

.PHONY: bench-python
bench-python: ## the Python package beside other limiters
	$(SETUP) rust python
	bindings-python/bench/run.sh

.PHONY: wheel
wheel: ## the Python wheel and source distribution, in target/wheels
	$(SETUP) rust python
	bindings-python/build.sh

.PHONY: bench
bench: ## benchmarks on this machine
	$(SETUP) rust
	cargo bench --workspace --features std

FUZZ_SECONDS ?= 60
.PHONY: fuzz
fuzz: ## each fuzz target for FUZZ_SECONDS (60); needs a nightly compiler
	$(SETUP) rust fuzz
	cd core && for target in limits state http timeline; do \
		cargo +nightly fuzz run $$target -- -max_total_time=$(FUZZ_SECONDS) -max_len=2048 || exit 1; \
	done
