import type { Metrics } from '@weir/core';
import { plain, type Route } from './http-server.ts';

/** `/v1/status` is liveness and readiness at once, so it stays `OK` while the agent drains. */
export function probeRoutes(isReady: () => boolean): Route[] {
  return [
    {
      method: 'GET',
      path: '/v1/status',
      handle(_request, response) {
        if (isReady()) plain(response, 200, 'OK');
        else plain(response, 503, 'starting');
      },
    },
  ];
}

export function metricsRoutes(metrics: Metrics): Route[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      handle(_request, response) {
        response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' });
        response.end(metrics.render());
      },
    },
  ];
}
