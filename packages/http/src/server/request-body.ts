import { isAscii } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { type Clock, type JsonBounds, JsonReader, jsonStepsPerTurn } from '@weir/core';

/** Why a body is not received: it is too large, or lost with its connection. */
type ReadFault = 'bytes' | 'loss';
/** Why a received body is not used: it is no JSON, or too deep, or has too many values. */
type JsonFault = 'syntax' | 'depth' | 'values';
export type BodyFault = ReadFault | JsonFault;

interface FaultBounds extends JsonBounds {
  /** The most bytes, and what else there is to say about them. */
  readonly size: string;
  /** What to do about too many values. */
  readonly valuesAdvice?: string;
}

/** Says what is wrong with a body, without its contents: they may be secrets. */
export function faultText(
  fault: BodyFault,
  { size, depthMax, valuesMax, valuesAdvice = '' }: FaultBounds,
): string {
  switch (fault) {
    case 'bytes':
      return `The body has more than ${size}.`;
    case 'loss':
      return 'The connection ended before the body.';
    case 'syntax':
      return 'The body is not JSON.';
    case 'depth':
      return `The body has more than ${depthMax} lists and objects within each other.`;
    case 'values':
      return `The body has more than ${valuesMax} values${valuesAdvice}.`;
  }
}

interface ReadOptions {
  readonly bytesMax: number;
  /** The time for the whole body. By default only the limits of the server apply. */
  readonly time?: { readonly clock: Clock; readonly msMax: number; late(): Error };
  /** Called before the body is read, unless it announces too many bytes; throws what keeps it from being read. */
  begin?(): void;
  /** Counts bytes before they are kept; throws what keeps them from being so. */
  hold?(bytes: number): void;
  refusalOf(fault: ReadFault): Error;
}

/** Reads a body. The rest of a refused one is discarded; its connection is to end with the answer. */
export async function readBody(
  request: IncomingMessage,
  { bytesMax, time, begin, hold, refusalOf }: ReadOptions,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw refusalOf('bytes');
  begin?.();
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const cancel = time?.clock.after(time.msMax, () => reject(time.late()));
  const chunks: Buffer[] = [];
  let bytes = 0;
  let hasEnded = false;
  const takeChunk = (chunk: Buffer) => {
    bytes += chunk.length;
    try {
      if (bytes > bytesMax) throw refusalOf('bytes');
      hold?.(chunk.length);
      chunks.push(chunk);
    } catch (error) {
      reject(error);
    }
  };
  const takeEnd = () => {
    hasEnded = true;
    resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  };
  const takeLoss = () => {
    // A request also closes after its body. An error that is not needed would cost as much as the rest.
    if (!hasEnded) reject(refusalOf('loss'));
  };
  request.on('data', takeChunk).on('end', takeEnd).on('error', takeLoss).on('close', takeLoss);
  try {
    return await promise;
  } finally {
    cancel?.();
    // Errors are still listened to, because they may come later.
    request.off('data', takeChunk).off('end', takeEnd).off('close', takeLoss);
    request.pause();
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** The text of a body that is to be JSON. */
export function bodyText(body: Buffer, refusalOf: (fault: 'syntax') => Error): string {
  try {
    // Many bodies are mostly base64, which takes a tenth of the time so.
    return isAscii(body) ? body.toString('latin1') : utf8.decode(body);
  } catch {
    throw refusalOf('syntax');
  }
}

interface JsonOptions {
  readonly bounds: JsonBounds;
  /** Parses a part of the text that is JSON by itself. */
  readonly parse?: (text: string) => unknown;
  refusalOf(fault: JsonFault): Error;
}

/** Parses a text in parts, and yields where other requests may run. */
export function* jsonInTurns(
  text: string,
  { bounds, parse = JSON.parse, refusalOf }: JsonOptions,
): Generator<'pause', unknown, undefined> {
  const reader = new JsonReader(text, { bounds, parse });
  try {
    while (!reader.advance(jsonStepsPerTurn)) yield 'pause';
  } catch (error) {
    throw error instanceof SyntaxError ? refusalOf('syntax') : error;
  }
  if (reader.broken === undefined) return reader.value;
  throw refusalOf(reader.broken === 'depthMax' ? 'depth' : 'values');
}

/** Runs to the end, with a pause wherever it yields. */
export async function withPauses<Output>(
  work: Generator<'pause', Output, undefined>,
  pause: () => Promise<void>,
): Promise<Output> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await pause();
  }
}
