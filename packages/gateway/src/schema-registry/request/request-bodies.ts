import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, JsonReader, jsonStepsPerTurn } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { registryLimits } from '@weir/registry';
import { gatewayLimits } from '../../limits.ts';
import { FairShare } from '../fair-share.ts';
import { requireBodyType } from './media-types.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** A body, which counts until its request has ended. */
interface ReadBody {
  /** `undefined` if the body is empty. */
  readonly value: unknown;
  readonly bytes: number;
}

/** Reads bodies, with limits on each and on those of all requests that run. */
export class RequestBodies {
  readonly #clock: Clock;
  readonly #memory = new FairShare(gatewayLimits.registryBodiesBytesMax);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Returns the JSON of a body. Its bytes, read or not, count for the client until `release`. */
  async readJson(
    request: IncomingMessage,
    response: ServerResponse,
    client: string,
  ): Promise<ReadBody & { release(): void }> {
    const { headers } = request;
    if (headers['content-encoding'] !== undefined && headers['content-encoding'] !== 'identity')
      throw new HttpProblem(415, 'Send the body without a content-encoding.');
    if (Number(headers['content-length'] ?? 0) > registryLimits.registryRequestBytesMax) throw tooLarge();
    let held = 0;
    const release = () => {
      this.#memory.giveBack(client, held);
      held = 0;
    };
    const hold = (bytes: number) => {
      if (!this.#memory.take(client, bytes)) throw overloaded();
      held += bytes;
    };
    try {
      if (headers.expect !== undefined) response.writeContinue();
      const body = await this.#read(request, hold);
      if (body.length === 0) return { value: undefined, bytes: 0, release };
      requireBodyType(headers['content-type']);
      return { value: await this.#json(body), bytes: body.length, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Parses in parts, between requests of others. */
  async #json(body: Buffer): Promise<unknown> {
    const bounds = {
      depthMax: gatewayLimits.registryRequestDepthMax,
      valuesMax: gatewayLimits.registryRequestValuesMax,
    };
    const reader = new JsonReader(
      unlessUnreadable(() => utf8.decode(body)),
      { bounds },
    );
    while (!unlessUnreadable(() => reader.advance(jsonStepsPerTurn)))
      await new Promise<void>((resolve) => void this.#clock.after(0, resolve));
    if (reader.broken === 'depthMax')
      throw new HttpProblem(
        400,
        `The body has more than ${bounds.depthMax} lists and objects within each other.`,
      );
    if (reader.broken === 'valuesMax')
      throw new HttpProblem(413, `The body has more than ${bounds.valuesMax} values.`);
    return reader.value;
  }

  #read(request: IncomingMessage, hold: (bytes: number) => void): Promise<Buffer> {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    const chunks: Buffer[] = [];
    let bytes = 0;
    const { registryBodyMsMax } = gatewayLimits;
    const cancel = this.#clock.after(registryBodyMsMax, () =>
      reject(new HttpProblem(408, `The body did not arrive within ${registryBodyMsMax} ms.`)),
    );
    const takeChunk = (chunk: Buffer) => {
      bytes += chunk.length;
      try {
        if (bytes > registryLimits.registryRequestBytesMax) throw tooLarge();
        hold(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        reject(error);
      }
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

/** Parser messages repeat the input, which may contain secrets of exporters. */
function unlessUnreadable<Found>(read: () => Found): Found {
  try {
    return read();
  } catch {
    throw new HttpProblem(400, 'The body is not JSON.');
  }
}
