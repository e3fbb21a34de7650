#!/usr/bin/env bash
# Makes the picture of `queue top` after a minute of the demonstration's traffic.
#
#   cargo build -p queue-cli && cargo build -p xtask && docs/images/top.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
export PATH="$root/target/debug:$PATH"
xtask=${XTASK:-$root/target/debug/xtask}
work=$(mktemp -d)
queue token new --tokens "$work/tokens.json" --scope store --queue '*' > "$work/token"
chmod 600 "$work/token"
queue serve --demo --json --log error --listen 127.0.0.1:0 --tokens "$work/tokens.json" > "$work/told" &
demo=$!
trap 'kill "$demo" 2>/dev/null || true; rm -rf "$work"' EXIT
until [ -s "$work/told" ]; do sleep 0.2; done
address=$(sed -n 's/.*"addresses":\["\([^"]*\)".*/\1/p' "$work/told")
sleep 70

# What it prints on a terminal of 110 columns.
shown() {
    echo "\$ queue $*"
    QUEUE_SERVER=http://$address QUEUE_TOKEN_FILE=$work/token script -qec "stty cols 110; queue $* --once" /dev/null
}

{
    shown top
    echo
    shown top --view queue --queue emails
} | "$xtask" picture docs/images/top.svg
echo docs/images/top.svg
