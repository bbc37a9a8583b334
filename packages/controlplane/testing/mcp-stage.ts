import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import type { ClusterPort } from '@weir/cluster';
import { Metrics, silentLog, systemClock, systemRandom, type TokenRate } from '@weir/core';
import { patientHttpServer } from '@weir/core/testing';
import { MemoryDiagnosticsStore } from '@weir/diagnostics/testing';
import type { ClusterNode } from '@weir/metadata';
import { type AccountsDatabase, openAccounts } from '../src/accounts/open.ts';
import { RateLimits, usualRateLimits } from '../src/api-server/rate-limits.ts';
import { pathOf, type RouteHandlers, routeOf } from '../src/http/route-table.ts';
import { mcpRoutes } from '../src/mcp/mcp-routes.ts';
import { accountOperations } from '../src/operations/account/account-operations.ts';
import { clusterOperations } from '../src/operations/cluster/cluster-operations.ts';
import { managedPipelines } from '../src/pipelines/managed-pipelines.ts';
import { openRegistries } from '../src/schema-registry/open-registries.ts';
import { accountsDeps, type TestDeps } from './accounts-deps.ts';
import { startLeader } from './leading-node.ts';

/**
 * The Model Context Protocol as a control plane serves it: real accounts, a real leader, real operations, a real
 * socket.
 */
export interface McpStage {
  readonly accounts: AccountsDatabase;
  /** Of the accounts; the test moves their time. */
  readonly deps: TestDeps;
  /** Leads every cluster of the stage. */
  readonly node: ClusterNode;
  readonly diagnostics: MemoryDiagnosticsStore;
  readonly metrics: Metrics;
  readonly url: string;
  readonly docsUrl: string;
}

let databaseCount = 0;

export async function openMcpStage(
  t: TestContext,
  {
    requestsPerKey,
    allowsWrites,
    port,
  }: {
    readonly requestsPerKey?: TokenRate;
    readonly allowsWrites?: boolean;
    readonly port?: (node: ClusterNode) => ClusterPort;
  } = {},
): Promise<McpStage> {
  const deps = accountsDeps();
  const accounts = await openAccounts(`memory://mcp-${databaseCount++}`, deps);
  const node = await startLeader(t, undefined, (made) =>
    made.runPipelines(async () => {
      const clusters = await accounts.virtualClusters.listAll();
      return (await Promise.all(clusters.map((cluster) => managedPipelines(accounts, cluster)))).flat();
    }),
  );
  const diagnostics = new MemoryDiagnosticsStore();
  const metrics = new Metrics();
  let url = '';
  const publicUrl = () => url;
  const clusterPort = () => port?.(node) ?? node;
  const registries = openRegistries({
    portOf: clusterPort,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  const handlers = {
    ...accountOperations({ accounts, publicUrl, portOf: clusterPort }),
    ...clusterOperations({
      clusterPort,
      registries,
      virtualClusters: accounts.virtualClusters,
      diagnostics,
      onTransition: () => {},
      metricRows: () => [],
      freshUuid: randomUUID,
      randomBytes,
    }),
  };
  const { handlers: routes, close } = mcpRoutes({
    accounts,
    handlers,
    limits: new RateLimits(usualRateLimits, systemClock),
    publicUrl,
    isBehindProxy: false,
    clock: systemClock,
    log: silentLog,
    metrics,
    allowsWrites,
    ...(requestsPerKey === undefined ? {} : { requestsPerKey }),
  });
  const server = createServer(patientHttpServer, (request, response) => {
    const route = routeOf(pathOf(request));
    const handler = route === undefined ? undefined : (routes as RouteHandlers)[route];
    if (handler === undefined) response.writeHead(404).end();
    else void handler(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    registries.close();
    await close();
    server.closeAllConnections();
    server.close();
    await accounts.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    accounts,
    deps,
    node,
    diagnostics,
    metrics,
    url: `${url}/api/v1/mcp`,
    docsUrl: `${url}/docs/mcp`,
  };
}
