import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { brokerLimits } from '@weir/broker';
import { formatBytes, type JsonBounds, MemoryCounter, Semaphore } from '@weir/core';
import {
  type BodyFault,
  bodyText,
  faultText,
  HttpProblem,
  type Inflate,
  inflatedBody,
  jsonInTurns,
  readBody,
  withPauses,
} from '@weir/http';
import { decompressOffThread, OutputLimitExceeded } from '@weir/wire';
import { gatewayLimits } from '../limits.ts';
import { exactJson, mayBeInexact } from './exact-json.ts';

const {
  httpBodyBytesMax,
  httpLargeBodyBytesMin,
  httpBodiesBytesMax,
  httpBodyDepthMax,
  httpBodyValuesMax,
  httpExactBodyValuesMax,
} = gatewayLimits;

const advice = '; send fewer records at a time';
const usualBounds: JsonBounds = { depthMax: httpBodyDepthMax, valuesMax: httpBodyValuesMax };

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
    const pause = () => this.#turn();
    return this.withBytes(request, { admit }, async (body, bytes, countBytes) => {
      const json = body.length === 0 ? {} : await withPauses(dataJson(body, { keepsNumbers }), pause);
      return use(json, bytes, countBytes);
    });
  }

  /** Reads a body and passes it on inflated. Its memory counts until `use` is done. */
  async withBytes<Output>(
    request: IncomingMessage,
    { encodingsIn = ({ 'content-encoding': given }) => given, admit }: BytesOptions,
    use: UseBody<Buffer, Output>,
  ): Promise<Output> {
    let counted = 0;
    const count = (bytes: number) => {
      counted += bytes;
      this.#memory.change(bytes);
    };
    try {
      const received = await readBody(request, {
        bytesMax: httpBodyBytesMax,
        begin: () => this.#refuseIfFull(),
        hold: count,
        refusalOf,
      });
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
      this.#refuseIfFull();
      const body = await inflatedBody(received, encodings, {
        bytesMax: httpBodyBytesMax,
        others: { snappy: inflateSnappy },
      });
      if (body === undefined) throw refusalOf('bytes');
      if (body !== received) count(body.length);
      return body;
    });
  }

  #refuseIfFull(): void {
    if (this.#memory.isFull) throw overloaded();
  }
}

/** One block, as Prometheus and Loki send it, between the parts of which it cannot pause. */
export const inflateSnappy: Inflate = (body, bytesMax) =>
  decompressOffThread('snappy', body, bytesMax, { pause: async () => undefined }).catch((error: unknown) => {
    if (error instanceof OutputLimitExceeded) return undefined;
    throw error;
  });

interface JsonOptions {
  readonly keepsNumbers?: boolean;
  readonly depthMax?: number;
}

/**
 * Parses a body in parts, and yields where other requests may run. Throws an `HttpProblem` for what is no JSON, or has
 * more depth or values than a body may have.
 */
export function* dataJson(
  body: Buffer,
  { keepsNumbers = false, depthMax = httpBodyDepthMax }: JsonOptions = {},
): Generator<'pause', unknown, undefined> {
  const text = bodyText(body, refusalOf);
  const isExact = keepsNumbers && mayBeInexact(text);
  const bounds = { depthMax, valuesMax: isExact ? httpExactBodyValuesMax : httpBodyValuesMax };
  return yield* jsonInTurns(text, {
    bounds,
    ...(isExact ? { parse: exactJson } : {}),
    refusalOf: (fault) => refusalOf(fault, bounds),
  });
}

function refusalOf(fault: BodyFault, bounds = usualBounds): HttpProblem {
  const status = fault === 'loss' || fault === 'syntax' ? 400 : 413;
  const size = `${formatBytes(httpBodyBytesMax)}${advice}`;
  return new HttpProblem(status, faultText(fault, { ...bounds, size, valuesAdvice: advice }));
}

export function overloaded(): HttpProblem {
  return new HttpProblem(503, 'The agent has too many HTTP requests at a time; try again.', {
    headers: { 'retry-after': '1' },
  });
}
