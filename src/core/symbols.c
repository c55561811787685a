/* SPDX-License-Identifier: MIT */
#include "core/symbols.h"

#include "base/idmap.h"
#include "base/limits.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/ids.h"
#include "core/strings.h"

void symbols_init(struct symbols *t, struct strings *strings)
{
	memset(t, 0, sizeof(*t));
	t->strings = strings;
	(void)symbols_add(t, STR_ID_NONE, STR_ID_NONE, SPACE_UNKNOWN);
}

void symbols_fini(struct symbols *t)
{
	VEC_FREE(&t->rows);
	idmap_fini(&t->map);
}

bool symbol_name_matches(struct str name, struct str pattern)
{
	struct str bare = str_sub(name, 0, str_find_char(name, '('));

	return str_eq(pattern, name) || str_eq(pattern, bare) || str_glob(pattern, name) ||
	       str_glob(pattern, bare);
}

bool symbol_name_is_address(struct str name)
{
	if (str_eq(name, STR("0")))
		return true;
	if (!str_take(&name, STR("0x")) || name.len == 0)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		if (char_hex(name.p[i]) < 0)
			return false;
	}
	return true;
}

/* Length of the run of decimal or hex digits that begins at @i. */
static size_t symbol_digits(struct str s, size_t i, bool is_hex)
{
	size_t n = 0;

	while (i + n < s.len && (is_hex ? char_hex(s.p[i + n]) >= 0 : char_is_digit(s.p[i + n])))
		n++;
	return n;
}

/*
 * Whether @s, from the '.' at offset @dot to its end, consists of compiler suffixes.
 *  gcc: .isra.N .part.N .constprop.N .cold[.N] .localalias[.N] .lto_priv.N .clone.N .N
 *  clang: .llvm.N .cold .__uniq.N
 *  kernel CFI: .cfi .cfi_jt $hash
 */
static bool symbol_is_suffix(struct str s, size_t dot)
{
	static const struct str words[] = {
		STR("isra"),     STR("part"), STR("constprop"), STR("cold"), STR("localalias"),
		STR("lto_priv"), STR("llvm"), STR("cfi_jt"),    STR("cfi"),  STR("__uniq"),
		STR("warm"),     STR("hot"),  STR("unlikely"),
	};

	while (dot < s.len) {
		struct str rest = str_skip(s, dot + 1);
		size_t n = str_find_char(rest, '.');
		struct str word = str_sub(rest, 0, n);
		bool ok = word.len > 0 && symbol_digits(word, 0, false) == word.len;

		for (size_t i = 0; !ok && i < ARRAY_LEN(words); i++)
			ok = str_eq(word, words[i]);
		/* ".clone" alone is no suffix: "maps.clone" is a function of Go */
		ok |= str_eq(word, STR("clone")) && n < rest.len;
		if (!ok)
			return false;
		dot += 1 + n;
	}
	return true;
}

/* Remove the source line " file.c:12" from the name of a symbol that stands for one source line. */
static struct str symbol_without_line(struct str name)
{
	size_t space = str_rfind_char(name, ' ');
	size_t colon = str_rfind_char(name, ':');

	/*
	 * do not cut names of Python profilers, which also contain blanks and colons: "<frozen
	 * importlib>:f:991"
	 */
	if (space < name.len && colon < name.len && colon > space + 1 && colon + 1 < name.len &&
	    str_find_char(str_skip(name, space), ':') == colon - space &&
	    symbol_digits(name, colon + 1, false) == name.len - colon - 1)
		return str_sub(name, 0, space);
	return name;
}

/*
 * Remove the version of a shared library's symbol ("@@GLIBC_2.2.5", "@LIBURING_2.0"): capitals,
 * '_', then digits. "@plt" stays, because a PLT stub is a different function.
 */
static struct str symbol_without_version(struct str name)
{
	size_t at = str_find_char(name, '@');
	size_t from = at + 1;
	size_t i;

	if (at == 0 || at >= name.len)
		return name;
	if (from < name.len && name.p[from] == '@')
		from++;
	for (i = from; i < name.len &&
		       ((name.p[i] >= 'A' && name.p[i] <= 'Z') || (i > from && name.p[i] == '_'));
	     i++)
		;
	if (i == from || i == name.len || name.p[i - 1] != '_')
		return name;
	for (; i < name.len && ((name.p[i] >= '0' && name.p[i] <= '9') || name.p[i] == '.'); i++)
		;
	return i == name.len ? str_sub(name, 0, at) : name;
}

/*
 * Whether @part of a name is the number of a Go closure, such as "func2" in "pkg.Follow.func2.1".
 */
static bool symbol_is_closure(struct str part)
{
	return str_take(&part, STR("func")) && part.len &&
	       symbol_digits(part, 0, false) == part.len;
}

struct str symbol_canonical_name(struct str text)
{
	struct str name = symbol_without_version(symbol_without_line(text));
	/* suffix of clang's ThinLTO and CFI: name$0123456789abcdef[.cfi_jt] */
	size_t dollar = str_find_char(name, '$');
	size_t from = 0;
	/* a closure was found: numbers after it are closures inside it, not compiler suffixes */
	bool is_closure = false;

