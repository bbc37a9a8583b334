import * as z from 'zod';
import { eventLimits } from '../limits.ts';

/**
 * The file format of docs/reference/event-sidecar.md: magic and version, the chunks of each stripe, the footer, and a
 * tail of fixed length that locates the footer. The footer holds the whole layout, so that two reads lead to any
 * column.
 */
export const magic = 0x53564557;
export const version = 1;
export const headBytes = 8;
export const tailBytes = 20;

const count = z.int().min(0);

/** A compressed part of the file. The checksum covers the stored bytes. */
const chunk = z.object({
  start: count,
  length: count,
  rawLength: count.max(eventLimits.sidecarChunkBytesMax),
  crc32: count,
});
export type Chunk = z.infer<typeof chunk>;

/**
 * All values of a field in one event: none, one, or those of an array. `{}` stands for an object and for an array
 * within an array: only its presence is known.
 */
const cell = z.array(z.union([z.string(), z.number(), z.boolean(), z.strictObject({})]));
export type Cell = z.infer<typeof cell>;
export const cells = z.array(cell);

const path = z.array(z.string()).min(1).max(eventLimits.sidecarPathKeysMax);

/** Events without the field. */
const missing = count;

/** Few distinct cells: each event has a cell number of one or two bytes. Cell 0 is the empty one. */
const codesColumn = z.object({
  kind: z.literal('codes'),
  path,
  missing,
  cellCount: count.max(eventLimits.sidecarDictionaryMax),
  /** The cells themselves, if they are few; otherwise they are in a chunk. */
  cells: cells.optional(),
  dictionary: chunk.optional(),
  /** Absent if all events have cell 0, or all have cell 1. */
  codes: chunk.optional(),
});
export type CodesColumn = z.infer<typeof codesColumn>;

/** Many different cells that are all one number: 64-bit floats, and NaN where the field is missing. */
const numbersColumn = z.object({ kind: z.literal('numbers'), path, missing, numbers: chunk });

/** Many distinct cells. Only the records have them; a bloom filter may show that a value is absent. */
const opaqueColumn = z.object({
  kind: z.literal('opaque'),
  path,
  missing,
  bloom: chunk.optional(),
});
export type OpaqueColumn = z.infer<typeof opaqueColumn>;

const column = z.discriminatedUnion('kind', [codesColumn, numbersColumn, opaqueColumn]);
export type Column = z.infer<typeof column>;

/**
 * Times as differences to the previous one, the first one to `minTimeMs`; or as absolute times if the differences are
 * too large.
 */
const timeEncodings = ['int8', 'int16', 'int32', 'float64'] as const;

/** Some ten thousand consecutive events, which are compressed and scanned together. */
const stripe = z.object({
  fromOffset: count,
  rows: count.min(1).max(eventLimits.sidecarStripeEventsMax),
  minTimeMs: z.number(),
  maxTimeMs: z.number(),
  timeEncoding: z.enum(timeEncodings),
  times: chunk,
  /** One byte per event, 0 for a record that is not a JSON object. Absent if all of them are. */
  readable: chunk.optional(),
  /** Whether a field without a column is in no event. */
  isComplete: z.boolean(),
  columns: z.array(column).max(eventLimits.sidecarColumnsMax),
});
export type Stripe = z.infer<typeof stripe>;

export const footer = z.object({
  fromOffset: count,
  toOffset: count,
  minTimeMs: z.number(),
  maxTimeMs: z.number(),
  stripes: z.array(stripe),
});
export type Footer = z.infer<typeof footer>;

/** Fields with so many distinct values that they get a bloom filter per stripe. */
export const searchedPaths: readonly (readonly string[])[] = [
  ['id'],
  ...['agent_id', 'correlation_id', 'resource_name', 'principal'].map((name) => ['data', name]),
];

/** Up to this many cells, up to this length as JSON, are stored in the footer itself. */
export const inlineCellsMax = 64;
export const inlineCellsCharsMax = 4096;
