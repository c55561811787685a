/* SPDX-License-Identifier: MIT */
/*
 * session_wait.h - waits of database sessions: the kind of a wait by its printed name
 *
 * PostgreSQL prints a wait in two columns: its type, "Lock", and its event, "relation". Users
 * rename both columns, join them, or select only one. So columns are recognised by title and by
 * value.
 */
#ifndef FORMATS_THREADS_SESSION_WAIT_H
#define FORMATS_THREADS_SESSION_WAIT_H

#include "base/str.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Whether a column has types of waits, judged by its @title, such as "wtype", and a @value in it,
 * such as "Lock".
 */
bool session_wait_is_type(struct str title, struct str value);
/*
 * Whether a column has events of waits, judged by its @title, such as "event", and a @value in it,
 * such as "relation".
 */
bool session_wait_is_event(struct str title, struct str value);
/*
 * The text of a wait, "Lock: relation", from its type and its event; either may be empty. If @type
 * is empty, an @event "TYPE:EVENT" is split; for another event, the type is derived from the event
 * if possible. The result may be in @buffer, which has @size bytes.
 */
struct str session_wait_text(struct str type, struct str event, char *buffer, size_t size);
/* The state (enum thread_state) of a session with the wait @wait; THREAD_UNKNOWN: unknown. */
uint8_t session_wait_state(struct str wait);

#endif
