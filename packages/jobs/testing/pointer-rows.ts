import type { Pointers } from '@weir/cluster';

/** A batch or a marker of a partition, as a test tracks it. */
export interface PointerRow {
  readonly fileId: string;
  readonly byteStart: number;
  readonly byteLength: number;
  readonly baseOffset: number;
  readonly nextOffset: number;
  readonly marker?: {
    readonly isCommit: boolean;
    readonly producerId: number;
    readonly timestampMs?: number;
  };
}

/** The rows as columns, as a leader sends them. */
export function pointersOf(rows: readonly PointerRow[]): Pointers {
  const markers = rows.flatMap(({ marker }, row) => (marker === undefined ? [] : [{ row, ...marker }]));
  return {
    fileId: rows.map(({ fileId }) => fileId),
    byteStart: Float64Array.from(rows, ({ byteStart }) => byteStart),
    byteLength: Float64Array.from(rows, ({ byteLength }) => byteLength),
    baseOffset: Float64Array.from(rows, ({ baseOffset }) => baseOffset),
    nextOffset: Float64Array.from(rows, ({ nextOffset }) => nextOffset),
    markers: {
      row: Uint32Array.from(markers, ({ row }) => row),
      isCommit: Uint8Array.from(markers, ({ isCommit }) => (isCommit ? 1 : 0)),
      producerId: Float64Array.from(markers, ({ producerId }) => producerId),
      producerEpoch: Int16Array.from(markers, () => 3),
      timestampMs: Float64Array.from(markers, ({ timestampMs = 5_000 }) => timestampMs),
    },
  };
}
