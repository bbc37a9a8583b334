import type { ServerResponse } from 'node:http';
import type { Clock, Metrics } from '@weir/core';
import type { Route } from '@weir/http';
import { metricsRoutes, type Probed, probeRoutes } from '@weir/http';
import { type DebugEndpoints, debugRoutesOf } from '../debug/debug-endpoints.ts';
import { openApiDocument } from './openapi.ts';
import { openApiDefinition } from './openapi-definition.ts';

interface HttpRoutesOptions {
  readonly probed: Probed;
  /** Absent if the agent does not show them. */
  readonly metrics: Metrics | undefined;
  readonly clock: Clock;
  /** Absent until logins and rights are known. */
  readonly debug: () => DebugEndpoints | undefined;
}

/** What an agent serves on its HTTP port, besides records. */
export function httpRoutes({ probed, metrics, clock, debug }: HttpRoutesOptions): Route[] {
  return [
    ...probeRoutes(probed),
    ...(metrics === undefined ? [] : metricsRoutes(metrics, clock)),
    ...debugRoutesOf(debug),
    { ...openApiDefinition, handle: (_request, response) => sendDocument(response) },
  ];
}

let document: string | undefined;

/** The document is the same for every agent, and made when the first caller wants it. */
function sendDocument(response: ServerResponse): void {
  document ??= JSON.stringify(openApiDocument());
  response.writeHead(200, {
    'content-type': openApiDefinition.answer.types[0],
    'content-length': Buffer.byteLength(document),
  });
  response.end(document);
}
