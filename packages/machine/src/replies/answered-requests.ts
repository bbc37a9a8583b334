import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { type Command, MalformedCommand } from '../command.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * Requests that are executed once. A command with a request id that changed something is journaled together with its
 * answer; a repetition, to this leader or a later one, returns that answer and changes nothing. A command that changed
 * nothing is not remembered, because executing it again is equivalent.
 *
 * The caller chooses the id, which must be unique. Answers are stored as JSON: they are small, and later releases must
 * be able to read them from the journal.
 */

/** Returns the key of a remembered request: different commands with one request id have different keys. */
export function requestKey({ kind }: Command, requestId: string, limits: MachineLimits): string {
  if (requestId === '' || requestId.length > limits.requestIdCharsMax) {
    throw new MalformedCommand(`an id of a request has 1 to ${limits.requestIdCharsMax} characters`);
  }
  return `${kind} ${requestId}`;
}

/** Encodes an answer. Members that are `undefined` are omitted, as on the wire. */
export function encodeAnswer(reply: unknown): Buffer {
  return Buffer.from(JSON.stringify(reply, writeColumn));
}

export function decodeAnswer(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString(), readColumn);
}

const columnTypes = { Float64Array, Uint32Array, Int32Array, Int16Array, Uint8Array };
const columnMark = '$column';

/** Columns need an encoding, because plain JSON would not restore them. */
function writeColumn(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  // For a buffer, `value` is already the result of `toJSON`.
  const column = this[key];
  if (!ArrayBuffer.isView(column)) return value;
  const bytes = Buffer.from(column.buffer, column.byteOffset, column.byteLength);
  const found = Object.entries(columnTypes).find(([, type]) => column instanceof type);
  if (found === undefined) throw new TypeError(`${key}: an answer has no columns of this type`);
  return { [columnMark]: [found[0], bytes.toString('base64')] };
}

function readColumn(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !(columnMark in value)) return value;
  const [name, text] = value[columnMark] as [keyof typeof columnTypes, string];
  const bytes = new Uint8Array(Buffer.from(text, 'base64'));
  return new columnTypes[name](bytes.buffer);
}

/** Returns how many of the oldest answers must be dropped for another one, by number, by size and by time. */
export function requestsToForget(
  { recentRequests }: ClusterState,
  limits: MachineLimits,
  replyBytes: number,
  nowMs: number,
): number {
  return Math.max(
    recentRequests.countOlder(nowMs - limits.recentRequestMsMax),
    recentRequests.countBeyond(limits.recentRequestsMax, limits.recentRequestReplyBytesMax, replyBytes),
  );
}

/** Written before the complete entry of the command. */
export function writeRequestAnswered(
  writer: ByteWriter,
  key: string,
  forgotten: number,
  reply: Buffer,
): void {
  writer.text(key);
  writer.varint(forgotten);
  writer.varint(reply.length);
  writer.raw(reply);
}

export function applyRequestAnswered(state: ClusterState, reader: ByteReader): void {
  const key = reader.text();
  const forgotten = reader.varint();
  // Stored as a copy (`RecentReplies.add`), so that one answer does not retain the whole journal read in memory.
  rememberRequest(state, key, forgotten, reader.raw(reader.varint()));
}

export function rememberRequest(state: ClusterState, key: string, forgotten: number, reply: Buffer): void {
  state.recentRequests.forgetOldest(forgotten);
  state.recentRequests.add(key, state.nowMs, reply);
}
