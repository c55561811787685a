/* SPDX-License-Identifier: MIT */
/*
 * Ciphers, hashes, checksums and compression have a large part of the time.
 * This may be the work itself: it stays a note.
 *
 * Thresholds, of the time that is not idle: Web servers with TLS have 3 to 10 % there.
 */
#include "explain/signature.h"

#define BYTE_TRANSFORMS_NOTE_PCT 10.0
#define BYTE_TRANSFORMS_LEAD_PCT 30.0

static const struct signature byte_transforms = {
	.functions = "sha1_*transform*|sha256_*transform*|sha512_*transform*|"
		     "sha256_*blocks*|sha512_*blocks*|sha_transform*|sha1_ni_*|"
		     "aesni_*|aes_gcm_*|aes_ctr_*|aes_cbc_*|aes_xts_*|aes_*_avx*|"
		     "xts_*crypt*|_aesni_*|clmul_*|gcm_*|gcm_ghash_*|__chacha20*|"
		     "chacha_*|ChaCha20_*|poly1305_*|Poly1305*|crc32*|__crc32*|crc_pcl|"
		     "crc64_*|crc_t10dif_pcl|XXH*|xxh*|ZSTD_*|HUF_*|FSE_*|LZ4_*|"
		     "LZ4HC_*|lz4_*|lzo1x_*|deflate*|inflate*|longest_match*|"
		     "compress_block|adler32*|snappy::*|BZ2_*|lzma_*|"
		     "Brotli*|raid6_*|xor_avx*|xor_sse*|MD5*|md5_*|SHA1_Update|"
		     "SHA256_*|SHA512_*|sha1_block_data_order*|"
		     "sha256_block_data_order*|sha512_block_data_order*|"
		     "aesni_ctr32_*|EVP_*Update|blake2*|blake3_*|isal_*|"
		     "ec_encode*|gf_vect_*|csum_partial*|do_csum|skb_checksum*|"
		     "__skb_checksum*|csum_and_copy_*|fletcher_*|abd_fletcher_*",
	.note_pct = BYTE_TRANSFORMS_NOTE_PCT,
	.lead_pct = BYTE_TRANSFORMS_LEAD_PCT,
	.sure_note = 60,
	.sure_lead = 70,
	.is_minor = true,
	.is_user = true,
	.what = "goes through ciphers, checksums or compression, byte by byte",
	.name = "ciphers, checksums and compression",
	.cause = "each byte that is sent, stored or checked is computed on; the cost follows the "
		 "bytes and not the requests",
	.because = "the names say what is computed; whether it has to be done is not in a profile",
	.next = { "perf record -a -g: for whom (TLS, dm-crypt, btrfs, a backup), and whether twice",
		  "a cheaper level or algorithm, larger blocks, offload (kTLS, the device), or not "
		  "at all where both ends are local" },
};

const struct rule rule_byte_transforms = {
	.id = "byte-transforms",
	.title = "every byte goes through ciphers, checksums or compression",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &byte_transforms,
};
