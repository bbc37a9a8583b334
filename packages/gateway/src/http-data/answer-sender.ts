import type { ServerResponse } from 'node:http';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createGzip, createZstdCompress } from 'node:zlib';
import type { AnswerMemory } from '@weir/broker';
import { type AnswerEncoding, drained, preferredEncoding } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import type { WholeAnswer } from './data-route.ts';
import { overloaded } from './request-body.ts';

/** An answer is JSON, as a whole or in pieces, unless it says what it is. */
type Answer = Promise<string | WholeAnswer> | AsyncIterable<string>;

/** Text that is passed to a connection at a time. */
const pieceChars = 64 * 1024;

/** Levels of the least work: the serving of Kafka clients shares the processors. */
const compressors: Readonly<Record<AnswerEncoding, () => Transform>> = {
  zstd: () => createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  gzip: () => createGzip({ level: 1 }),
  br: () =>
    createBrotliCompress({
      params: { [constants.BROTLI_PARAM_QUALITY]: 1, [constants.BROTLI_PARAM_LGWIN]: 18 },
    }),
};

/** A stream that compresses what is written to it into a response. */
interface Compression {
  readonly input: Transform;
  /** Resolves when the response has all, or has failed. */
  readonly sent: Promise<void>;
}

/** Sends answers as fast as clients read them, compressed if they accept it. */
export class AnswerSender {
  readonly #memory: AnswerMemory;
  readonly #compressionsMax: number;
  #compressions = 0;

  constructor(memory: AnswerMemory, compressionsMax: number = gatewayLimits.httpCompressedAnswersMax) {
    this.#memory = memory;
    this.#compressionsMax = compressionsMax;
  }

  /** Resolves when the connection has taken all, or the client has left. */
  async send(response: ServerResponse, answer: Answer, acceptEncoding: string | undefined): Promise<void> {
    const encoding = preferredEncoding(acceptEncoding);
    response.setHeader('vary', 'accept-encoding');
    if (Symbol.asyncIterator in answer) return await this.#sendPieces(response, answer, encoding);
    const text = await answer;
    if (typeof text !== 'string') sendWhole(response, text);
    else if (text.length < gatewayLimits.httpCompressedCharsMin) sendJson(response, 200, text);
    else await this.#sendText(response, text, encoding);
  }

  /** A long text counts until the client has read it, and is passed to the connection as fast as that is. */
  async #sendText(
    response: ServerResponse,
    text: string,
    encoding: AnswerEncoding | undefined,
  ): Promise<void> {
    if (text.length <= pieceChars) {
      if (encoding === undefined) sendJson(response, 200, text);
      else await this.#sendPieces(response, [text], encoding);
      return;
    }
    if (this.#memory.isFull) throw overloaded();
    this.#memory.change(text.length);
    try {
      await this.#sendPieces(response, slicesOf(text), encoding);
    } finally {
      this.#memory.change(-text.length);
    }
  }

  async #sendPieces(
    response: ServerResponse,
    pieces: AsyncIterable<string> | Iterable<string>,
    encoding: AnswerEncoding | undefined,
  ): Promise<void> {
    let compression: Compression | undefined;
    let isBegun = false;
    try {
      for await (const piece of pieces) {
        if (response.destroyed) return;
        if (!isBegun) {
          // A short piece is the only one.
          if (encoding !== undefined && piece.length >= gatewayLimits.httpCompressedCharsMin)
            compression = this.#compress(response, encoding);
          begin(response, 200);
          isBegun = true;
        }
        const target = compression?.input ?? response;
        if (target.write(piece)) continue;
        this.#memory.change(piece.length);
        await drained(target);
        this.#memory.change(-piece.length);
      }
      if (compression === undefined) response.end();
      else {
        compression.input.end();
        await compression.sent;
      }
    } finally {
      if (compression !== undefined) {
        this.#compressions--;
        compression.input.destroy();
      }
    }
  }

  /** Returns nothing if so many answers are being compressed that further ones are sent as they are. */
  #compress(response: ServerResponse, encoding: AnswerEncoding): Compression | undefined {
    if (this.#compressions >= this.#compressionsMax) return undefined;
    this.#compressions++;
    response.setHeader('content-encoding', encoding);
    const input = compressors[encoding]();
    // Fails if the client has left, of which the response is proof enough.
    const sent = pipeline(input, response).catch(() => undefined);
    return { input, sent };
  }
}

/** Slices of a text, none of which ends within a character. */
function* slicesOf(text: string): Generator<string, void, undefined> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(text.length, from + pieceChars);
    const last = text.charCodeAt(to - 1);
    if (to < text.length && last >= 0xd800 && last <= 0xdbff) to--;
    yield text.slice(from, to);
    from = to;
  }
}

export function sendJson(response: ServerResponse, status: number, text: string): void {
  if (response.destroyed) return;
  response.setHeader('content-length', Buffer.byteLength(text));
  begin(response, status);
  response.end(text);
}

export function sendWhole(response: ServerResponse, { status, contentType, body }: WholeAnswer): void {
  if (response.destroyed) return;
  response.setHeader('cache-control', 'no-store');
  if (contentType === undefined) response.removeHeader('content-type');
  else response.setHeader('content-type', contentType).setHeader('content-length', Buffer.byteLength(body));
  response.writeHead(status);
  response.end(body);
}

function begin(response: ServerResponse, status: number): void {
  if (!response.hasHeader('content-type')) response.setHeader('content-type', 'application/json');
  response.setHeader('cache-control', 'no-store');
  response.writeHead(status);
}
