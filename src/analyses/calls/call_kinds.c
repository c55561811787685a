/* SPDX-License-Identifier: MIT */
#include "analyses/calls/call_kinds.h"

#include "base/str.h"
#include "core/ids.h"
#include "core/symbols.h"

static const char kinds_sleep[] =
	"schedule|linux:schedule|__schedule|schedule_timeout*|schedule_hrtimeout*|io_schedule*|"
	"schedule_preempt_disabled|schedule_idle|preempt_schedule*|schedule_rtlock";
/*
 * Functions at the entry and exit of interrupts. In a function graph, the interrupt handlers are
 * callees of these functions, or they come after them at the same depth.
 */
static const char kinds_interrupt[] =
	"irq_enter*|irq_exit*|__irq_exit_rcu|sysvec_*|__sysvec_*|asm_sysvec_*|do_IRQ|"
	"common_interrupt|__common_interrupt|asm_common_interrupt|smp_*_interrupt|"
	"apic_timer_interrupt|handle_irq|exc_nmi|do_nmi|gic_handle_irq|el1*_irq|"
	"generic_handle_arch_irq|el1_interrupt|el0_interrupt|el1*_irq_handler|el0*_irq_handler|"
	"__gic_handle_irq*|do_interrupt_handler|handle_domain_irq|__handle_domain_irq|"
	"generic_handle_domain_irq*|handle_loongarch_irq|do_vint|handle_riscv_irq|riscv_intc_irq|"
	"do_irq|do_io_irq|do_ext_irq|do_irq_async|__do_irq|__do_IRQ|timer_interrupt|handle_IRQ|"
	"asm_do_IRQ|plat_irq_dispatch|doorbell_exception|handler_irq";
static const char kinds_refill[] =
	"___slab_alloc|__slab_alloc*|new_slab*|allocate_slab|cache_grow*|cache_alloc_refill|"
	"__alloc_pages*|alloc_pages*|__alloc_frozen_pages*|alloc_frozen_pages*|"
	"get_page_from_freelist|rmqueue_bulk|__rmqueue_pcplist|page_pool_alloc_pages_slow|"
	"__page_pool_alloc_pages_slow|page_frag_alloc*|__page_frag_cache_refill|"
	"skb_page_frag_refill|alloc_slab_page|refill_obj_stock";

static const struct str kinds_names[] = {
	[CALL_KIND_SLEEP] = STR(kinds_sleep),
	[CALL_KIND_INTERRUPT] = STR(kinds_interrupt),
	[CALL_KIND_REFILL] = STR(kinds_refill),
};

struct str call_kind_names(enum call_kind kind)
{
	return kinds_names[kind];
}

enum call_kind call_kind_of(const struct symbols *symbols, sym_id sym)
{
	struct str name = symbols_canonical(symbols, sym);

	for (enum call_kind kind = CALL_KIND_SLEEP; kind <= CALL_KIND_REFILL; kind++) {
		if (str_glob(kinds_names[kind], name))
			return kind;
	}
	return CALL_KIND_PLAIN;
}
