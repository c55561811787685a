/* SPDX-License-Identifier: MIT */
/*
 * Messages to assay mcp: each line is a request with valid members, or an error with a code and a
 * reason.
 */
#include "base/out.h"
#include "base/status.h"
#include "base/str.h"
#include "base/text/json.h"
#include "cmds/mcp/mcp_message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : __builtin_trap())

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str text = { (const char *)data, size };
	struct str line;

	while (str_line(&text, &line)) {
		struct out out = { .fd = -1 };
		struct mcp_message m;
		struct json j;

		mcp_message_read(line, &m);
		FUZZ_CHECK(!m.code || (m.why.msg[0] && !m.method.len));
		FUZZ_CHECK(!m.id || mcp_message_is_same(m.id, m.id));
		json_init(&j, &out, false);
		mcp_message_id(&j, m.id);
		FUZZ_CHECK(out.len > 0 && !str_contains(out_view(&out), STR("\n")));
		out_fini(&out);
		mcp_message_fini(&m);
	}
	return 0;
}
