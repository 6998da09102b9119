# SPDX-License-Identifier: GPL-2.0
#
# The part of ../Makefile that builds and installs additional programs, for TLS and IKE. docs/tls.md and docs/ike.md describe
# them for users.

# An OpenSSL that passes SM4 to the kernel, installed next to the system's own, which is not changed; SOURCE= names a
# source tree or a tarball to build it from. The user who installs it may be another than the one who built it.
# The command line cannot set its prefix: tls-uninstall removes everything below it.
override openssl_prefix := /opt/openssl-sm4

.PHONY: tls tls-install tls-tarball tls-uninstall tls-handover
tls:
	integration/tls/get-source integration/tls/openssl $(if $(SOURCE),'$(SOURCE)')
	integration/tls/build integration/tls/openssl '$(openssl_prefix)'
	@echo 'Built. To install it in $(openssl_prefix): sudo make tls-install'
	@echo 'For machines without a compiler: make tls-tarball'

tls_is_built = $(if $(wildcard integration/tls/openssl/libssl.so),,$(error It is not built yet: make tls))

tls-install: root
	$(tls_is_built)
	$(MAKE) --silent -C integration/tls/openssl install_sw DESTDIR='$(abspath $(DESTDIR))'

# What tls-install installs, and no folder above its own, for anybody to read
tls_tarball = dist/openssl-sm4-$(shell sed -n 's/^\(MAJOR\|MINOR\|PATCH\)=//p' \
	integration/tls/openssl/VERSION.dat | paste -sd .)-$(shell uname -m).tar.gz

tls-tarball:
	$(tls_is_built)
	rm -rf dist/openssl-sm4
	$(MAKE) --silent tls-install DESTDIR=dist/openssl-sm4
	tar -c -z -f $(tls_tarball) -C dist/openssl-sm4 --sort=name --owner=root:0 --group=root:0 --mode=u=rwX,go=rX \
		$(openssl_prefix:/%=%)
	rm -rf dist/openssl-sm4
	@echo 'Made: $(tls_tarball). On the other machine: sudo tar -C / -xf FILE'

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

# SM4 in IKE: a plugin for the installed strongSwan; SOURCE= names a source tree or a tarball of it, for its headers
.PHONY: ike ike-deb ike-install ike-uninstall ike-no-package
ike:
	integration/ike/get-source integration/ike/strongswan $(if $(SOURCE),'$(SOURCE)')
	integration/ike/build integration/ike/strongswan
	@echo 'Built. To install it: sudo make ike-install; as a package: make ike-deb'

# The same as a package, for gateways that have the same strongSwan, and no compiler
ike-deb: ike
	integration/ike/package dist

ike-install: root ike-no-package
	$(if $(wildcard integration/ike/libstrongswan-sm4-fast.so),,$(error It is not built yet: make ike))
	install -D -m 644 --target-directory='$(DESTDIR)$(strongswan_plugins)' integration/ike/libstrongswan-sm4-fast.so
	test -e '$(DESTDIR)$(strongswan_settings)' || \
		install -D -m 644 integration/ike/sm4-fast.conf '$(DESTDIR)$(strongswan_settings)'
	@echo 'Installed. The plugin is loaded when strongSwan starts again: sudo systemctl restart strongswan'

ike-uninstall: root ike-no-package
	rm -f '$(DESTDIR)$(strongswan_plugins)/libstrongswan-sm4-fast.so' '$(DESTDIR)$(strongswan_settings)'

# As with the module, only the package manager changes what it has installed.
ike-no-package:
	@$(if $(DESTDIR),,! dpkg-query --search '$(strongswan_plugins)/libstrongswan-sm4-fast.so' >/dev/null 2>&1 || { \
		echo 'The plugin is installed as a package: apt-get remove strongswan-sm4-fast' >&2; exit 1; })

strongswan = $(or $(word $1,$(shell integration/ike/installed)),$(error strongSwan is not installed))
strongswan_plugins = $(call strongswan,2)/plugins
strongswan_settings = $(call strongswan,3)/sm4-fast.conf
