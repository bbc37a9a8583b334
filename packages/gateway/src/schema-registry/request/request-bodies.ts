import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, nextTurn } from '@weir/core';
import {
  type BodyFault,
  bodyText,
  FairShare,
  faultText,
  HttpProblem,
  jsonInTurns,
  readBody,
  withPauses,
} from '@weir/http';
import { registryLimits } from '@weir/registry';
import { gatewayLimits } from '../../limits.ts';
import { requireBodyType } from './media-types.ts';

const { registryRequestBytesMax } = registryLimits;
const { registryBodiesBytesMax, registryBodyMsMax } = gatewayLimits;
const size = `${registryRequestBytesMax} bytes, the most that a request to the schema registry may have; split the schema and refer to its parts`;
const bounds = {
  depthMax: gatewayLimits.registryRequestDepthMax,
  valuesMax: gatewayLimits.registryRequestValuesMax,
};

/** A body, which counts until its request has ended. */
interface ReadBody {
  /** `undefined` if the body is empty. */
  readonly value: unknown;
  readonly bytes: number;
}

/** Reads bodies, with limits on each and on those of all requests that run. */
export class RequestBodies {
  readonly #clock: Clock;
  readonly #memory = new FairShare(registryBodiesBytesMax);

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
      const body = await readBody(request, {
        bytesMax: registryRequestBytesMax,
        time: { clock: this.#clock, msMax: registryBodyMsMax, late },
        begin: () => {
          if (headers.expect !== undefined) response.writeContinue();
        },
        hold,
        refusalOf,
      });
      if (body.length === 0) return { value: undefined, bytes: 0, release };
      requireBodyType(headers['content-type']);
      // Parsed in parts, between requests of others.
      const pause = () => nextTurn(this.#clock);
      const reading = jsonInTurns(bodyText(body, refusalOf), { bounds, refusalOf });
      return { value: await withPauses(reading, pause), bytes: body.length, release };
    } catch (error) {
      release();
      throw error;
    }
  }
}

function late(): HttpProblem {
  return new HttpProblem(408, `The body did not arrive within ${registryBodyMsMax} ms.`);
}

function refusalOf(fault: BodyFault): HttpProblem {
  const status = fault === 'bytes' || fault === 'values' ? 413 : 400;
  return new HttpProblem(status, faultText(fault, { ...bounds, size }));
}

export function overloaded(): HttpProblem {
  return new HttpProblem(503, 'The schema registry is serving too many requests; try again.', {
    headers: { 'retry-after': '1' },
  });
}
