import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { type Command, MalformedCommand } from '../command.ts';
import type { MachineLimits } from '../machine-limits.ts';

/**
 * Requests that are done once. A command that comes with the id of a request, and changed something, is journaled together with
 * its answer; when it comes again, to this leader or to a later one, it gets that answer and does nothing. A command
 * that changed nothing is not remembered, because doing it again is as good as the first time.
 *
 * The id is chosen by whoever asks and is theirs alone. Answers are kept as JSON: they are small, and what is behind them in
 * the journal is read by later releases.
 */

/** What is remembered under: two commands of one request are two. */
export function requestKey({ kind }: Command, requestId: string, limits: MachineLimits): string {
  if (requestId === '' || requestId.length > limits.requestIdCharsMax) {
    throw new MalformedCommand(`an id of a request has 1 to ${limits.requestIdCharsMax} characters`);
  }
  return `${kind} ${requestId}`;
}

/** An answer in bytes. Members that are `undefined` are left out, as they are on the way to an agent. */
export function encodeAnswer(reply: unknown): Buffer {
  return Buffer.from(JSON.stringify(reply, writeColumn));
}

export function decodeAnswer(bytes: Buffer): unknown {
  return JSON.parse(bytes.toString(), readColumn);
}

const columnTypes = { Float64Array, Uint32Array, Int32Array, Int16Array, Uint8Array };
const columnMark = '$column';

/** JSON would write a column as something else than it reads. */
function writeColumn(this: Readonly<Record<string, unknown>>, key: string, value: unknown): unknown {
  // `value` is what `toJSON` made of a buffer.
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

/** How many of the oldest have to go for another answer, by number, by size and by time. */
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

/** Stands before the entry of what was done, which follows whole. */
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
  // A copy, so that one answer does not keep the whole read of the journal in memory.
  rememberRequest(state, key, forgotten, reader.raw(reader.varint()));
}

export function rememberRequest(state: ClusterState, key: string, forgotten: number, reply: Buffer): void {
  state.recentRequests.forgetOldest(forgotten);
  state.recentRequests.add(key, state.nowMs, reply);
}
