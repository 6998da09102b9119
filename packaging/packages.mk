# SPDX-License-Identifier: GPL-2.0
#
# The part of ../Makefile that builds packages and releases, in dist. The builds are
# reproducible: names are sorted, times are the commit's, modes do not depend on the
# umask.

# Packages are built from an archive of the files that git tracks, and nothing else:
# there may be keys next to them. In an unpacked archive, MANIFEST lists the files. A
# work tree of git around it belongs to another project.
package := sm4-fast-$(version)
debs = $(patsubst %,dist/%_$(version)_all.deb,sm4-fast sm4-fast-dkms)
rpm_release := $(shell sed -n 's/^Release: *//p' packaging/sm4-fast.spec)
rpms = $(patsubst %,dist/%-$(version)-$(rpm_release).noarch.rpm,sm4-fast sm4-fast-dkms)

.PHONY: package-sources deb rpm release release-sources
.PHONY: modules-deb modules-rpm sign-packages release-packages
packages := package-sources deb rpm modules-deb modules-rpm sign-packages release-packages release
$(packages): export LC_ALL = C
$(packages): export TZ = UTC
$(packages): export SOURCE_DATE_EPOCH = $(shell \
	if [ -e .git ]; then git log -1 --format=%ct; else stat -c %Y MANIFEST; fi)

package-sources:
	$(if $(wildcard .git MANIFEST),,$(error Neither a clone by git nor an \
		unpacked sm4-fast-*.tar.gz: which files belong into a package is \
		not known here))
	rm -rf dist/$(package)
	mkdir -p dist/$(package)
ifneq ($(wildcard .git),)
	command -v git >/dev/null || test/need git
	git ls-files -- ':!MANIFEST' >dist/$(package)/MANIFEST
else
	cp MANIFEST dist/$(package)/MANIFEST
endif
	xargs -d '\n' cp --parents --target-directory=dist/$(package) \
		<dist/$(package)/MANIFEST
	packaging/fill-in dist/$(package) $(version)
	umask 022 && tar -C dist -c -f dist/$(package).tar.gz -I 'gzip -9n' \
		--format=gnu --sort=name --mtime=@$$SOURCE_DATE_EPOCH --mode=u=rwX,go=rX \
		--owner=root:0 --group=root:0 $(package)
	rm -rf dist/$(package)

deb: package-sources
	test/need build-essential debhelper
	umask 022 && tar -C dist -xzf dist/$(package).tar.gz && \
		cd dist/$(package) && dpkg-buildpackage --no-sign
	rm -rf dist/$(package)
	@echo 'Made: $(debs), and their source package'

# A source package contains the path of this folder, and a package that is built from it
# contains its checksum. So the packages are built one by one, in the same folder. Time and
# host would be in both.
rpm: package-sources
	command -v rpmbuild >/dev/null || test/need rpm
	umask 022 && for kind in s b; do rpmbuild -t$$kind --nodeps \
		--define '_topdir $(CURDIR)/dist/rpm' --define '_rpmdir $(CURDIR)/dist' \
		--define '_srcrpmdir $(CURDIR)/dist' \
		--define '_rpmfilename %%{NAME}-%%{VERSION}-%%{RELEASE}.%%{ARCH}.rpm' \
		--define 'use_source_date_epoch_as_buildtime 1' \
		--define 'clamp_mtime_to_source_date_epoch 1' --define '_buildhost none' \
		dist/$(package).tar.gz || exit; done
	rm -rf dist/rpm
	@echo 'Made: $(rpms), and its source package'

