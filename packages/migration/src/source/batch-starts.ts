import type { Place } from '@weir/client';
import { KiB, MiB } from '@weir/core';
import { headerAt } from '@weir/wire';
import { exactNumber } from './exact-number.ts';
import { placeKey } from './place-key.ts';
import { type FetchPosition, fetchRaw } from './raw-fetch.ts';
import type { SourceCluster } from './source-cluster.ts';

interface LedPosition extends FetchPosition {
  readonly leaderId: number;
}

export interface BatchStart extends Place {
  /** Where the batch begins that has the offset; the offset itself if there is none yet. */
  readonly baseOffset: number;
}

const limits = { answerBytesMax: 8 * MiB, partitionBytesMax: 64 * KiB, waitMs: 0 };
const currentMagic = 2;

/**
 * Finds where batches begin. A log may start within a batch, after records were deleted by offset; a copy that has
 * whole batches begins with that one, and its start is raised later. Partitions that could not be fetched are left out.
 */
export async function batchStarts(
  source: SourceCluster,
  positions: readonly LedPosition[],
): Promise<readonly BatchStart[]> {
  const found: BatchStart[] = [];
  const offsets = new Map(positions.map((position) => [placeKey(position), position.offset]));
  await Promise.all(
    [...Map.groupBy(positions, ({ leaderId }) => leaderId)].map(async ([leaderId, led]) => {
      // Each answer has a batch of at least the first partition, so that fewer are left after each.
      for (let open = led; open.length > 0; ) {
        const { fetched, refused } = await fetchRaw(source, leaderId, open, limits);
        const done = new Set(refused.map(placeKey));
        for (const { topic, partition, records, highWatermark } of fetched) {
          const offset = offsets.get(placeKey({ topic, partition }))!;
          const isEmpty = records.length < headerAt.magic + 1;
          if (isEmpty && offset < highWatermark) continue;
          found.push({ topic, partition, baseOffset: isEmpty ? offset : startOf(records, offset) });
          done.add(placeKey({ topic, partition }));
        }
        if (done.size === 0) return;
        open = open.filter((position) => !done.has(placeKey(position)));
      }
    }),
  );
  return found;
}

/** Messages of older formats are rebuilt from any offset on. */
function startOf(records: Buffer, offset: number): number {
  if (records.readInt8(headerAt.magic) < currentMagic) return offset;
  const baseOffset = exactNumber(records.readBigInt64BE(headerAt.baseOffset));
  return baseOffset < 0 ? offset : Math.min(baseOffset, offset);
}
