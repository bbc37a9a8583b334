import { randomBytes, randomUUID } from 'node:crypto';
import { consolePaths } from '@weir/api';
import type { ListedJob } from '@weir/cluster';
import { usualTenantAccess } from '@weir/cluster/outbound';
import { Metrics, nextTurn, pauseUnlessStopped, systemRandom } from '@weir/core';
import type { ClusterKind, Transition } from '@weir/diagnostics';
import {
  type DiagnosticEvents,
  diagnosticEvents,
  logTransition,
  measureUtilization,
  watchClusters,
} from '@weir/diagnostics';
import type { JournalHub } from '@weir/journal';
import type {
  ClusterTables,
  ExporterSecrets,
  LinkingPipeline,
  ManagedPipeline,
  TokenBox,
  WantedMigration,
} from '@weir/metadata';
import { DatabaseProblem } from '../accounts/database/database-problem.ts';
import { type AccountsDatabase, openAccounts } from '../accounts/open.ts';
import { defaultPasswordCost } from '../accounts/secrets/password-hash.ts';
import type { SecretBox } from '../accounts/secrets/secret-box.ts';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { type Authorize, authorizeByAny } from '../agent-keys.ts';
import type { ForbiddenCall } from '../agent-listener.ts';
import { AlertEngine } from '../alerts/alert-engine.ts';
import { apiHandlers, createApiServer } from '../api-server/api-server.ts';
import { RateLimits, usualRateLimits } from '../api-server/rate-limits.ts';
import { type ClusterCloning, clusterCloning } from '../clones/cluster-cloning.ts';
import { consoleHandlers } from '../console/console-routes.ts';
import { docsHandlers } from '../console/docs-routes.ts';
import { tokenBox } from '../credentials/token-box.ts';
import { type HostedMetrics, hostedMetrics } from '../hosted-metrics/hosted-metrics.ts';
import { hostedSamples } from '../hosted-metrics/hosted-sample.ts';
import { hostedMetricRows } from '../hosted-metrics/metric-rows.ts';
import { type MetricsReadersOptions, metricsReaders } from '../hosted-metrics/metrics-reader.ts';
import { authorizeByAccountKeys } from '../hosting/account-keys.ts';
import type { ClusterHost } from '../hosting/cluster-host.ts';
import type { LeaderPorts } from '../hosting/leader-ports.ts';
import { type AccountsRouteName, type Handler, type RouteHandlers, routePath } from '../http/route-table.ts';
import { catalogRoute } from '../iceberg-catalog/catalog-route.ts';
import { ClusterCatalogs } from '../iceberg-catalog/cluster-catalog.ts';
import { mcpRoutes } from '../mcp/mcp-routes.ts';
import { accountOperations } from '../operations/account/account-operations.ts';
import { clusterOperations } from '../operations/cluster/cluster-operations.ts';
import { countEvents } from '../operations/cluster/event-counts.ts';
import type { OperationHandlers } from '../operations/handler.ts';
import { exporterSecrets } from '../pipelines/exporter-secrets.ts';
import { linkingEvents } from '../pipelines/linking-events.ts';
import { linkingPipelines } from '../pipelines/linking-pipelines.ts';
import { managedPipelines } from '../pipelines/managed-pipelines.ts';
import { wantedMigrations } from '../pipelines/migration-pipelines.ts';
import { wantedPipelines } from '../pipelines/wanted-pipelines.ts';
import type { Regions } from '../regions.ts';
import type { ClusterRegistries } from '../schema-registry/cluster-registries.ts';
import { openRegistries } from '../schema-registry/open-registries.ts';
import { signInIssuers } from '../sign-in/sign-in-issuers.ts';
import { signInRoute } from '../sign-in/sign-in-route.ts';
import { TablePipelines } from '../tables/table-pipelines.ts';
import type { SecretsOf } from '../workload-identity/agent-tokens.ts';
import { tokenKeys } from '../workload-identity/token-keys.ts';
import { tokenRoute } from '../workload-identity/token-route.ts';
import { accountsUrlOf } from './accounts-url.ts';
import { forbiddenCallAudit } from './forbidden-call-audit.ts';
import { adoptCluster, adoptDataLake, type FirstCluster, foundInstallation } from './founding.ts';
import { Housekeeping } from './housekeeping.ts';
import { oneUser } from './one-user.ts';
import type { ControlPlaneProcessOptions } from './options.ts';
import { openSealing } from './sealing.ts';
import { setupUrl } from './setup-url.ts';
import { signInLink } from './sign-in-link.ts';
import { type WorkloadIdentities, workloadIdentities } from './workload-identities.ts';