	if (dollar > 0 && dollar < name.len) {
		size_t n = symbol_digits(name, dollar + 1, true);
		size_t end = dollar + 1 + n;

		if (n >= 16 && (end == name.len || symbol_is_suffix(name, end)))
			return str_sub(name, 0, dollar);
	}
	while (from < name.len) {
		size_t dot = from + str_find_char(str_skip(name, from), '.');

		if (dot == name.len)
			break;
		/*
		 * stop at a compiler suffix; other suffixes, such as ".omp_fn", stay. A dot at the
		 * start marks an entry point on ppc64.
		 */
		is_closure |= from > 0 && symbol_is_closure(str_sub(name, from, dot));
		if (dot > 0 && !is_closure && symbol_is_suffix(name, dot))
			return str_sub(name, 0, dot);
		from = dot + 1;
	}
	return name;
}

static uint64_t symbols_hash(str_id name, str_id module, enum symbol_space space, uint64_t address,
			     unsigned int inlined, str_id place)
{
	return hash_u64((uint64_t)name.v << 32 | module.v,
			address << 6 ^ (uint64_t)space << 2 ^ inlined ^ (uint64_t)place.v << 32);
}

static sym_id symbols_add_row(struct symbols *t, str_id name, str_id module,
			      enum symbol_space space, uint64_t address, unsigned int flags,
			      str_id place)
{
	unsigned int inlined = flags & SYMBOL_INLINED;
	struct idmap_probe p =
		idmap_first(&t->map, symbols_hash(name, module, space, address, inlined, place));
	struct str text = STR_NONE;
	struct str canonical = STR_NONE;
	struct symbol *row;
	uint64_t number;
	bool is_address;

	while (idmap_next(&t->map, &p)) {
		const struct symbol *s = &t->rows.data[p.id];

		if (s->name.v == name.v && s->module.v == module.v && s->space == space &&
		    s->address == address && s->place.v == place.v &&
		    (s->flags & SYMBOL_INLINED) == inlined)
			return (sym_id){ p.id };
	}
	if (t->rows.len >= LIMIT_SYMBOLS)
		return (sym_id){ LIMIT_SYMBOLS - 1 };
	if (t->rows.len == LIMIT_SYMBOLS - 1)
		name = strings_add(t->strings, STR("[limit]"));
	is_address = strings_number(t->strings, name, &number);
	if (!is_address) {
		text = strings_get(t->strings, name);
		is_address = symbol_name_is_address(text);
		canonical = is_address ? text : symbol_canonical_name(text);
	}
	row = VEC_PUSH(&t->rows);
	*row = (struct symbol){
		.name = name,
		.canonical = name,
		.module = module,
		.place = place,
		.address = address,
		.space = (uint8_t)space,
	};
	if (canonical.len != text.len)
		row->canonical = strings_add(t->strings, canonical);
	row->flags = (uint8_t)inlined;
	if (is_address)
		row->flags |= SYMBOL_ADDRESS;
	idmap_insert(&t->map, &p, (uint32_t)(t->rows.len - 1));
	return (sym_id){ (uint32_t)(t->rows.len - 1) };
}

sym_id symbols_add(struct symbols *t, str_id name, str_id module, enum symbol_space space)
{
	return symbols_add_row(t, name, module, space, 0, 0, STR_ID_NONE);
}

sym_id symbols_add_at(struct symbols *t, str_id name, str_id module, enum symbol_space space,
		      uint64_t address)
{
	return symbols_add_row(t, name, module, space, address, 0, STR_ID_NONE);
}

sym_id symbols_add_text(struct symbols *t, struct str name, struct str module,
			enum symbol_space space, unsigned int flags)
{
	sym_id id = symbols_add_row(t, strings_add(t->strings, name),
				    strings_add(t->strings, module), space, 0, flags, STR_ID_NONE);

	t->rows.data[id.v].flags |= (uint8_t)flags;
	return id;
}

sym_id symbols_add_place(struct symbols *t, sym_id function, struct str name, str_id place)
{
	struct symbol s = *symbols_get(t, function);
	sym_id id;

	if (name.len)
		id = symbols_add_row(t, strings_add(t->strings, name), s.module,
				     (enum symbol_space)s.space, 0, SYMBOL_INLINED, place);
	else
		id = symbols_add_row(t, s.name, s.module, (enum symbol_space)s.space, s.address,
				     s.flags, place);
	t->rows.data[id.v].flags |= s.flags & SYMBOL_ADDRESS;
	return id;
}

void symbols_set_place(struct symbols *t, sym_id id, str_id file, uint32_t line)
{
	if (id.v == 0 || id.v >= t->rows.len)
		return;
	t->rows.data[id.v].file = file;
	t->rows.data[id.v].line = line;
}

struct str symbols_name(const struct symbols *t, sym_id id)
{
	return strings_get(t->strings, symbols_get(t, id)->name);
}

struct str symbols_module(const struct symbols *t, sym_id id)
{
	return strings_get(t->strings, symbols_get(t, id)->module);
}

