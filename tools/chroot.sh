# shellcheck shell=sh
# Shared by checks that need another Debian; read with `.`, under set -eu.
# Chroots are kept as tar files in ~/.cache/assay-trees (ASSAY_SUITE: bookworm), and unpacked
# below $work, which is made here and removed at every exit, mounts first.
#
# Needs root, debootstrap and the archive; $me is the name in messages.
# shellcheck disable=SC2154 # me is the caller's
cache=${XDG_CACHE_HOME:-$HOME/.cache}/assay-trees
suite=${ASSAY_SUITE:-bookworm}
mirror=${ASSAY_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" -eq 0 ] || { echo "$me: needs root for its chroot" >&2; exit 1; }
if ! command -v debootstrap >/dev/null; then
	[ "${ASSAY_SETUP:-all}" != no ] || { echo "$me: needs debootstrap" >&2; exit 1; }
	apt-get install -y --no-install-recommends debootstrap >/dev/null
fi
mkdir -p "$cache"
work=$(mktemp -d)
log=$work/log

chroot_end() {
	# the last mounted first; lazily, as something may still run there
	awk -v work="$work/" 'index($2, work) == 1 { print $2 }' /proc/self/mounts | sort -r |
		while read -r place; do umount -l "$place" || true; done
	# never through a mount that is still there
	grep -qF " $work/" /proc/self/mounts || rm -rf --one-file-system "$work"
}
trap chroot_end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

say() { echo "== $*"; }

# A command in the chroot $1, from a clean environment; silent unless it fails.
inside() {
	root=$1
	shift
	chroot "$work/$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 HOME=/root \
		DEBIAN_FRONTEND=noninteractive DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" "$@" >"$log" 2>&1 || {
		tail -n 30 "$log" >&2
		echo "$me: '$*' failed" >&2
		exit 1
	}
}

# A plain system below $work/$1, with the host's way to the archive.
plain() {
	mkdir -p "$work/$1"
	if [ ! -e "$cache/chroot-$suite.tar" ]; then
		debootstrap --variant=minbase "$suite" "$work/$1" "$mirror" >"$log" 2>&1 || {
			tail -n 30 "$log" >&2
			exit 1
		}
		tar -C "$work/$1" -cf "$cache/chroot-$suite.tar.new" .
		mv "$cache/chroot-$suite.tar.new" "$cache/chroot-$suite.tar"
	else
		tar -C "$work/$1" -xf "$cache/chroot-$suite.tar"
	fi
	cp /etc/resolv.conf /etc/hosts "$work/$1/etc/"
	cp /etc/apt/apt.conf.d/*proxy* "$work/$1/etc/apt/apt.conf.d/" 2>/dev/null || true
	mount -t proc proc "$work/$1/proc"
}
