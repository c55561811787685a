/* SPDX-License-Identifier: MIT */
/*
 * An emulated device: each access leaves the guest: the machine is virtual and its device
 * is emulated: each access to a register leaves to the host.
 *
 * Thresholds, of the time that is not idle: A driver of a paravirtual device stays below 3
 * %.
 */
#include "explain/signature.h"

#define EMULATED_DEVICE_NOTE_PCT 6.0
#define EMULATED_DEVICE_LEAD_PCT 15.0

static const struct signature emulated_device = {
	/* not e1000: the functions of e1000e, which is real and everywhere, have the same names */
	.functions = "cp_start_xmit|cp_rx_poll|cp_interrupt|rtl8139_*|pcnet32_*|ne2k_*|"
		     "tulip_*|ata_sff_*|ata_bmdma_*|ata_piix_*|piix_*|sym53c8xx_*|mptspi_*|"
		     "mptscsih_*|vmxnet3_*|bochs_*|cirrus_*",
	.needs = "cp_start_xmit|cp_rx_poll|cp_interrupt|rtl8139_*|pcnet32_*|ne2k_*|"
		 "tulip_*|ata_sff_*|ata_bmdma_*|sym53c8xx_*|cirrus_*",
	.note_pct = EMULATED_DEVICE_NOTE_PCT,
	.lead_pct = EMULATED_DEVICE_LEAD_PCT,
	.sure_note = 65,
	.sure_lead = 70,
	.what = "is in drivers of devices that hypervisors emulate",
	.name = "drivers of emulated devices",
	.cause = "probably the machine is virtual and its device is emulated: each access to "
		 "a register leaves to the host",
	.because = "such devices are seldom found outside virtual machines today",
	.next = { "lspci; systemd-detect-virt",
		  "use virtio-net, virtio-blk or virtio-scsi, or pass a device "
		  "through" },
};

const struct rule rule_emulated_device = {
	.id = "emulated-device",
	.title = "an emulated device: each access leaves the guest",
	.needs = RULE_PROFILE,
	.signature = &emulated_device,
};
