/* SPDX-License-Identifier: MIT */
/*
 * Portable C variants of ciphers and checksums are hot: the accelerated module is not loaded,
 * not built, or the CPU (of the virtual machine) does not offer the instructions.
 *
 * Thresholds, of the time that is not idle: A gigabyte a second of AES-NI costs about
 * a third of one CPU; more than this share of portable code is a configuration.
 */
#include "explain/signature.h"

#define UNACCELERATED_BYTES_NOTE_PCT 3.0
#define UNACCELERATED_BYTES_LEAD_PCT 10.0

static const struct signature unaccelerated_bytes = {
	.functions = "sha1_generic_block_fn|sha256_generic_block_fn|"
		     "sha512_generic_block_fn|sha256_transform|sha512_transform|"
		     "sha256_transform_blocks|sha256_blocks_generic|"
		     "sha1_transform|sha512_blocks_generic|crypto_aes_encrypt|"
		     "crypto_aes_decrypt|aes_encrypt|aes_decrypt|aesti_*|"
		     "aes_*_generic|gf128mul_4k_*|gf128mul_64k_*|"
		     "chacha_block_generic|chacha_permute|chacha_crypt_generic|"
		     "poly1305_core_*|poly1305_blocks_generic|crc32c_generic*|"
		     "crc32_generic*|crc32_body|crc32_le_generic|crc32_le_base|"
		     "crc32c_le_base|crc32_be_generic|crc_t10dif_generic|"
		     "crc64_*_generic|crc64_be|raid6_int*_gen_syndrome|"
		     "raid6_int*_xor_syndrome|xor_8regs*|xor_32regs*|"
		     "serpent_encrypt|twofish_encrypt|camellia_encrypt|"
		     "blake2b_compress_generic|blake2s_compress_generic",
	.note_pct = UNACCELERATED_BYTES_NOTE_PCT,
	.lead_pct = UNACCELERATED_BYTES_LEAD_PCT,
	.sure_note = 75,
	.sure_lead = 85,
	.what = "is spent in portable C of ciphers and checksums",
	.name = "portable ciphers and checksums",
	.cause = "the variant for this CPU is not loaded, not built, or its instructions are "
		 "hidden from the virtual machine",
	.because = "the accelerated variants have names of their own (aesni_, _avx2, _ce, _pclmul, "
		   "_arm64)",
	.next = { "/proc/crypto: which driver serves the algorithm, at which priority; "
		  "/proc/cpuinfo: flags",
		  "load the module (aesni_intel, sha256_ssse3, crc32c_intel, ghash_clmulni_intel); "
		  "pass the CPU's flags to the guest",
		  "choose an algorithm that this CPU has instructions for" },
};

const struct rule rule_unaccelerated_bytes = {
	.id = "unaccelerated-bytes",
	.title = "ciphers and checksums run without the instructions of the CPU",
	.needs = RULE_PROFILE,
	.events = EVENT_IS_WORK,
	.signature = &unaccelerated_bytes,
};
