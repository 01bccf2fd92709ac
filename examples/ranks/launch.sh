#!/bin/sh
# Starts a program once for each GPU of this host: launch.sh GPUS PROGRAM ARGUMENTS...
gpus=$1
shift
pids=
for rank in $(seq 0 $((gpus - 1))); do
  RANK=$rank LOCAL_RANK=$rank WORLD_SIZE=$gpus "$@" &
  pids="$pids $!"
done
for pid in $pids; do wait "$pid" || failed=1; done
exit ${failed:-0}
