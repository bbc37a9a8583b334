import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { type Client, createClient, type OperationName } from '@weir/api';
import {
  accountOperations,
  clusterOperations,
  createApiServer,
  createSecretBox,
  openAccounts,
  openRegistries,
} from '@weir/controlplane';
import { Metrics, silentLog, systemClock, systemRandom } from '@weir/core';
import { patientHttpServer } from '@weir/core/testing';
import { MemoryDiagnosticsStore } from '@weir/diagnostics/testing';
import { openJournals } from '@weir/journal';
import { ClusterNode } from '@weir/metadata';

export interface TestApi {
  readonly url: string;
  /** An application key. */
  readonly key: string;
  /** An account key. */
  readonly accountKey: string;
  /** With the application key. */
  readonly client: Client;
  /** With the account key. */
  readonly accountClient: Client;
  /** The leader of a cluster. */
  readonly nodeOf: (clusterId: string) => ClusterNode;
  /** Every operation that was called since the list was last cleared, without dry runs. */
  readonly called: OperationName[];
  /** Runs before an operation; an error that it throws is the answer. */
  before: (operation: OperationName) => void | Promise<void>;
}

/** The API over a real socket, with real accounts and real clusters in memory. */
export async function startTestApi(t: TestContext): Promise<TestApi> {
  const accounts = await openAccounts(`memory://${randomUUID()}`, {
    clock: systemClock,
    log: silentLog,
    random: systemRandom,
    randomBytes,
    secretBox: createSecretBox([randomBytes(32)], randomBytes),
    passwordCost: { memoryKiB: 64, passes: 1, parallelism: 1 },
  });
  const { account, workspaceId } = await accounts.accounts.create('Test');
  const grants = [{ principalKind: 'app', resourceKind: '*', resourceId: '*', workspaceId }] as const;
  const { secret: key } = await accounts.keys.create(account.id, { name: 'test', grants, createdBy: '' });

  const everything = { principalKind: '*', resourceKind: '*', resourceId: '*', workspaceId: '*' } as const;
  const { secret: accountKey } = await accounts.keys.create(account.id, {
    name: 'account',
    grants: [everything],
    createdBy: '',
  });

  const nodes = new Map<string, ClusterNode>();
  const hub = openJournals(`memory://${randomUUID()}`, { clock: systemClock, log: silentLog });
  function nodeOf(clusterId: string): ClusterNode {
    const known = nodes.get(clusterId);
    if (known !== undefined) return known;
    const node = new ClusterNode({
      clusterId,
      journal: hub.journal(clusterId),
      self: { id: 'one', url: 'http://one' },
      clock: systemClock,
      log: silentLog,
      metrics: new Metrics(),
    });
    nodes.set(clusterId, node);
    node.start();
    return node;
  }

  const registries = openRegistries({
    portOf: nodeOf,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
  });
  let url = '';
  const ofAccounts = accountOperations({ accounts, publicUrl: () => url });
  const handlers = {
    ...ofAccounts,
    /** A cluster has a leader before the call returns, so that tests do not wait for retries. */
    create_virtual_cluster: async (...call: Parameters<typeof ofAccounts.create_virtual_cluster>) => {
      const made = await ofAccounts.create_virtual_cluster(...call);
      const node = nodeOf(made.virtual_cluster_id);
      while (node.role !== 'leader') await new Promise<void>((resolve) => systemClock.after(1, resolve));
      return made;
    },
    ...clusterOperations({
      clusterPort: nodeOf,
      registries,
      virtualClusters: accounts.virtualClusters,
      diagnostics: new MemoryDiagnosticsStore(),
      onTransition: () => {},
      metricRows: () => [],
      freshUuid: randomUUID,
      randomBytes,
    }),
  };
  const api: { called: OperationName[]; before: TestApi['before'] } = { called: [], before: () => {} };
  const watched = Object.fromEntries(
    Object.entries(handlers).map(([name, handler]) => [
      name,
      async (...call: readonly unknown[]) => {
        const [input] = call as readonly { readonly validate_only?: boolean }[];
        if (input?.validate_only !== true) api.called.push(name as OperationName);
        await api.before(name as OperationName);
        return await (handler as (...call: readonly unknown[]) => Promise<unknown>)(...call);
      },
    ]),
  ) as typeof handlers;

  const served = createApiServer({
    accounts,
    handlers: watched,
    clock: systemClock,
    log: silentLog,
    metrics: new Metrics(),
    publicUrl: () => url,
  });
  const server = createServer(patientHttpServer, (request, response) => void served(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(async () => {
    server.closeAllConnections();
    server.close();
    registries.close();
    await Promise.all([...nodes.values()].map((node) => node.stop()));
    await hub.close();
    await accounts.close();
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clientWith = (secret: string) =>
    createClient({ baseUrl: url, fetch, headers: { 'service-api-key': secret } });
  const clients = { client: clientWith(key), accountClient: clientWith(accountKey) };
  return Object.assign(api, { url, key, accountKey, ...clients, nodeOf });
}