# The modules for the kernels whose headers are in KDIRS, as binary packages; for a release, each
# in the format of its kernel's distribution. If there is a key, they are signed.
packages_of_modules = $(wildcard dist/sm4-fast-modules-*.deb dist/kmod-sm4-fast-*.rpm)
made_modules = $$(ls dist/sm4-fast-modules-*.deb dist/kmod-sm4-fast-*.rpm 2>/dev/null)
SIGN_FILE = $(firstword $(wildcard $(KDIR)/scripts/sign-file \
	/usr/lib/linux-kbuild-*/scripts/sign-file /usr/src/kernels/*/scripts/sign-file \
	$(addsuffix /scripts/sign-file,$(KDIRS))))
key_and_certificate = $(if $(and $(KEY),$(CERT)),,$(error Say which key and which certificate: KEY=FILE \
	CERT=FILE. KEY can be a URI pkcs11:))

modules-deb modules-rpm release-packages: package-sources
	$(if $(KEY)$(CERT),$(key_and_certificate))
	$(if $(or $(KDIRS),$(KDIR)),,$(error For which kernel? KDIR= names the folder of its \
		headers, KDIRS= several, such as /srv/trixie/usr/src/linux-headers-RELEASE))
	test/need build-essential debhelper kmod $(if $(filter modules-deb,$@),,rpm)
	rm -rf dist/$(package) dist/modules
	umask 022 && tar -C dist -xzf dist/$(package).tar.gz && \
	packaging/build-modules dist/$(package).tar.gz dist/modules $(or $(KDIRS),$(KDIR)) && \
	for modules in dist/modules/*; do \
		case $@-$$modules in modules-rpm-* | release-packages-*.x86_64) format=rpm ;; \
			*) format=deb ;; esac && \
		packaging/pack-modules $$format dist/$(package) "$$modules" dist || exit; \
	done
	rm -rf dist/$(package) dist/modules
	$(if $(KEY)$(CERT),+$(MAKE) --no-print-directory sign-packages)
	@echo Made: $(made_modules)

# Later, perhaps on a machine without a network
sign-packages: package-sources
	$(key_and_certificate)
	$(if $(packages_of_modules),,$(error There are no packages of modules in dist. make \
		modules-deb and make modules-rpm make them; or copy them there))
	$(if $(SIGN_FILE),,$(error There is no scripts/sign-file: SIGN_FILE= says where it is. It comes \
		with the headers of any kernel; on Debian, with linux-kbuild-VERSION))
	test/need openssl $(if $(filter %.rpm,$(packages_of_modules)),rpm rpm2cpio cpio)
	umask 022 && tar -C dist -xzf dist/$(package).tar.gz && packaging/sign-packages '$(SIGN_FILE)' \
		'$(KEY)' '$(CERT)' dist/$(package) $(packages_of_modules)
	rm -rf dist/$(package)

# From a commit, so that others can reproduce it
release-sources:
	$(if $(and $(KDIRS),$(PACKAGES)),$(error KDIRS= makes packages of modules for the release, \
		and PACKAGES= names those that are there: say one of them))
	$(if $(and $(KDIRS),$(KEY)$(CERT)),$(key_and_certificate))
	$(if $(wildcard .git),$(if $(shell git status --porcelain --untracked-files=no), \
		$(error A release is made from a commit, and here is something that is \
			not committed: see git status)))

# With KDIRS, also the modules for these kernels, or with PACKAGES those in these packages, which
# may have been signed elsewhere; with CERT, only if they are signed by it
modules_of_release = $(or $(PACKAGES),$(if $(KDIRS),$(made_modules)))
release: release-sources deb rpm
	test/need apt-utils createrepo-c $(if $(GPG_KEY),gpg gpg-agent)
	$(if $(KDIRS),rm -f $(packages_of_modules))
	$(if $(KDIRS),+$(MAKE) --no-print-directory release-packages)
	$(if $(and $(KDIRS)$(PACKAGES),$(CERT)),packaging/sign-packages --check '$(CERT)' \
		$(modules_of_release))
	umask 022 && packaging/release dist/release '$(GPG_KEY)' dist/$(package).tar.gz \
		$(debs) $(rpms) $(modules_of_release)
	@echo 'Made: dist/release. CONTRIBUTING.md says what to do with it.'
