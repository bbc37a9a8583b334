import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Metrics } from '@weir/core';

interface MetricsListener {
  readonly port: number;
  close(): Promise<void>;
}

/** A scrape is short. Whoever takes longer, or comes too often, is turned away rather than measured with. */
const socketDeadlineMs = 5_000;
const connectionsMax = 64;

/** Serves the stats of a benchmark at `/metrics`. */
export async function startMetricsListener(
  { host, port }: { readonly host: string; readonly port: number },
  metrics: Metrics,
): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: socketDeadlineMs, headersTimeout: socketDeadlineMs });
  server.maxConnections = connectionsMax;
  server.setTimeout(socketDeadlineMs);
  server.on('request', ({ method, url }, response) => {
    const isAtPath = url?.split('?')[0] === '/metrics';
    const status = isAtPath ? (method === 'GET' ? 200 : 405) : 404;
    response.writeHead(status, {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });
    response.end(status === 200 ? metrics.render() : 'the metrics are at /metrics\n');
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
