# SPDX-License-Identifier: GPL-2.0
#
# The targets for users and testers; `make help` lists them. Kbuild, which the
# kernel's own build reads, lists the module's sources.

# make and the kernel's own build split paths at spaces.
$(foreach path,CURDIR KDIR DESTDIR,$(if $(filter-out 0 1,$(words $($(path)))), \
	$(error There is a space in "$($(path))" ($(path)): neither make nor the \
		build of kernel modules can work with that. Take a path without one)))

# Headers of the kernel to build for: the running one's, or else the newest that
# is installed
running_headers := $(wildcard /lib/modules/$(shell uname -r)/build)
KDIR ?= $(firstword $(running_headers) \
	$(shell ls -d /lib/modules/*/build 2>/dev/null | sort -rV))

# Programs that print TAP, for test/run-tests. CONTRIBUTING.md says how long each target takes.
host_packages := gcc make perl python3 git pkg-config dpkg-dev libglib2.0-dev \
	libgcrypt20-dev libssl-dev sparse shellcheck linux-headers-amd64 \
	linux-source patch xz-utils clang-19 lld-19 llvm-19
test_packages := $(host_packages) valgrind bats
long_packages := $(test_packages) libclang-rt-19-dev
bats := bats --formatter tap --print-output-on-failure

host_programs := aeads batches skciphers tiers macs hashes fpu loading
check_tests := test/style test/host/generated-constants test/host/xfrm-sources \
	test/host/tls-sources test/host/ike-sources test/docs/translations.t test/docs/facts.t \
	$(addprefix test/host/build/sanitized/,$(host_programs))

# One round of the self-tests in a debug kernel that runs as a program; all tiers on an emulated processor; one kernel
# from insmod to rmmod; and the host's programs without the sanitizers, too. The debug kernel comes first, since building it
# takes longest.
main_tests := 'test/lab/self-tests.t 6.12 1' test/emul/bochs.t 'test/vm/kernel.t 6.12' \
	'$(bats) test/packaging/packages.bats' \
	'valgrind --quiet --error-limit=no \
		--log-file=test/constant-time/build/valgrind.log \
		test/constant-time/build/secrets' \
	test/constant-time/assembly.t test/host/features.t $(check_tests) \
	$(addprefix test/host/build/plain/,$(host_programs))

# docs/trouble.md comes last: it leaves a kernel that loads no more modules.
pages_test := 'test/docs/pages.t $(addprefix docs/,disk.md ipsec.md \
		ike.md tls.md files.md af-alg.md sm3.md tcrypt.md compatibility.md \
		trouble.md)'
# All modes on tiers whose every round is emulated take hours; their functions do not.
hash := \#
emulated_modes := $(if $(shell grep --max-count=1 --word-regexp gfni /proc/cpuinfo), \
	test/emul/build/aeads test/emul/build/skciphers, \
	"printf '1..0 $(hash) SKIP on a CPU without GFNI, test/emul/build/aeads and skciphers take hours: tiers, macs and bochs.t have the functions\n'")
# A tree has one user at a time, and 5.10 borrows the files of 6.1: what needs 6.1 comes one after another, and beside it
# what does not.
long_tests := 'test/vm/kernel.t 7.2' 'test/vm/kernel.t 5.10' $(pages_test) \
	'test/vm/kernel.t 6.1' 'test/lab/bad-requests.t 6.12 200 100000' \
	'test/vm/suspend.t 6.1' 'test/vm/fips.t 6.1' \
	'test/vm/power-cut.t 6.1 2' test/mutants/run \
	'test/lab/information.t 6.12' 'test/lab/tls.t 6.12' 'test/lab/suites.t 6.12' \
	'test/lab/failures.t 6.12 0 1' 'test/lab/ike.t trixie psk' 'test/lab/ike-payloads.t trixie' \
	'test/lab/batches.t 7.2 40' 'test/lab/stress.t 7.2 40' 'test/lab/flood.t 7.2 1' \
	$(emulated_modes) $(addprefix test/emul/build/,instructions tiers macs hashes loading) \
	'$(bats) test/packaging/information.bats' \
	'env KERNEL=6.12 $(bats) test/packaging/release.bats' \
	'env KERNEL=6.12 $(bats) test/packaging/initramfs.bats' \
	'$(bats) test/vm/cache.bats' '$(bats) test/vm/own-trees.bats' '$(bats) test/lab/boot.bats' \
	'test/fuzz/fuzz.t 60' test/constant-time/build/timing

# Debian's, which test/vm/common.sh knows. ROOT_TREES: folders with other distributions, which docs/install.md tells how to
# make
kernels := 5.10 6.1 6.12 7.2 7.3
deep_tests := \
	$(foreach kernel,$(kernels) $(or $(ROOT_TREES),other), \
		'test/vm/kernel.t $(kernel) all') \
	$(foreach kernel,$(kernels) $(ROOT_TREES), \
		'test/vm/xfrm.t $(kernel)' 'test/vm/hygon.t $(kernel)') \
	$(foreach kernel,6.1 6.12,$(foreach test,dkms deb rpm system, \
		'env KERNEL=$(kernel) $(bats) test/packaging/$(test).bats')) \
	'env KERNEL=6.1 $(bats) test/packaging/initramfs.bats' \
	$(foreach suite,bookworm trixie, \
		'env SUITE=$(suite) $(bats) test/packaging/new-machine.bats') \
	$(foreach kernel,$(filter-out 5.10,$(kernels)),'test/vm/stress.t $(kernel) 40') \
	$(foreach kernel,$(filter-out 5.10 6.1,$(kernels)), \
		'test/vm/suspend.t $(kernel)' 'test/vm/fips.t $(kernel)') \
	'test/vm/batches.t 6.1 15' 'test/vm/batches.t 7.3 15' \
	'test/lab/handover.t 7.2' 'test/lab/openssl.t 6.12' \
	'test/lab/ike.t bookworm' 'test/lab/ike.t trixie' 'test/lab/ike-payloads.t bookworm' \
	'env KERNEL=6.1 test/docs/pages.t docs/ike.md' \
	'test/mutants/run --all' 'test/fuzz/fuzz.t 10800' \
	$(foreach kernel,6.12 7.2,'test/lab/self-tests.t $(kernel) 8' \
		'test/lab/bad-requests.t $(kernel) 5000 2200000000' \
		'test/lab/failures.t $(kernel) 300') \
	'test/lab/tls.t 7.2' 'test/lab/suites.t 7.2' \
	'test/lab/batches.t 7.2 4000' 'test/lab/stress.t 7.2 3600' 'test/lab/flood.t 7.2 100' \
	'test/lab/x86-64.t 6.1 500' 'test/lab/cfi.t 6.12' \
	'test/vm/power-cut.t 6.1 40' 'test/vm/power-cut.t 7.2 40' \
	'test/vm/boot-disk.t 6.1 6.12'

# What has to be there comes first in a list, and is done before the rest. The
# kernel's own build, and those of the tests, go by themselves.
.NOTPARALLEL:

.PHONY: modules
modules: kernel-headers
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

.PHONY: help
help:
	@echo 'make            build sm4-fast.ko for $(or $(KDIR),KDIR, which must be set)'
	@echo 'make demo       demonstrate encrypted volumes in a virtual machine'
	@echo 'make check      quick tests, in 2 minutes: user space and style'
	@echo 'make test       required for every change, in about 10 minutes: also one'
	@echo '                kernel, all tiers, constant time, the packages'
	@echo 'make test-long  the rest of what CI runs, in three quarters of an hour: more kernels,'
	@echo '                the documentation, a fuzzer, and mutation tests'
	@echo 'make test-deep  tests that take hours: every supported kernel, each with every tier;'
	@echo '                IPsec and packages on all of them; and long runs of the rest.'
	@echo '                ROOT_TREES= names root trees of other distributions, whose kernels'
	@echo '                are then included'
	@echo 'make bench      measure speed in user space, and that of other implementations'
	@echo 'make bench-kernel'
	@echo '                measure speed in a kernel, and that of its own drivers'
	@echo 'make bench-model'
	@echo '                estimate speed on other CPUs, by a model'
	@echo 'make install    build the module and install it for the kernel of KDIR'
	@echo 'make uninstall  remove it from that kernel, or from RELEASE='
	@echo 'make dkms       install it by DKMS, for all kernels with headers and all later ones'
	@echo 'make dkms-uninstall'
	@echo '                remove it'
	@echo 'make sign KEY=FILE CERT=FILE'
	@echo '                build the module and sign it, for Secure Boot'
	@echo 'make deb        packages for DKMS in dist, for Debian and Ubuntu'
	@echo 'make rpm        the same for openEuler, Anolis and similar distributions'
	@echo 'make release    all packages from the last commit, with checksums and as'
	@echo '                repositories for apt and dnf, in dist/release; GPG_KEY= signs'
	@echo 'make xfrm       build xfrm_algo.ko as well: ESP with SM4 in GCM and CCM mode,'
	@echo '                and in CBC mode before Linux 5.17'
	@echo 'make xfrm-install, make xfrm-uninstall'
	@echo '                install it for that kernel, or remove it'
	@echo 'make xfrm-dkms, make xfrm-dkms-uninstall'
	@echo '                the same by DKMS, for all kernels with headers and all later ones'
	@echo 'make tls        build an OpenSSL 4.0 that leaves TLS with SM4 to the kernel'
	@echo 'make tls-install, make tls-uninstall'
	@echo '                install it in $(openssl_prefix), or remove it'
	@echo 'make tls-handover'
	@echo '                build integration/tls/handover: TLS with SM4 by the kernel, with an unmodified'
	@echo '                OpenSSL 4.0'
	@echo 'make ike        build a plugin for the installed strongSwan: IKEv2 with SM4'
	@echo 'make ike-install, make ike-uninstall'
	@echo '                install it, or remove it'
	@echo 'make clean      remove what was built here'
	@echo 'make clean-cache'
	@echo '                remove what demo, test and bench have downloaded and built in'
	@echo '                ~/.cache/sm4-fast'

.PHONY: kernel-headers
kernel-headers:
ifeq ($(KDIR),)
	$(error No kernel headers are installed. On Debian: \
		apt-get install linux-headers-amd64. Or say where they are: KDIR=)
endif

# For what changes the system: a kernel other than the running one must be named.
.PHONY: chosen-kernel
chosen-kernel: kernel-headers
ifeq ($(running_headers)$(filter-out file,$(origin KDIR)),)
	$(error The running kernel, $(shell uname -r), has no headers here. On \
		Debian: apt-get install linux-headers-$$(uname -r). For another \
		kernel, say where its headers are: KDIR=$(KDIR))
endif

# Removal needs no headers. RELEASE names the kernel, or the headers KDIR do if they
# are set; without either it is the running one.
RELEASE = $(if $(filter-out file,$(origin KDIR)),$(release),$(shell uname -r))

.PHONY: named-release
named-release:
	$(if $(RELEASE),,$(error Which kernel is it to be taken from? There are no \
		headers KDIR=$(KDIR) to tell. Say what uname -r calls it: RELEASE=))
	$(if $(findstring /,$(RELEASE)),$(error RELEASE=$(RELEASE) is no kernel, \
		but a path. Say what uname -r calls it))

.PHONY: demo
demo:
	demo/run

.PHONY: check test test-long test-deep
check: host-tests
	@test/run-tests --jobs 2 $(check_tests)

test: test-packages host-tests constant-time
	@test/run-tests --jobs 2 $(main_tests)

test-long: long-packages host-tests emulation-tests fuzzer constant-time
	@test/run-tests --jobs 2 $(long_tests)

test-deep: long-packages host-tests fuzzer
	@test/run-tests --jobs 2 $(deep_tests)

# All at once, and root, for the virtual machines
.PHONY: test-packages long-packages
test-packages:
	test/need --root $(test_packages)

long-packages:
	test/need --root $(long_packages)

# What this CPU cannot run itself; built from what host-tests has built
.PHONY: host-tests emulation-tests fuzzer constant-time
emulation-tests: host-tests
	$(call build_tests,emul)

fuzzer: host-tests
	$(call build_tests,fuzz)

constant-time: host-tests
	$(call build_tests,constant-time)

host-tests:
	test/need $(host_packages)
	$(call build_tests,host)

build_tests = $(MAKE) --silent --jobs=$$(nproc) --directory=test/$(1)

# The benchmarks in user space and in a kernel, and a model of other CPUs
.PHONY: bench bench-figures bench-kernel bench-model
bench:
	test/need gcc make dpkg-dev bzip2 xz-utils python3 gnuplot-nox \
		scour pkg-config libglib2.0-dev
	bench/run

# The pictures in README.md and docs/speed.md, from the last results of bench and
# bench-kernel
bench-figures:
	bench/bars bench/out/kernel.json docs/users.svg
	bench/plot --few bench/out/host.json docs/speed.svg
	bench/plot bench/out/host.json docs/speed-all.svg

bench-kernel:
	test/need gcc make patch python3 gnuplot-nox scour pkg-config libglib2.0-dev kmod \
		dmsetup iproute2
	bench/kernel

bench-model:
	test/need gcc make binutils python3 llvm-19
	bench/model

include packaging/install.mk
include packaging/packages.mk

# The kernel's own table of algorithms for IPsec with SM4 in GCM and CCM mode added,
# and before Linux 5.17 SM4-CBC and HMAC-SM3. It replaces the stock module, whose file stays; SOURCE= names a source tree
# or a tarball to build it from
xfrm_files := $(addprefix integration/xfrm/,0001-xfrm-add-SM4-GCM-and-CCM.patch \
	0002-xfrm-add-SM4-CBC-and-HMAC-SM3.patch Kbuild build dkms.conf get-source)
xfrm_dkms_sources = $(DESTDIR)/usr/src/sm4-fast-xfrm-$(version)

.PHONY: xfrm xfrm-install xfrm-uninstall xfrm-dkms xfrm-dkms-uninstall \
	install-xfrm-sources
xfrm: kernel-headers
	integration/xfrm/get-source '$(KDIR)' $(if $(SOURCE),'$(SOURCE)')
	integration/xfrm/build '$(KDIR)'

xfrm-install: chosen-kernel xfrm
	install -D -m 644 integration/xfrm/xfrm_algo.ko $(installed)/xfrm_algo.ko
	depmod -b '$(DESTDIR)/' $(release)
	@echo 'Installed for kernel $(release). A stock xfrm_algo that is loaded stays'
	@echo 'until the next boot, or until nothing uses it and it is unloaded.'

xfrm-uninstall: named-release
	$(call remove_module,xfrm_algo)

# Built first, so that the old one is removed only when a new one can replace it
xfrm-dkms: chosen-kernel dkms-package xfrm xfrm-dkms-uninstall
	$(MAKE) install-xfrm-sources
	$(xfrm_dkms_sources)/install-by-dkms

xfrm-dkms-uninstall: no-xfrm-package
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

tls-install:
	$(if $(wildcard integration/tls/openssl/libssl.so),,$(error It is not built yet: make tls))
	$(MAKE) --silent -C integration/tls/openssl install_sw DESTDIR='$(abspath $(DESTDIR))'

tls-uninstall:
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

ike-install:
	$(if $(wildcard integration/ike/libstrongswan-sm4-fast.so),,$(error It is not built yet: make ike))
	install -D -m 644 --target-directory='$(DESTDIR)$(strongswan_plugins)' integration/ike/libstrongswan-sm4-fast.so
	test -e '$(DESTDIR)$(strongswan_settings)' || \
		install -D -m 644 integration/ike/sm4-fast.conf '$(DESTDIR)$(strongswan_settings)'
	@echo 'Installed. The plugin is loaded when strongSwan starts again: sudo systemctl restart strongswan'

ike-uninstall:
	rm -f '$(DESTDIR)$(strongswan_plugins)/libstrongswan-sm4-fast.so' '$(DESTDIR)$(strongswan_settings)'

strongswan_settings := /etc/strongswan.d/sm4-fast.conf
strongswan_plugins = $(or $(addsuffix /plugins,$(word 2,$(shell integration/ike/installed))), \
	$(error strongSwan is not installed))

.PHONY: clean
clean:
	$(if $(KDIR),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	rm -f integration/xfrm/xfrm_algo.c integration/tls/handover integration/ike/libstrongswan-sm4-fast.so
	$(MAKE) -C bench clean
	rm -rf dist integration/tls/openssl integration/ike/strongswan test/host/build test/emul/build test/fuzz/build \
		test/constant-time/build

.PHONY: clean-cache
clean-cache:
	@test/clean-cache
