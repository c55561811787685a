/* SPDX-License-Identifier: MIT */
/*
 * replica - run one replica, which communicates by UDP
 *
 *   lab-replica --self I --port P --state FILE [--transport T] [--wire plain|protobuf]
 *               [--replicas N] [--batch N] [--broadcast ADDRESS] [--suspect-ms N]
 *
 * Replica I listens on 127.0.0.1, port P + I. FILE stores its view; if FILE exists, this is a
 * restart after a crash, and the replica recovers. --broadcast sends each PREPARE once, to port P +
 * 50 of ADDRESS: a BPF program copies it for the others (broadcast.bpf.c at tc's egress hook, or
 * broadcast_xdp.bpf.c). --wire is the kind of message that it sends; it understands both. Ends on
 * SIGTERM and prints its counts; ends with status 3 if another replica's log contradicts its own.
 */
#include "lib/work.h"
#include "replica/node.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define REPLICA_BUFFER_BYTES (4 << 20)
#define REPLICA_BIND_TRIES   100
#define REPLICA_BIND_WAIT_US 50000
#define REPLICA_REPORT_NS    1000000000u

static volatile sig_atomic_t replica_stop;

static void replica_on_signal(int number)
{
	(void)number;
	replica_stop = 1;
}

bool node_stops(void)
{
	return replica_stop != 0;
}

uint64_t node_now_ns(void)
{
	return work_clock_ns(CLOCK_MONOTONIC);
}

static struct sockaddr_in node_address(uint16_t port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons(port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

static void node_send_to(struct node *n, const struct sockaddr_in *to, const struct vr_message *m)
{
	char buffer[WIRE_BYTES];
	uint32_t n_fragments = wire_begin(&n->wire, m, ++n->serial);

	for (uint32_t i = 0; i < n_fragments; i++) {
		size_t len = wire_put(&n->wire, i, buffer);

		n->datagrams_out++;
		if (n->send)
			n->send(n, to, buffer, len);
		else
			(void)sendto(n->fd, buffer, len, MSG_DONTWAIT, (const struct sockaddr *)to,
				     sizeof(*to));
	}
}

static void node_send(struct vr_out *out, uint32_t to, const struct vr_message *m)
{
	struct node *n = (struct node *)out;
	struct sockaddr_in address = node_address((uint16_t)(n->port + to));

	node_send_to(n, &address, m);
}

static void node_broadcast(struct vr_out *out, const struct vr_message *m)
{
	struct node *n = (struct node *)out;

	node_send_to(n, &n->broadcast, m);
}

static void node_reply(struct vr_out *out, uint32_t client, const struct vr_message *m)
{
	struct node *n = (struct node *)out;

	if (client < VR_CLIENTS_MAX && n->clients[client].sin_family == AF_INET)
		node_send_to(n, &n->clients[client], m);
}

/* Store the view on disk; called before any message of that view is sent. Exits on failure. */
static void node_keep_view(struct vr_out *out, uint64_t view)
{
	struct node *n = (struct node *)out;
	int fd = open(n->state_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	if (fd < 0 || pwrite(fd, &view, sizeof(view), 0) != sizeof(view) || fsync(fd)) {
		fprintf(stderr, "replica: %s: %s\n", n->state_path, strerror(errno));
		exit(1);
	}
	close(fd);
}

/* Print @trouble, at most once a second. A replica whose state is wrong ends. */
static void node_report(struct vr_out *out, enum vr_trouble trouble)
{
	struct node *n = (struct node *)out;
	uint64_t now_ns = node_now_ns();

	if (n->reported_ns[trouble] && now_ns - n->reported_ns[trouble] < REPLICA_REPORT_NS)
		return;
	n->reported_ns[trouble] = now_ns;
	fprintf(stderr,
		"replica %u: %s (%" PRIu64 " times; op-number %" PRIu64 ", %" PRIu64 " executed)\n",
		n->vr.config.self, vr_trouble_text(trouble), n->vr.troubles[trouble], n->vr.log.op,
		n->vr.state.op);
	if (trouble == VR_BROKEN)
		exit(3);
}

void node_datagram(struct node *n, const void *data, size_t len, const struct sockaddr_in *from)
{
	struct vr_message m;

	n->datagrams_in++;
	if (!wire_get(&n->in, data, len, &m))
		return;
	if (m.type == VR_REQUEST && m.request.client < VR_CLIENTS_MAX)
		n->clients[m.request.client] = *from;
	vr_receive(&n->vr, &m, node_now_ns(), &n->out);
	if (n->is_recovering && n->vr.status != VR_RECOVERING) {
		/* for scripts that wait for it */
		n->is_recovering = false;
		printf("recovered to view %" PRIu64 "\n", n->vr.view);
		fflush(stdout);
	}
}

void node_idle(struct node *n)
{
	vr_flush(&n->vr, node_now_ns(), &n->out);
}

void node_timer(struct node *n)
{
	uint64_t now_ns = node_now_ns();

	vr_tick(&n->vr, now_ns, &n->out);
	vr_flush(&n->vr, now_ns, &n->out);
}

uint64_t node_wait_ns(const struct node *n)
{
	uint64_t at_ns = vr_deadline(&n->vr);
	uint64_t now_ns = node_now_ns();

	return at_ns > now_ns ? at_ns - now_ns : 0;
}

static int replica_socket(uint16_t port)
{
	struct sockaddr_in address = node_address(port);
	int bytes = REPLICA_BUFFER_BYTES;
	int one = 1;
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -1;
	/* as large a buffer as possible, because a log is sent as many datagrams at once */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes)))
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof(bytes));
	/* no checksums: the BPF programs change port and address, but not the checksum of UDP */
	(void)setsockopt(fd, SOL_SOCKET, SO_NO_CHECK, &one, sizeof(one));
	/* the io_uring of a killed replica may hold the port a little longer: try again */
	for (int i = 0; i < REPLICA_BIND_TRIES; i++) {
		if (bind(fd, (const struct sockaddr *)&address, sizeof(address)) == 0)
			return fd;
		if (errno != EADDRINUSE)
			break;
		usleep(REPLICA_BIND_WAIT_US);
	}
	close(fd);
	return -1;
}

