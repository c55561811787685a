/* SPDX-License-Identifier: MIT */
#include "formats/threads/session_wait.h"

#include "base/status.h"
#include "base/str.h"
#include "core/kinds/threads.h"

#include <string.h>

/* Types of waits. Source: PostgreSQL documentation, "Wait Event Types". */
#define WAIT_TYPES "Lock|LWLock*|BufferPin|IO|Client|Activity|Extension|IPC|Timeout"

/* Titles that users give to columns of waits: "wtype", "we", "event", "waits_on". */
#define WAIT_TITLES "*wait*|*WAIT*|w*type|*event*|we|wt|wet"

/*
 * The type of a wait by its event, for tables that print only the event. Events that belong to
 * several types are not listed. Source: PostgreSQL documentation, tables of wait events.
 */
static const struct {
	const char *type;
	const char *events; /* str_glob pattern */
} wait_events[] = {
	{ "Lock", "advisory|applytransaction|extend|frozenid|object|page|relation|spectoken|"
		  "transactionid|tuple|userlock|virtualxid" },
	{ "Client", "ClientRead|ClientWrite" },
	{ "IO", "DataFileRead|DataFileWrite|DataFileExtend|DataFilePrefetch" },
};

/*
 * The state of a session, derived from the text of its wait. The first pattern that matches is
 * used.
 */
static const struct {
	/*
	 * str_glob pattern. It is compared with the wait, "type: event", or with the column State
	 * of MySQL
	 */
	const char *wait;
	uint8_t state; /* enum thread_state */
} wait_states[] = {
	{ "Lock|Lock: *|LWLock|LWLock*: *|BufferPin|BufferPin: *|*Waiting for * lock*|*aiting for "
	  "lock*|*aiting for "
	  "*mutex*|Locked|LCK_M_*|PAGELATCH_*|LATCH_*",
	  THREAD_BLOCKED },
	{ "IO|IO: *|PAGEIOLATCH_*|WRITELOG|IO_COMPLETION|ASYNC_IO_COMPLETION|LOGBUFFER",
	  THREAD_DISK },
	{ "CXPACKET|CXCONSUMER|RESOURCE_SEMAPHORE*|THREADPOOL|ASYNC_NETWORK_IO|HADR_SYNC_COMMIT",
	  THREAD_READY },
	{ "Client|Activity|Extension|Client: *|Activity: *|Extension: *", THREAD_WAITING },
	{ "IPC|Timeout|IPC: *|Timeout: *|*Waiting for *|*waiting for *|User sleep", THREAD_READY },
};

bool session_wait_is_type(struct str title, struct str value)
{
	return str_glob(STR(WAIT_TITLES), title) && str_glob(STR(WAIT_TYPES), value);
}

static struct str wait_type_of(struct str event)
{
	for (size_t i = 0; i < ARRAY_LEN(wait_events); i++) {
		if (str_glob(str_of(wait_events[i].events), event))
			return str_of(wait_events[i].type);
	}
	return STR_NONE;
}

bool session_wait_is_event(struct str title, struct str value)
{
	return str_glob(STR(WAIT_TITLES), title) && wait_type_of(value).len;
}

struct str session_wait_text(struct str type, struct str event, char *buffer, size_t size)
{
	/* some views join type and event to one word, "LWLock:WALWrite": split it */
	if (type.len == 0 && str_glob(STR("*:*"), event) && !str_glob(STR("*: *|* *"), event)) {
		size_t colon = str_find_char(event, ':');

		type = str_sub(event, 0, colon);
		event = str_skip(event, colon + 1);
	}
	if (type.len == 0)
		type = wait_type_of(event);
	if (type.len == 0 || event.len == 0)
		return type.len ? type : event;
	if (type.len + event.len + 2 >= size)
		return event;
	memcpy(buffer, type.p, type.len);
	memcpy(buffer + type.len, ": ", 2);
	memcpy(buffer + type.len + 2, event.p, event.len);
	return (struct str){ buffer, type.len + 2 + event.len };
}

uint8_t session_wait_state(struct str wait)
{
	for (size_t i = 0; i < ARRAY_LEN(wait_states); i++) {
		if (str_glob(str_of(wait_states[i].wait), wait))
			return wait_states[i].state;
	}
	return THREAD_UNKNOWN;
}
