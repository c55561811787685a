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

@test "hostile messages get an error object" {
	client hostile
}

@test "a call can be cancelled, and ends in time" {
	client cancel
}

@test "1000 requests leave memory and descriptors as they were" {
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
