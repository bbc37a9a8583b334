import type { Place } from '@weir/client';
import { KiB, MiB } from '@weir/core';
import { headerAt, headerBytes, RecordBatchView } from '@weir/wire';
import { exactNumber } from './exact-number.ts';
import { placeKey } from './place-key.ts';
import { type FetchPosition, fetchRaw, type RefusedFetch } from './raw-fetch.ts';
import type { SourceCluster } from './source-cluster.ts';

interface LedPosition extends FetchPosition {
  readonly leaderId: number;
}

export interface BatchStart extends Place {
  /** Where the batch begins that has the offset; the offset itself if there is none yet. */
  readonly baseOffset: number;
}

/** The batch that has an offset, or else the first one behind it. */
interface BatchAt extends Place {
  /** Its first bytes, a header if the batch has the current format; empty if there is none yet. */
  readonly head: Buffer;
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
  const offsets = new Map(positions.map((position) => [placeKey(position), position.offset]));
  const { found } = await batchesAt(source, positions);
  return found.map(({ topic, partition, head }) => {
    const offset = offsets.get(placeKey({ topic, partition }))!;
    return { topic, partition, baseOffset: head.length === 0 ? offset : startOf(head, offset) };
  });
}

/** Finds the batches at offsets. What is neither found nor refused could not be fetched. */
export async function batchesAt(
  source: SourceCluster,
  positions: readonly LedPosition[],
): Promise<{ readonly found: readonly BatchAt[]; readonly refused: readonly RefusedFetch[] }> {
  const found: BatchAt[] = [];
  const allRefused: RefusedFetch[] = [];
  const offsets = new Map(positions.map((position) => [placeKey(position), position.offset]));
  await Promise.all(
    [...Map.groupBy(positions, ({ leaderId }) => leaderId)].map(async ([leaderId, led]) => {
      // Each answer has a batch of at least the first partition, so that fewer are left after each.
      for (let open = led; open.length > 0; ) {
        const { fetched, refused } = await fetchRaw(source, leaderId, open, limits);
        const done = new Set(refused.map(placeKey));
        allRefused.push(...refused);
        for (const { topic, partition, records, highWatermark } of fetched) {
          const isEmpty = records.length < headerAt.magic + 1;
          if (isEmpty && offsets.get(placeKey({ topic, partition }))! < highWatermark) continue;
          // Without what is behind it: answers are large, and there may be many.
          const head = Buffer.from(records.subarray(0, isEmpty ? 0 : headerBytes));
          found.push({ topic, partition, head });
          done.add(placeKey({ topic, partition }));
        }
        if (done.size === 0) return;
        open = open.filter((position) => !done.has(placeKey(position)));
      }
    }),
  );
  return { found, refused: allRefused };
}

/** The header of a batch of the current format, or nothing. */
export function headerOf({ head }: BatchAt): RecordBatchView | undefined {
  if (head.length < headerBytes || head.readInt8(headerAt.magic) < currentMagic) return undefined;
  return new RecordBatchView(head);
}

/** Messages of older formats are rebuilt from any offset on. */
function startOf(head: Buffer, offset: number): number {
  if (head.readInt8(headerAt.magic) < currentMagic) return offset;
  const baseOffset = exactNumber(head.readBigInt64BE(headerAt.baseOffset));
  return baseOffset < 0 ? offset : Math.min(baseOffset, offset);
}
