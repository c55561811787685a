/* SPDX-License-Identifier: MIT */
/*
 * capture - receive packets through a packet socket with a TPACKET_V3 ring
 *
 *   lab-packet-capture INTERFACE PACKETS [--small-blocks]
 *
 * The kernel fills blocks of a ring that is shared with this program. The program waits for
 * filled blocks, and adds up the lengths of their packets. Prints 'ready' on stderr when the ring
 * is mapped, and the sums at the end: after PACKETS packets, or on SIGTERM.
 *
 *   lab-packet-capture --send INTERFACE PACKETS BYTES
 *
 * Makes the load: sends PACKETS frames of BYTES bytes to INTERFACE through an ordinary packet
 * socket.
 */
#include "lib/work.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#define CAPTURE_BLOCK_BYTES (1u << 18)
#define CAPTURE_SMALL_BYTES (1u << 13)
#define CAPTURE_RING_BYTES  (1u << 23)
#define CAPTURE_FRAME_BYTES (1u << 11)
#define CAPTURE_TIMEOUT_MS  20u
#define CAPTURE_BYTES_MAX   1500u

static volatile sig_atomic_t capture_stop;

static void capture_on_signal(int number)
{
	(void)number;
	capture_stop = 1;
}

struct capture {
	int fd;
	uint8_t *ring;
	unsigned int block_bytes, n_blocks;
	uint64_t packets, bytes, blocks, waits;
};

static int capture_fail(const char *what)
{
	fprintf(stderr, "capture: %s: %s\n", what, strerror(errno));
	return 1;
}

static int capture_bind(int fd, const char *interface)
{
	struct sockaddr_ll address = { .sll_family = AF_PACKET,
				       .sll_protocol = htons(ETH_P_ALL),
				       .sll_ifindex = (int)if_nametoindex(interface) };

	return bind(fd, (const struct sockaddr *)&address, sizeof(address));
}

static int capture_open(struct capture *c, const char *interface)
{
	struct tpacket_req3 ring = { .tp_block_size = c->block_bytes,
				     .tp_block_nr = CAPTURE_RING_BYTES / c->block_bytes,
				     .tp_frame_size = CAPTURE_FRAME_BYTES,
				     .tp_frame_nr = CAPTURE_RING_BYTES / CAPTURE_FRAME_BYTES,
				     .tp_retire_blk_tov = CAPTURE_TIMEOUT_MS };
	int version = TPACKET_V3;

	c->n_blocks = ring.tp_block_nr;
	c->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, htons(ETH_P_ALL));
	if (c->fd < 0)
		return capture_fail("packet socket");
	if (setsockopt(c->fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
	    setsockopt(c->fd, SOL_PACKET, PACKET_RX_RING, &ring, sizeof(ring)))
		return capture_fail("ring");
	c->ring = mmap(NULL, CAPTURE_RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, c->fd, 0);
	if (c->ring == MAP_FAILED)
		return capture_fail("mmap");
	return capture_bind(c->fd, interface) ? capture_fail(interface) : 0;
}

static struct tpacket_block_desc *capture_block(const struct capture *c, unsigned int i)
{
	return (struct tpacket_block_desc *)(void *)(c->ring + (size_t)i * c->block_bytes);
}

static __attribute__((noinline)) void capture_walk(struct capture *c,
						   const struct tpacket_block_desc *block)
{
	const struct tpacket_hdr_v1 *h = &block->hdr.bh1;
	const uint8_t *at = (const uint8_t *)block + h->offset_to_first_pkt;

	for (uint32_t i = 0; i < h->num_pkts; i++) {
		const struct tpacket3_hdr *p = (const struct tpacket3_hdr *)(const void *)at;

		c->bytes += p->tp_len;
		at += p->tp_next_offset;
	}
	c->packets += h->num_pkts;
	c->blocks++;
}

static void capture_run(struct capture *c, uint64_t packets)
{
	unsigned int i = 0;

	while (c->packets < packets && !capture_stop) {
		struct tpacket_block_desc *block = capture_block(c, i);

		if (!(__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) &
		      TP_STATUS_USER)) {
			struct pollfd fd = { .fd = c->fd, .events = POLLIN | POLLERR };

			(void)poll(&fd, 1, 1000);
			c->waits++;
			continue;
		}
		capture_walk(c, block);
		__atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
		i = (i + 1) % c->n_blocks;
	}
}

static int capture_main(const char *interface, uint64_t packets, bool is_small)
{
	struct capture c = { .block_bytes = is_small ? CAPTURE_SMALL_BYTES : CAPTURE_BLOCK_BYTES };
	struct sigaction action = { .sa_handler = capture_on_signal };
	struct tpacket_stats_v3 stats = { 0 };
	socklen_t size = sizeof(stats);

	sigaction(SIGTERM, &action, NULL);
	if (capture_open(&c, interface))
		return 1;
	fprintf(stderr, "ready\n");
	capture_run(&c, packets);
	(void)getsockopt(c.fd, SOL_PACKET, PACKET_STATISTICS, &stats, &size);
	work_print("packets", c.packets);
	work_print("bytes", c.bytes);
	work_print("blocks", c.blocks);
	work_print("waits", c.waits);
	work_print("dropped", stats.tp_drops);
	work_print("frozen", stats.tp_freeze_q_cnt);
	work_print_cost();
	munmap(c.ring, CAPTURE_RING_BYTES);
	close(c.fd);
	return 0;
}

static int capture_send(const char *interface, uint64_t packets, uint64_t bytes)
{
	/* EtherType for local experiments */
	uint8_t frame[CAPTURE_BYTES_MAX] = { [12] = 0x88, [13] = 0xb5 };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	uint64_t failed = 0;

	memset(frame, 0xff, 6);
	if (fd < 0 || capture_bind(fd, interface))
		return capture_fail(interface);
	for (uint64_t i = 0; i < packets; i++)
		failed += send(fd, frame, bytes, 0) < 0;
	work_print("sent", packets - failed);
	work_print_cost();
	close(fd);
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t bytes = argc == 5 ? work_number(argv[4]) : 0;

	if (argc == 5 && strcmp(argv[1], "--send") == 0 && bytes >= ETH_ZLEN &&
	    bytes <= CAPTURE_BYTES_MAX)
		return capture_send(argv[2], work_number(argv[3]), bytes);
	if ((argc == 3 || (argc == 4 && strcmp(argv[3], "--small-blocks") == 0)) &&
	    work_number(argv[2]))
		return capture_main(argv[1], work_number(argv[2]), argc == 4);
	fprintf(stderr, "usage: lab-packet-capture INTERFACE PACKETS [--small-blocks]\n"
			"       lab-packet-capture --send INTERFACE PACKETS BYTES\n");
	return 2;
}
