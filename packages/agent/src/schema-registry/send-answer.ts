import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '@weir/core';
import { agentLimits } from '../limits.ts';
import type { AnswerType } from './request/media-types.ts';

interface Answer {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly status: number;
  readonly type: AnswerType;
  /** A JSON value, or a text that is sent as it is. */
  readonly output: unknown;
  readonly form: 'json' | 'text';
  readonly clock: Clock;
}

/** Sends an answer and returns the bytes of its body. It resolves when the answer is in the socket's hands. */
export async function sendAnswer({
  request,
  response,
  status,
  type,
  output,
  form,
  clock,
}: Answer): Promise<number> {
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
  return await write(request, response, status, pieces, clock);
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
    if (piece.length < agentLimits.registryAnswerPieceBytes) continue;
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
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  pieces: Iterable<string>,
  clock: Clock,
): Promise<number> {
  const iterator = pieces[Symbol.iterator]();
  const first = iterator.next().value ?? '';
  let next = iterator.next();
  let bytes = Buffer.byteLength(first);
  if (next.done === true) response.setHeader('content-length', bytes);
  response.writeHead(status);
  if (request.method === 'HEAD') {
    response.end();
    return 0;
  }
  if (next.done === true) {
    response.end(first);
    return bytes;
  }
  const cancel = clock.after(agentLimits.registryAnswerMsMax, () => response.destroy());
  try {
    response.write(first);
    for (; next.done !== true; next = iterator.next()) {
      if (response.writableNeedDrain) await drained(response);
      if (response.destroyed) return bytes;
      response.write(next.value);
      bytes += Buffer.byteLength(next.value);
    }
    response.end();
  } finally {
    cancel();
  }
  return bytes;
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      response.off('drain', end).off('close', end);
      resolve();
    };
    response.on('drain', end).on('close', end);
  });
}
