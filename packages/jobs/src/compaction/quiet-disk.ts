import type { Clock } from '@weir/core';

interface QuietDiskOptions {
  /** Bytes that this agent has stored for clients since its start. */
  readonly storedBytes: () => number;
  readonly clock: Clock;
}

/** Clients that write more than this per second need the disk. */
const quietBytesPerSecond = 5_000_000;
/** The shortest time over which the rate beside running work is measured. */
const busySpanMsMin = 500;
/** How long clients have to write less before running work goes on. */
const busyMs = 5_000;
/** The shortest time over which the rate is measured. Clients that pause for less need the disk again soon. */
const spanMsMin = 60_000;

/**
 * Whether clients leave a disk to background work. Merging reads and writes everything again, up to twice, on the disk
 * and the processor that producers wait for; files on a disk are read well as they are, so it can wait for a pause. A
 * bucket in memory is merged by the thread that serves clients, so it waits in the same way.
 */
export function quietDisk({ storedBytes, clock }: QuietDiskOptions): () => boolean {
  let sinceMs = clock.monotonicMs();
  let sinceBytes = storedBytes();
  let isQuiet = false;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - sinceMs < spanMsMin) return isQuiet;
    const bytes = storedBytes();
    isQuiet = (bytes - sinceBytes) / ((nowMs - sinceMs) / 1000) <= quietBytesPerSecond;
    sinceMs = nowMs;
    sinceBytes = bytes;
    return isQuiet;
  };
}

/**
 * Whether clients need the disk now, so that work which began in a pause of theirs has to wait. Asked again and again
 * while it runs.
 */
export function busyDisk({ storedBytes, clock }: QuietDiskOptions): () => boolean {
  let sinceMs = clock.monotonicMs();
  let sinceBytes = storedBytes();
  let busyUntilMs = Number.NEGATIVE_INFINITY;
  return () => {
    const nowMs = clock.monotonicMs();
    if (nowMs - sinceMs >= busySpanMsMin) {
      const bytes = storedBytes();
      const isBusy = (bytes - sinceBytes) / ((nowMs - sinceMs) / 1000) > quietBytesPerSecond;
      if (isBusy) busyUntilMs = nowMs + busyMs;
      sinceMs = nowMs;
      sinceBytes = bytes;
    }
    return nowMs < busyUntilMs;
  };
}
