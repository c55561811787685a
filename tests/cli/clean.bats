#!/usr/bin/env bats
# "Clean" is claimed only where the finding could have shown.

bats_require_minimum_version 1.5.0
load assay

# clean FILE: ids of the clean checks; open FILE: of those that were not assessed
of() {
	"$ASSAY" explain --json "$2" | python3 -c '
import json, sys
print("\n".join(sorted({c["rule"] for c in json.load(sys.stdin)[sys.argv[1]]})))' "$1"
}

has() {
	of "$1" "$2" | grep -qx "$3"
}

@test "a kernel log says nothing about daemons that stop themselves" {
	printf '[   10.000001] usb 1-1: new high-speed USB device\n[   11.000001] usb 1-1: new device found\n[   12.000001] eth0: link up\n' >dmesg.txt
	has clean dmesg.txt kernel-trouble
	fails_to has clean dmesg.txt restart-failure
}

@test "a table of locks is not called free of what extractors of sources do" {
	fails_to has clean "$ASSAY_SOURCE/tests/golden/explain/two-lock-tables.d/input.txt" extractor-defects
}

@test "three calls acquit no caller of many" {
	printf '# tracer: function_graph\n#\n 0)               |  a() {\n 0)   1.000 us    |    b();\n 0)   3.000 us    |  }\n' >three.txt
	has not_assessed three.txt repeated-calls
	fails_to has clean three.txt repeated-calls
}

@test "samples of an event that counts no time acquit nobody of costing time" {
	for i in $(seq 500); do
		printf 'app 70 [000] 1.%06d: 1 page-faults: \n\tffffffff81000010 work_%d+0x10 ([kernel.kallsyms])\n\t401000 main+0x10 (/opt/app)\n\n' "$i" "$((i % 20))"
	done >faults.txt
	sed s/page-faults/cycles/ faults.txt >cycles.txt
	has clean cycles.txt lock-contention
	has not_assessed faults.txt lock-contention
	[ "$(of clean faults.txt | grep -c .)" -le 10 ]
	"$ASSAY" explain -v faults.txt | tr -s ' \n' ' ' | grep -qE '[0-9]+ checks: this event counts page faults, not CPU time -> '
}
