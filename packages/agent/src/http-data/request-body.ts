import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { brokenBound, formatBytes, MemoryCounter } from '@weir/core';
import { HttpProblem } from '../http/http-problem.ts';
import { agentLimits } from '../limits.ts';
import { exactJson, mayBeInexact } from './exact-json.ts';

const unzip = promisify(gunzip);
const utf8 = new TextDecoder('utf-8', { fatal: true });
const { httpBodyBytesMax, httpBodiesBytesMax, httpBodyDepthMax, httpBodyValuesMax, httpExactBodyValuesMax } =
  agentLimits;

/** Reads JSON bodies of data requests, with limits on each and on all that are in memory. */
export class DataBodies {
  readonly #memory = new MemoryCounter(httpBodiesBytesMax);

  /**
   * Reads a body and passes it on as JSON. Its memory counts until `use` is done. An empty body is an empty object.
   */
  async withJson<Output>(
    request: IncomingMessage,
    { keepsNumbers = false }: { readonly keepsNumbers?: boolean },
    use: (body: unknown, bytes: number) => Promise<Output>,
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
      const body = await inflated(received, request.headers['content-encoding'], count);
      return await use(body.length === 0 ? {} : jsonOf(body, keepsNumbers), received.length);
    } finally {
      this.#memory.change(-counted);
    }
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
  const takeLoss = () => reject(new HttpProblem(400, 'The connection ended before the body.'));
  request.on('data', takeChunk).on('end', takeEnd).on('error', takeLoss).on('close', takeLoss);
  return promise.finally(() => {
    request.off('data', takeChunk).off('end', takeEnd).off('close', takeLoss);
    // The rest of a refused body is discarded; the connection ends with the answer.
    request.pause();
  });
}

async function inflated(
  body: Buffer,
  encoding: string | undefined,
  count: (bytes: number) => void,
): Promise<Buffer> {
  if (encoding === undefined || encoding === 'identity') return body;
  if (encoding !== 'gzip') throw new HttpProblem(415, 'Send the body as it is, or with gzip.');
  try {
    const output = await unzip(body, { maxOutputLength: httpBodyBytesMax });
    count(output.length);
    return output;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    throw new HttpProblem(400, 'The body is not gzip.');
  }
}

function jsonOf(body: Buffer, keepsNumbers: boolean): unknown {
  try {
    const text = utf8.decode(body);
    const isExact = keepsNumbers && mayBeInexact(text);
    const valuesMax = isExact ? httpExactBodyValuesMax : httpBodyValuesMax;
    const broken = brokenBound(text, { depthMax: httpBodyDepthMax, valuesMax });
    if (broken === undefined) return isExact ? exactJson(text) : (JSON.parse(text) as unknown);
    throw new HttpProblem(
      413,
      broken === 'depthMax'
        ? `The body has more than ${httpBodyDepthMax} lists and objects within each other.`
        : `The body has more than ${valuesMax} values; send fewer records at a time.`,
    );
  } catch (error) {
    if (error instanceof HttpProblem) throw error;
    // Messages of the parser repeat the input.
    throw new HttpProblem(400, 'The body is not JSON.');
  }
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
