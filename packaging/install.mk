# SPDX-License-Identifier: GPL-2.0
#
# The part of ../Makefile that installs the module, by hand and by DKMS.
# docs/install.md describes it for users. DESTDIR is prepended to every path that is
# written.

# The only place that defines the version
version := $(shell sed -n 's/^MODULE_VERSION("\(.*\)");$$/\1/p' sm4-fast-glue.c)

dkms_sources = $(DESTDIR)/usr/src/sm4-fast-$(version)
# By this file, DKMS also replaces a later version, and the same one from other sources. Otherwise it would refuse when the headers
# of a kernel that keeps such a version are installed, and their package could not be configured.
dkms_override = $(DESTDIR)/usr/share/dkms/modules_to_force_install/sm4-fast

# For the kernel of KDIR, where depmod and modprobe look first
release = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2>/dev/null)
installed = $(DESTDIR)/lib/modules/$(release)/updates

modules := sm4-fast.ko sm4-fast-esp.ko

# $(call remove_module,NAME): the module NAME, as make has installed it for the
# kernel RELEASE, and its folder, if nothing else is in it
taken_from = $(DESTDIR)/lib/modules/$(RELEASE)/updates
remove_module = @if [ -e $(taken_from)/$(1).ko ]; then \
		rm $(taken_from)/$(1).ko && \
		rmdir --ignore-fail-on-non-empty $(taken_from) && \
		depmod -b '$(DESTDIR)/' $(RELEASE) && \
		echo 'Removed from kernel $(RELEASE): $(1)'; \
	else \
		echo 'Kernel $(RELEASE) has no $(1) that make has installed.'; \
	fi

# $(call replace,MODE,FILE,FOLDER,NAME): puts FILE into the folder, by a rename of a complete file, so that a full disk leaves
# the earlier one
replace = { install -D -m $(1) $(2) "$(3)/.sm4-fast" && mv "$(3)/.sm4-fast" "$(3)/$(4)"; } || \
		{ rm -f "$(3)/.sm4-fast"; exit 1; }

# A command for each line of packaging/files
for_files = sed '/^\#/d' packaging/files | while read -r mode file where; do \
		$(1) || exit; \
	done

# Only the package manager may change files that a package has installed. These files show that there is our package, or the
# one for ESP of earlier versions.
.PHONY: no-package
no-package:
	@for file in $(if $(DESTDIR),,/usr/bin/sm4-fast-info $(wildcard /usr/src/sm4-fast-xfrm-*/dkms.conf)); do \
		for owner in 'dpkg-query --search' 'rpm --query --file'; do \
			if $$owner $$file >/dev/null 2>&1; then \
				echo "sm4-fast is installed as a package, with $$file: remove that first." >&2; \
				exit 1; \
			fi; \
		done; \
	done

# Files in a folder for another machine are not in use on this one.
warn_users = @$(if $(DESTDIR),,packaging/warn-users removal >&2)

.PHONY: install uninstall
install: root chosen-kernel no-package modules install-files
	for module in $(modules); do $(call replace,644,$$module,$(installed),$$module); done
	rm -f $(installed)/xfrm_algo.ko # of "make xfrm-install" of earlier versions
	rm -rf $(installed)/sm4-fast-kept # of a package that was removed; depmod would prefer it
	depmod -b '$(DESTDIR)/' $(release)
	$(if $(DESTDIR),,sync && packaging/renew-initramfs $(release))
	@echo 'Installed for kernel $(release). It is loaded when SM4 is'
	@echo 'requested, or by: modprobe sm4-fast. To load it at every boot:'
	@echo '    echo sm4-fast >/etc/modules-load.d/sm4-fast.conf'
	@echo 'No other kernel gets it. Repeat this for each new kernel before you'
	@echo 'boot it: without the module, it cannot open a disk with SM4.'

uninstall: root named-release no-package
	$(warn_users)
	rm -f $(taken_from)/xfrm_algo.ko # of "make xfrm-install" of earlier versions
	rm -f $(taken_from)/.sm4-fast # of a power cut
	$(if $(DESTDIR),rm -f '$(DESTDIR)'/boot/init*.sm4-fast-new,packaging/renew-initramfs)
	$(call remove_module,sm4-fast)
	$(call remove_module,sm4-fast-esp)
	@$(MAKE) --no-print-directory uninstall-files

.PHONY: install-files uninstall-files
install-files:
	@$(call for_files,$(call replace,$$mode,$$file,$(DESTDIR)$${where%/*},$${where##*/}))
	@$(if $(DESTDIR),,packaging/leave-hooks --undo)
	@$(if $(DESTDIR),true,command -v python3 >/dev/null || \
		echo 'sm4-fast-info needs Python, which is not here: install python3')

