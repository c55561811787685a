/* SPDX-License-Identifier: MIT */
#include "formats/kernel_entry.h"

#include "base/str.h"

bool kernel_entry_is(struct str function)
{
	static const char entries[] =
		"entry_SYSCALL_64*|do_syscall_64|do_syscall_x64|x64_sys_call|do_int80_syscall*|"
		"entry_INT80*|do_fast_syscall_32|system_call_fastpath|system_call|sysret_check|"
		"tracesys|ia32_sys*|el0_svc*|el0_sync*|el0t_64_sync*|el0t_64_irq*|el0_irq*|"
		"el0_da|el1h_64_*|el1_irq*|invoke_syscall*|ret_fast_syscall|ret_from_fork*|"
		"asm_exc_*|asm_sysvec_*|asm_common_interrupt|asm_call_*_on_stack|page_fault|"
		"async_page_fault|apic_timer_interrupt|reschedule_interrupt|ret_from_intr|"
		"call_function_*interrupt|common_interrupt|error_entry|start_secondary|"
		"secondary_startup_64*|x86_64_start_kernel|x86_64_start_reservations|"
		"start_kernel|cpu_startup_entry|secondary_start_kernel|system_call_common|"
		"system_call_vectored_common|__x64_sys_*|__arm64_sys_*|__se_sys_*|__do_sys_*|"
		"handle_exception|do_trap_ecall_u";

	return str_glob(STR(entries), function);
}