interface AccountsPartOptions {
  readonly settings: ControlPlaneProcessOptions;
  readonly host: ClusterHost;
  readonly ports: LeaderPorts;
  /** The signing secrets of a cluster's tokens. */
  readonly secretsOf: SecretsOf;
  /** Admits agents by the key of the settings. */
  readonly bySettings: Authorize;
  readonly publicUrl: () => string;
  readonly ownClusterId: () => string | undefined;
  /** How long ago the metadata backup of a cluster had everything, if there is a backup. */
  readonly backupAgeMsOf: (clusterId: string) => number | undefined;
  readonly hub: JournalHub;
  readonly regions: Regions;
  /** The token by which the user of a single-user process signs in. */
  readonly signInToken: string | undefined;
  /** Aborted when the process stops. */
  readonly stop: AbortSignal;
}

/** The accounts part of a process: users and keys, the API, and everything that depends on ownership. */
export interface AccountsPart {
  /** The clusters that there are. */
  list(): Promise<readonly VirtualCluster[]>;
  /** Whether a cluster has a pipeline. */
  hasPipeline(cluster: VirtualCluster): Promise<boolean>;
  /** Whether there is a cluster, deleted ones that can be restored included. */
  isRegistered(clusterId: string): Promise<boolean>;
  /** The pipelines of schema linking of a cluster that run. */
  linkingPipelines(cluster: VirtualCluster): Promise<readonly LinkingPipeline[]>;
  /** Emits events about a sync of schema linking that ended. Never rejects. */
  emitLinkingEnd(cluster: VirtualCluster, job: ListedJob): Promise<void>;
  managedPipelines(cluster: VirtualCluster): Promise<readonly ManagedPipeline[]>;
  /** The migrations of a cluster that run. */
  migrations(cluster: VirtualCluster): Promise<readonly WantedMigration[]>;
  /** The tables of a data lake cluster. */
  tables(cluster: VirtualCluster): Promise<ClusterTables>;
  /** The secrets that exporters of a cluster may use. */
  exporterSecrets(cluster: VirtualCluster): ExporterSecrets;
  /** Seals delegation tokens of a cluster. */
  tokenBox(clusterId: string): TokenBox;
  /** Authorizes agents, by a key of an account or a token. */
  readonly authorize: Authorize;
  readonly handlers: RouteHandlers<AccountsRouteName>;
  /** Records a call that an agent key does not allow. Never rejects. */
  auditForbiddenCall(call: ForbiddenCall): Promise<void>;
  /** Returns the metrics of a cluster, led locally or remotely. */
  measure(clusterId: string): Promise<Metrics>;
  /** The first cluster, until the installation is set up. */
  readonly firstCluster: FirstCluster | undefined;
  /** Returns where the first user signs up; `undefined` if there is a user. */
  setupUrl(): string | undefined;
}

/**
 * Where started components are registered for shutdown: users of clusters stop before the clusters, and the rest after
 * the server.
 */
interface AccountsLifetime {
  readonly watchers: AsyncDisposableStack;
  readonly resources: AsyncDisposableStack;
}

