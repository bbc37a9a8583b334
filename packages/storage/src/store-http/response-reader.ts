import { HttpProtocolError, parseResponseHead, type ResponseHead } from '@weir/http/client';
import { storageLimits } from '../limits.ts';
import type { ReadMemory } from '../store/object-store.ts';

export interface HttpResponse extends Pick<ResponseHead, 'status' | 'headers'> {
  readonly body: Buffer;
}

export function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}

interface ResponseReaderOptions {
  /** Responses to HEAD have no body, whatever their headers say. */
  readonly method: string;
  /** Limit on the body of a successful response. */
  readonly bodyBytesMax: number;
  /** Memory for that body, if its length is announced. */
  readonly memory?: ReadMemory | undefined;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
/** A chunk's size in hex, with room for an extension. */
const chunkLineBytesMax = 1024;

/** Assembles one HTTP/1.1 response from the chunks of a socket. */
export class ResponseReader {
  readonly #options: ResponseReaderOptions;
  /** Bytes that are not parsed yet: a head, or the line before a chunk. */
  #pending: Buffer = Buffer.alloc(0);
  #phase: 'head' | 'fixed' | 'chunkSize' | 'chunk' | 'chunkEnd' | 'trailer' | 'untilClose' | 'done' = 'head';
  #status = 0;
  #headers: ReadonlyMap<string, string> = new Map();
  #body: Buffer = Buffer.alloc(0);
  #bodyBytes = 0;
  #bytesLeft = 0;
  #isReusable = false;

  constructor(options: ResponseReaderOptions) {
    this.#options = options;
  }

  /** The response, once it is complete. */
  get response(): HttpResponse | undefined {
    if (this.#phase !== 'done') return undefined;
    return { status: this.#status, headers: this.#headers, body: this.#body };
  }

  /** Whether the connection may carry another request. */
  get isReusable(): boolean {
    return this.#isReusable;
  }

  push(chunk: Buffer): void {
    let left = chunk;
    while (left.length > 0) {
      if (this.#phase === 'done') {
        // Bytes that answer no request: the following bytes cannot be trusted.
        this.#isReusable = false;
        return;
      }
      left = this.#take(left);
    }
  }

  /** The server closed the connection. Some bodies are complete only then. */
  end(): void {
    if (this.#phase === 'untilClose') this.#finish();
  }

  /** Consumes the front of the input, and returns the rest. */
  #take(chunk: Buffer): Buffer {
    switch (this.#phase) {
      case 'head':
        return this.#upTo(headEnd, storageLimits.storeResponseHeadBytesMax, chunk, (head) =>
          this.#readHead(head),
        );
      case 'fixed': {
        const used = Math.min(this.#bytesLeft, chunk.length);
        chunk.copy(this.#body, this.#bodyBytes, 0, used);
        this.#bodyBytes += used;
        this.#bytesLeft -= used;
        if (this.#bytesLeft === 0) this.#finish();
        return chunk.subarray(used);
      }
      case 'chunkSize':
        return this.#upTo(lineEnd, chunkLineBytesMax, chunk, (line) => {
          const size = /^([\da-f]{1,8})\s*(?:;.*)?$/i.exec(line)?.[1];
          if (size === undefined) throw new HttpProtocolError('a chunk without its size');
          this.#bytesLeft = Number.parseInt(size, 16);
          this.#phase = this.#bytesLeft === 0 ? 'trailer' : 'chunk';
        });
      case 'chunk': {
        const used = Math.min(this.#bytesLeft, chunk.length);
        this.#keep(chunk.subarray(0, used));
        this.#bytesLeft -= used;
        if (this.#bytesLeft === 0) this.#phase = 'chunkEnd';
        return chunk.subarray(used);
      }
      case 'chunkEnd':
        return this.#upTo(lineEnd, lineEnd.length, chunk, () => {
          this.#phase = 'chunkSize';
        });
      case 'trailer':
        return this.#upTo(lineEnd, storageLimits.storeResponseHeadBytesMax, chunk, (line) => {
          if (line === '') this.#finish();
        });
      case 'untilClose':
        this.#keep(chunk);
        return chunk.subarray(chunk.length);
      case 'done':
        return chunk;
    }
  }

  /** Collects bytes up to the mark, which may be split between chunks. */
  #upTo(mark: Buffer, bytesMax: number, chunk: Buffer, found: (text: string) => void): Buffer {
    const before = this.#pending.length;
    const pending = before === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const at = pending.indexOf(mark, Math.max(0, before - mark.length + 1));
    if (at < 0 ? pending.length >= bytesMax : at + mark.length > bytesMax) {
      throw new HttpProtocolError(`more than ${bytesMax} bytes where a line or a head ends`);
    }
    if (at < 0) {
      this.#pending = before === 0 ? Buffer.from(chunk) : pending;
      return chunk.subarray(chunk.length);
    }
    this.#pending = Buffer.alloc(0);
    found(pending.toString('latin1', 0, at));
    return chunk.subarray(at + mark.length - before);
  }

  #readHead(head: string): void {
    const { status, headers, isReusable } = parseResponseHead(head);
    this.#status = status;
    // 100 Continue and similar come before the response.
    if (status < 200) return;
    this.#headers = headers;
    this.#isReusable = isReusable;
    this.#beginBody(headers);
  }

  #beginBody(headers: ReadonlyMap<string, string>): void {
    const hasNoBody = this.#options.method === 'HEAD' || this.#status === 204 || this.#status === 304;
    const length = headers.get('content-length');
    if (hasNoBody) {
      this.#finish();
    } else if (headers.has('transfer-encoding')) {
      if (headers.get('transfer-encoding')!.toLowerCase() !== 'chunked') {
        throw new HttpProtocolError('a transfer encoding that is not chunked');
      }
      this.#phase = 'chunkSize';
    } else if (length === undefined) {
      this.#isReusable = false;
      this.#phase = 'untilClose';
    } else {
      if (!/^\d{1,15}$/.test(length)) throw new HttpProtocolError('the content length is not a number');
      this.#bytesLeft = Number(length);
      this.#checkBody(this.#bytesLeft);
      const { memory } = this.#options;
      const isGiven = memory !== undefined && this.#status < 300;
      this.#body = isGiven ? memory(this.#bytesLeft) : Buffer.allocUnsafe(this.#bytesLeft);
      this.#phase = 'fixed';
      if (this.#bytesLeft === 0) this.#finish();
    }
  }

  #keep(part: Buffer): void {
    this.#bodyBytes += part.length;
    this.#checkBody(this.#bodyBytes);
    const start = this.#bodyBytes - part.length;
    if (this.#bodyBytes > this.#body.length) {
      // Not a list of parts: a server that sends chunks of a byte would make each of them an object.
      const larger = Buffer.allocUnsafe(Math.max(this.#bodyBytes, 2 * this.#body.length));
      this.#body.copy(larger, 0, 0, start);
      this.#body = larger;
    }
    part.copy(this.#body, start);
  }

  #checkBody(bytes: number): void {
    const isSuccess = this.#status < 300;
    const bytesMax = isSuccess ? this.#options.bodyBytesMax : storageLimits.storeErrorBodyBytesMax;
    if (bytes > bytesMax) throw new HttpProtocolError(`a body of more than ${bytesMax} bytes`);
  }

  #finish(): void {
    if (this.#body.length > this.#bodyBytes) this.#body = this.#body.subarray(0, this.#bodyBytes);
    this.#phase = 'done';
  }
}
