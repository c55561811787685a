/* SPDX-License-Identifier: MIT */
#include "formats/profilers/listing_line.h"

#include "base/str.h"
#include "formats/profilers/text_dialects.h"

/* maximum number of columns with shares, one for each event */
#define LISTING_EVENTS 8u

/* First words of common instructions of x86, Arm, POWER and s390. */
#define LISTING_MNEMONICS                                                                          \
	"mov*|lea*|test?|test|cmp*|j?|j??|j???|call*|ret*|push*|pop*|xor?|xor|and?|and|add*|sub*|" \
	"nop*|lock|rep*|inc?|dec?|imul*|mul*|div*|idiv*|shl*|shr*|sar*|set*|cmov*|xchg*|bt?|"      \
	"pause|"                                                                                   \
	"leave*|cltq|cqto|neg*|not?|or|orr|or?|v*ps|v*pd|vmov*|vp*|cvt*|prefetch*|ldr*|str*|ldp|"  \
	"stp|ldx*|stx*|lda*|stl*|b|b.*|bl|blr|cbz|cbnz|tbz|tbnz|adrp|adr|csel|mrs|msr|isb|dmb|"    \
	"dsb|"                                                                                     \
	"lw*|stw*|std*|ld|bne*|beq*|ble*|blt*|bge*|bgt*|cmp|mr|li|lis|slwi|srwi|rlwinm|sync|"      \
	"isync|lg*|stg*|brc*|ud2|syscall|sti|cli|swapgs|"                                          \
	"stac|clac|lfence|mfence|sfence|rdtsc*|in|out|hlt|mwait|endbr64|movs*|stos*"

static bool listing_is_instruction(struct str text)
{
	struct str rest = text;
	struct str word;

	if (!str_word(&rest, &word) || word.len > 12 || str_find_char(word, '(') < word.len)
		return false;
	rest = str_trim(rest);
	if (rest.len && (rest.p[0] == '=' || str_ends(rest, STR(";")) || str_ends(rest, STR("{"))))
		return false;
	return str_glob(STR(LISTING_MNEMONICS), word);
}

/*
 * @s without the arrows (of jumps) and brackets (of loops) that perf draws before the instruction.
 */
static struct str listing_plain(struct str s)
{
	while (s.len && ((unsigned char)s.p[0] >= 0x80 || char_is_blank(s.p[0])))
		s = str_skip(s, 1);
	return str_rtrim(s);
}

/* Take an address, "4005a0:", or the label of a jump's target, "aa:". */
static bool listing_address(struct str *s, uint64_t *ret)
{
	struct str rest = str_ltrim(*s);
	uint64_t address;

	if (!str_hex64(&rest, &address) || !str_take(&rest, STR(":")) ||
	    (rest.len && !char_is_blank(rest.p[0])))
		return false;
	*s = rest;
	*ret = address;
	return true;
}

/*
 * @s without the bytes of the instruction that objdump prints before it: "48 89 e5" in "48 89 e5
 * mov %rsp,%rbp", "a9bf7bfd" in "a9bf7bfd  stp x29, x30, [sp]". If no instruction follows, @s is
 * unchanged.
 */
static struct str listing_without_bytes(struct str s)
{
	struct str rest = s;
	struct str word;
	size_t n = 0;

	while (str_word(&rest, &word) && (word.len == 2 || word.len == 8)) {
		uint64_t v;

		n += word.len / 2;
		if (!str_hex64(&word, &v) || word.len)
			break;
		if (n >= 2 && listing_is_instruction(rest))
			return str_ltrim(rest);
	}
	return s;
}

/* Take the number of a source line, which perf prints before the text of the line since 5.8. */
static void listing_number(struct str *s, uint32_t *ret)
{
	struct str rest = *s;
	uint64_t number;

	if (!str_u64(&rest, &number) || number > UINT32_MAX || !str_starts(rest, STR("  ")))
		return;
	*ret = (uint32_t)number;
	*s = str_ltrim(rest);
}

/* Take a share. A bar may follow it without a blank: "10.26│  popq". */
static bool listing_share(struct str *s, double *ret, unsigned int *decimals)
{
	struct str rest = *s;
	size_t bar = str_find_char(rest, '|');
	size_t box = str_find(rest, STR("\xe2\x94\x82"));
	struct str number = str_sub(rest, 0, bar < box ? bar : box);

	if (text_dialect_share(s, false, ret, decimals))
		return true;
	if (number.len == rest.len || !text_dialect_share(&number, false, ret, decimals) ||
	    number.len)
		return false;
	*s = str_skip(rest, bar < box ? bar : box);
	return true;
}

