import * as z from 'zod';
import { eventLimits } from '../limits.ts';

/**
 * The file as docs/reference/event-sidecar.md tells it: magic and version, the chunks of stripe after stripe, the footer, and a tail of fixed length
 * that says where the footer is. The footer holds the layout of everything, so that two reads lead to any column.
 */
export const magic = 0x53564557;
export const version = 1;
export const headBytes = 8;
export const tailBytes = 20;

const count = z.int().min(0);

/** A compressed part of the file. The checksum is over the bytes as they are stored. */
const chunk = z.object({
  start: count,
  length: count,
  rawLength: count.max(eventLimits.sidecarChunkBytesMax),
  crc32: count,
});
export type Chunk = z.infer<typeof chunk>;

/**
 * All values that a field has in one event: none, one, or those of an array. `{}` stands for an object, and for an array within an array:
 * nothing can be said about either but that it is there.
 */
const cell = z.array(z.union([z.string(), z.number(), z.boolean(), z.strictObject({})]));
export type Cell = z.infer<typeof cell>;
export const cells = z.array(cell);

const path = z.array(z.string()).min(1).max(eventLimits.sidecarPathKeysMax);

/** Events that do not have the field. */
const missing = count;

/** Few different cells: each event has the number of its cell, of one byte or two. Cell 0 is the empty one. */
const codesColumn = z.object({
  kind: z.literal('codes'),
  path,
  missing,
  cellCount: count.max(eventLimits.sidecarDictionaryMax),
  /** The cells themselves, where they are few; in a chunk otherwise. */
  cells: cells.optional(),
  dictionary: chunk.optional(),
  /** Absent where all events have cell 0, or all have cell 1. */
  codes: chunk.optional(),
});
export type CodesColumn = z.infer<typeof codesColumn>;

/** Many different cells that are all one number: 64-bit floats, and NaN where the field is missing. */
const numbersColumn = z.object({ kind: z.literal('numbers'), path, missing, numbers: chunk });

/** Many different cells. Only the records themselves have them; a bloom filter may say that a value is not among them. */
const opaqueColumn = z.object({
  kind: z.literal('opaque'),
  path,
  missing,
  bloom: chunk.optional(),
});
export type OpaqueColumn = z.infer<typeof opaqueColumn>;

const column = z.discriminatedUnion('kind', [codesColumn, numbersColumn, opaqueColumn]);
export type Column = z.infer<typeof column>;

/** Times as differences to the one before, the first one to `minTimeMs`; or as they are, where the differences are too large. */
const timeEncodings = ['int8', 'int16', 'int32', 'float64'] as const;

/** Some ten thousand events in a row, which are compressed and looked at together. */
const stripe = z.object({
  fromOffset: count,
  rows: count.min(1).max(eventLimits.sidecarStripeEventsMax),
  minTimeMs: z.number(),
  maxTimeMs: z.number(),
  timeEncoding: z.enum(timeEncodings),
  times: chunk,
  /** One byte per event, 0 for a record that is no JSON object. Absent where all of them are. */
  readable: chunk.optional(),
  /** Whether a field that has no column is in no event. */
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

/** Fields with so many values that only a filter per stripe helps to find one. */
export const searchedPaths: readonly (readonly string[])[] = [
  ['id'],
  ...['agent_id', 'correlation_id', 'resource_name', 'principal'].map((name) => ['data', name]),
];

/** Cells up to this many, and this long as JSON, stand in the footer itself. */
export const inlineCellsMax = 64;
export const inlineCellsCharsMax = 4096;
