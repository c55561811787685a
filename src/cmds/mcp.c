/* SPDX-License-Identifier: MIT */
/* mcp.c - `assay mcp`: a server of the Model Context Protocol for language models */
#include "base/command/args.h"
#include "base/status.h"
#include "base/vec.h"
#include "cmds/mcp/mcp_paths.h"
#include "cmds/mcp/mcp_server.h"
#include "cmds/run/cmd.h"
#include "cmds/run/session.h"
#include "config.h"

#include <stdint.h>
#include <unistd.h>

DECLARE_CMD(mcp);

#define MCP_SECONDS      120u
#define MCP_SECONDS_MOST 86400u

static bool mcp_directories(struct mcp_paths *paths, int argc, char **argv, int first)
{
	struct error err = { "" };

	if (first == argc) {
		complain(NULL, "name the directories whose files may be read; try 'assay mcp "
			       "--help'");
		return false;
	}
	for (int i = first; i < argc; i++) {
		if (mcp_paths_add(paths, argv[i], &err) == OK)
			continue;
		complain(argv[i], "%s", err.msg);
		return false;
	}
	return true;
}

static int mcp_serve(const struct mcp_paths *paths, uint64_t seconds)
{
	const struct mcp_server_options options = { .paths = paths,
						    .from = STDIN_FILENO,
						    .to = STDOUT_FILENO,
						    .seconds = (unsigned int)seconds };
	struct error err = { "" };

	if (!HAVE_JSON) {
		complain(NULL, "this build cannot read JSON: it has no json-c");
		return EXIT_FAILED;
	}
	if (seconds == 0 || seconds > MCP_SECONDS_MOST) {
		complain("--seconds", "takes 1 to %u", MCP_SECONDS_MOST);
		return EXIT_USAGE;
	}
	if (mcp_server_run(&options, &err) == OK)
		return EXIT_DONE;
	complain(NULL, "%s", err.msg);
	return EXIT_FAILED;
}

static int mcp_run(int argc, char **argv)
{
	uint64_t seconds = MCP_SECONDS;
	struct args_option options[] = {
		OPT_DEFAULT(COUNT, "seconds", 0, "N", "120", &seconds,
			    "stop a call after N seconds"),
		ARGS_END,
	};
	const struct args_spec spec = {
		.command = "assay mcp",
		.operands = "DIR...",
		.summary = "Serve language models: the Model Context Protocol on standard input "
			   "and output.",
		.options = options,
		.tail = "tools: brief, report, compare, stacks, evidence, check. They read files "
			"below DIR only.\n\nexample, in the settings of an agent:\n"
			"  { \"command\": \"assay\", \"args\": [\"mcp\", \"/var/captures\"] }",
	};
	struct mcp_paths paths = { .roots = VEC_INIT };
	struct error err = { "" };
	int status = EXIT_USAGE;
	int first = 0;
	int r = args_parse(&spec, argc, argv, &first, &err);

	if (r < 0)
		complain(NULL, "%s; try 'assay mcp --help'", err.msg);
	else if (r != ARGS_RUN)
		status = session_print(&spec, (enum args_outcome)r);
	else if (mcp_directories(&paths, argc, argv, first))
		status = mcp_serve(&paths, seconds);
	mcp_paths_fini(&paths);
	return status;
}

const struct cmd cmd_mcp = {
	.name = "mcp",
	.summary = "serve language models: brief, stacks, check as tools (MCP)",
	.run = mcp_run,
};
