/* SPDX-License-Identifier: MIT */
#include "analyses/calls/retvals.h"

#include "base/alloc.h"
#include "base/idmap.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/vec.h"
#include "core/calls.h"
#include "core/capture.h"
#include "core/ids.h"
#include "core/symbols.h"

/*
 * names of error numbers from asm-generic/errno.h; numbers above 511 are from the kernel's
 * linux/errno.h
 */
static const char *const retval_names[] = {
	[1] = "EPERM",
	[2] = "ENOENT",
	[3] = "ESRCH",
	[4] = "EINTR",
	[5] = "EIO",
	[6] = "ENXIO",
	[7] = "E2BIG",
	[8] = "ENOEXEC",
	[9] = "EBADF",
	[10] = "ECHILD",
	[11] = "EAGAIN",
	[12] = "ENOMEM",
	[13] = "EACCES",
	[14] = "EFAULT",
	[15] = "ENOTBLK",
	[16] = "EBUSY",
	[17] = "EEXIST",
	[18] = "EXDEV",
	[19] = "ENODEV",
	[20] = "ENOTDIR",
	[21] = "EISDIR",
	[22] = "EINVAL",
	[23] = "ENFILE",
	[24] = "EMFILE",
	[25] = "ENOTTY",
	[26] = "ETXTBSY",
	[27] = "EFBIG",
	[28] = "ENOSPC",
	[29] = "ESPIPE",
	[30] = "EROFS",
	[31] = "EMLINK",
	[32] = "EPIPE",
	[33] = "EDOM",
	[34] = "ERANGE",
	[35] = "EDEADLK",
	[36] = "ENAMETOOLONG",
	[37] = "ENOLCK",
	[38] = "ENOSYS",
	[39] = "ENOTEMPTY",
	[40] = "ELOOP",
	[42] = "ENOMSG",
	[43] = "EIDRM",
	[44] = "ECHRNG",
	[45] = "EL2NSYNC",
	[46] = "EL3HLT",
	[47] = "EL3RST",
	[48] = "ELNRNG",
	[49] = "EUNATCH",
	[50] = "ENOCSI",
	[51] = "EL2HLT",
	[52] = "EBADE",
	[53] = "EBADR",
	[54] = "EXFULL",
	[55] = "ENOANO",
	[56] = "EBADRQC",
	[57] = "EBADSLT",
	[59] = "EBFONT",
	[60] = "ENOSTR",
	[61] = "ENODATA",
	[62] = "ETIME",
	[63] = "ENOSR",
	[64] = "ENONET",
	[65] = "ENOPKG",
	[66] = "EREMOTE",
	[67] = "ENOLINK",
	[68] = "EADV",
	[69] = "ESRMNT",
	[70] = "ECOMM",
	[71] = "EPROTO",
	[72] = "EMULTIHOP",
	[73] = "EDOTDOT",
	[74] = "EBADMSG",
	[75] = "EOVERFLOW",
	[76] = "ENOTUNIQ",
	[77] = "EBADFD",
	[78] = "EREMCHG",
	[79] = "ELIBACC",
	[80] = "ELIBBAD",
	[81] = "ELIBSCN",
	[82] = "ELIBMAX",
	[83] = "ELIBEXEC",
	[84] = "EILSEQ",
	[85] = "ERESTART",
	[86] = "ESTRPIPE",
	[87] = "EUSERS",
	[88] = "ENOTSOCK",
	[89] = "EDESTADDRREQ",
	[90] = "EMSGSIZE",
	[91] = "EPROTOTYPE",
	[92] = "ENOPROTOOPT",
	[93] = "EPROTONOSUPPORT",
	[94] = "ESOCKTNOSUPPORT",
	[95] = "EOPNOTSUPP",
	[96] = "EPFNOSUPPORT",
	[97] = "EAFNOSUPPORT",
	[98] = "EADDRINUSE",
	[99] = "EADDRNOTAVAIL",
	[100] = "ENETDOWN",
	[101] = "ENETUNREACH",
	[102] = "ENETRESET",
	[103] = "ECONNABORTED",
	[104] = "ECONNRESET",
	[105] = "ENOBUFS",
	[106] = "EISCONN",
	[107] = "ENOTCONN",
	[108] = "ESHUTDOWN",
	[109] = "ETOOMANYREFS",
	[110] = "ETIMEDOUT",
	[111] = "ECONNREFUSED",
	[112] = "EHOSTDOWN",
	[113] = "EHOSTUNREACH",
	[114] = "EALREADY",
	[115] = "EINPROGRESS",
	[116] = "ESTALE",
	[117] = "EUCLEAN",
	[118] = "ENOTNAM",
	[119] = "ENAVAIL",
	[120] = "EISNAM",
	[121] = "EREMOTEIO",
	[122] = "EDQUOT",
	[123] = "ENOMEDIUM",
	[124] = "EMEDIUMTYPE",
	[125] = "ECANCELED",
	[126] = "ENOKEY",
	[127] = "EKEYEXPIRED",
	[128] = "EKEYREVOKED",
	[129] = "EKEYREJECTED",
	[130] = "EOWNERDEAD",
	[131] = "ENOTRECOVERABLE",
	[132] = "ERFKILL",
	[133] = "EHWPOISON",
	[512] = "ERESTARTSYS",
	[513] = "ERESTARTNOINTR",
	[514] = "ERESTARTNOHAND",
	[515] = "ENOIOCTLCMD",
	[516] = "ERESTART_RESTARTBLOCK",
	[517] = "EPROBE_DEFER",
	[518] = "EOPENSTALE",
	[519] = "ENOPARAM",
	[521] = "EBADHANDLE",
	[522] = "ENOTSYNC",
	[523] = "EBADCOOKIE",
	[524] = "ENOTSUPP",
	[525] = "ETOOSMALL",
	[526] = "ESERVERFAULT",
	[527] = "EBADTYPE",
	[528] = "EJUKEBOX",
	[529] = "EIOCBQUEUED",
	[530] = "ERECALLCONFLICT",
};