static const struct {
	const char *name;
	node_transport *run;
	bool reads_eventfd;
} replica_transports[] = {
	{ "epoll", transport_epoll, false },
#ifdef HAVE_LIBURING
	{ "eventfd-unread", transport_eventfd, false },
	{ "eventfd", transport_eventfd, true },
	{ "uring", transport_uring, false },
#endif
};

struct replica_options {
	struct vr_config config;
	const char *transport;
	const char *state;
	const char *broadcast; /* address; NULL: a PREPARE to each of the others */
	const char *wire;
	uint16_t port;
};

static bool replica_parse(int argc, char **argv, struct replica_options *o)
{
	for (int i = 1; i < argc; i += 2) {
		const char *value = i + 1 < argc ? argv[i + 1] : "";

		if (strcmp(argv[i], "--self") == 0)
			o->config.self = (uint32_t)work_number(value);
		else if (strcmp(argv[i], "--port") == 0)
			o->port = (uint16_t)work_number(value);
		else if (strcmp(argv[i], "--replicas") == 0)
			o->config.n_replicas = (uint32_t)work_number(value);
		else if (strcmp(argv[i], "--batch") == 0)
			o->config.batch_max = (uint32_t)work_number(value);
		else if (strcmp(argv[i], "--suspect-ms") == 0)
			o->config.suspect_ns = work_number(value) * 1000000;
		else if (strcmp(argv[i], "--state") == 0)
			o->state = value;
		else if (strcmp(argv[i], "--transport") == 0)
			o->transport = value;
		else if (strcmp(argv[i], "--broadcast") == 0)
			o->broadcast = value;
		else if (strcmp(argv[i], "--wire") == 0)
			o->wire = value;
		else
			return false;
	}
	if (o->config.batch_max > VR_PIECE_MAX) {
		fprintf(stderr, "replica: --batch: at most %u\n", VR_PIECE_MAX);
		return false;
	}
	return o->state && o->port && o->config.batch_max && o->config.n_replicas % 2 &&
	       o->config.n_replicas <= VR_REPLICAS_MAX && o->config.self < o->config.n_replicas;
}

/* Set how @n sends: the kind of its messages and the address of a PREPARE. */
static bool replica_set_sending(struct node *n, const struct replica_options *o)
{
	if (!wire_kind_find(o->wire, &n->wire.kind)) {
		fprintf(stderr, "replica: built without messages of kind '%s'\n", o->wire);
		return false;
	}
	n->broadcast = node_address((uint16_t)(o->port + NODE_PORT_BROADCAST));
	if (o->broadcast && inet_pton(AF_INET, o->broadcast, &n->broadcast.sin_addr) != 1) {
		fprintf(stderr, "replica: --broadcast: '%s' is no IPv4 address\n", o->broadcast);
		return false;
	}
	return true;
}

