# Every target does its own set-up: Node 20.19 or later and make are all that is needed.
SHELL := /bin/bash
BIN := node_modules/.bin
REPORTS := build/reports

.PHONY: build run demo test test-as-user check fix conformance attacks kill race bench clean
.DEFAULT_GOAL := build

node_modules: package.json package-lock.json
	npm ci --no-audit --no-fund --loglevel=error
	@touch node_modules

build: node_modules
	@$(BIN)/tsc -p tsconfig.json
	@$(BIN)/rolldown -c .rolldown.config.mjs >/dev/null
	@chmod +x build/bin/main.js

run: build
	@node build/bin/main.js daemon $(ARGS)

demo: build
	@node build/bin/main.js demo $(ARGS)

test: build
	@mkdir -p $(REPORTS)
	$(BIN)/vitest run --config test/vitest.config.ts --reporter=default --reporter=json --outputFile.json=$(REPORTS)/test.json

# The same as an ordinary user, whoever calls it.
test-as-user: node_modules
	@bash test/support/as-user.sh

# Format, lint, types, pure tests: seconds.
check: node_modules
	@mkdir -p $(REPORTS)
	$(BIN)/biome check --config-path=.biome.json
	$(BIN)/oxlint --type-aware
	$(BIN)/tsc -p tsconfig.json --noEmit
	$(BIN)/vitest run --config test/vitest.config.ts --project pure --reporter=dot --reporter=json --outputFile.json=$(REPORTS)/check.json

fix: node_modules
	$(BIN)/biome check --config-path=.biome.json --write

conformance: build
	@node build/test/conformance/run.js $(VECTORS)

# Every attack of the corpus against a live daemon: `make attacks ATTACKS=<file>` plays another file of the same shape.
attacks: build
	@mkdir -p $(REPORTS)
	ATTACKS=$(ATTACKS) $(BIN)/vitest run --config test/vitest.config.ts test/attacks.test.ts --reporter=default --reporter=json --outputFile.json=$(REPORTS)/attacks.json

# Races, SIGKILL at random instants, abuse of the wire, cut documents and full disks, at full size.
kill: build
	KILL=full $(BIN)/vitest run --config test/vitest.config.ts test/kill.test.ts test/abuse.test.ts test/broken-state.test.ts --reporter=verbose

# Every promised ratio, measured here and now; STRICT=1 fails on a missed one, ARGS=--json for machines.
bench: build
	@STRICT=$(STRICT) node build/test/bench/run.js $(ARGS)

# Attackers rewrite what was approved while it is started, N launches per attack and level: `make race N=5000`.
race: build
	@node build/test/race/run.js $(N) $(ARGS)

# Runs with sixty daemonising grandchildren each, ended in every way: no survivor, gone in time. `make trees TRIALS=12`
.PHONY: trees
trees: build
	@node build/test/trees/run.js $(TRIALS) $(ARGS)

.PHONY: differential documents
# What README.md, SECURITY.md, docs/settings.md and docs/protocol.md say about the code, written anew.
documents: build
	@node build/test/documents/write.js

# The tokenizer against the shells of this machine: make differential N=1000000 SEED=1
differential: build
	@node build/test/differential/run.js $(N) $(SEED)

# The manual pages, made from the command table: build/man/countersign.1 and .8.
.PHONY: manual
manual: build
	@mkdir -p build/man
	@for n in 1 8; do node build/bin/main.js man $$n > build/man/countersign.$$n; done

# The pictures in README.md: the screens of watch, and the demo as it really goes.
.PHONY: pictures
pictures: build
	@TZ=UTC node build/test/pictures/write.js

# Where only root can write: make && sudo make install. For one user: make install PREFIX=~/.local
PREFIX ?= /usr/local
AT = $(DESTDIR)$(PREFIX)
LIB = $(AT)/lib/countersign
.PHONY: install uninstall
install:
	@test -x build/bin/main.js || { echo "there is nothing to install yet; run: make"; exit 1; }
	@rm -rf $(LIB)
	@mkdir -p $(LIB) $(AT)/bin $(AT)/share/man/man1 $(AT)/share/man/man8 $(AT)/share/zsh/site-functions \
	  $(AT)/share/bash-completion/completions $(AT)/share/fish/vendor_completions.d
	@# The packages of the lock file that the program needs; a library names the compiler as its peer, which it does not.
	@tar -cf - package.json LICENSE README.md SECURITY.md docs systemd launchd build/bin build/src \
	  $$(npm ls --omit=dev --all --parseable 2>/dev/null | sed -n "s|^$(CURDIR)/||p" | grep -v typescript) | tar -xof - -C $(LIB)
	@chmod -R go-w $(LIB)
	@ln -sf ../lib/countersign/build/bin/main.js $(AT)/bin/countersign
	@for n in 1 8; do node build/bin/main.js man $$n > $(AT)/share/man/man$$n/countersign.$$n; done
	@node build/bin/main.js completion bash > $(AT)/share/bash-completion/completions/countersign
	@node build/bin/main.js completion zsh > $(AT)/share/zsh/site-functions/_countersign
	@node build/bin/main.js completion fish > $(AT)/share/fish/vendor_completions.d/countersign.fish
	@echo "installed $(AT)/bin/countersign with its manual pages and completion; make uninstall with the same PREFIX removes all of it"

uninstall:
	@rm -rf $(LIB)
	@rm -f $(AT)/bin/countersign $(AT)/share/man/man1/countersign.1 $(AT)/share/man/man8/countersign.8 \
	  $(AT)/share/bash-completion/completions/countersign $(AT)/share/zsh/site-functions/_countersign \
	  $(AT)/share/fish/vendor_completions.d/countersign.fish
	@echo "removed; policy, tokens and log stay where they are, and so does a service: countersign uninstall takes that away first"

clean:
	rm -rf build
