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
rpms = $(patsubst %,dist/%-$(version)-1.noarch.rpm,sm4-fast sm4-fast-dkms)

.PHONY: package-sources deb rpm release release-sources
package-sources deb rpm release: export LC_ALL = C
package-sources deb rpm release: export TZ = UTC
package-sources deb rpm release: export SOURCE_DATE_EPOCH = $(shell \
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

# From a commit, so that others can reproduce it
release-sources:
	$(if $(wildcard .git),$(if $(shell git status --porcelain --untracked-files=no), \
		$(error A release is made from a commit, and here is something that is \
			not committed: see git status)))

release: release-sources deb rpm
	test/need apt-utils createrepo-c $(if $(GPG_KEY),gpg gpg-agent)
	umask 022 && packaging/release dist/release '$(GPG_KEY)' dist/$(package).tar.gz \
		$(debs) $(rpms)
	@echo 'Made: dist/release. CONTRIBUTING.md says what to do with it.'