bool listing_line_perf_row(struct str line, struct listing_row *row)
{
	struct str rest = line;
	struct str after;
	unsigned int decimals = 0;
	double share;
	bool is_colon;

	*row = (struct listing_row){ .number = 0 };
	for (unsigned int i = 0; i < LISTING_EVENTS; i++) {
		after = rest;
		if (!listing_share(&after, &share, &decimals))
			break;
		if (i == 0)
			row->self = (struct amount){ share, 0.005, AMOUNT_PLAIN };
		rest = after;
		row->has_weight = true;
	}
	if (row->has_weight && decimals != 2)
		return false;
	after = str_ltrim(rest);
	is_colon = str_take(&after, STR(":"));
	if (!is_colon && !str_take(&after, STR("|")) && !str_take(&after, STR("\xe2\x94\x82")))
		return false;
	if (after.len && !char_is_blank(after.p[0]) && (is_colon || !row->has_weight) &&
	    (unsigned char)after.p[0] < 0x80 && char_hex(after.p[0]) < 0)
		return false;
	after = listing_plain(after);
	row->is_sure = listing_address(&after, &row->address);
	if (row->is_sure)
		after = listing_without_bytes(after);
	row->text = listing_plain(after);
	row->is_source = !row->is_sure && !row->has_weight && !listing_is_instruction(row->text);
	if (row->is_source)
		listing_number(&row->text, &row->number);
	row->is_sure =
		(row->is_sure || !is_colon) && row->has_weight && listing_is_instruction(row->text);
	return true;
}

/*
 * Parse a row of perf annotate --stdio2: "22.22        shr  $0x2,%eax". False: @line is no such
 * row.
 */
static bool listing_plain_row(struct str line, struct listing_row *row)
{
	struct str rest = line;
	unsigned int decimals = 0;
	uint64_t address = 0;

	*row = (struct listing_row){ .number = 0 };
	row->has_weight = text_dialect_share(&rest, false, &row->self.value, &decimals);
	row->self.half = 0.005;
	if (row->has_weight && decimals != 2)
		return false;
	/*
	 * at least three blanks, or two blanks and a label, must follow the share. For example, 10
	 * is the label of a jump's target in "  4.47  10:   lock addq $0x1,cnt"
	 */
	if (!str_starts(rest, STR("   ")) &&
	    (!row->has_weight || !str_take(&rest, STR("  ")) || !listing_address(&rest, &address)))
		return false;
	rest = listing_plain(rest);
	row->address = address;
	(void)listing_address(&rest, &row->address);
	row->text = listing_plain(rest);
	row->is_source = !row->has_weight && !listing_is_instruction(row->text);
	return true;
}

/* Whether each of the two amounts at the start of a pprof row is "." or has a unit. */
static bool listing_has_unit(struct str line)
{
	struct str word;

	for (unsigned int i = 0; i < 2; i++) {
		struct amount a;

		if (!str_word(&line, &word))
			return false;
		if (!str_eq(word, STR(".")) &&
		    (!text_dialect_amount(&word, &a) || a.unit == AMOUNT_PLAIN))
			return false;
	}
	return true;
}

bool listing_line_pprof_row(struct str line, struct listing_row *row)
{
	struct str rest = line;
	struct str digits;
	size_t n;

	*row = (struct listing_row){ .has_cum = true };
	if (!text_dialect_amount(&rest, &row->self) || !text_dialect_amount(&rest, &row->cum))
		return false;
	rest = str_ltrim(rest);
	n = str_find_char(rest, ':');
	digits = str_sub(rest, 0, n);
	if (n == 0 || n == rest.len || n > 16)
		return false;
	row->is_source = n < 6;
	if (row->is_source) {
		uint64_t number;

		if (!str_u64(&digits, &number))
			return false;
		row->number = (uint32_t)number;
	} else if (!str_hex64(&digits, &row->address)) {
		return false;
	}
	row->has_weight = digits.len == 0;
	row->text = str_trim(str_skip(rest, n + 1));
	/*
	 * Two numbers may also start a line of a log. Two amounts that are "." or have a unit occur
	 * only in a listing
	 */
	row->is_sure = row->is_source && !str_starts(rest, STR(":")) && listing_has_unit(line);
	return digits.len == 0;
}

/*
 * Parse a row of callgrind_annotate: "1,234 ( 0.10%)  for (i = 0; i < n; i++)". In the row of a
 * call, the text is "=> file:function (10x)". False: @line is no such row.
 */