# All other files stay as long as a kernel has the module, by hand or by DKMS, or DKMS will
# build it for the next kernel, or devices need it: the hooks then keep an initramfs that has it.
uninstall-files:
	@left=$$(find '$(DESTDIR)/lib/modules/' -name 'sm4-fast.ko*' 2>/dev/null; \
		ls '$(DESTDIR)'/usr/src/sm4-fast-[0-9]*/dkms.conf 2>/dev/null; \
		$(if $(DESTDIR),,packaging/warn-users list)); \
	if [ -n "$$left" ]; then \
		echo "$$left"; \
		echo 'It is still installed or needed there, so sm4-fast-info and the hooks stay.'; \
	else \
		$(call for_files,rm -f '$(DESTDIR)'$$where '$(DESTDIR)'$${where%/*}/.sm4-fast && \
			if [ -d '$(DESTDIR)'$${where%/*} ]; then (cd '$(DESTDIR)/' && \
				where=$${where%/*} && \
				rmdir -p --ignore-fail-on-non-empty $${where#/}); fi); \
	fi

# DKMS builds the module for all kernels with headers, and for each that is installed later. As with the packages, a kernel
# keeps an earlier version until this one is installed for it, whatever fails or is interrupted before.
.PHONY: dkms dkms-uninstall dkms-remove-xfrm dkms-package install-dkms-sources
dkms: root kernel-headers no-package dkms-package
	$(MAKE) install-dkms-sources install-files
	$(dkms_sources)/install-by-dkms
	rm -rf $(filter-out $(dkms_sources),$(wildcard /usr/src/sm4-fast-[0-9]*))
	@$(MAKE) --no-print-directory dkms-remove-xfrm

# This version's script removes all versions, also those that have none, or only a part of one.
dkms-uninstall: root no-package
	$(warn_users)
	$(if $(DESTDIR),,@$(MAKE) --no-print-directory install-dkms-sources)
	$(if $(DESTDIR),,$(dkms_sources)/install-by-dkms --remove)
	rm -rf $(sort $(dkms_sources) $(wildcard $(DESTDIR)/usr/src/sm4-fast-[0-9]*)) $(dkms_override)
	rmdir --ignore-fail-on-non-empty $(dir $(dkms_override)) 2>/dev/null || :
	@$(MAKE) --no-print-directory dkms-remove-xfrm uninstall-files

# DKMS installs only for this machine.
dkms-package:
	$(if $(DESTDIR),$(error DKMS knows no DESTDIR=$(DESTDIR). Leave it out, or \
		call make on the machine that it is for))
	@command -v dkms >/dev/null || test/need dkms

# Earlier versions had sm4-fast-xfrm, a rebuilt xfrm_algo for ESP with GCM and CCM.
dkms-remove-xfrm:
	@for sources in $(wildcard $(DESTDIR)/usr/src/sm4-fast-xfrm-[0-9]*); do \
		$(if $(DESTDIR),,if dkms status -m sm4-fast-xfrm -v "$${sources##*-}" 2>/dev/null | grep -q .; then \
			dkms remove -m sm4-fast-xfrm -v "$${sources##*-}" --all || exit; fi;) \
		rm -rf $$sources; \
	done

# Without files of an earlier state
install-dkms-sources:
	rm -rf $(dkms_sources)
	install -d $(dkms_sources)
	tools/copy-sources $(dkms_sources)
	install -m 755 -t $(dkms_sources) packaging/install-by-dkms packaging/is-complete
	install -m 644 -t $(dkms_sources) packaging/build.mk
	sed 's/#MODULE_VERSION#/$(version)/' packaging/dkms.conf \
		>$(dkms_sources)/dkms.conf
	install -d $(dir $(dkms_override))
	echo sm4-fast_version-override >$(dkms_override)

# Signs the modules for Secure Boot. They are relinked first, so that they have no other
# signature.
sign_file = $(wildcard $(KDIR)/scripts/sign-file)
sign_hash = $(shell sed -n 's/^CONFIG_MODULE_SIG_HASH="\(.*\)"/\1/p' $(KDIR)/.config)

.PHONY: sign
sign: kernel-headers
	$(if $(and $(KEY),$(CERT)),,$(error Say which key and which \
		certificate: make sign KEY=FILE CERT=FILE. See docs/install.md for \
		how to make them, and how to have your computer trust them))
	$(if $(sign_file),,$(error There is no $(KDIR)/scripts/sign-file: the \
		headers of this kernel lack what signs modules))
	$(if $(sign_hash),,$(error $(KDIR)/.config has no CONFIG_MODULE_SIG_HASH: \
		this kernel knows no signed modules))
	rm -f $(modules)
	$(MAKE) modules
	for module in $(modules); do \
		$(sign_file) $(sign_hash) '$(KEY)' '$(CERT)' $$module || exit; \
	done
	@echo "Signed by: $$(modinfo -F signer ./sm4-fast.ko)." \
		'Next: make install, which leaves it signed.'
