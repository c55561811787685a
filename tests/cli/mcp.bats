#!/usr/bin/env bats
# assay mcp: both eras of the protocol, each tool, budgets, hostile messages, directories.

bats_require_minimum_version 1.5.0
load assay

needs_json() {
	! "$ASSAY" --version | grep -q 'without.*json' || skip "this build has no json-c"
}

client() {
	local status=0
	needs_json
	python3 "$BATS_TEST_DIRNAME/mcp_client.py" "$ASSAY" "$ASSAY_SOURCE" "$1" || status=$?
	[ "$status" -ne 77 ] || skip "no ../shared"
	[ "$status" -eq 0 ]
}

@test "a client of 2026-07-28 discovers the server and its tools" {
	client modern
}

@test "a client of an older revision shakes hands" {
	client legacy
}

@test "each tool answers with the figures of the samples" {
	client tools
}

@test "no answer exceeds its budget, and pages join to the whole" {
	client budget
}

@test "files outside of the directories are not read" {
	client paths
}

@test "a file that becomes a link after its name was checked is not read" {
	client swap
}

@test "hostile messages get an error object" {
	client hostile
}

@test "a call can be cancelled, and ends in time" {
	client cancel
}

# bats test_tags=once
@test "1000 calls leave memory and descriptors as they were" {
	client many
}

@test "the five seeds are told in budget" {
	client seeds
}

@test "the official client lists and calls the tools" {
	local sdk=${ASSAY_MCP_SDK:-}
	[ -d "$sdk/node_modules/@modelcontextprotocol/sdk" ] ||
		skip "ASSAY_MCP_SDK names no folder with @modelcontextprotocol/sdk"
	cp "$BATS_TEST_DIRNAME/mcp_sdk.mjs" "$sdk/assay-client.mjs"
	node "$sdk/assay-client.mjs" "$ASSAY" "$ASSAY_SOURCE/samples"
}

@test "the inspector's command line lists and calls the tools" {
	local bin=${ASSAY_MCP_SDK:-}/node_modules/.bin/mcp-inspector
	[ -x "$bin" ] || skip "ASSAY_MCP_SDK names no folder with @modelcontextprotocol/inspector"
	inspect() {
		"$bin" --cli "$ASSAY" mcp "$ASSAY_SOURCE/samples" --method "$@" >out.json
	}
	inspect tools/list
	python3 -c 'import json; assert len(json.load(open("out.json"))["tools"]) == 6'
	local udp=udp_sendmsg.funcgraph.txt
	# a word stands for an argument
	while read -r name arguments; do
		local words=()
		for word in $arguments; do
			words+=(--tool-arg "$word")
		done
		inspect tools/call --tool-name "$name" "${words[@]}" </dev/null
		python3 -c 'import json; r = json.load(open("out.json")); assert not r["isError"] and r["structuredContent"]["text"], r'
	done <<-END
		brief files=["$udp"]
		report files=["$udp"] view=calls
		compare before=$udp after=$udp
		stacks file=$udp function=ip_make_skb direction=calls
		evidence files=["$udp"] of=finding:1
		check files=["$udp"] claims=["calls>1"]
	END
}

@test "a missing directory and a wrong limit are one sentence" {
	needs_json
	fails 2 mcp
	fails 2 mcp nothing
	fails 2 mcp small.folded
	fails 2 mcp --seconds 0 .
	fails 2 mcp --seconds 86401 .
	echo '{"jsonrpc":"2.0","id":1,"method":"ping"}' | "$ASSAY" mcp --seconds 86400 . >out
	[ "$(cat out)" = '{"jsonrpc":"2.0","id":1,"result":{}}' ]
}
