/* SPDX-License-Identifier: MIT */
/*
 * sniff - count the bytes of all packets of the loopback device, while a child sends some
 *
 *   sniff calls|ring SECONDS
 *
 * 'calls': a system call for each packet. 'ring': packets come in blocks of shared memory.
 */
#include <arpa/inet.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "work.h"

#define BLOCK    (1u << 18)
#define N_BLOCKS 16u

static uint64_t n_packets, n_bytes;

static void sender_main(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(9),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_DGRAM, 0);
	char data[64] = "";

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; usleep(1000)) {
		for (int i = 0; i < 25; i++)
			(void)sendto(fd, data, sizeof(data), 0, (struct sockaddr *)&to, sizeof(to));
	}
}

static __attribute__((noinline)) void packet_take(int fd)
{
	static char data[65536];
	ssize_t got = recv(fd, data, sizeof(data), 0);

	n_packets++;
	n_bytes += got > 0 ? (uint64_t)got : 0;
}

static __attribute__((noinline)) void block_take(struct tpacket_block_desc *block)
{
	char *at = (char *)block + block->hdr.bh1.offset_to_first_pkt;

	for (uint32_t i = 0; i < block->hdr.bh1.num_pkts; i++) {
		struct tpacket3_hdr *packet = (void *)at;

		n_packets++;
		n_bytes += packet->tp_len;
		at += packet->tp_next_offset;
	}
	__atomic_store_n(&block->hdr.bh1.block_status, TP_STATUS_KERNEL, __ATOMIC_RELEASE);
}

static void ring_read(int fd, char *ring, uint64_t end_ns)
{
	struct pollfd one = { .fd = fd, .events = POLLIN };

	for (unsigned at = 0; work_clock_ns(CLOCK_MONOTONIC) < end_ns;) {
		struct tpacket_block_desc *block = (void *)(ring + at * BLOCK);

		if (!(__atomic_load_n(&block->hdr.bh1.block_status, __ATOMIC_ACQUIRE) &
		      TP_STATUS_USER)) {
			poll(&one, 1, 200);
			continue;
		}
		block_take(block);
		at = (at + 1) % N_BLOCKS;
	}
}

int main(int argc, char **argv)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_ALL) };
	struct tpacket_req3 request = { .tp_block_size = BLOCK,
					.tp_block_nr = N_BLOCKS,
					.tp_frame_size = 2048,
					.tp_frame_nr = BLOCK / 2048 * N_BLOCKS,
					.tp_retire_blk_tov = 50 };
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)), version = TPACKET_V3;
	bool has_ring = argc == 3 && strcmp(argv[1], "ring") == 0;
	char *ring = NULL;
	uint64_t end_ns;
	pid_t sender;

	if (argc != 3 || fd < 0)
		return 2;
	at.sll_ifindex = (int)if_nametoindex("lo");
	if (has_ring) {
		if (setsockopt(fd, SOL_PACKET, PACKET_VERSION, &version, sizeof(version)) ||
		    setsockopt(fd, SOL_PACKET, PACKET_RX_RING, &request, sizeof(request)))
			return 1;
		ring = mmap(NULL, (size_t)BLOCK * N_BLOCKS, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			    0);
		if (ring == MAP_FAILED)
			return 1;
	}
	if (bind(fd, (struct sockaddr *)&at, sizeof(at)))
		return 1;
	sender = fork();
	if (sender == 0)
		sender_main();
	end_ns = work_clock_ns(CLOCK_MONOTONIC) + work_number(argv[2]) * 1000000000u;
	if (has_ring) {
		ring_read(fd, ring, end_ns);
	} else {
		while (work_clock_ns(CLOCK_MONOTONIC) < end_ns)
			packet_take(fd);
	}
	kill(sender, SIGKILL);
	work_print("packets", n_packets);
	work_print("bytes", n_bytes);
	return 0;
}