export async function startAccounts(
  options: AccountsPartOptions,
  { watchers, resources }: AccountsLifetime,
): Promise<AccountsPart> {
  const { settings, host, secretsOf, publicUrl, signInToken } = options;
  const { clock, log, metrics, bindingsFile } = settings;
  const secretBox = await openSealing(settings, randomBytes);
  const accounts = await openPatiently(settings, secretBox, options.stop);
  resources.defer(() => accounts.close());
  const firstCluster = await begin(accounts, settings, options.regions.usualPlace);
  const limits = new RateLimits(usualRateLimits, clock);
  const allowsPrivateIssuers = settings.allowsPrivateIssuers ?? false;
  const { federations } = accounts;
  const regions = {
    own: options.regions.own,
    of: (clusterId: string) => options.regions.reachedFor(host.cluster(clusterId)?.place),
  };
  const { tokens, fileBindings } = await workloadIdentities(
    { path: bindingsFile, federations, allowsPrivateIssuers, secretsOf, regions, clock, log, metrics },
    resources,
  );
  const issuers = signInIssuers({ clock, log, allowsPrivateAddresses: allowsPrivateIssuers });
  resources.defer(() => issuers.close());
  const user = settings.oneUser && (await oneUser(accounts, settings.oneUser));
  const isBehindProxy = settings.isBehindProxy ?? false;
  const cloning =
    settings.backup &&
    clusterCloning({
      hub: options.hub,
      store: settings.backup.store,
      portOf: options.ports.portOf,
      random: systemRandom,
      clock,
    });
  const registries = openRegistries({ portOf: options.ports.portOf, clock, random: systemRandom, log });
  resources.defer(() => registries.close());
  const tablePipelines = new TablePipelines(accounts, log);
  const handlers = handlersOf(options, accounts, fileBindings, { cloning, registries, tablePipelines });
  const tokensAsKeys = tokenKeys({ tokens, virtualClusters: accounts.virtualClusters });
  const served = {
    accounts,
    handlers,
    tokenKeys: tokensAsKeys,
    publicUrl,
    isBehindProxy,
    limits,
    clock,
    log,
    metrics,
  };
  const mcp = mcpRoutes({ ...served, allowsWrites: settings.allowsMcpWrites });
  resources.defer(() => mcp.close());
  const hosted = hostedOf(options, served);
  resources.defer(() => hosted.close());
  const answerSignIn = signInRoute({
    accounts,
    secretBox,
    issuers,
    publicUrl,
    isBehindProxy,
    limits,
    randomBytes,
    clock,
    log,
    metrics,
  });
  const watch = watchClusters({
    leading: () =>
      host.leading().map(({ cluster, node }) => ({ clusterId: cluster.id, kind: kinds[cluster.type], node })),
    store: accounts.diagnostics,
    metricsOf: diagnosticMetrics(options, metrics),
    onTransition: reportTransition(options),
    onChecked: eventsOfDiagnostics(options).checked,
    backupAgeMsOf: options.backupAgeMsOf,
    failingChannelsOf: async (clusterId) =>
      (await accounts.alertChannels.failing(clusterId)).map(
        ({ name, failures, failingSinceMs, lastError }) => ({
          name,
          failures,
          sinceMs: failingSinceMs ?? clock.nowMs(),
          lastError: lastError ?? '',
        }),
      ),
    async pipelinesOf(clusterId) {
      const owner = await ownerOf(accounts, clusterId, host.cluster(clusterId)?.accountId ?? '');
      return owner === undefined ? [] : wantedPipelines(accounts.pipelines, owner);
    },
    async tablesOf(clusterId) {
      const owner = await ownerOf(accounts, clusterId, host.cluster(clusterId)?.accountId ?? '');
      if (owner === undefined) return [];
      const wanted = await tablePipelines.wanted({ accountId: owner.accountId, clusterId });
      return wanted.map(({ task: { tableUuid, tableName } }) => ({ tableUuid, name: tableName }));
    },
    async migrationOf(clusterId) {
      const owner = await ownerOf(accounts, clusterId, host.cluster(clusterId)?.accountId ?? '');
      const [wanted] = owner === undefined ? [] : await wantedMigrations(accounts, owner);
      return wanted === undefined
        ? null
        : { pipelineId: wanted.task.pipelineId, name: wanted.task.pipelineName };
    },
    intervalMs: settings.diagnosticsIntervalMs,
    clock,
    log,
  });
  watch.start();
  watchers.defer(() => watch.stop());
  const alerts = alertsOf(options, accounts);
  alerts.start();
  watchers.defer(() => alerts.stop());
  const removeCluster = async ({ id }: VirtualCluster) => {
    await cloning?.forget(id);
    await options.hub.forget(id);
    await accounts.diagnostics.forget(id);
  };
  const isNeeded = async ({ id }: VirtualCluster) => ((await cloning?.clonesOf(id)) ?? []).length > 0;
  const housekeeping = new Housekeeping({ accounts, removeCluster, isNeeded, clock, log });
  housekeeping.start();
  watchers.defer(() => housekeeping.stop());
  const setupToken = await accounts.setup.begin();
  return {
    list: () => accounts.virtualClusters.listAll(),
    hasPipeline: async ({ id: clusterId, accountId }) =>
      (await accounts.pipelines.list(accountId, clusterId)).length > 0,
    isRegistered: (clusterId) => accounts.virtualClusters.isKnown(clusterId),
    linkingPipelines: (cluster) => linkingPipelines(accounts, cluster),
    emitLinkingEnd: linkingEvents({
      pipelines: accounts.pipelines,
      clusters: () => host.all().map(({ cluster }) => cluster),
      portOf: options.ports.portOf,
      random: systemRandom,
      log,
    }),
    async managedPipelines({ id, accountId }) {
      const owner = await ownerOf(accounts, id, accountId);
      return owner === undefined ? [] : managedPipelines(accounts, owner);
    },
    async migrations({ id, accountId }) {
      const owner = await ownerOf(accounts, id, accountId);
      return owner === undefined ? [] : wantedMigrations(accounts, owner);
    },
    async tables({ id, accountId }) {
      const place = { accountId: (await ownerOf(accounts, id, accountId))?.accountId ?? '', clusterId: id };
      return {
        wanted: () => tablePipelines.wanted(place),
        removed: () => tablePipelines.removed(place),
        forget: (tableUuid) => tablePipelines.forget(place, tableUuid),
        endReplay: (...ended) => tablePipelines.endReplay(place, ...ended),
      };
    },
    exporterSecrets: (cluster) => exporterSecrets(accounts.secrets, cluster),
    tokenBox: (clusterId) => tokenBox(accounts.secrets, clusterId, () => nextTurn(clock)),
    authorize: authorizeByAny(
      tokens.authorize,
      authorizeByAccountKeys({ keyVerifier: accounts.keyVerifier, host, limits }),
    ),
    handlers: {
      ...consoleHandlers({ answerRoot }),
      ...docsHandlers(),
      signInLink:
        user && signInToken
          ? signInLink({ accounts, user, token: signInToken, publicUrl, limits, clock })
          : undefined,
      ssoLogin: answerSignIn,
      ssoCallback: answerSignIn,
      agentToken: tokenRoute(tokens),
      clusterMetrics: hosted.answer,
      icebergCatalog: catalogOf(options, served),
      ...mcp.handlers,
      ...apiHandlers(createApiServer(served)),
    },
    auditForbiddenCall: forbiddenCallAudit({ accounts, clusterOf: (id) => host.cluster(id), log }),
    measure: hosted.measure,
    firstCluster,
    setupUrl: () => (setupToken === undefined ? undefined : setupUrl(publicUrl(), setupToken)),
  };
}

