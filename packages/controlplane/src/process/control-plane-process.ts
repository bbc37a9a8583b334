import { randomBytes } from 'node:crypto';
import { acceptedSecrets, clusterSecrets } from '@weir/cluster';
import { type Metrics, systemRandom } from '@weir/core';
import { openJournals } from '@weir/journal';
import { type ClusterNode, LoadSharing } from '@weir/metadata';
import { freshToken, hashSecret } from '../accounts/secrets/secrets.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { type Authorize, authorizeByAgentKeys, authorizeByAny } from '../agent-keys.ts';
import { backupMetrics } from '../backup/backup-metrics.ts';
import { ClusterBackup } from '../backup/cluster-backup.ts';
import { CloneUpkeep } from '../clones/clone-upkeep.ts';
import { keepClusterSecrets } from '../cluster-secrets.ts';
import { ClusterHost } from '../hosting/cluster-host.ts';
import { LeaderPorts } from '../hosting/leader-ports.ts';
import { authorizeMembers } from '../hosting/member-tokens.ts';
import {
  type AccountsRouteName,
  accountsRouteNames,
  type Handler,
  type RouteHandlers,
  routePath,
} from '../http/route-table.ts';
import { Regions } from '../regions.ts';
import { answerNotFound, startControlPlane } from '../server.ts';
import type { SecretsOf } from '../workload-identity/agent-tokens.ts';
import type { AccountsPart } from './accounts-part.ts';
import { checkDatabase, checkServer, recovering } from './check-database.ts';
import { firstClusterName } from './first-cluster-name.ts';
import { LateAccounts } from './late-accounts.ts';
import { Members } from './members.ts';
import type { ControlPlaneProcessOptions } from './options.ts';
import { ownCredentials } from './own-credentials.ts';

/** One control-plane process: its share of all clusters, the API, and the server for agents, tools and people. */
export interface ControlPlaneProcess {
  readonly url: string;
  readonly port: number;
  /** Where the user of a single-user process signs in. */
  readonly signInUrl: string | undefined;
  readonly clusters: {
    /** The ids of the clusters that this process leads now. */
    readonly leading: () => readonly string[];
    /** The metrics of a cluster. Rejects with `ClusterUnavailable` while it has no leader. */
    readonly measure: (clusterId: string) => Promise<Metrics>;
  };
  /** Resolves when it serves clusters. An unreachable database is waited for; unusable settings reject. */
  whenReady(): Promise<ReadyProcess>;
  stop(): Promise<void>;
}

/** Known once the database has answered. */
export interface ReadyProcess {
  /** The cluster of the settings, or the one that a new installation began with. */
  readonly ownClusterId: string | undefined;
  /** Whether the installation began with the cluster and the key of `firstCluster` and is not set up yet. */
  readonly hasFirstCluster: boolean;
  /** Where the first user signs up; `undefined` if there is a user. */
  readonly setupUrl: string | undefined;
  /**
   * Resolves with the own cluster, once this process leads it and it has the credentials of the file. Rejects with
   * `ClusterRetired` if it was restored into another database. `onProblem` is called whenever the bucket could not be
   * asked about that.
   */
  whenLeader(onProblem?: () => void): Promise<ClusterNode>;
}

/** A quick start loads the rest after this at the latest. */
const quickMsMax = 30_000;

