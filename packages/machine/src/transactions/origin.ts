import type { RequestOrigin } from '@weir/cluster';
import type { ByteReader } from '../bytes/byte-reader.ts';
import type { ByteWriter } from '../bytes/byte-writer.ts';
import type { ClusterState } from '../cluster-state.ts';
import { MalformedCommand } from '../command.ts';
import type { MachineLimits } from '../machine-limits.ts';
import { readTransaction } from './caller.ts';
import type { Transaction } from './transaction.ts';

/**
 * Returns whether a request is timely: it comes on the connection that last used the transaction, or none is known. For
 * clients that do not bump their epoch, nothing else distinguishes a call that ends the current transaction from a
 * delayed one that was meant for the previous transaction.
 *
 * A client has one connection to its coordinator at a time and one such request on it. So a request on the connection
 * that was used last, with a higher number than the last request, is not late. A request on another connection comes
 * either from a client that reconnected, or late from a connection that its client has abandoned. The former retries
 * when it is refused; the latter never does (X11).
 */
export function isTimely({ origin }: Transaction, { connection, request }: RequestOrigin): boolean {
  return origin === undefined || (origin.connection === connection && origin.request < request);
}

export function checkOrigin({ connection, request }: RequestOrigin, limits: MachineLimits): void {
  if (connection === '' || connection.length > limits.requestIdCharsMax) {
    throw new MalformedCommand(`the name of a connection has 1 to ${limits.requestIdCharsMax} characters`);
  }
  if (!Number.isSafeInteger(request) || request < 0) {
    throw new MalformedCommand(`${request} is not a valid request number`);
  }
}

export function writeOriginNoted(
  writer: ByteWriter,
  { producerId }: Transaction,
  { connection, request }: RequestOrigin,
): void {
  writer.varint(producerId);
  writer.text(connection);
  writer.varint(request);
}

export function applyOriginNoted(state: ClusterState, reader: ByteReader): undefined {
  const transaction = readTransaction(state, reader);
  state.transactions.noteOrigin(transaction, { connection: reader.text(), request: reader.varint() });
  return undefined;
}

/** Writes an origin within another entry, and only if its connection is new. */
export function writeOrigin(
  writer: ByteWriter,
  { origin: known }: Transaction,
  origin: RequestOrigin | undefined,
): void {
  const isNews = origin !== undefined && known?.connection !== origin.connection;
  writer.u8(isNews ? 1 : 0);
  if (!isNews) return;
  writer.text(origin.connection);
  writer.varint(origin.request);
}

export function applyOrigin(state: ClusterState, transaction: Transaction, reader: ByteReader): void {
  if (reader.u8() === 0) return;
  state.transactions.noteOrigin(transaction, { connection: reader.text(), request: reader.varint() });
}