/** Of a cluster that was attached before accounts were loaded, the account is not known. */
async function ownerOf(
  { virtualClusters }: Pick<AccountsDatabase, 'virtualClusters'>,
  id: string,
  accountId: string,
): Promise<Pick<VirtualCluster, 'id' | 'accountId'> | undefined> {
  if (accountId !== '') return { id, accountId };
  return (await virtualClusters.listAll()).find((cluster) => cluster.id === id);
}

/** The delay before retrying an unreachable server. */
const retryMs = 1_000;

/** A server may start after its clients; a file that cannot be opened is an error. */
async function openPatiently(
  { databaseUrl, clock, log }: ControlPlaneProcessOptions,
  secretBox: SecretBox | undefined,
  stop: AbortSignal,
): Promise<AccountsDatabase> {
  const url = accountsUrlOf(databaseUrl);
  const random = systemRandom;
  const deps = { clock, log, random, randomBytes, passwordCost: defaultPasswordCost, secretBox };
  for (;;) {
    stop.throwIfAborted();
    try {
      return await openAccounts(url, deps);
    } catch (error) {
      if (!/^postgres/i.test(url) || error instanceof DatabaseProblem) throw error;
      log.warn('failed to reach database, retrying', { error: (error as Error).message });
    }
    await pauseUnlessStopped(clock, retryMs, stop);
  }
}

