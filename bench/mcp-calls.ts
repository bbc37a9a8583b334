import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { openAccounts } from '../packages/controlplane/src/accounts/open.ts';
import { RateLimits, usualRateLimits } from '../packages/controlplane/src/api-server/rate-limits.ts';
import { mcpRoutes } from '../packages/controlplane/src/mcp/mcp-routes.ts';
import { accountOperations } from '../packages/controlplane/src/operations/account/account-operations.ts';
import { measureLoad, stockAccounts } from './api-stage.ts';
import { atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import type { Effort } from './side-by-side.ts';

const calls = {
  'tools/list': { method: 'tools/list', params: {}, barMs: 5 },
  'tools/call get_context': {
    method: 'tools/call',
    params: { name: 'get_context', arguments: {} },
    barMs: 2,
  },
} as const;

const headers = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

/** Requests of the Model Context Protocol with a key, over HTTP, from 200 clients at once. The server has the main thread. */
export const mcpCalls: Benchmark = {
  name: 'mcp-calls',
  async run(effort: Effort): Promise<Row[]> {
    const isFull = effort.turns > 1;
    const clients = isFull ? 200 : 2;
    const requests = isFull ? 2_000 : 4;
    const accounts = await openAccounts('memory://bench-mcp', {
      clock: systemClock,
      log: silentLog,
      random: systemRandom,
      randomBytes,
      passwordCost: { memoryKiB: 64, passes: 1, parallelism: 1 },
    });
    const publicUrl = () => 'http://127.0.0.1';
    const { routes, close } = mcpRoutes({
      accounts,
      handlers: accountOperations({ accounts, publicUrl }),
      limits: new RateLimits(usualRateLimits, systemClock),
      requestsPerKey: { burst: 1_000_000, perSecond: 1_000_000 },
      publicUrl,
      isBehindProxy: false,
      clock: systemClock,
      log: silentLog,
      metrics: new Metrics(),
    });
    const [route] = routes;
    const server = createServer((request, response) => void route!.answer(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { keys } = await stockAccounts(accounts, { clusters: 10, keys: 16 });
      const { port } = server.address() as AddressInfo;
      const rows: Row[] = [];
      for (const [what, { method, params, barMs }] of Object.entries(calls)) {
        const text = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
        const load = { port, keys, connections: clients, bodies: [{ name: 'mcp', text }], headers };
        // The first time warms up.
        await measureLoad({ ...load, calls: Math.ceil(requests / 4) });
        const { serverCpuMs, latenciesMs } = await measureLoad({ ...load, calls: requests });
        const eachMs = serverCpuMs / latenciesMs.length;
        rows.push({
          what: `${what}, CPU of the server`,
          figure: Math.round(eachMs * 100) / 100,
          unit: 'ms',
          bar: atMost(barMs),
          detail: `${ms(eachMs)}, ${clients} clients at once`,
        });
      }
      return rows;
    } finally {
      server.closeAllConnections();
      server.close();
      await close();
      await accounts.close();
    }
  },
};
