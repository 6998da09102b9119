# SPDX-License-Identifier: GPL-2.0
#
# The part of ../Makefile that builds and installs what stands beside the module: for IPsec, TLS and IKE. docs/ipsec.md,
# docs/tls.md and docs/ike.md describe it for users. It takes from packaging/install.mk what installs modules.

# The kernel's own table of algorithms for IPsec with SM4 in GCM and CCM mode added,
# and before Linux 5.17 SM4-CBC and HMAC-SM3. It replaces the stock module, whose file stays; SOURCE= names a source tree
# or a tarball to build it from
xfrm_files := $(addprefix integration/xfrm/,0001-xfrm-add-SM4-GCM-and-CCM.patch \
	0002-xfrm-add-SM4-CBC-and-HMAC-SM3.patch Kbuild build dkms.conf get-source)
xfrm_dkms_sources = $(DESTDIR)/usr/src/sm4-fast-xfrm-$(version)

.PHONY: xfrm xfrm-install xfrm-uninstall xfrm-dkms xfrm-dkms-uninstall \
	install-xfrm-sources
xfrm: kernel-headers
	$(say_other_kernel)
	integration/xfrm/get-source '$(KDIR)' $(if $(SOURCE),'$(SOURCE)')
	integration/xfrm/build '$(KDIR)'

xfrm-install: root chosen-kernel xfrm
	install -D -m 644 integration/xfrm/xfrm_algo.ko $(installed)/xfrm_algo.ko
	depmod -b '$(DESTDIR)/' $(release)
	@echo 'Installed for kernel $(release). A stock xfrm_algo that is loaded stays'
	@echo 'until the next boot, or until nothing uses it and it is unloaded.'

xfrm-uninstall: root named-release
	$(call remove_module,xfrm_algo)

# Built first, so that the old one is removed only when a new one can replace it
xfrm-dkms: root kernel-headers dkms-package xfrm xfrm-dkms-uninstall
	$(MAKE) install-xfrm-sources
	$(xfrm_dkms_sources)/install-by-dkms

xfrm-dkms-uninstall: root no-xfrm-package
	$(call dkms_remove,sm4-fast-xfrm)

install-xfrm-sources:
	install -d $(xfrm_dkms_sources)
	cp $(xfrm_files) packaging/install-by-dkms $(xfrm_dkms_sources)

# An OpenSSL that passes SM4 to the kernel, installed next to the system's own, which is not changed; SOURCE= names a
# source tree or a tarball to build it from. The user who installs it may be another than the one who built it.
# The command line cannot set its prefix: tls-uninstall removes everything below it.
override openssl_prefix := /opt/openssl-sm4

.PHONY: tls tls-install tls-uninstall tls-handover
tls:
	integration/tls/get-source integration/tls/openssl $(if $(SOURCE),'$(SOURCE)')
	integration/tls/build integration/tls/openssl '$(openssl_prefix)'
	@echo 'Built. To install it in $(openssl_prefix): sudo make tls-install'

tls-install: root
	$(if $(wildcard integration/tls/openssl/libssl.so),,$(error It is not built yet: make tls))
	$(MAKE) --silent -C integration/tls/openssl install_sw DESTDIR='$(abspath $(DESTDIR))'

tls-uninstall: root
	rm -rf '$(DESTDIR)$(openssl_prefix)'

tls-handover:
	@pkg-config --atleast-version=4.0 libssl || { \
		echo 'There is no OpenSSL 4.0 here to build with. On Debian: apt-get install' >&2; \
		echo 'pkg-config gcc libssl-dev/experimental. Or name the folder that has' >&2; \
		echo 'its libssl.pc: PKG_CONFIG_PATH=FOLDER' >&2; exit 1; }
	gcc -std=gnu11 -O2 -Wall -Wextra -o integration/tls/handover integration/tls/handover.c \
		$$(pkg-config --cflags --libs libssl libcrypto) \
		-Wl,-rpath,$$(pkg-config --variable=libdir libssl)

# SM4 in IKE: a plugin for the strongSwan that is installed; SOURCE= names a source tree or a tarball of that to take the
# headers from
.PHONY: ike ike-install ike-uninstall
ike:
	integration/ike/get-source integration/ike/strongswan $(if $(SOURCE),'$(SOURCE)')
	integration/ike/build integration/ike/strongswan
	@echo 'Built. To install it: sudo make ike-install'

ike-install: root
	$(if $(wildcard integration/ike/libstrongswan-sm4-fast.so),,$(error It is not built yet: make ike))
	install -D -m 644 --target-directory='$(DESTDIR)$(strongswan_plugins)' integration/ike/libstrongswan-sm4-fast.so
	test -e '$(DESTDIR)$(strongswan_settings)' || \
		install -D -m 644 integration/ike/sm4-fast.conf '$(DESTDIR)$(strongswan_settings)'
	@echo 'Installed. The plugin is loaded when strongSwan starts again: sudo systemctl restart strongswan'

ike-uninstall: root
	rm -f '$(DESTDIR)$(strongswan_plugins)/libstrongswan-sm4-fast.so' '$(DESTDIR)$(strongswan_settings)'

strongswan_settings := /etc/strongswan.d/sm4-fast.conf
strongswan_plugins = $(or $(addsuffix /plugins,$(word 2,$(shell integration/ike/installed))), \
	$(error strongSwan is not installed))