/** Ensures that there is a cluster. Returns the initial one if the settings name none and there is no user yet. */
async function begin(
  accounts: AccountsDatabase,
  { clusterId, firstCluster, dataLake, agentKey, log }: ControlPlaneProcessOptions,
  place: VirtualCluster['place'],
): Promise<FirstCluster | undefined> {
  if (clusterId === undefined) return foundInstallation(accounts, firstCluster, place);
  // A key of the settings is valid as long as the settings have it, and is not stored.
  const imported = agentKey === undefined ? firstCluster().agentKey : undefined;
  await adoptCluster(accounts, { id: clusterId, agentKey: imported, place }, log);
  if (dataLake !== undefined) await adoptDataLake(accounts, dataLake.id, clusterId);
  return undefined;
}

function hostedOf(
  { settings, host, ports, bySettings }: AccountsPartOptions,
  served: Pick<MetricsReadersOptions, 'limits' | 'tokenKeys'> & { readonly accounts: AccountsDatabase },
): HostedMetrics {
  const { clock, log, metrics, isBehindProxy = false, clusterMetrics } = settings;
  const utilization = measureUtilization(clock);
  return hostedMetrics({
    clusterPort: ports.portOf,
    samplesOf: hostedSamples({
      diagnostics: served.accounts.diagnostics,
      utilizationOf: (id) => (host.node(id)?.role === 'leader' ? utilization() : undefined),
    }),
    mayRead: metricsReaders({ ...served, agentKeys: bySettings }),
    settings: clusterMetrics,
    isBehindProxy,
    clock,
    log,
    metrics,
  });
}

function catalogOf(
  { settings, ports, bySettings }: AccountsPartOptions,
  served: Pick<MetricsReadersOptions, 'limits' | 'tokenKeys'> & { readonly accounts: AccountsDatabase },
): Handler {
  const { virtualClusters, tables, secrets } = served.accounts;
  const catalogs = new ClusterCatalogs({
    virtualClusters,
    tables,
    secrets,
    portOf: ports.portOf,
    freshUuid: randomUUID,
  });
  return catalogRoute({
    mayRead: metricsReaders({ ...served, agentKeys: bySettings }),
    tablesOf: (clusterId, stop) => catalogs.tablesOf(clusterId, stop),
    isBehindProxy: settings.isBehindProxy ?? false,
    log: settings.log,
  });
}

/** Transitions go to the log of this process and to the events of their cluster. */
function reportTransition(options: AccountsPartOptions): (transition: Transition) => void {
  const { changed } = eventsOfDiagnostics(options);
  return (transition) => {
    logTransition(transition, options.settings.log);
    changed(transition);
  };
}

function eventsOfDiagnostics({ settings, host, ports }: AccountsPartOptions): DiagnosticEvents {
  const { clock, log } = settings;
  return diagnosticEvents({
    portOf: ports.portOf,
    nameOf: (clusterId) => host.cluster(clusterId)?.name,
    needsStats: (clusterId) => host.node(clusterId)?.wantsEvents('cluster_metrics') ?? false,
    random: systemRandom,
    clock,
    log,
  });
}

