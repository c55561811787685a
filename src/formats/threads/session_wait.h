/* SPDX-License-Identifier: MIT */
/*
 * session_wait.h - waits of database sessions: the kind of a wait by its printed name
 *
 * PostgreSQL prints two columns, the type of a wait and its event: "Lock" and "relation". Users
 * rename both columns, join them, or select only one. So columns are recognised by title and by
 * value.
 */
#ifndef FORMATS_THREADS_SESSION_WAIT_H
#define FORMATS_THREADS_SESSION_WAIT_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/* Whether a column with this @title and this @value has types of waits: "wtype", "Lock". */
bool session_wait_is_type(struct str title, struct str value);
/* Whether a column with this @title and this @value has events of waits: "event", "relation". */
bool session_wait_is_event(struct str title, struct str value);
/*
 * The text of a wait, "Lock: relation", from its type and event, either of which may be empty. If
 * @event is "TYPE:EVENT" without a type, it is split. If the type is missing, it is derived from
 * the event. The result may be in @buffer, which has @size bytes.
 */
struct str session_wait_text(struct str type, struct str event, char *buffer, size_t size);
/* The state (enum thread_state) of a session with this wait; THREAD_UNKNOWN: not known. */
uint8_t session_wait_state(struct str wait);

#endif