struct str symbols_canonical(const struct symbols *t, sym_id id)
{
	return strings_get(t->strings, symbols_get(t, id)->canonical);
}

const char *symbol_space_name(enum symbol_space space)
{
	static const char *const names[SPACE_COUNT] = {
		[SPACE_UNKNOWN] = "unknown",
		[SPACE_KERNEL] = "kernel",
		[SPACE_USER] = "user",
		[SPACE_GUEST_KERNEL] = "guest-kernel",
		[SPACE_GUEST_USER] = "guest-user",
		[SPACE_HYPERVISOR] = "hypervisor",
		[SPACE_BPF] = "bpf",
		[SPACE_JIT] = "jit",
		[SPACE_VDSO] = "vdso",
		[SPACE_COMM] = "comm",
	};

	return (unsigned int)space < SPACE_COUNT ? names[space] : "unknown";
}

enum symbol_space symbol_space_of_level(char level)
{
	switch (level) {
	case 'k':
		return SPACE_KERNEL;
	case '.':
		return SPACE_USER;
	case 'g':
		return SPACE_GUEST_KERNEL;
	case 'u':
		return SPACE_GUEST_USER;
	case 'H':
		return SPACE_HYPERVISOR;
	default:
		return SPACE_UNKNOWN;
	}
}

char symbol_level_of_space(enum symbol_space space)
{
	static const char letters[SPACE_COUNT] = {
		[SPACE_UNKNOWN] = ' ',      [SPACE_KERNEL] = 'k',     [SPACE_USER] = '.',
		[SPACE_GUEST_KERNEL] = 'g', [SPACE_GUEST_USER] = 'u', [SPACE_HYPERVISOR] = 'H',
		[SPACE_BPF] = 'k',          [SPACE_JIT] = '.',        [SPACE_VDSO] = '.',
		[SPACE_COMM] = ' ',
	};

	return (unsigned int)space < SPACE_COUNT ? letters[space] : ' ';
}

enum symbol_space symbol_space_of_module(struct str module)
{
	if (str_starts(module, STR("[guest.kernel")))
		return SPACE_GUEST_KERNEL;
	if (str_starts(module, STR("bpf_prog_")) || str_eq(module, STR("[bpf]")))
		return SPACE_BPF;
	if (str_starts(module, STR("[vdso")) || str_starts(module, STR("[vsyscall")))
		return SPACE_VDSO;
	if (str_starts(module, STR("[JIT]")) ||
	    str_glob(STR("*/perf-*.map|perf-*.map|jitted-*.so|*/jitted-*.so"), module))
		return SPACE_JIT;
	if (str_starts(module, STR("[unknown")) || str_eq(module, STR("[heap]")) ||
	    str_eq(module, STR("[stack]")) || str_starts(module, STR("[anon")))
		return SPACE_UNKNOWN;
	if (str_ends(module, STR(".ko")) || str_starts(module, STR("vmlinux")) ||
	    str_contains(module, STR("/vmlinux")) || str_contains(module, STR(".ko.")))
		return SPACE_KERNEL;
	/* perf puts kernel modules in brackets: [kernel.kallsyms], [kernel.vmlinux], [k], [zfs] */
	if (module.len > 2 && module.p[0] == '[' && module.p[module.len - 1] == ']')
		return SPACE_KERNEL;
	return SPACE_UNKNOWN;
}

/*
 * Kernel symbols of data. Sources: include/asm-generic/sections.h, vmlinux.lds.h, linker tables.
 * Kernels before 6.14 also placed per-CPU variables at addresses near zero.
 */
#define SYMBOL_KERNEL_DATA                                                                  \
	"__start_rodata|__end_rodata*|_etext|_sdata|_edata|_end|__bss_start|__bss_stop|"    \
	"__brk_base|__brk_limit|__init_begin|__init_end|__per_cpu_start|__per_cpu_end|"     \
	"__per_cpu_load|fixed_percpu_data|irq_stack_union|gdt_page|cpu_tss_rw|__start___*|" \
	"__stop___*|__ksymtab_*|__kstrtab_*|__kstrtabns_*|__kcrctab_*|__param_str_*|"       \
	"__tracepoint_*|__SCK__*|__bpf_trace_tp_map_*|sys_call_table|init_task|jiffies|"    \
	"jiffies_64|empty_zero_page|swapper_pg_dir|init_top_pgt|level?_kernel_pgt|phys_base"

bool symbol_name_is_kernel_data(struct str name)
{
	return str_glob(STR(SYMBOL_KERNEL_DATA), name);
}

bool symbol_name_is_cut(struct str name)
{
	int angle = 0;
	int round = 0;

	for (size_t i = 0; i < name.len; i++) {
		char c = name.p[i];

		angle += c == '<';
		angle -= c == '>' && (i == 0 || name.p[i - 1] != '-');
		round += c == '(';
		round -= c == ')';
	}
	if (str_contains(name, STR("operator<")) || str_contains(name, STR("operator>")))
		angle = 0;
	return angle > 0 || round > 0;
}
