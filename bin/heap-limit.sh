# How large the heap of the runtime may become: 3 GiB per processor, and no more than three quarters of the memory, so
# that buffers, which are not in the heap, find room (docs/reference/flags.md). Only builtins of the shell, so that tools start fast.
#
#   heap_limit_mib PROCESSORS CGROUP_FOLDER MEMINFO_FILE    sets $heap_mib

heap_limit_mib() {
  heap_processors=$1
  heap_quota=
  heap_period=
  # `max 100000`, or the microseconds that the container may use in each period.
  if [ -r "$2/cpu.max" ]; then read -r heap_quota heap_period <"$2/cpu.max" || :; fi
  case $heap_quota$heap_period in
    '' | *[!0-9]*) ;;
    *)
      heap_share=$((heap_quota / heap_period))
      [ "$heap_share" -ge 1 ] || heap_share=1
      [ "$heap_share" -ge "$heap_processors" ] || heap_processors=$heap_share
      ;;
  esac
  heap_mib=$((heap_processors * 3072))

  heap_memory_mib=
  if [ -r "$3" ]; then
    while read -r heap_key heap_kib heap_unit; do
      if [ "$heap_key" = MemTotal: ]; then
        heap_memory_mib=$((heap_kib / 1024))
        break
      fi
    done <"$3"
  fi
  heap_bytes=
  if [ -r "$2/memory.max" ]; then read -r heap_bytes <"$2/memory.max" || :; fi
  case $heap_bytes in
    '' | *[!0-9]*) ;;
    *)
      heap_container_mib=$((heap_bytes / 1048576))
      if [ -z "$heap_memory_mib" ] || [ "$heap_container_mib" -lt "$heap_memory_mib" ]; then
        heap_memory_mib=$heap_container_mib
      fi
      ;;
  esac
  if [ -n "$heap_memory_mib" ]; then
    heap_share=$((heap_memory_mib * 3 / 4))
    [ "$heap_share" -ge "$heap_mib" ] || heap_mib=$heap_share
  fi
  # With less nothing starts.
  [ "$heap_mib" -ge 64 ] || heap_mib=64
}