static bool listing_callgrind_row(struct str line, struct listing_row *row)
{
	struct str rest = line;
	struct amount unused;
	double share;

	*row = (struct listing_row){ .is_source = true, .has_weight = true };
	if (!text_dialect_amount(&rest, &row->self))
		return false;
	/* of several events, use the first share */
	if (text_dialect_share(&rest, true, &share, NULL))
		row->share = share;
	while (text_dialect_share(&rest, true, &share, NULL) || text_dialect_amount(&rest, &unused))
		;
	row->text = str_trim(rest);
	if (str_starts(row->text, STR("=> "))) {
		row->cum = row->self;
		row->has_cum = true;
		row->self = (struct amount){ 0 };
	}
	return rest.len == 0 || char_is_blank(rest.p[0]);
}

/*
 * Parse a row of line_profiler: "14  502503  702113.0  1.4  30.4  for box in shelf:". The numbers
 * are line number, hits, time, time per hit and share. False: @line is no such row.
 */
static bool listing_time_row(struct str line, struct listing_row *row)
{
	struct str rest = str_ltrim(line);
	struct amount hits, each;
	uint64_t number;
	double share;

	*row = (struct listing_row){ .is_source = true };
	if (!str_u64(&rest, &number) || number > UINT32_MAX || (rest.len && rest.p[0] != ' '))
		return false;
	row->number = (uint32_t)number;
	row->text = str_trim(rest);
	if (!text_dialect_amount(&rest, &hits) || !text_dialect_amount(&rest, &row->self) ||
	    !text_dialect_amount(&rest, &each) || !text_dialect_share(&rest, false, &share, NULL)) {
		row->self = (struct amount){ 0 };
		return true;
	}
	row->has_weight = true;
	row->text = str_trim(rest);
	return true;
}

/* Take an amount of memory such as "12.5 MiB" or "-0.25 MB". False: @s does not start with one. */
static bool listing_bytes(struct str *s, struct amount *ret)
{
	struct str rest = str_ltrim(*s);
	bool is_negative = str_take(&rest, STR("-"));
	double scale;

	if (!text_dialect_amount(&rest, ret))
		return false;
	rest = str_ltrim(rest);
	/* both are 2^20 bytes: memory_profiler prints MiB, its older versions print MB */
	if (!str_take(&rest, STR("MiB")) && !str_take(&rest, STR("MB")))
		return false;
	scale = is_negative ? -1048576. : 1048576.;
	*ret = (struct amount){ ret->value * scale, ret->half * 1048576., AMOUNT_BYTES };
	*s = rest;
	return true;
}

/*
 * Parse a row of memory_profiler: "6  46.492 MiB  7.676 MiB  1  a = [1] * n". The numbers are line
 * number, memory in use, its growth and, in newer versions, the number of executions. False: @line
 * is no such row.
 */
static bool listing_memory_row(struct str line, struct listing_row *row)
{
	struct str rest = str_ltrim(line);
	struct amount used, grown;
	uint64_t number;

	*row = (struct listing_row){ .is_source = true };
	if (!str_u64(&rest, &number) || number > UINT32_MAX || (rest.len && rest.p[0] != ' '))
		return false;
	row->number = (uint32_t)number;
	row->text = str_trim(rest);
	if (!listing_bytes(&rest, &used) || !listing_bytes(&rest, &grown))
		return true;
	row->has_weight = true;
	/*
	 * Growth is not stored for a line that frees memory. It is not stored for the first line
	 * either, because its growth is all memory in use
	 */
	if (grown.value > 0 && grown.value != used.value)
		row->self = grown;
	row->text = str_ltrim(rest);
	/* skip the number of executions, which precedes the text in newer versions */
	rest = row->text;
	if (str_u64(&rest, &number) && str_starts(rest, STR("   ")))
		row->text = str_ltrim(rest);
	row->text = str_trim(row->text);
	return true;
}

/* column of the ':' that opannotate prints between the samples and the text */
#define LISTING_OPROFILE_WIDTH 15u

bool listing_line_total(struct str text, struct str *ret_name, double *ret_samples,
			double *ret_share)
{
	size_t end = str_find(text, STR(" total: "));
	size_t open;
	struct amount samples;

	if (end == text.len || !str_ends(str_trim(text), STR("*/")))
		return false;
	*ret_name = str_sub(text, 0, end);
	for (open = str_find(*ret_name, STR("/* ")); open < ret_name->len;
	     open = str_find(*ret_name, STR("/* ")))
		*ret_name = str_skip(*ret_name, open + 3);
	text = str_skip(text, end + 8);
	if (!text_dialect_amount(&text, &samples) ||
	    !text_dialect_share(&text, false, ret_share, NULL))
		return false;
	*ret_samples = samples.value;
	return ret_name->len > 0;
}

