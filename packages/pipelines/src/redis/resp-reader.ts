import { pipelineLimits } from '../limits.ts';

/** What Redis answers: texts are bytes, an error is a value. */
export type Reply = null | number | string | Buffer | RedisError | readonly Reply[];

/** Redis refused a command. */
export class RedisError extends Error {
  override readonly name = 'RedisError';
}

interface OpenList {
  readonly items: Reply[];
  left: number;
}

const { redisReplyBytesMax: bytesMax, redisReplyItemsMax: itemsMax } = pipelineLimits;
const lineBytesMax = 64 * 1024;
const depthMax = 16;
const carriageReturn = 13;

/** Cuts a stream of bytes into answers (RESP2). Throws if the server sends something else. */
export class RespReader {
  readonly #onReply: (reply: Reply) => void;
  readonly #chunks: Buffer[] = [];
  readonly #open: OpenList[] = [];
  #byteCount = 0;
  /** So many bytes are needed before it is worth to look again. */
  #needed = 0;
  /** Of the answer that is being read. */
  #items = 0;
  #bytes = 0;

  constructor(onReply: (reply: Reply) => void) {
    this.#onReply = onReply;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#byteCount += chunk.length;
    if (this.#byteCount < this.#needed) return;
    const buffer = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    let at = 0;
    this.#needed = 0;
    for (;;) {
      const next = this.#token(buffer, at);
      if (next === undefined) break;
      at = next;
    }
    const rest = buffer.subarray(at);
    this.#chunks.length = 0;
    if (rest.length > 0) this.#chunks.push(rest);
    this.#byteCount = rest.length;
  }

  /** Reads one token; where the next begins, or `undefined` if more bytes are needed. */
  #token(buffer: Buffer, at: number): number | undefined {
    const end = buffer.indexOf(carriageReturn, at);
    if (end < 0 || end + 1 >= buffer.length) {
      if (buffer.length - at > lineBytesMax)
        throw new Error('the answer of Redis has a line that is too long');
      return undefined;
    }
    const line = buffer.toString('utf8', at + 1, end);
    const next = end + 2;
    switch (String.fromCharCode(buffer[at]!)) {
      case '+':
        return this.#value(line, next);
      case '-':
        return this.#value(new RedisError(line), next);
      case ':':
        return this.#value(numberOf(line), next);
      case '$': {
        const length = numberOf(line);
        if (length < 0) return this.#value(null, next);
        this.#bytes += length;
        if (this.#bytes > bytesMax) throw new Error(`the answer of Redis has more than ${bytesMax} bytes`);
        if (buffer.length < next + length + 2) {
          this.#bytes -= length;
          this.#needed = next + length + 2 - at;
          return undefined;
        }
        return this.#value(Buffer.from(buffer.subarray(next, next + length)), next + length + 2);
      }
      case '*': {
        const count = numberOf(line);
        if (count < 0) return this.#value(null, next);
        if (count === 0) return this.#value([], next);
        this.#items += count;
        if (this.#items > itemsMax || this.#open.length >= depthMax)
          throw new Error(`the answer of Redis has more than ${itemsMax} items`);
        this.#open.push({ items: [], left: count });
        return next;
      }
      default:
        throw new Error('the server does not answer as Redis does');
    }
  }

  #value(value: Reply, next: number): number {
    let complete: Reply = value;
    for (let list = this.#open.at(-1); list !== undefined; list = this.#open.at(-1)) {
      list.items.push(complete);
      if (--list.left > 0) return next;
      complete = list.items;
      this.#open.pop();
    }
    this.#items = 0;
    this.#bytes = 0;
    this.#onReply(complete);
    return next;
  }
}

function numberOf(line: string): number {
  const number = Number(line);
  if (!/^-?\d{1,19}$/.test(line)) throw new Error('the server does not answer as Redis does');
  return number;
}
