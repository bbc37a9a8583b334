import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { apiHandlers, createApiServer } from '../packages/controlplane/src/api-server/api-server.ts';
import { RateLimits, usualRateLimits } from '../packages/controlplane/src/api-server/rate-limits.ts';
import { pathOf, type RouteHandlers, routeOf } from '../packages/controlplane/src/http/route-table.ts';
import { mcpRoutes } from '../packages/controlplane/src/mcp/mcp-routes.ts';
import { accountOperations } from '../packages/controlplane/src/operations/account/account-operations.ts';
import { measureLoad, openBenchAccounts, stockAccounts } from './api-stage.ts';
import { atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import type { Effort } from './side-by-side.ts';

const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
const call = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name: 'get_context', arguments: {} },
});

/** Disables rate limits, because refusals are not measured. */
const plenty = { burst: 1_000_000, perSecond: 1_000_000 };

const headers = {
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

/**
 * Model Context Protocol requests with a key over HTTP, from 200 clients at once. The server runs on the main thread.
 */
export const mcpCalls: Benchmark = {
  name: 'mcp-calls',
  async run(effort: Effort): Promise<Row[]> {
    const isFull = effort.turns > 1;
    const clients = isFull ? 200 : 2;
    const requests = isFull ? 2_000 : 4;
    const accounts = await openBenchAccounts();
    const publicUrl = () => 'http://127.0.0.1';
    const served = {
      accounts,
      handlers: accountOperations({ accounts, publicUrl }),
      limits: new RateLimits(
        { ...usualRateLimits, unknownKeysPerPlace: plenty, callsPerCaller: plenty },
        systemClock,
      ),
      publicUrl,
      isBehindProxy: false,
      clock: systemClock,
      log: silentLog,
      metrics: new Metrics(),
    };
    const { handlers: ofMcp, close } = mcpRoutes({ ...served, requestsPerKey: plenty });
    const handlers: RouteHandlers = { ...ofMcp, ...apiHandlers(createApiServer(served)) };
    const server = createServer(
      (request, response) => void handlers[routeOf(pathOf(request))!]!(request, response),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { keys } = await stockAccounts(accounts, { clusters: 10, keys: 16 });
      const { port } = server.address() as AddressInfo;
      const load = { port, keys, connections: clients, headers };
      const cpuMsOf = async (name: string, text: string) => {
        const bodies = [{ name, text }];
        // Warm-up.
        await measureLoad({ ...load, bodies, calls: Math.ceil(requests / 4) });
        const { serverCpuMs, latenciesMs } = await measureLoad({ ...load, bodies, calls: requests });
        return serverCpuMs / latenciesMs.length;
      };
      const listMs = await cpuMsOf('mcp', list);
      const callMs = await cpuMsOf('mcp', call);
      const plainMs = await cpuMsOf('get_context', '{}');
      const row = (what: string, resultMs: number, barMs: number, detail: string): Row => {
        return { what, result: Math.round(resultMs * 100) / 100, unit: 'ms', bar: atMost(barMs), detail };
      };
      return [
        row('tools/list, CPU of the server', listMs, 5, `${ms(listMs)}, ${clients} clients at once`),
        row(
          'tools/call get_context, CPU of the server beyond that of the API',
          callMs - plainMs,
          2,
          `${ms(callMs)} / ${ms(plainMs)}, ${clients} clients at once`,
        ),
      ];
    } finally {
      server.closeAllConnections();
      server.close();
      await close();
      await accounts.close();
    }
  },
};