static void replica_begin(struct node *n, const struct replica_options *o)
{
	uint64_t view = 0;
	uint64_t nonce = 0;
	int fd = open(o->state, O_RDONLY | O_CLOEXEC);
	bool is_restart = fd >= 0 && read(fd, &view, sizeof(view)) == sizeof(view);

	if (fd >= 0)
		close(fd);
	if (getrandom(&nonce, sizeof(nonce), 0) != sizeof(nonce))
		nonce = node_now_ns();
	n->serial = (uint32_t)nonce;
	n->state_path = o->state;
	n->port = o->port;
	n->out = (struct vr_out){ .send = node_send,
				  .reply = node_reply,
				  .keep_view = node_keep_view,
				  .report = node_report,
				  .broadcast = o->broadcast ? node_broadcast : NULL };
	vr_init(&n->vr, &o->config, is_restart, view, nonce, node_now_ns());
	n->is_recovering = n->vr.status == VR_RECOVERING;
	if (!is_restart)
		node_keep_view(&n->out, 0);
}

static void replica_end(const struct node *n)
{
	work_print("view", n->vr.view);
	work_print("status", n->vr.status);
	work_print("op", n->vr.log.op);
	work_print("log_entries", n->vr.log.op - n->vr.log.base);
	work_print("executed", n->vr.state.op);
	work_print("batches", n->vr.batches);
	work_print("view_changes", n->vr.view_changes);
	work_print("recoveries", n->vr.recoveries);
	work_print("transfers", n->vr.transfers);
	work_print("checkpoints", n->vr.checkpoints);
	work_print("fetched", n->vr.fetched);
	work_print("log_full", n->vr.troubles[VR_LOG_FULL]);
	work_print("no_memory", n->vr.troubles[VR_NO_MEMORY]);
	work_print("violations", n->vr.troubles[VR_BROKEN]);
	work_print("bad_datagrams", n->in.n_bad);
	work_print("datagrams_in", n->datagrams_in);
	work_print("datagrams_out", n->datagrams_out);
	work_print("rounds", n->rounds);
	work_print("empty_rounds", n->empty_rounds);
	work_print_cost();
}

int main(int argc, char **argv)
{
	static struct node n;
	struct replica_options o = { .config = { .n_replicas = 3,
						 .batch_max = 64,
						 .resend_ns = 20000000,
						 .suspect_ns = 1000000000 },
				     .transport = "epoll",
				     .wire = "plain" };
	struct sigaction action = { .sa_handler = replica_on_signal };
	size_t t = 0;
	int r;

	if (!replica_parse(argc, argv, &o)) {
		fprintf(stderr, "usage: lab-replica --self I --port P --state FILE [--transport T] "
				"[--wire plain|protobuf] [--replicas N] [--batch N] "
				"[--broadcast ADDRESS] [--suspect-ms N]\n");
		return 2;
	}
	if (!replica_set_sending(&n, &o))
		return 2;
	while (strcmp(replica_transports[t].name, o.transport) != 0) {
		if (++t == sizeof(replica_transports) / sizeof(*replica_transports)) {
			fprintf(stderr, "replica: built without transport '%s'\n", o.transport);
			return 2;
		}
	}
	sigaction(SIGTERM, &action, NULL);
	sigaction(SIGINT, &action, NULL);
	n.fd = replica_socket((uint16_t)(o.port + o.config.self));
	if (n.fd < 0) {
		fprintf(stderr, "replica: port %u: %s\n", o.port + o.config.self, strerror(errno));
		return 1;
	}
	/* different timeouts, so that the replicas do not all suspect the leader at once */
	o.config.suspect_ns += o.config.suspect_ns / 4 * o.config.self;
	n.reads_eventfd = replica_transports[t].reads_eventfd;
	replica_begin(&n, &o);
	r = replica_transports[t].run(&n);
	replica_end(&n);
	wire_fini(&n.in);
	wire_out_fini(&n.wire);
	vr_fini(&n.vr);
	return r ? 1 : 0;
}
