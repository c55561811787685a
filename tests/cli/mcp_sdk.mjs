// The official client against assay mcp: node mcp_sdk.mjs ASSAY FOLDER
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [assay, folder] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command: assay, args: ["mcp", folder] }));
const { tools } = await client.listTools();
if (tools.length !== 6) throw new Error(`${tools.length} tools`);
const files = ["consensus-io_uring.perf-report.txt"];
const calls = [
	["brief", { files }],
	["report", { files }],
	["compare", { before: files[0], after: files[0] }],
	["stacks", { file: files[0], function: "func:ep_send_events" }],
	["evidence", { files, of: "finding:1" }],
	["check", { files, claims: ["syscall_exit_to_user_mode self > 20%"] }],
];
for (const [name, args] of calls) {
	const result = await client.callTool({ name, arguments: args }); // validates the output schema
	if (!result.isError && !result.structuredContent.text) throw new Error(`${name}: no text`);
	if (result.isError && name !== "compare") throw new Error(`${name}: ${result.content[0].text}`);
}
const wrong = await client.callTool({ name: "brief", arguments: { files: ["/etc/passwd"] } });
if (!wrong.isError) throw new Error("a file outside was read");
const stop = new AbortController();
const cancelled = client.callTool({ name: "evidence", arguments: { files } }, undefined, { signal: stop.signal });
stop.abort();
await cancelled.then(() => { throw new Error("not cancelled"); }, () => {});
await client.ping();
await client.close();