const char *retval_errno_name(int error)
{
	if (error >= 0 || error <= -(int)ARRAY_LEN(retval_names))
		return NULL;
	return retval_names[-error];
}

int retval_errno(uint64_t value)
{
	/* sign-extend an int that was zero-extended to 64 bits */
	int64_t v = value <= UINT32_MAX ? (int32_t)value : (int64_t)value;

	/*
	 * a value whose low byte is 0 or 1 may be a bool whose upper bits are all ones: -255, -256,
	 * -511, -512
	 */
	if (v != (int)v || (v & 0xff) <= 1)
		return 0;
	return retval_errno_name((int)v) ? (int)v : 0;
}

/* Whether the value is neither an int (sign- or zero-extended) nor a kernel address. */
static bool retvals_is_other(uint64_t value)
{
	return value > UINT32_MAX && value < UINT64_C(0xff00000000000000);
}

static int retvals_compare(const void *a, const void *b)
{
	const struct retval_error *x = a;
	const struct retval_error *y = b;

	/* binary traces have no line numbers: the order then depends on the symbol */
	return SORT_ORDER(y->calls, x->calls) ?: SORT_ORDER(x->line, y->line) ?: SORT_ORDER(x->sym.v, y->sym.v) ?: SORT_ORDER(y->error, x->error);
}

static void retvals_add(struct retval_errors *r, struct idmap *map, const struct calls *c,
			uint32_t call, int error)
{
	sym_id sym = c->sym.data[call];
	struct idmap_probe p = idmap_first(map, hash_u64(sym.v, (uint64_t)-error));

	r->calls++;
	while (idmap_next(map, &p)) {
		struct retval_error *row = &r->rows.data[p.id];

		if (row->sym.v == sym.v && row->error == error) {
			row->calls++;
			return;
		}
	}
	idmap_insert(map, &p, (uint32_t)r->rows.len);
	*VEC_PUSH(&r->rows) = (struct retval_error){
		.sym = sym,
		.error = error,
		.calls = 1,
		.line = c->line.data[call],
	};
}

void retval_errors_find(const struct capture *capture, struct retval_errors *ret)
{
	const struct calls *c = capture->calls;
	struct idmap map = { 0 };
	/*
	 * indexed by symbol: number of return values; UINT32_MAX: one of them is neither int nor
	 * pointer
	 */
	uint32_t *valued;

	memset(ret, 0, sizeof(*ret));
	if (!c || c->retval.len == 0)
		return;
	valued = xcalloc(capture_symbols(capture)->rows.len + 1, sizeof(*valued));
	for (size_t i = 0; i < c->retval.len; i++) {
		uint32_t *n = &valued[c->sym.data[i].v];

		if (c->retval_kind.data[i] == RETVAL_NONE)
			continue;
		ret->valued++;
		if (retvals_is_other(c->retval.data[i]))
			*n = UINT32_MAX;
		else if (*n < UINT32_MAX - 1)
			++*n;
	}
	for (size_t i = 0; i < c->retval.len; i++) {
		int error =
			c->retval_kind.data[i] == RETVAL_NONE ? 0 : retval_errno(c->retval.data[i]);

		if (error && valued[c->sym.data[i].v] != UINT32_MAX)
			retvals_add(ret, &map, c, (uint32_t)i, error);
	}
	VEC_FOREACH (row, &ret->rows)
		row->of = valued[row->sym.v];
	VEC_SORT(&ret->rows, retvals_compare);
	free(valued);
	idmap_fini(&map);
}

void retval_errors_fini(struct retval_errors *r)
{
	VEC_FREE(&r->rows);
}
