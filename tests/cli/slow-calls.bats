#!/usr/bin/env bats
# Slow calls that exist are said, each of them.

bats_require_minimum_version 1.5.0
load assay

# A thousand calls, of which 12 are slow: 3 % of the trace.
trace() {
	awk 'BEGIN {
		print "# tracer: function_graph"; print "#"
		for (i = 0; i < 1000; i++)
			printf " 0)   %s us  |  do_work();\n", i % 80 == 79 ? "40.000" : "20.000"
	}' >trace.txt
	awk 'BEGIN {
		print "# tracer: function_graph"; print "#"
		for (i = 0; i < 1000; i++)
			printf " 0)   %s us  |  do_work();\n", i % 80 == 79 ? "80.000" : "20.000"
	}' >slow.txt
}

@test "slow calls of a small share are a note, and no check is clean beside them" {
	trace
	"$ASSAY" explain --json --rule slow-calls slow.txt >out.json
	python3 - out.json <<-'END'
		import json, sys
		d = json.load(open(sys.argv[1]))
		assert not d["clean"], d["clean"]
		assert len(d["findings"]) == 1, d["findings"]
		f = d["findings"][0]
		assert f["severity"] == "note", f
		assert f["claim"].startswith("12 of 1000 calls took far longer"), f["claim"]
		assert any("calls --slow" in n for n in f["next"]), f["next"]
	END
	"$ASSAY" explain --json --rule slow-calls trace.txt | python3 -c '
import json, sys
d = json.load(sys.stdin)
assert not d["findings"] and len(d["clean"]) == 1, d'
}

@test "calls --slow lists every slow call, and JSON has all of them" {
	trace
	"$ASSAY" calls --slow slow.txt >out
	[ "$(grep -c '80.000 .*do_work' out)" -eq 12 ]
	grep -q '80.000 .*do_work *L82' out
	grep -q '80.000 .*do_work *L962' out
	"$ASSAY" calls --json slow.txt >out.json
	python3 - out.json <<-'END'
		import json, sys
		rows = json.load(open(sys.argv[1]))["captures"][0]["slow_calls"]
		each = [(e["line"], e["total_ns"]) for r in rows for e in r["each"]]
		assert each == [(82 + 80 * i, 80000) for i in range(12)], each
	END
}
