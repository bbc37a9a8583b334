import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { ApiError, parseJson } from '@weir/api';
import { apiLimits } from '@weir/api/limits';
import {
  type Clock,
  type JsonBounds,
  jsonStepsPerTurn,
  type MetricRow,
  type Metrics,
  nextTurn,
} from '@weir/core';
import { type BodyFault, bodyText, faultText, jsonInTurns, readBody, withPauses } from '@weir/http';
import { mcpLimits } from '@weir/mcp/limits';
import { controlPlaneLimits } from '../limits.ts';
import { DuplicateKeySearch } from './duplicate-key.ts';

/** Bounds of a request body. */
interface BodyBounds extends JsonBounds {
  readonly bytesMax: number;
}

/** For authenticated callers. */
export const usualBody: BodyBounds = {
  bytesMax: apiLimits.apiRequestBytesMax,
  depthMax: apiLimits.apiRequestDepthMax,
  valuesMax: apiLimits.apiRequestValuesMax,
};

/** For unauthenticated callers: parsing takes microseconds, so repetition is harmless. */
export const publicBody: BodyBounds = {
  bytesMax: controlPlaneLimits.apiPublicRequestBytesMax,
  depthMax: controlPlaneLimits.apiPublicRequestDepthMax,
  valuesMax: controlPlaneLimits.apiPublicRequestValuesMax,
};

export const refusedBodiesRow: MetricRow<'reason'> = {
  name: 'api_refused_bodies_total',
  kind: 'counter',
  help: 'Bodies of calls of the API that were refused before an operation saw them: bytes, depth, values, syntax, names or media_type.',
  labels: ['reason'],
};

type RefusedFor = 'bytes' | 'depth' | 'values' | 'syntax' | 'names' | 'media_type';

/** A refused body, with the reason. */
class RefusedBody extends ApiError {
  readonly reason: RefusedFor;

  constructor(reason: RefusedFor, ...error: ConstructorParameters<typeof ApiError>) {
    super(...error);
    this.reason = reason;
  }
}

interface RequestBodiesOptions {
  readonly clock: Clock;
  readonly metrics: Metrics;
}

/** The whole body must arrive within this time. */
const bodyMsMax = mcpLimits.apiBodyMsMax;

/** Reads request bodies, with a limit on the total bytes in memory. */
export class RequestBodies {
  readonly #clock: Clock;
  readonly #metrics: Metrics;
  #heldBytes = 0;

  constructor({ clock, metrics }: RequestBodiesOptions) {
    this.#clock = clock;
    this.#metrics = metrics;
  }

  /** Returns the JSON of a body, or `undefined` for an empty one. */
  async readJson(request: IncomingMessage, bounds: BodyBounds): Promise<unknown> {
    try {
      requireJson(request.headers);
      const body = await this.#read(request, bounds);
      const pause = () => nextTurn(this.#clock);
      return body.length === 0 ? undefined : await jsonOf(body, bounds, pause);
    } catch (error) {
      if (error instanceof RefusedBody)
        this.#metrics.series(refusedBodiesRow, { reason: error.reason }).add(1);
      throw error;
    }
  }

  async #read(request: IncomingMessage, bounds: BodyBounds): Promise<Buffer> {
    let held = 0;
    try {
      return await readBody(request, {
        bytesMax: bounds.bytesMax,
        time: { clock: this.#clock, msMax: bodyMsMax, late },
        hold: (bytes) => {
          held += bytes;
          this.#heldBytes += bytes;
          if (this.#heldBytes > controlPlaneLimits.apiBodiesBytesMax) throw new ApiError('unavailable');
        },
        refusalOf: refusalsBy(bounds),
      });
    } finally {
      this.#heldBytes -= held;
    }
  }
}

function requireJson(headers: IncomingHttpHeaders): void {
  if (headers['content-encoding'] !== undefined)
    throw new RefusedBody(
      'media_type',
      'unsupported_media_type',
      'Send the body without a content-encoding.',
    );
  if (hasBody(headers) && !isJson(headers)) throw new RefusedBody('media_type', 'unsupported_media_type');
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether the content type is JSON, which a form of another site cannot send. */
export function isJson(headers: IncomingHttpHeaders): boolean {
  return /^application\/json[\t ]*(?:;[\t ]*charset="?utf-8"?[\t ]*)?$/i.test(headers['content-type'] ?? '');
}

function late(): ApiError {
  return new ApiError('invalid_request', `The body did not arrive within ${bodyMsMax} ms.`);
}

function refusalsBy(bounds: BodyBounds): (fault: BodyFault) => ApiError {
  return (fault) => {
    if (fault === 'loss') return new ApiError('context_canceled');
    const code = fault === 'bytes' || fault === 'values' ? 'payload_too_large' : 'invalid_request';
    return new RefusedBody(fault, code, faultText(fault, { ...bounds, size: `${bounds.bytesMax} bytes` }));
  };
}

/** Parses in turns: a body of names that all differ takes long. */
async function jsonOf(body: Buffer, bounds: BodyBounds, pause: () => Promise<void>): Promise<unknown> {
  const refusalOf = refusalsBy(bounds);
  const text = bodyText(body, refusalOf);
  const value = await withPauses(jsonInTurns(text, { bounds, parse: parseJson, refusalOf }), pause);
  const namesMax = apiLimits.apiObjectNamesMax;
  const names = new DuplicateKeySearch(text, { namesMax });
  while (!names.advance(jsonStepsPerTurn)) await pause();
  if (names.hasTooMany)
    throw new RefusedBody(
      'names',
      'payload_too_large',
      `An object of the body has more than ${namesMax} names.`,
    );
  if (names.found !== undefined)
    throw new RefusedBody(
      'names',
      'invalid_request',
      `${JSON.stringify(names.found.slice(0, 64))} is given twice`,
    );
  return value;
}
