/* SPDX-License-Identifier: MIT */
/*
 * The CPU waits for registers of devices: a driver reads registers over a slow bus, prints
 * to a serial console, or waits in a loop.
 *
 * Thresholds, of the time that is not idle: Drivers made for speed read registers rarely:
 * below 1 %.
 */
#include "explain/signature.h"

#define DEVICE_REGISTER_WAIT_NOTE_PCT 3.0
#define DEVICE_REGISTER_WAIT_LEAD_PCT 10.0

static const struct signature device_register_wait = {
	.functions = "io_serial_in|io_serial_out|serial8250_*|mem32_serial_*|inl|inw|"
		     "inb|insl|insw|ioread32*|ioread16*|ioread8|readl|readl_relaxed|"
		     "pci_conf1_*|pci_mmcfg_*|raw_pci_*|pci_read_config*|pci_bus_read*|"
		     "acpi_os_read*|acpi_hw_*|delay_tsc|delay_halt*|"
		     "delay_mwaitx|__delay|__const_udelay|__udelay|udelay|"
		     "__loop_delay|loop_delay|kcs_*|wait_for_xmitr|"
		     "univ8250_*|mdiobus_*|ixgbe_read_reg|igb_rd32|e1000_read_*|ast_*|"
		     "mgag200_*|drm_fb_memcpy*",
	.through = "io_serial_*|inl|inb|inw|ioread*|readl*|*delay*|pci_*|raw_pci_*",
	.note_pct = DEVICE_REGISTER_WAIT_NOTE_PCT,
	.lead_pct = DEVICE_REGISTER_WAIT_LEAD_PCT,
	.sure_note = 70,
	.sure_lead = 85,
	.what = "waits for registers of devices or in delay loops",
	.name = "slow device registers and delay loops",
	.cause = "a driver reads registers over a slow bus, prints to a serial "
		 "console, or waits in a loop",
	.because = "the CPU does nothing while it waits for such a read",
	.next = { "perf record -a -g: which driver",
		  "dmesg rate and console=; post writes and read back less often; "
		  "sleep in place of udelay" },
};

const struct rule rule_device_register_wait = {
	.id = "device-register-wait",
	.title = "the CPU waits for registers of devices",
	.needs = RULE_PROFILE,
	.signature = &device_register_wait,
};
