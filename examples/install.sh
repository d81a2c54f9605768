#!/bin/sh
# Builds a release of openmarket and installs it: sh examples/install.sh [PREFIX]
#
# The program goes to PREFIX/bin; the default PREFIX is /usr/local. On Linux it contains Swift's runtime, so it
# runs on machines without Swift; it needs libyaml, libpq, SQLite and zlib of the system.
set -eu

case ${1:-} in
-*)
    sed -n 's/^# \{0,1\}//p' "$0" | sed -n '2,5p'
    exit 64
    ;;
esac
root=$(cd "$(dirname "$0")/.." && pwd)
prefix=${1:-/usr/local}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

mkdir -p "$prefix/bin" 2>/dev/null || fail "$prefix/bin cannot be created: name another PREFIX, or run this as root."
[ -w "$prefix/bin" ] || fail "$prefix/bin cannot be written: name another PREFIX, or run this as root."
prefix=$(cd "$prefix" && pwd)

sh "$root/.ci/packages"
log=$root/.build-release.log
printf 'Building a release of openmarket (about ten minutes the first time)…\n'
if ! built=$(sh "$root/.ci/release" --scratch-path "$root/.build-release" 2>"$log"); then
    tail -n 40 "$log" >&2
    fail "The build failed; all of its output is in $log"
fi

# Next to its place first, so that a running program is not overwritten.
new=$prefix/bin/.openmarket.new
trap 'rm -f "$new"' EXIT
cp "$built" "$new"
# Symbol names are half of the file.
if command -v strip >/dev/null 2>&1; then
    strip "$new"
fi
chmod 755 "$new"
version=$("$new" --version) || fail 'The new program does not start; nothing was installed.'
mv "$new" "$prefix/bin/openmarket"

bytes=$(wc -c <"$prefix/bin/openmarket")
printf 'Installed openmarket %s as %s (%s MB).\n' "$version" "$prefix/bin/openmarket" "$(((bytes + 500000) / 1000000))"
printf 'Remove it with: rm %s\n' "'$prefix/bin/openmarket'"
case :$PATH: in
*":$prefix/bin:"*) ;;
*) printf '%s is not on your PATH: export PATH="%s/bin:$PATH"\n' "$prefix/bin" "$prefix" ;;
esac
