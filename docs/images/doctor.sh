#!/usr/bin/env bash
# Makes the pictures of `queue doctor` on sick stores, of which each is really sick: private servers and files that this script
# harms. It needs root (a file system of its own), psql, pgbench, redis-server and sqlite3.
#
#   cargo build -p queue-cli && cargo build -p xtask
#   cargo xtask services run postgres -- docs/images/doctor.sh
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD
export PATH="$root/target/debug:$PATH" QUEUE_NAME=emails
xtask=${XTASK:-$root/target/debug/xtask}
work=$(mktemp -d)
owned=()
cleanup() {
    for pid in "${owned[@]}"; do kill -CONT "$pid" 2>/dev/null || true; kill "$pid" 2>/dev/null || true; done
    umount "$work/memory" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

# What the command prints on a terminal of 110 columns. Findings that are fine are left out, but the sum counts them.
picture() {
    local name=$1 shown=$2 url=$3
    {
        echo "\$ queue --store $shown doctor"
        QUEUE_STORE=$url script -qec "stty cols 110; queue doctor" /dev/null | grep -v '^fine' || true
    } | "$xtask" picture "docs/images/doctor-$name.svg"
    echo "docs/images/doctor-$name.svg"
}

jobs() { seq "$1" | queue enqueue --lines - --ids fresh --kind email > /dev/null; }

sick_postgres() {
    local base=$QUEUE_TEST_POSTGRES_URL url
    psql -q "$base" -c 'CREATE DATABASE doctor'
    url=${base%/*}/doctor
    export QUEUE_STORE=$url
    queue migrate > /dev/null
    # A session that began a transaction and went to lunch.
    (echo "SET application_name = 'nightly export'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1;"; sleep 600) | psql -q "$url" > /dev/null &
    owned+=($!)
    sleep 1
    psql -q "$url" -c 'SET synchronous_commit = off' \
        -c 'DO $$ BEGIN FOR i IN 1..51000 LOOP PERFORM txid_current(); COMMIT; END LOOP; END $$'
    for _ in 1 2; do jobs 30000; queue prune --everything --yes > /dev/null; done
    # A deployment whose programs take all connections.
    local most; most=$(psql -tAc 'SHOW max_connections' "$url")
    echo 'SELECT pg_sleep(60)' > "$work/sleep.sql"
    pgbench -n -c $((most - 10)) -j 4 -T 60 -f "$work/sleep.sql" "$url" > /dev/null 2>&1 &
    owned+=($!)
    sleep 8
    picture postgres postgres://db/app "$url"
}

sick_redis() {
    local master=$1 replica=$2
    redis-server --port "$master" --save '' --appendonly no --dir "$work" --daemonize no > /dev/null & owned+=($!)
    redis-server --port "$replica" --save '' --dir "$work" --replicaof 127.0.0.1 "$master" > /dev/null & local behind=$!
    owned+=($behind)
    until redis-cli -p "$replica" info replication 2> /dev/null | grep -q master_link_status:up; do sleep 0.2; done
    local url="redis://127.0.0.1:$master/?eviction=allow"
    QUEUE_STORE=$url jobs 2000
    # The replica stands still, and its master runs full.
    kill -STOP "$behind"
    head -c 60000000 /dev/zero | redis-cli -p "$master" -x set ballast > /dev/null
    redis-cli -p "$master" config set maxmemory-policy allkeys-lru > /dev/null
    local used; used=$(redis-cli -p "$master" info memory | sed -n 's/^used_memory:\([0-9]*\).*/\1/p')
    redis-cli -p "$master" config set maxmemory $((used * 100 / 97)) > /dev/null
    picture redis 'redis://cache:6379/?eviction=allow' "$url"
}

# The URL of a file on a file system in memory, which a power cut empties.
sick_disk() { mkdir -p "$work/memory"; mount -t tmpfs -o size=400m tmpfs "$work/memory"; }

sick_sqlite() {
    local file=$work/memory/jobs.db
    export QUEUE_STORE=sqlite:$file
    jobs 1000
    # A reader that holds a transaction, so that the log grows.
    (echo 'BEGIN; SELECT count(*) FROM sqlite_master;'; sleep 600) | sqlite3 "$file" > /dev/null & owned+=($!)
    sleep 1
    head -c 50000000 /dev/urandom | base64 -w 50000 | queue enqueue --lines - --ids fresh --kind export > /dev/null
    # What else is on the disk leaves 12 MiB.
    fallocate -l $(($(df --output=avail -B1 "$work/memory" | tail -1) - (12 << 20))) "$work/memory/backup.tar"
    picture sqlite sqlite:/run/jobs.db "sqlite:$file"
}

sick_files() {
    local directory=$work/jobs segment
    export QUEUE_STORE=file:$directory
    jobs 20000
    # A bad disk: some bytes of the journal are others.
    segment=$(find "$directory" -name "journal-*.log" | sort | head -1)
    printf 'rotten' | dd of="$segment" bs=1 seek=40000 conv=notrunc status=none
    picture files file:/run/jobs "file:$directory"
    rm -r "$directory"
}

sick_postgres
sick_redis 26379 26380
sick_disk
sick_sqlite
sick_files