bool listing_line_is_comment(struct str t)
{
	return str_starts(t, STR("*")) || str_eq(t, STR("/*"));
}

/*
 * Parse a row of opannotate: " 10227  1.7469 :    if (!trans->remaining) {". The share is that of
 * the whole profile. False: @line is no such row.
 */
static bool listing_oprofile_row(struct str line, struct listing_row *row)
{
	struct str rest = str_sub(line, 0, LISTING_OPROFILE_WIDTH);
	struct str name;
	double samples, share;

	*row = (struct listing_row){ .is_source = true };
	if (line.len <= LISTING_OPROFILE_WIDTH || line.p[LISTING_OPROFILE_WIDTH] != ':')
		return false;
	if (str_trim(rest).len) {
		if (!text_dialect_amount(&rest, &row->self) ||
		    !text_dialect_share(&rest, false, &row->share, NULL) || str_trim(rest).len)
			return false;
		row->has_weight = true;
	}
	rest = str_skip(line, LISTING_OPROFILE_WIDTH + 1);
	row->is_sure = row->has_weight && listing_line_total(rest, &name, &samples, &share);
	row->is_source = !listing_address(&rest, &row->address);
	row->text = str_rtrim(rest);
	if (!row->is_source)
		row->text = listing_plain(listing_without_bytes(str_ltrim(row->text)));
	return true;
}

bool listing_row_of(enum listing_kind kind, struct str line, struct listing_row *row)
{
	return kind == LISTING_PERF     ? listing_line_perf_row(line, row)
	       : kind == LISTING_PLAIN  ? listing_plain_row(line, row)
	       : kind == LISTING_PPROF  ? listing_line_pprof_row(line, row)
	       : kind == LISTING_TIME   ? listing_time_row(line, row)
	       : kind == LISTING_MEMORY ? listing_memory_row(line, row)
	       : kind == LISTING_OPROFILE
		       ? listing_oprofile_row(line, row)
		       : kind == LISTING_CALLGRIND && listing_callgrind_row(line, row);
}

enum listing_kind listing_line_head(struct str line)
{
	struct str t = str_trim(line);

	if (str_starts(t, STR("ROUTINE ====")))
		return LISTING_PPROF;
	if (str_starts(t, STR("-- Auto-annotated source")) ||
	    str_starts(t, STR("-- User-annotated source")))
		return LISTING_CALLGRIND;
	if (str_eq(t, STR("Percent")))
		return LISTING_PLAIN;
	if (str_starts(t, STR("Percent")) &&
	    (str_glob(STR("Percent\xe2\x94\x82*|Percent \xe2\x94\x82*"), t) ||
	     str_contains(t, STR("Source code & Disassembly"))))
		return LISTING_PERF;
	if (str_glob(STR("Line #*Hits*Time*Per Hit*% Time*Line Contents"), t))
		return LISTING_TIME;
	if (str_glob(STR("Line #*Mem usage*Increment*Line Contents"), t))
		return LISTING_MEMORY;
	if (str_starts(t, STR("Percent |")) || str_eq(t, STR("Percent|")))
		return LISTING_PERF;
	if (str_glob(STR("*Command line: opannotate *"), t))
		return LISTING_OPROFILE;
	return LISTING_NONE;
}

bool listing_line_is_sums(struct str t)
{
	struct amount a;

	return text_dialect_amount(&t, &a) && text_dialect_amount(&t, &a) &&
	       str_starts(str_ltrim(t), STR("(flat, cum)"));
}

bool listing_line_is_preface(struct str t)
{
	return (str_starts(t, STR("Samples: ")) && str_contains(t, STR("of event '"))) ||
	       str_starts(t, STR("Total: ")) || str_contains(t, STR("[Percent: ")) ||
	       str_contains(t, STR("ercent: local ")) || str_starts(t, STR("Timer unit: ")) ||
	       str_glob(STR("Total time: * s|File: *.py|Filename: *.py|Function: * at line *"),
			t) ||
	       (t.len > 8 && str_starts(t, STR("========")));
}

const char *listing_line_name(enum listing_kind kind)
{
	static const char *const names[] = { "code-listing",    "perf-annotate",    "perf-annotate",
					     "pprof-list",      "callgrind-source", "line-profiler",
					     "memory-profiler", "opannotate" };

	return names[kind];
}