/** Evaluates the alerts of the clusters that this process leads, as often as their diagnostics. */
function alertsOf(
  { settings, host, ports, publicUrl }: AccountsPartOptions,
  accounts: AccountsDatabase,
): AlertEngine {
  const { clock, log, metrics, tenantAccess = usualTenantAccess, diagnosticsIntervalMs } = settings;
  return new AlertEngine({
    leading: () => new Map(host.leading().map(({ cluster }) => [cluster.id, cluster.name])),
    records: accounts.alertRecords,
    channels: accounts.alertChannels,
    diagnostics: accounts.diagnostics,
    hosts: tenantAccess.hosts,
    linkOf: (clusterId) => `${publicUrl()}${consolePaths.alerts(clusterId)}`,
    async countEvents(clusterId, { viewId, moreThan, withinMinutes }, stop) {
      const workspaceId = host.cluster(clusterId)?.workspaceId ?? '';
      const { name: viewName, search } = await accounts.eventViews.get({
        workspaceId,
        viewId,
        userId: undefined,
      });
      const endMs = clock.nowMs();
      const count = await countEvents(
        ports.portOf(clusterId),
        search,
        { startMs: endMs - withinMinutes * 60_000, endMs },
        { queryId: randomUUID(), stop, enoughAbove: moreThan },
      );
      return { count, viewName };
    },
    intervalMs: diagnosticsIntervalMs,
    clock,
    log,
    metrics,
  });
}

/** The handlers of all operations, for every transport. */
function handlersOf(
  options: AccountsPartOptions,
  accounts: AccountsDatabase,
  fileBindings: WorkloadIdentities['fileBindings'],
  {
    cloning,
    registries,
    tablePipelines,
  }: {
    readonly cloning: ClusterCloning | undefined;
    readonly registries: ClusterRegistries;
    readonly tablePipelines: TablePipelines;
  },
): OperationHandlers {
  const { settings, ports, publicUrl } = options;
  const { agentMetricRows = [] } = settings;
  const onClusters = clusterOperations({
    clusterPort: ports.portOf,
    registries,
    virtualClusters: accounts.virtualClusters,
    diagnostics: accounts.diagnostics,
    onTransition: reportTransition(options),
    metricRows: () => [...hostedMetricRows, ...agentMetricRows],
    freshUuid: randomUUID,
    randomBytes,
  });
  const onAgentsRevoked = (clusterId: string) => void requestNewSecrets(options, clusterId);
  return {
    ...accountOperations({
      accounts,
      publicUrl,
      onAgentsRevoked,
      fileBindings,
      cloning,
      regions: options.regions,
      portOf: ports.portOf,
      tablePipelines,
      tenantAccess: settings.tenantAccess,
      exportersUsing: (clusterId, name) =>
        registries.use(clusterId, async ({ exporters }) => exporters.usersOfSecret(name)),
    }),
    ...onClusters,
  };
}

/** The leader of a cluster may be unavailable for a while, and a revoked agent must not benefit from that. */
async function requestNewSecrets(
  { ports, settings: { clock, log }, stop }: AccountsPartOptions,
  clusterId: string,
): Promise<void> {
  for (let attempt = 1; attempt <= secretsAttemptsMax && !stop.aborted; attempt++) {
    try {
      return await ports.portOf(clusterId).replaceSecrets();
    } catch (error) {
      const problem = (error as Error).message;
      log.warn('failed to request new agent secret', { clusterId, attempt, error: problem });
    }
    await pauseUnlessStopped(clock, retryMs, stop);
  }
}

const secretsAttemptsMax = 60;

const kinds = {
  byoc: 'kafka',
  byoc_schema_registry: 'schema_registry',
  byoc_data_lake: 'data_lake',
} as const satisfies Record<VirtualCluster['type'], ClusterKind>;

/**
 * Where the diagnostics of a cluster are counted: those of the own cluster in the metrics of the process, those of
 * others separately.
 */
function diagnosticMetrics(
  { ownClusterId, host }: Pick<AccountsPartOptions, 'ownClusterId' | 'host'>,
  ofProcess: Metrics,
): (clusterId: string) => Metrics {
  const ofNodes = new WeakMap<object, Metrics>();
  return (clusterId) => {
    if (clusterId === ownClusterId()) return ofProcess;
    const node = host.node(clusterId);
    if (node === undefined) return new Metrics();
    const known = ofNodes.get(node) ?? new Metrics();
    ofNodes.set(node, known);
    return known;
  };
}

const answerRoot: Handler = (_request, response) => {
  response.setHeader('location', routePath('apiDocs'));
  response.writeHead(303).end();
};