export async function startControlPlaneProcess(
  options: ControlPlaneProcessOptions,
): Promise<ControlPlaneProcess> {
  // Components are stopped in reverse order, also if a later one fails to start.
  const running = new AsyncDisposableStack();
  try {
    return await startParts(options, running);
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

async function startParts(
  options: ControlPlaneProcessOptions,
  running: AsyncDisposableStack,
): Promise<ControlPlaneProcess> {
  const { clock, log, metrics, isQuick = false } = options;
  const { databaseUrl, segments } = options;
  await checkDatabase(databaseUrl, { hasSegments: segments !== undefined });
  const hub = openJournals(databaseUrl, { clock, log, segments });
  running.defer(() => hub.close());
  if (segments !== undefined) {
    await recovering(databaseUrl, segments);
    running.defer(() =>
      segments.end().catch((error: Error) => {
        log.error('failed to store the last entries of segments in the database', { error: error.message });
      }),
    );
  }
  const credentials = ownCredentials(options.credentialsFile, { clock, log });
  let url = '';
  let ownClusterId = options.clusterId;
  const selfId = hub.processId() ?? options.processId;
  const backups = new Map<string, ClusterBackup>();
  const host = new ClusterHost({
    list: async () => {
      if (isQuick && accounts.loaded === undefined) return [quickCluster(ownClusterId!)];
      const part = await accounts.load();
      const clusters = await part.list();
      void useDataLake(part, clusters);
      return clusters;
    },
    hub,
    self: () => ({ id: selfId, url }),
    leaseGraceOf: (clusterId) => sharing.graceOf(clusterId),
    attach: (node, cluster) => {
      const { id } = cluster;
      if (cluster.type === 'byoc_schema_registry')
        node.runSchemaLinking({
          pipelines: async () => (await accounts.load()).linkingPipelines(cluster),
          onEnd: (job) => void accounts.loaded?.emitLinkingEnd(cluster, job),
        });
      if (cluster.type === 'byoc') {
        // A quick start loads accounts when someone uses them, and without that there is no pipeline.
        const loaded = async () => (isQuick ? accounts.loaded : accounts.load());
        node.runPipelines(async () => (await loaded())?.managedPipelines(cluster) ?? []);
        node.runMigrations(async () => (await loaded())?.migrations(cluster) ?? []);
      }
      if (cluster.type === 'byoc_data_lake') {
        const tables = async () => (await accounts.load()).tables(cluster);
        node.runTables({
          wanted: async () => (await tables()).wanted(),
          removed: async () => (await tables()).removed(),
          forget: async (tableUuid) => (await tables()).forget(tableUuid),
          endReplay: async (...ended) => (await tables()).endReplay(...ended),
        });
      }
      node.useExporterSecrets({
        revisions: async (names) => (await accounts.load()).exporterSecrets(cluster).revisions(names),
        open: async (names) => (await accounts.load()).exporterSecrets(cluster).open(names),
        seal: async (exporter, settings) =>
          (await accounts.load()).exporterSecrets(cluster).seal(exporter, settings),
        openSealed: async (exporter, settings) =>
          (await accounts.load()).exporterSecrets(cluster).openSealed(exporter, settings),
      });
      node.useTokenBox({
        seal: async (tokenId, hmac) => (await accounts.load()).tokenBox(id).seal(tokenId, hmac),
        open: async (tokens) => (await accounts.load()).tokenBox(id).open(tokens),
      });
      const endSecrets = keepClusterSecrets(node, { randomBytes, clock, log });
      const endCredentials = id === ownClusterId ? credentials.attach(node) : undefined;
      const backup =
        options.backup &&
        new ClusterBackup({
          clusterId: id,
          node,
          journal: hub.journal(id),
          ...options.backup,
          clock,
          log: log.with({ clusterId: id }),
          metrics: backupMetrics(metrics, id),
        });
      if (backup !== undefined) backups.set(id, backup);
      const clones =
        options.backup &&
        new CloneUpkeep({
          clusterId: id,
          node,
          store: options.backup.store,
          isRegistered: async (cloneId) => (await accounts.load()).isRegistered(cloneId),
          onAbandoned: (cloneId) => hub.forget(cloneId),
          clock,
          log,
        });
      return async () => {
        backups.delete(id);
        endSecrets();
        await endCredentials?.();
        await clones?.end();
        await backup?.end();
      };
    },
    clock,
    log,
    metrics,
  });
  const regions = new Regions(options.regions, () => members.living);
  const sharing = new LoadSharing({
    selfId,
    region: regions.own,
    regionsOf(clusterId) {
      const place = host.cluster(clusterId)?.place;
      return place === undefined ? [] : regions.preferredBy(place);
    },
    led: () => host.leading().map(({ cluster, node }) => ({ clusterId: cluster.id, node })),
    clock,
    log,
  });
  const members = new Members({ hub, onRefresh: (living) => void sharing.look(living), clock, log });
  const secretsOf: SecretsOf = (clusterId) =>
    acceptedSecrets(clusterSecrets.agentTokens, ({ namespace, key }) =>
      host.node(clusterId)?.record(namespace, key),
    );
  const ports = new LeaderPorts({ host, secretsOf, random: systemRandom, clock, log });
  running.defer(() => ports.close());

  const publicUrl = () => options.publicUrl?.replace(/\/+$/, '') ?? url;
  const signInToken = options.oneUser && freshToken(randomBytes);
  const stopping = new AbortController();
  // Resources of accounts are closed after the server that uses them.
  const resources = running.use(new AsyncDisposableStack());
  const accounts = new LateAccounts(async () => {
    const { startAccounts } = await import('./accounts-part.ts');
    const stop = stopping.signal;
    const parts = {
      host,
      ports,
      secretsOf,
      bySettings,
      publicUrl,
      signInToken,
      ownClusterId: () => ownClusterId,
      backupAgeMsOf: (clusterId: string) => backups.get(clusterId)?.ageMs,
      hub,
      regions,
      stop,
    };
    return startAccounts({ settings: options, ...parts }, { watchers: running, resources });
  }, stopping.signal);
  /** Clusters are listed every few seconds, which shows whether the data lake is used. */
  const useDataLake = async (part: AccountsPart, clusters: readonly VirtualCluster[]) => {
    const lake = clusters.find(({ id }) => id === options.dataLake?.id);
    const node = lake && host.node(lake.id);
    if (lake === undefined || node?.role !== 'leader') return;
    if (isLakeUsed || !(await part.hasPipeline(lake).catch(() => false)) || stopping.signal.aborted) return;
    isLakeUsed = true;
    options.dataLake?.onUsed(node);
  };
  let isLakeUsed = false;
  /** Requests before accounts are loaded get 503; a quick start loads them for the first request. */
  const current = async () => {
    if (!isQuick) return accounts.loaded;
    return accounts.load().catch((error: Error) => {
      log.warn('failed to load accounts', { error: error.message });
      return undefined;
    });
  };

  const bySettings: Authorize = (...args) =>
    authorizeByAgentKeys(settingsKeys(options.agentKey, ownClusterId))(...args);
  const byMembers = authorizeMembers(secretsOf, clock);
  const server = await startControlPlane({
    host: options.host,
    port: options.port,
    clusters: (id) => host.node(id),
    refreshClusters: () => host.refresh(),
    isMember: byMembers,
    onForbiddenCall: (call) => void current().then((part) => part?.auditForbiddenCall(call)),
    isBehindProxy: options.isBehindProxy ?? false,
    authorize: authorizeByAny(bySettings, byMembers, async (...args) =>
      (await current())?.authorize(...args),
    ),
    handlers: accountsHandlers(current),
    // A standby process is ready too.
    readiness: () => host.isReady,
    hasCaughtUp: () => host.hasCaughtUp,
    isDiskFull: () => hub.isDiskFull(),
    members: (region) => members.urls(region),
    regionOf: (memberUrl) => members.regionOf(memberUrl),
    refreshMembers: () => members.refresh(),
    clock,
    log,
    metrics,
  });
  const { advertisedHost } = options;
  url = `http://${advertisedHost.includes(':') ? `[${advertisedHost}]` : advertisedHost}:${server.port}`;
  running.defer(() => hub.withdraw(selfId).catch(() => undefined));
  running.defer(() => server.close());
  // The nodes stop before the server: pending commits are answered, and the next leader need not wait for the lease.
  running.defer(() => host.stop());
  running.defer(() => members.stop());
  await members.start({ id: selfId, url, region: regions.own });
  const ready = makeReady();
  // Logged, because a caller need not wait for it.
  ready.catch((error: Error) => {
    if (!stopping.signal.aborted) log.error('failed to start serving', { error: error.message });
  });
  return {
    url,
    port: server.port,
    signInUrl: signInToken && `${publicUrl()}${routePath('signInLink')}${signInToken}`,
    clusters: {
      leading: () => host.leading().map(({ cluster }) => cluster.id),
      measure: async (clusterId) => (await accounts.load()).measure(clusterId),
    },
    whenReady: () => ready,
    async stop() {
      stopping.abort(new Error('this process stops'));
      await accounts.settled();
      await running.disposeAsync();
    },
  };

  async function makeReady(): Promise<ReadyProcess> {
    await checkServer(hub, { clock, log, stop: stopping.signal });
    const part = isQuick ? undefined : await accounts.load();
    ownClusterId ??= part?.firstCluster?.id;
    await host.start();
    await credentials.started();
    if (isQuick) running.defer(clock.after(quickMsMax, () => void current()));
    return {
      ownClusterId,
      hasFirstCluster: part?.firstCluster !== undefined,
      setupUrl: part?.setupUrl(),
      async whenLeader(onProblem) {
        const node = ownClusterId === undefined ? undefined : host.node(ownClusterId);
        if (node === undefined) throw new Error('this process serves no cluster of its own');
        await whenLeader(node, onProblem);
        await credentials.applied();
        return node;
      },
    };
  }
}

/** Handlers of routes that need accounts, which are loaded later or on first use. */
function accountsHandlers(accounts: () => Promise<AccountsPart | undefined>): RouteHandlers {
  const handlers = accountsRouteNames.map((name): [AccountsRouteName, Handler] => [
    name,
    async (request, response) => {
      const part = await accounts();
      const handler = part === undefined ? answerLater : (part.handlers[name] ?? answerNotFound);
      return handler(request, response);
    },
  ]);
  return Object.fromEntries(handlers);
}

const answerLater: Handler = (_request, response) => {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('retry-after', 1);
  response.setHeader('connection', 'close');
  response.writeHead(503).end('The database is not reachable yet; try again.');
};

function settingsKeys(agentKey: string | undefined, clusterId: string | undefined) {
  if (agentKey === undefined || clusterId === undefined) return [];
  return [{ name: 'akn_settings', keyHash: hashSecret(agentKey), clusterId }];
}

/** The cluster of a quick start before accounts are loaded. No request reads these fields. */
function quickCluster(id: string): VirtualCluster {
  return {
    id,
    accountId: '',
    workspaceId: '',
    name: firstClusterName,
    type: 'byoc',
    tier: 'pro',
    cloudProvider: 'aws',
    place: { region: 'us-east-1' },
    tags: {},
    isDeletionProtected: false,
    createdMs: 0,
    deletedMs: undefined,
  };
}

/** The cluster was restored into another database, and is not served from this one again. */
export class ClusterRetired extends Error {
  override readonly name = 'ClusterRetired';
}

async function whenLeader(node: ClusterNode, onProblem: (() => void) | undefined): Promise<void> {
  using listeners = new DisposableStack();
  if (onProblem !== undefined) listeners.defer(node.onServingProblem(onProblem));
  await new Promise<void>((resolve, reject) => {
    const look = () => {
      if (node.role === 'leader') resolve();
      else if (node.retiredBecause !== undefined) reject(new ClusterRetired(node.retiredBecause));
    };
    listeners.defer(node.onRole(look));
    look();
  });
}
