import type { PointerPool } from './pointer-pool.ts';

/**
 * The end of a transaction in a partition: one offset, no bytes in any file. It is stored as a pointer, because it has
 * a position among them, with a reserved file slot and its content in the columns of the byte range:
 *
 *     byteStart    the lower 32 bits of the producer id
 *     byteLength   the upper 15 bits of the producer id, 16 bits of epoch, 1 bit for commit
 */
export interface Marker {
  readonly producerId: number;
  readonly producerEpoch: number;
  readonly isCommit: boolean;
}

/** Reserved: a file table never gets that large, as it would take 100 GiB. */
export const markerFileSlot = 0xffff_ffff;

/** The highest producer id that fits into a marker. */
export const producerIdMax = 2 ** 47 - 1;

export function packMarker({ producerId, producerEpoch, isCommit }: Marker): [start: number, length: number] {
  const low = producerId % 2 ** 32;
  const high = Math.floor(producerId / 2 ** 32);
  return [low, high * 2 ** 17 + producerEpoch * 2 + (isCommit ? 1 : 0)];
}

export function markerAt(pool: PointerPool, slot: number): Marker {
  const length = pool.byteLength(slot);
  return {
    producerId: pool.byteStart(slot) + Math.floor(length / 2 ** 17) * 2 ** 32,
    producerEpoch: (length >>> 1) & 0xffff,
    isCommit: (length & 1) === 1,
  };
}
