#!/bin/sh
# Builds openmarket, starts its own market, and lists a small Korean shop there: validate, plan, apply, change, plan,
# apply, export. A second run shows an empty plan. Among the examples of a package, it uses the installed
# openmarket.
#
#   sh examples/quickstart.sh
#
# QUICKSTART_BIN=FILE      an existing build of openmarket
# QUICKSTART_FOLDER=FOLDER the folder of shop and market; otherwise .build/quickstart among the sources, and
#                          openmarket-quickstart in the current folder for a package
set -eu

examples=$(cd "$(dirname "$0")" && pwd)
root=$(dirname "$examples")
if [ -f "$root/Package.swift" ]; then
    work=${QUICKSTART_FOLDER:-$root/.build/quickstart}
else
    work=${QUICKSTART_FOLDER:-$PWD/openmarket-quickstart}
    QUICKSTART_BIN=${QUICKSTART_BIN:-$(command -v openmarket || printf openmarket)}
fi

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ] && [ "${TERM:-dumb}" != dumb ]; then
    bold=$(printf '\033[1m') dim=$(printf '\033[2m') blue=$(printf '\033[1;34m') green=$(printf '\033[1;32m') plain=$(printf '\033[0m')
else
    bold='' dim='' blue='' green='' plain=''
fi

headline() {
    printf '\n%s==>%s %s%s%s\n' "$blue" "$plain" "$bold" "$*" "$plain"
}

fail() {
    printf '\n%s\n' "$*" >&2
    exit 1
}

# Shows a command as one would type it, and runs it.
run() {
    printf '%s$ %s%s\n' "$dim" "$*" "$plain"
    "$@"
}

# settled REASON: the plan must be empty; exit 2 means that it is not.
settled() {
    status=0
    run openmarket plan --detailed-exitcode || status=$?
    case $status in
    0) ;;
    2) fail "$1" ;;
    *) exit "$status" ;;
    esac
}

# The commands below run this build.
openmarket() {
    "$bin" "$@"
}

# The walkthrough uses its own market: inherited settings must not select another one.
for variable in $(env | sed -n 's/^\(OPENMARKET_[A-Z_]*\)=.*/\1/p'); do
    unset "$variable"
done

# Build.
if [ -n "${QUICKSTART_BIN:-}" ]; then
    [ -x "$QUICKSTART_BIN" ] || fail "QUICKSTART_BIN: $QUICKSTART_BIN is not a program."
    bin=$(cd "$(dirname "$QUICKSTART_BIN")" && pwd)/$(basename "$QUICKSTART_BIN")
else
    sh "$root/.ci/packages"
    mkdir -p "$root/.build"
    log=$root/.build/quickstart-build.log
    printf 'Building openmarket (a few minutes the first time)…\n'
    if ! (cd "$root" && sh .ci/swift build --product openmarket) >"$log" 2>&1; then
        tail -n 40 "$log" >&2
        fail "The build failed; all of its output is in $log"
    fi
    bin=$(cd "$root" && sh .ci/swift build --show-bin-path)/openmarket
fi

# The working copy, created once.
mkdir -p "$work"
work=$(cd "$work" && pwd)
shop=$work/korean-shop
port_file=$work/port
# Exists when the walkthrough is complete.
complete=$work/complete
if [ ! -d "$shop" ]; then
    rm -rf "$shop.new"
    mkdir "$shop.new"
    cp -R "$examples/korean-shop/openmarket.yaml" "$examples/korean-shop/images" "$shop.new"
    mv "$shop.new" "$shop"
fi

# The market. Its first line has its address; its log goes to a file.
export OPENMARKET_IDENTIFIER=00000000-0000-4000-8000-000000000001
export OPENMARKET_SECRET=quickstart-secret

server=
stop() {
    if [ -n "$server" ]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -f "$work/listening"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
trap 'exit 129' HUP

headline 'A local market'
port=0
if [ -f "$port_file" ]; then
    port=$(cat "$port_file")
fi
rm -f "$work/listening"
mkfifo "$work/listening"
printf '%s$ openmarket serve --api v2b --port %s --database market.db --images pictures &%s\n' "$dim" "$port" "$plain"
(
    cd "$work"
    exec "$bin" serve --api v2b --port "$port" --database market.db --images pictures
) >"$work/listening" 2>"$work/market.log" &
server=$!
exec 3<"$work/listening"
line=
read -r line <&3 || true
case $line in
'listening on http'*) ;;
*)
    tail -n 20 "$work/market.log" >&2
    if [ "$port" != 0 ]; then
        fail "The market did not start. If another program took port $port since the first run, stop it,
or remove $work and start again."
    fi
    fail "The market did not start; its log is $work/market.log"
    ;;
esac
printf '%s\n' "$line"
OPENMARKET_URL=${line#listening on }
OPENMARKET_URL=${OPENMARKET_URL%% *}
export OPENMARKET_URL
# The state identifies the market by its URL, so the next run takes the same port.
printf '%s\n' "${OPENMARKET_URL##*:}" >"$port_file.new"
mv "$port_file.new" "$port_file"

cd "$shop"

ending() {
    cat <<END

${bold}Read next${plain}
  README.md                   overview
  docs/reference/manifest.md  every field of a manifest
  examples/                   more manifests to start from

The shop and its market are in $work
Start again with: rm -r '$work'
END
}

if [ -f "$complete" ]; then
    headline 'The shop was listed by an earlier run: did anything change?'
    run openmarket validate
    settled 'The shop changed since the last run: see the plan above.'
    printf '\n%sNothing changed.%s The market agrees with %s.\n' "$green" "$plain" "$shop/openmarket.yaml"
    ending
    exit 0
fi

headline 'Is the manifest valid? (offline)'
run openmarket validate

headline 'What would change on the market?'
run openmarket plan

headline 'Apply the plan'
run openmarket apply --yes

headline 'Change a price, end a sale'
sed -e '/key: celadon-cup$/,/key:/s/price: 38000$/price: 42000/' \
    -e '/key: hanji-lamp$/,/key:/{' -e '/^ *sale_price:/d' -e '}' openmarket.yaml >openmarket.yaml.new
diff openmarket.yaml openmarket.yaml.new | sed -n -e 's/^</-/p' -e 's/^>/+/p'
mv openmarket.yaml.new openmarket.yaml
run openmarket plan

headline 'Apply only these changes'
run openmarket apply --yes

headline 'The whole catalog as CSV'
run openmarket export -o catalog.csv
run cut -d , -f 1-3 catalog.csv

headline 'No changes remain'
settled 'The market differs from the manifest: see the plan above.'
: >"$complete"
printf '\n%sDone.%s Run this again: its plan is empty.\n' "$green" "$plain"
ending
