# SPDX-License-Identifier: GPL-2.0
# Copyright (C) 2026 sm4-fast maintainers
#
# The targets for users and testers; `make help` lists them. Kbuild, which the
# kernel's own build reads, lists the module's sources.

# make and the kernel's own build split paths at spaces.
$(foreach path,CURDIR KDIR DESTDIR,$(if $(filter-out 0 1,$(words $($(path)))), \
	$(error There is a space in "$($(path))" ($(path)): neither make nor the \
		build of kernel modules can work with that. Take a path without one)))

# modinfo, depmod, DKMS and others are in folders that users of Debian do not have in
# their PATH, nor has root after a plain su.
export PATH := $(PATH):/usr/sbin:/sbin

# Headers of the kernel to build for: the running one's, or else the newest that
# is installed
running_headers := $(wildcard /lib/modules/$(shell uname -r)/build)
KDIR ?= $(firstword $(running_headers) \
	$(shell ls -d /lib/modules/*/build 2>/dev/null | sort -rV))

# Packages that the tests in test/suites need
export CLANG ?= clang-19
clang_packages := $(CLANG) $(CLANG:clang%=lld%) $(CLANG:clang%=llvm%)
check_packages := gcc make perl python3 git pkg-config dpkg-dev libglib2.0-dev \
	libgcrypt20-dev libssl-dev sparse shellcheck linux-headers-amd64 \
	linux-source patch xz-utils bats jq librsvg2-bin python3-cairosvg python3-pil
host_packages := $(check_packages) $(clang_packages) $(CLANG:clang%=libclang-rt%-dev)
test_packages := $(host_packages) valgrind

# Prerequisites run in order; sub-makes run in parallel.
.NOTPARALLEL:

.PHONY: modules
modules: kernel-headers

.PHONY: help
help:
	@echo 'make            build sm4-fast.ko and sm4-fast-esp.ko for $(or $(KDIR),KDIR, which must be set)'
	@echo 'make demo       demonstrate encrypted volumes in a virtual machine'
	@echo 'make check      quick tests: user space and style. CONTRIBUTING.md says how long these'
	@echo '                and the following take'
	@echo 'make check-headers'
	@echo '                of make test, the builds: for each kernel whose headers are installed, by gcc'
	@echo '                and by clang'
	@echo 'make test       required for every change: also one kernel, all tiers, constant time,'
	@echo '                the packages'
	@echo 'make test-long  the rest of what CI runs: more kernels, the documentation, mutation tests'
	@echo 'make test-deep  every supported kernel, each with every tier; IPsec and packages on'
	@echo '                all of them; and long runs of the rest.'
	@echo '                ROOT_TREES= names root trees of other distributions, whose kernels'
	@echo '                are then included'
	@echo 'make bench      measure speed in user space, and that of other implementations'
	@echo 'make bench-kernel'
	@echo '                measure speed in a kernel, and that of its own drivers'
	@echo 'make bench-fpu  measure what saving the vector registers costs in a kernel'
	@echo 'make bench-model'
	@echo '                estimate speed on other CPUs, by a model'
	@echo 'make install    build the module and install it for the kernel of KDIR; with ESP=yes, IPsec has'
	@echo '                SM4, too'
	@echo 'make uninstall  remove it from that kernel, or from RELEASE='
	@echo 'make dkms       install it by DKMS, for all kernels with headers and all later ones; ESP=yes'
	@echo 'make dkms-uninstall'
	@echo '                remove it'
	@echo 'make sign KEY=FILE CERT=FILE'
	@echo '                build the module and sign it, for Secure Boot'
	@echo 'make deb        packages for DKMS in dist, for Debian and Ubuntu'
	@echo 'make rpm        the same for openEuler, Anolis and similar distributions'
	@echo 'make modules-deb, make modules-rpm'
	@echo '                packages with the modules for the kernel of KDIR=, for machines without a'
	@echo '                compiler; SIGN= is a command that signs each module. REVISION= raises the'
	@echo '                version of all packages'
	@echo 'make release    all packages from the last commit, and those that PACKAGES= names, with'
	@echo '                checksums and as repositories for apt and dnf, in dist/release. GPG_KEY='
	@echo '                signs them; UNSIGNED=yes does without'
	@echo 'make tls        build an OpenSSL 4.0 that leaves TLS with SM4 to the kernel'
	@echo 'make tls-install, make tls-uninstall'
	@echo '                install it in $(openssl_prefix), or remove it'
	@echo 'make tls-tarball'
	@echo '                put it into a tarball, for machines without a compiler'
	@echo 'make tls-handover'
	@echo '                build integration/tls/handover: TLS with SM4 by the kernel, with an unmodified'
	@echo '                OpenSSL 4.0'
	@echo 'make ike        build a plugin for the installed strongSwan: IKEv2 with SM4'
	@echo 'make ike-deb    build it as a package, for gateways without a compiler'
	@echo 'make ike-install, make ike-uninstall'
	@echo '                install it, or remove it'
	@echo 'make xfrm-patch SOURCE=FOLDER'
	@echo '                patch the source of a kernel: SM4 in its table for IPsec'
	@echo 'make clean      remove what was built here'
	@echo 'make clean-cache'
	@echo '                remove what demo, test and bench have downloaded and built in'
	@echo '                ~/.cache/sm4-fast'

# Files that the headers of every kernel have. Debian splits them into three packages; a
# Makefile in one of them includes that of another.
header_files = $(addprefix $(KDIR)/,include/generated/autoconf.h \
		include/generated/utsrelease.h include/config/auto.conf \
		scripts/basic/fixdep scripts/mod/modpost) \
	$(shell sed -n 's|^include \(/.*\)|\1|p' $(KDIR)/Makefile)
lost_headers = $(firstword $(filter-out $(wildcard $(header_files)),$(header_files)))

.PHONY: kernel-headers
kernel-headers:
	$(if $(KDIR),,$(error $(if $(filter file,$(origin KDIR)),No kernel headers are \
		installed,KDIR= names no folder). On Debian: apt-get install \
		linux-headers-amd64. Or say where the headers are: KDIR=FOLDER))
	$(if $(wildcard $(KDIR)/Makefile),,$(error There are no kernel headers in \
		KDIR=$(KDIR). Those of a kernel are in /lib/modules/RELEASE/build))
	$(if $(lost_headers),$(error The kernel headers in $(KDIR) are incomplete, \
		$(lost_headers) is missing: install their packages again. On Debian: \
		apt-get install --reinstall \
		$(or $(header_packages),linux-headers-$(shell uname -r))))

# Debian's packages that have, or had, those headers
header_packages = $(sort $(shell realpath --canonicalize-missing $(KDIR) $(header_files) | \
	xargs dpkg-query --search 2>/dev/null | sed -n 's/^\(linux-[^:, ]*\):.*/\1/p'))

# A note for the case that the user has named no kernel, and another than the running one is
# used
say_other_kernel = @$(if $(running_headers)$(filter-out file,$(origin KDIR)),,echo 'The \
	running kernel, $(shell uname -r), has no headers here: this is for $(release).')

# Targets that change the system need this: the user has to name a kernel other than the
# running one.
.PHONY: chosen-kernel
chosen-kernel: kernel-headers
ifeq ($(running_headers)$(filter-out file,$(origin KDIR)),)
	$(error The running kernel, $(shell uname -r), has no headers here. On \
		Debian: apt-get install linux-headers-$$(uname -r). For another \
		kernel, say where its headers are: KDIR=$(KDIR))
endif

# Targets that change the system need root, except if they install into a folder for another
# machine.
.PHONY: root
root:
	$(if $(DESTDIR)$(filter 0,$(shell id -u)),,$(error This takes root: \
		sudo make $(MAKECMDGOALS)))

# Removal needs no headers. The kernel is RELEASE, or that of the headers KDIR if it is set,
# or the running one.
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
check: check-packages
	$(call build_tests,host) plain
	@test/run-tests --jobs 2 --level check

test: test-packages host-tests constant-time
	@test/run-tests --jobs 2 --level check --level test

test-long: test-packages host-tests emulation-tests
	@test/run-tests --jobs 2 --level long

test-deep: test-packages host-tests emulation-tests
	@echo 'When each of these ran last on this machine:'
	@test/run-tests --last --level deep
	@test/run-tests --jobs 2 --level deep

# Install all packages together, and check for root, which the virtual machines need.
.PHONY: test-packages
test-packages:
	test/need --root $(test_packages)

# Tests of instructions that this CPU lacks; they use objects that host-tests has built.
.PHONY: host-tests emulation-tests constant-time
emulation-tests: host-tests
	$(call build_tests,emul)

constant-time: host-tests
	$(call build_tests,constant-time)

host-tests:
	test/need $(host_packages)
	$(call build_tests,host)

# What make check needs: .ci/check installs it as root, before an ordinary user makes the rest.
.PHONY: check-packages
check-packages:
	test/need $(check_packages)

# Of make test, what any Debian can do whose headers are of interest; CLANG= names another version than the default
.PHONY: check-headers
check-headers:
	test/need gcc make perl $(clang_packages) linux-headers-amd64
	@test/run-tests test/headers.t

build_tests = $(MAKE) --silent --jobs=$$(nproc) --directory=test/$(1)

# The benchmarks in user space and in a kernel, and a model of other CPUs
.PHONY: bench bench-figures bench-kernel bench-fpu bench-model
bench bench-figures bench-kernel bench-fpu bench-model:
	$(MAKE) --no-print-directory -C bench $@

include packaging/build.mk
include packaging/install.mk
include packaging/packages.mk
include integration/tls/Makefile
include integration/ike/Makefile
include integration/xfrm/Makefile

.PHONY: clean
clean: tls-clean ike-clean
	$(if $(KDIR),$(MAKE) -C $(KDIR) M=$(CURDIR) clean)
	$(MAKE) -C bench clean
	rm -rf dist test/host/build test/emul/build \
		test/constant-time/build

.PHONY: clean-cache
clean-cache:
	@test/clean-cache
