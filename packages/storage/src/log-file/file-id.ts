import type { Random } from '@weir/core';

/**
 * File ids: 32 hex digits that sort by time.
 *
 *     0            12     17              32
 *     ├────────────┼──────┼───────────────┤
 *     │ ms of 1970 │ count│ random        │     48 + 20 + 60 bits
 *     └────────────┴──────┴───────────────┘
 *
 * The count distinguishes the files of one millisecond and preserves their order; a random part distinguishes agents.
 * `fileIdTimeMs` of `@weir/core` reads the time.
 */
const countLimit = 2 ** 20;
const timeLimit = 2 ** 48;

interface Last {
  timeMs: number;
  count: number;
}

/** By random source: an agent has one, so that two simulated clusters in a process are independent. */
const lastOf = new WeakMap<Random, Last>();

/** Returns an id greater than every earlier one of this `random`, even if the clock goes backwards. */
export function newFileId(nowMs: number, random: Random): string {
  const last = lastOf.get(random);
  let timeMs = Math.floor(nowMs);
  let count = 0;
  if (last !== undefined && timeMs <= last.timeMs) {
    timeMs = last.timeMs;
    count = last.count + 1;
    if (count === countLimit) {
      timeMs++;
      count = 0;
    }
  }
  if (!(timeMs >= 0 && timeMs < timeLimit)) throw new RangeError(`${nowMs} ms is no time for a file id`);
  if (last === undefined) lastOf.set(random, { timeMs, count });
  else Object.assign(last, { timeMs, count });
  return hex(timeMs, 12) + hex(count, 5) + hex(random.below(2 ** 28), 7) + hex(random.below(2 ** 32), 8);
}

export function isFileId(text: string): boolean {
  return /^[\da-f]{32}$/.test(text);
}

/**
 * The key of a file in the bucket. The two leading digits come from the random end of the id, so that the keys of one
 * moment are spread over the store's partitions.
 */
export function logFileKey(clusterId: string, fileId: string): string {
  if (!isFileId(fileId)) throw new RangeError(`${JSON.stringify(fileId)} is no file id`);
  return `${clusterPrefix(clusterId)}${fileId.slice(-2)}/${fileId}`;
}

/** The key of the object with the bucket's id. */
export function bucketIdKey(clusterId: string): string {
  return `${clusterPrefix(clusterId)}bucket-id`;
}

/** The prefix of every key of a cluster. */
export function clusterPrefix(clusterId: string): string {
  if (!/^[\w-]{1,128}$/.test(clusterId))
    throw new RangeError(`${JSON.stringify(clusterId)} is no cluster id`);
  return `service/${clusterId}/`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
