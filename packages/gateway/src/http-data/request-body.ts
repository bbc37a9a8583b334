import { isAscii } from 'node:buffer';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { brokerLimits } from '@weir/broker';
import { formatBytes, JsonReader, jsonStepsPerTurn, MemoryCounter, Semaphore } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { gatewayLimits } from '../limits.ts';
import { exactJson, mayBeInexact } from './exact-json.ts';
import { inflatedBody } from './inflated-body.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });
const {
  httpBodyBytesMax,
  httpLargeBodyBytesMin,
  httpBodiesBytesMax,
  httpBodyDepthMax,
  httpBodyValuesMax,
  httpExactBodyValuesMax,
} = gatewayLimits;

/**
 * Receives a body, its size as received or, if that is more, as inflated, and a function that counts further memory
 * until it is done.
 */
type UseBody<Body, Output> = (
  body: Body,
  bytes: number,
  countBytes: (bytes: number) => void,
) => Promise<Output>;

interface BytesOptions {
  /** Called before a body is inflated and parsed; throws what keeps it from being used. */
  readonly admit?: (() => void) | undefined;
  /** The encodings of the body, where `Content-Encoding` does not say all. */
  encodingsIn?(headers: IncomingHttpHeaders): string | undefined;
}

/** Reads bodies of data requests, with limits on each and on all that are in memory. */
export class DataBodies {
  readonly #memory = new MemoryCounter(httpBodiesBytesMax);
  /** What the bodies that inflate now will take is not known yet, so that there are few. */
  readonly #inflations = new Semaphore({ permits: brokerLimits.offThreadInflationsMax });
  /** Yields to other work. */
  readonly #pause: () => Promise<void>;
  #lastTurn: Promise<void> = Promise.resolve();

  constructor(pause: () => Promise<void>) {
    this.#pause = pause;
  }

  /**
   * Reads a body and passes it on as JSON. Its memory counts until `use` is done. An empty body is an empty object.
   */
  withJson<Output>(
    request: IncomingMessage,
    { keepsNumbers = false, admit }: { readonly keepsNumbers?: boolean } & Pick<BytesOptions, 'admit'>,
    use: UseBody<unknown, Output>,
  ): Promise<Output> {
    return this.withBytes(request, { admit }, async (body, bytes, countBytes) =>
      use(body.length === 0 ? {} : await this.#json(body, keepsNumbers), bytes, countBytes),
    );
  }

  async #json(body: Buffer, keepsNumbers: boolean): Promise<unknown> {
    const reading = jsonInTurns(body, { keepsNumbers });
    for (;;) {
      const { done, value } = reading.next();
      if (done === true) return value;
      await this.#turn();
    }
  }

  /** Reads a body and passes it on inflated. Its memory counts until `use` is done. */
  async withBytes<Output>(
    request: IncomingMessage,
    { encodingsIn = ({ 'content-encoding': given }) => given, admit }: BytesOptions,
    use: UseBody<Buffer, Output>,
  ): Promise<Output> {
    const declared = Number(request.headers['content-length'] ?? 0);
    if (declared > httpBodyBytesMax) throw tooLarge();
    if (this.#memory.isFull) throw overloaded();
    let counted = 0;
    const count = (bytes: number) => {
      counted += bytes;
      this.#memory.change(bytes);
    };
    try {
      const received = await read(request, count);
      admit?.();
      const encodings = encodingsIn(request.headers);
      const body = encodings === undefined ? received : await this.#inflated(received, encodings, count);
      if (body.length >= httpLargeBodyBytesMin) await this.#turn();
      return await use(body, Math.max(received.length, body.length), count);
    } finally {
      this.#memory.change(-counted);
    }
  }

  /** Parsing a large body takes the serving thread milliseconds, so that other work is done between two of them. */
  #turn(): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(this.#pause);
    return this.#lastTurn;
  }

  #inflated(received: Buffer, encodings: string, count: (bytes: number) => void): Promise<Buffer> {
    return this.#inflations.run(async () => {
      // Many small bodies may have become large ones meanwhile.
      if (this.#memory.isFull) throw overloaded();
      const body = await inflatedBody(received, encodings, httpBodyBytesMax);
      if (body === undefined) throw tooLarge();
      if (body !== received) count(body.length);
      return body;
    });
  }
}

function read(request: IncomingMessage, count: (bytes: number) => void): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let bytes = 0;
  const takeChunk = (chunk: Buffer) => {
    bytes += chunk.length;
    count(chunk.length);
    if (bytes > httpBodyBytesMax) reject(tooLarge());
    else chunks.push(chunk);
  };
  const takeEnd = () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
  const takeLoss = () => {
    // Every request is closed in the end.
    if (!request.complete) reject(new HttpProblem(400, 'The connection ended before the body.'));
  };
  request.on('data', takeChunk).on('end', takeEnd).on('error', takeLoss).on('close', takeLoss);
  return promise.finally(() => {
    request.off('data', takeChunk).off('end', takeEnd).off('close', takeLoss);
    // The rest of a refused body is discarded; the connection ends with the answer.
    request.pause();
  });
}

interface JsonOptions {
  readonly keepsNumbers?: boolean;
  readonly depthMax?: number;
}

/**
 * Parses a body in parts, and yields where other requests may run. Throws an `HttpProblem` for what is no JSON, or has
 * more depth or values than a body may have.
 */
export function* jsonInTurns(
  body: Buffer,
  { keepsNumbers = false, depthMax = httpBodyDepthMax }: JsonOptions = {},
): Generator<undefined, unknown, undefined> {
  const text = textOf(body);
  const isExact = keepsNumbers && mayBeInexact(text);
  const valuesMax = isExact ? httpExactBodyValuesMax : httpBodyValuesMax;
  const reader = new JsonReader(text, {
    bounds: { depthMax, valuesMax },
    ...(isExact ? { parse: exactJson } : {}),
  });
  try {
    while (!reader.advance(jsonStepsPerTurn)) yield;
  } catch (error) {
    throw error instanceof SyntaxError ? notJson() : error;
  }
  if (reader.broken === undefined) return reader.value;
  throw new HttpProblem(
    413,
    reader.broken === 'depthMax'
      ? `The body has more than ${depthMax} lists and objects within each other.`
      : `The body has more than ${valuesMax} values; send fewer records at a time.`,
  );
}

function textOf(body: Buffer): string {
  try {
    // Bodies are mostly base64, which takes a tenth of the time so.
    return isAscii(body) ? body.toString('latin1') : utf8.decode(body);
  } catch {
    throw notJson();
  }
}

/** Messages of the parser repeat the input. */
function notJson(): HttpProblem {
  return new HttpProblem(400, 'The body is not JSON.');
}

function tooLarge(): HttpProblem {
  return new HttpProblem(
    413,
    `The body has more than ${formatBytes(httpBodyBytesMax)}; send fewer records at a time.`,
  );
}

export function overloaded(): HttpProblem {
  return new HttpProblem(503, 'The agent has too many HTTP requests at a time; try again.', {
    headers: { 'retry-after': '1' },
  });
}
