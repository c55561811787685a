# A thin front on meson and ninja. The program ends up at build/assay.
#
#   make            build
#   make demo       build and show the front page of the bundled captures
#   make quick      140 seconds of CPU time: unit and golden tests, the quick ones of cli, the tree
#   make check      all tests, also with sanitizers and with every feature off
#   make vm         fetch the kernel and the programs of the VM rig (tests/vm/rig), once
#   make check-vm   record in a VM of the rig (QEMU) and read that
#   make install    PREFIX=/usr/local DESTDIR=
#   make docs       the documents as HTML pages with a search: build/docs/html/index.html
#   make static     build-static/assay: one file that needs no libraries, tried in an empty folder
#   make labs       run all labs that this machine can: record, explain, check (root); QUICK=1: within 5 minutes
#   make bench      speed and memory on generated inputs, beside other tools
#   make check-package   a Debian package: build, lintian, install and remove in a chroot
#   make check-reproducible   two builds, elsewhere and at another time: the same bytes
#   make check-arm64, make check-s390x   build for that machine, run the tests by qemu-user (root)
#   make check-tsan      what runs in threads, under ThreadSanitizer
#   make check-msan      readers that need no library, under MemorySanitizer
#   make check-analyze   clang's analyzer, gcc -fanalyzer, cppcheck over all of src
#   make fuzz       every fuzz target for TIME seconds (default 60) each, on top of earlier runs
#   make check-faults  every allocation, read, write ... failing in turn
#   make asan       build-asan/assay with address and undefined-behaviour sanitizers
PREFIX ?= /usr/local
TIME ?= 60

all: build/build.ninja
	@ninja -C build

build/build.ninja:
	@ASSAY_SETUP=$${ASSAY_SETUP:-build} tools/setup
	@meson setup build --prefix=$(PREFIX) >/dev/null

demo: all
	@tools/demo build/assay

quick:
	@ASSAY_CHECK=minute tools/check

check:
	@tools/check

install: all
	@meson configure build -Dprefix=$(PREFIX)
	@ninja -C build >/dev/null
	@meson install -C build --no-rebuild

docs:
	@tools/gen-site.py build/docs/html

# git's library is opened at run time, which one file cannot
static:
	@ASSAY_SETUP=$${ASSAY_SETUP:-build} tools/setup
	@[ -d build-static ] || meson setup build-static --prefer-static -Dc_link_args=-static-pie -Dgit=disabled \
		-Dtests=false -Dlabs=disabled -Dman=disabled >/dev/null
	@ninja -C build-static assay >/dev/null
	@tools/check-static build-static/assay

# needs the network; labs and check-vm then find all of it in build/vm-cache, until make clean
vm:
	@ASSAY_SETUP=vm tools/setup
	@tests/vm/rig/run -F

# boot a kernel in QEMU, record, read, compare; skipped with a word without QEMU
check-vm: all
	@tools/check-vm build/assay

# libraries first: labs/run builds, and configures again what was configured without them
labs:
	@ASSAY_SETUP=labs tools/setup
	@labs/run $(if $(QUICK),--quick,--all)

check-package:
	@tools/check-package

# another machine's compiler and libraries, in a chroot
check-arm64 check-s390x:
	@tools/check-cross $(@:check-%=%)

check-msan:
	@tools/check-msan

check-analyze: all
	@tools/check-analyze

check-tsan:
	@tools/check-tsan

check-reproducible:
	@tools/check-reproducible

bench: all
	@tests/bench/run build/assay

fuzz:
	@tools/fuzz $(TIME)

# every place, half an hour; what was tried is kept for the next time
check-faults: all
	@tests/faults/run.py build/assay build/tests/libfaults.so --state build/faults.state

asan:
	@ASSAY_SETUP=$${ASSAY_SETUP:-all} tools/setup
	@[ -d build-asan ] || CC=clang meson setup build-asan --buildtype=debugoptimized \
		-Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	@ninja -C build-asan

SOURCES = 'src/*.[ch]' 'tests/*.[ch]' ':!tests/data' ':!tests/fuzz/corpus' 'labs/*.[ch]'

# changed files; format-all: every file
format:
	@{ git diff --name-only --diff-filter=d HEAD -- $(SOURCES); git ls-files -o --exclude-standard -- $(SOURCES); } | xargs -r clang-format -i

format-all:
	@git ls-files $(SOURCES) | xargs clang-format -i

# also the kernel of the VM rig, build/vm-cache
clean:
	rm -rf build build-*

.PHONY: all demo quick check check-arm64 check-s390x check-tsan check-msan check-analyze check-faults check-package check-reproducible check-vm vm docs static install labs bench fuzz \
	asan format format-all clean
