import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@weir/core';
import { drained } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import type { AnswerType } from './request/media-types.ts';

interface Answer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly status: number;
  readonly type: AnswerType;
  /** A JSON value, or a text that is sent as it is. */
  readonly output: unknown;
  readonly form: 'json' | 'text';
  /** Takes memory for a long piece of the answer, until the request has ended. Throws if there is none. */
  readonly hold: (bytes: number) => void;
  readonly clock: Clock;
}

/** Sends an answer and returns the bytes of its body. It resolves when the answer is in the socket's hands. */
export async function sendAnswer(answer: Answer): Promise<number> {
  const { request, response, status, type, output, form } = answer;
  if (response.destroyed) return 0;
  // The unread rest of a body ends with the connection.
  if (!request.complete) response.setHeader('connection', 'close');
  response.setHeader('cache-control', 'no-store');
  if (status === 204) {
    response.writeHead(status).end();
    return 0;
  }
  response.setHeader('content-type', type);
  response.setHeader('vary', 'accept');
  const pieces = form === 'text' ? [String(output)] : jsonPieces(output);
  return await write(answer, pieces);
}

/** Yields the text of a JSON value; that of a long list in pieces, so that it is never in memory as a whole. */
function* jsonPieces(value: unknown): Generator<string, undefined> {
  if (!isList(value)) {
    yield JSON.stringify(value);
    return;
  }
  let piece = '[';
  let separator = '';
  for (const item of value) {
    piece += `${separator}${JSON.stringify(item)}`;
    separator = ',';
    if (piece.length < gatewayLimits.registryAnswerPieceBytes) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]`;
}

function isList(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value;
}

/** A body of one piece has a length; further pieces wait until the client has read enough of those before. */
async function write(
  { request, response, status, hold, clock }: Answer,
  pieces: Iterable<string>,
): Promise<number> {
  const iterator = pieces[Symbol.iterator]();
  const first = iterator.next().value ?? '';
  let next = iterator.next();
  let bytes = Buffer.byteLength(first);
  const isShort = next.done === true && bytes <= gatewayLimits.registryAnswerPieceBytes;
  if (!isShort && request.method !== 'HEAD') hold(bytes);
  if (next.done === true) response.setHeader('content-length', bytes);
  response.writeHead(status);
  if (request.method === 'HEAD') {
    response.end();
    return 0;
  }
  if (isShort) {
    response.end(first);
    return bytes;
  }
  const cancel = clock.after(gatewayLimits.registryAnswerMsMax, () => response.destroy());
  try {
    response.write(first);
    for (; next.done !== true; next = iterator.next()) {
      if (response.writableNeedDrain) await drained(response);
      if (response.destroyed) return bytes;
      const pieceBytes = Buffer.byteLength(next.value);
      hold(pieceBytes);
      response.write(next.value);
      bytes += pieceBytes;
    }
    response.end();
    await finished(response);
  } finally {
    cancel();
  }
  return bytes;
}

/** Resolves when the client has read all, or has gone. */
function finished(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    if (response.writableFinished || response.destroyed) resolve();
    else response.once('finish', resolve).once('close', resolve);
  });
}
