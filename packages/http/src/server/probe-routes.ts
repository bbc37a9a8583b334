import type { Clock, Metrics } from '@weir/core';
import { plain, type Route } from './http-server.ts';
import { metricsDefinition, readyDefinition, statusDefinition } from './probe-definitions.ts';

export interface Probed {
  /** Whether the agent has ever served. */
  readonly hasStarted: boolean;
  /** Why the agent is not ready, as everyone may know it. */
  problem(): { readonly reason: string } | undefined;
  /** What it cannot do although it is ready. */
  limitation?(): string | undefined;
}

/**
 * `/v1/status` is liveness: killing an agent that has started does not help, so it stays `OK` while the agent drains or
 * its bucket is away. `/v1/ready` is readiness: whether clients should be sent here.
 */
export function probeRoutes(probed: Probed): Route[] {
  return [
    {
      ...statusDefinition,
      handle(_request, response) {
        if (probed.hasStarted) plain(response, 200, 'OK');
        else plain(response, 503, 'starting');
      },
    },
    {
      ...readyDefinition,
      handle(_request, response) {
        const problem = probed.problem();
        const limitation = probed.limitation?.();
        if (problem === undefined)
          plain(response, 200, limitation === undefined ? 'OK' : `OK: ${limitation}`);
        else plain(response, 503, `not ready: ${problem.reason}`);
      },
    },
  ];
}

export function metricsRoutes(metrics: Metrics, clock: Clock): Route[] {
  return [
    {
      ...metricsDefinition,
      handle(_request, response) {
        const body = metrics.scrape(clock.monotonicMs());
        response.writeHead(200, {
          'content-type': metricsDefinition.answer.types[0],
          'content-length': body.length,
        });
        response.end(body);
      },
    },
  ];
}
