import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Metrics, silentLog, systemClock } from '@weir/core';
import { createApiServer } from '../packages/controlplane/src/api-server/api-server.ts';
import { accountOperations } from '../packages/controlplane/src/operations/account/account-operations.ts';
import type { ApiLoad } from './api-load.ts';
import { type Measured, measureLoad, openBenchAccounts, stockAccounts } from './api-stage.ts';
import { atLeast, atMost, type Benchmark, ms, type Row } from './benchmark.ts';
import type { Effort } from './side-by-side.ts';

interface Scale {
  readonly clusters: number;
  readonly keys: number;
  readonly connections: number;
  readonly calls: number;
}

const full: Scale = { clusters: 1_000, keys: 64, connections: 8, calls: 20_000 };
/** Smoke test. */
const tiny: Scale = { clusters: 4, keys: 2, connections: 2, calls: 20 };

/**
 * API reads with a key over HTTP: authentication by key, check of its grants, lookup in SQLite. The server runs on the
 * main thread and the clients on another.
 */
export const apiReads: Benchmark = {
  name: 'api-reads',
  async run(effort: Effort): Promise<Row[]> {
    const scale = effort.turns > 1 ? full : tiny;
    const accounts = await openBenchAccounts();
    const publicUrl = () => 'http://127.0.0.1';
    const api = createApiServer({
      accounts,
      handlers: accountOperations({ accounts, publicUrl }),
      publicUrl,
      clock: systemClock,
      log: silentLog,
      metrics: new Metrics(),
    });
    const server = createServer((request, response) => void api(request, response));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const { keys, clusterIds } = await stockAccounts(accounts, scale);
      const bodies = clusterIds.map((virtual_cluster_id) => ({
        name: 'describe_virtual_cluster',
        text: JSON.stringify({ virtual_cluster_id }),
      }));
      const { port } = server.address() as AddressInfo;
      const load: ApiLoad = { port, keys, connections: scale.connections, calls: scale.calls, bodies };
      // Warm-up.
      await measureLoad({ ...load, calls: Math.ceil(scale.calls / 4) });
      return rowsOf(await measureLoad(load), scale);
    } finally {
      server.closeAllConnections();
      server.close();
      await accounts.close();
    }
  },
};

function rowsOf({ tookMs, latenciesMs, serverCpuMs }: Measured, scale: Scale): Row[] {
  const { length } = latenciesMs;
  const p99Ms = latenciesMs.toSorted((one, other) => one - other)[Math.floor(length * 0.99)]!;
  const what = `describe_virtual_cluster with a key, ${scale.connections} connections`;
  const rate = `${Math.round(length / (tookMs / 1000))}/s beside clients and whatever else ran`;
  return [
    {
      what: `${what}, per second of a processor`,
      result: Math.round(length / (serverCpuMs / 1000)),
      unit: '/s',
      bar: atLeast(2_000),
      detail: `${rate}, ${scale.clusters} clusters, ${scale.keys} keys`,
    },
    {
      what: `${what}, p99`,
      result: Math.round(p99Ms * 100) / 100,
      unit: 'ms',
      bar: atMost(20),
      detail: ms(p99Ms),
    },
  ];
}
