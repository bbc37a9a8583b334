import type { IncomingMessage } from 'node:http';
import { brokenBound, type Clock } from '@weir/core';
import { registryLimits } from '@weir/registry';
import { agentLimits } from '../../limits.ts';
import { HttpProblem } from './http-problem.ts';
import { requireBodyType } from './media-types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads bodies, with limits on each and on all that are in memory. */
export class RequestBodies {
  readonly #clock: Clock;
  #heldBytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the JSON of a body and its size; an empty body is `undefined`. */
  async readJson(request: IncomingMessage): Promise<{ readonly value: unknown; readonly bytes: number }> {
    const { headers } = request;
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
      throw new HttpProblem(415, 'Send the body without a content-encoding.');
    if (Number(headers['content-length'] ?? 0) > registryLimits.registryRequestBytesMax) throw tooLarge();
    const body = await this.#read(request);
    if (body.length === 0) return { value: undefined, bytes: 0 };
    requireBodyType(headers['content-type']);
    return { value: jsonOf(body), bytes: body.length };
  }

  #read(request: IncomingMessage): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let bytes = 0;
    const { registryBodyMsMax, registryBodiesBytesMax } = agentLimits;
    const cancel = this.#clock.after(registryBodyMsMax, () =>
      reject(new HttpProblem(408, `The body did not arrive within ${registryBodyMsMax} ms.`)),
    );
    const takeChunk = (chunk: Buffer) => {
      bytes += chunk.length;
      this.#heldBytes += chunk.length;
      if (bytes > registryLimits.registryRequestBytesMax) reject(tooLarge());
      else if (this.#heldBytes > registryBodiesBytesMax) reject(overloaded());
      else chunks.push(chunk);
    };
    let hasEnded = false;
    const takeEnd = () => {
      hasEnded = true;
      resolve(Buffer.concat(chunks));
    };
    const takeLoss = () => {
      // A request also closes after its body. An error that is not needed would cost as much as the rest.
      if (!hasEnded) reject(new HttpProblem(400, 'The connection ended before the body.'));
    };
    request.on('data', takeChunk).on('end', takeEnd).on('error', takeLoss).on('close', takeLoss);
    return promise.finally(() => {
      cancel();
      request.off('data', takeChunk).off('end', takeEnd).off('close', takeLoss);
      // The rest of a refused body is discarded; the connection ends with the response.
      request.pause();
      this.#heldBytes -= bytes;
    });
  }
}

function tooLarge(): HttpProblem {
  return new HttpProblem(
    413,
    `The body has more than ${registryLimits.registryRequestBytesMax} bytes, the most that a request to the schema registry may have; split the schema and refer to its parts.`,
  );
}

export function overloaded(): HttpProblem {
  return new HttpProblem(503, 'The schema registry has too many requests at a time; try again.', {
    headers: { 'retry-after': '1' },
  });
}

function jsonOf(body: Buffer): unknown {
  const text = unlessUnreadable(() => utf8.decode(body));
  const bounds = {
    depthMax: agentLimits.registryRequestDepthMax,
    valuesMax: agentLimits.registryRequestValuesMax,
  };
  const broken = brokenBound(text, bounds);
  if (broken === 'depthMax')
    throw new HttpProblem(
      400,
      `The body has more than ${bounds.depthMax} lists and objects within each other.`,
    );
  if (broken === 'valuesMax')
    throw new HttpProblem(413, `The body has more than ${bounds.valuesMax} values.`);
  return unlessUnreadable(() => JSON.parse(text) as unknown);
}

/** Parser messages repeat the input, which may contain secrets of exporters. */
function unlessUnreadable<Found>(read: () => Found): Found {
  try {
    return read();
  } catch {
    throw new HttpProblem(400, 'The body is not JSON.');
  }
}
