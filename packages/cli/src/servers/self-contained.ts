import { hostname } from 'node:os';
import { AgentStats, agentMetricRows, type RunningAgent, startAgent, startMetricsPush } from '@weir/agent';
import type { ControlPlaneProcess, ReadyProcess } from '@weir/controlplane/process';
import { jsonLog, Metrics, release, systemRandom } from '@weir/core';
import { openStore, probesFolder, type StoreDeps } from '@weir/storage';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import { agentBuckets } from './agent-buckets.ts';
import { agentSettings, jobSettings } from './agent-settings.ts';
import { inUrl, loopback, onlyAddress } from './bind-address.ts';
import { checkBucket } from './bucket-check.ts';
import type { ClusterPlace } from './cluster-place.ts';
import { explainingStart } from './explaining-start.ts';
import { withLentCredentials } from './lent-credentials.ts';
import { clusterMetricsSettings, metricsPushSettings } from './metrics-settings.ts';
import { openOwnSegments } from './own-segments.ts';
import { dataLakeIdOf, OwnTables } from './own-tables.ts';
import { keepFilesPrivate } from './private-files.ts';
import { withQuickGroups } from './quick-groups.ts';
import { listAsRunning } from './running-clusters.ts';
import { registrySettings } from './security-settings.ts';
import { startingControlPlane } from './starting-control-plane.ts';
import { tenantAccess } from './tenant-access.ts';
import { tlsSettings } from './tls-settings.ts';
import { serveUntilStopped } from './until-stopped.ts';

/** Where the parts of a self-contained process are reached. */
export interface RunningCluster {
  /** The host of all of them. */
  readonly host: string;
  readonly kafkaPort: number;
  readonly httpPort: number;
  readonly registryUrl: string;
  readonly controlPlaneUrl: string;
}

/** What runs beside the cluster, and what the user is shown about it. */
export interface Companion {
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

/** Agent and control plane in one process: what `local`, `playground` and `demo` have in common. */
interface SelfContained extends ClusterPlace {
  readonly name: 'local' | 'playground' | 'demo';
  /** Settings for the scheme of the bucket. */
  readonly storage?: Pick<StoreDeps, 's3'>;
  /** `-allowedBucketURLs` */
  readonly allowedBucketUrls?: readonly string[];
  readonly zone: string;
  /** Notes for the user, printed after the addresses. */
  readonly notes: readonly string[];
  /** What is printed once the cluster is ready: text, or the addresses and `facts` as one line of JSON. */
  readonly prints: 'table' | 'json' | 'nothing';
  readonly facts?: Readonly<Record<string, string>>;
  /** How often the diagnostics run; by default once a minute. */
  readonly diagnosticsIntervalMs?: number | undefined;
  /** Starts what runs beside the cluster. It is stopped first. */
  readonly accompany?: ((cluster: RunningCluster) => Promise<Companion>) | undefined;
}

/** There are no other agents, so there is no need to wait for clients to move on. */
const stopDeadlineMs = 5_000;

export async function runSelfContained(
  {
    name,
    identity,
    dataDir,
    databaseUrl,
    bucketUrl,
    bucketCheck,
    ownBucketPath,
    storage,
    allowedBucketUrls = [],
    zone,
    backupIntervalMs,
    notes,
    prints,
    facts = {},
    diagnosticsIntervalMs,
    accompany,
  }: SelfContained,
  values: CommandValues<'local'>,
  deps: Deps,
): Promise<number> {
  const { clock, environment, output, stop } = deps;
  const startMs = clock.monotonicMs();
  const { clusterId, agentId, agentKey, applicationKey, accountKey } = identity;
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  });
  keepFilesPrivate({ dataDir, databaseUrl, bucketUrl }, log);
  const metrics = new Metrics({ agent_version: release });
  const { kafkaPort, httpPort, consolePort, schemaRegistryPort, bindAddress: host = loopback } = values;
  const only = onlyAddress(host);
  const advertisedHost = only === undefined || only === loopback ? 'localhost' : only;
  // Everything that was started is stopped in reverse order, also if the rest fails to start.
  const running = new AsyncDisposableStack();
  const start = async () => {
    const segments =
      ownBucketPath === undefined ? undefined : await openOwnSegments(ownBucketPath, { clock, log });
    if (segments !== undefined) running.defer(() => segments.close());
    const deps = {
      clock,
      random: systemRandom,
      environment,
      log,
      metrics,
      segments: segments?.log,
      ...storage,
    };
    const access = withLentCredentials(tenantAccess(values, environment), values, { environment, clock });
    const stats = new AgentStats({ clock, metrics });
    const openBucket = async (url: string) => {
      const opened = await openStore(url, { ...deps, onRequest: stats.requestEnded });
      running.defer(() => opened.close());
      return opened;
    };
    const store = await openBucket(bucketUrl);
    const tls = await tlsSettings(values, running, deps);
    const stopping = new AbortController();
    const tables = new OwnTables({
      clusterId: dataLakeIdOf(clusterId),
      agentId: lakeAgentId(agentId),
      values,
      zone,
      host,
      advertisedHost,
      bucketUrl,
      store,
      storage,
      allowedBucketUrls,
      bucketCheck,
      openBucket,
      environment,
      clock,
      log,
      stop: AbortSignal.any([stop, stopping.signal]),
    });
    const controlPlane = await startingControlPlane({
      databaseUrl,
      segments: segments?.journals,
      host,
      port: consolePort,
      advertisedHost,
      allowsMcpWrites: values.mcpWrites,
      processId: agentId,
      clusterId,
      firstCluster: () => ({ id: clusterId, agentKey }),
      dataLake: { id: dataLakeIdOf(clusterId), onUsed: (lake) => tables.begin(lake) },
      credentialsFile: values.saslCredentialsFile,
      oneUser: { applicationKey, accountKey, isAccountKeyNew: identity.isAccountKeyNew },
      isQuick: name === 'local',
      diagnosticsIntervalMs,
      backup: backupIntervalMs === undefined ? undefined : { store, intervalMs: backupIntervalMs },
      tenantAccess: access,
      clusterMetrics: clusterMetricsSettings(values),
      agentMetricRows,
      clock,
      log,
      metrics,
    });
    running.defer(() => controlPlane.stop());
    const stopTables = () => {
      stopping.abort();
      return tables.stop();
    };
    running.defer(stopTables);
    const bucketUse = {
      folder: probesFolder(clusterId),
      deletes: !values.disableFileDeletion,
      clock,
      log,
      stop,
    };
    // By a store of its own: the circuit breaker of the other one may be open, which says nothing about the reason.
    const checkOwnBucket = async () => {
      const checked = { ...bucketUse, values: bucketCheck, setting: '-bucketURL', bucketUrl };
      await checkBucket({ ...checked, store: await openBucket(bucketUrl) });
    };
    const cluster = await leading(await controlPlane.whenReady(), checkOwnBucket);
    await withQuickGroups(cluster);
    const buckets = await agentBuckets({
      clusterId,
      cluster,
      own: { url: bucketUrl, store },
      allowedUrls: allowedBucketUrls,
      open: openBucket,
      checkValues: bucketCheck,
      bucketCheck: bucketUse,
      clock,
      log,
      stop,
    });
    running.defer(() => buckets.stop());
    await segments?.begin(store);
    const isOwnBucket = (number: number) =>
      buckets.urls().some((bucket) => bucket.number === number && bucket.url === bucketUrl);
    const agent = await startAgent({
      ...agentSettings(values, bucketUrl),
      jobs: jobSettings(values, [], {
        bucketUrl,
        environment,
        ...storage,
        usesMetadataService: false,
      }),
      clusterId,
      agentId,
      group: '',
      zone,
      roles: ['proxy', 'jobs', ...(values.enableManagedPipelines ? ['pipelines'] : [])],
      pipelineBytesPerCpu: values.overridePipelinesSharedRateLimitPerVCPU,
      host,
      kafkaPort,
      httpPort,
      advertisedHost: values.discoveryKafkaHostnameOverride ?? advertisedHost,
      hostname: hostname(),
      ...(tls === undefined ? {} : { tls }),
      registry: registrySettings(values),
      tenantAccess: access,
      servesMetrics: values.enablePrometheusMetrics,
      cluster,
      store: buckets.store,
      buckets,
      commitsContent: segments && remembered(isOwnBucket),
      stats,
      clock,
      random: systemRandom,
      log,
      metrics,
    });
    running.defer(() =>
      agent.stop({ deadlineMs: Math.max(values.gracefulShutdownDuration, stopDeadlineMs) }),
    );
    // They read from the agent, so that they stop before it. The call above counts if the start of the agent fails.
    running.defer(stopTables);
    // The agent of the only cluster publishes its metrics too, so that the metrics of this process are all of them.
    const push = startMetricsPush({
      settings: metricsPushSettings(values),
      identity: { clusterId, agentId, agentGroup: '' },
      clock,
      log,
      metrics,
    });
    running.defer(() => push.stop());
    const { controlPlaneUrl: apiUrl } = addressesOf(agent, controlPlane);
    running.defer(listAsRunning({ name, apiUrl, applicationKey, accountKey }, environment));
    const companion = await accompany?.(addressesOf(agent, controlPlane));
    if (companion !== undefined) running.defer(() => companion.stop());
    return { agent, controlPlane, lines: companion?.lines ?? [] };
  };
  await serveUntilStopped({
    start: () => explainingStart({ kafkaPort, httpPort, consolePort, schemaRegistryPort }, start, host),
    onReady: announce,
    end: () => running.disposeAsync(),
    stop,
    clock,
  });
  if (prints === 'table') output.out(`weir ${name} has stopped\n`);
  return 0;

  function addressesOf(agent: RunningAgent, controlPlane: ControlPlaneProcess): RunningCluster {
    const at = inUrl(advertisedHost);
    return {
      host: advertisedHost,
      kafkaPort: agent.kafkaPort,
      httpPort: agent.httpPort,
      registryUrl: `${values.schemaRegistryTLSEnabled ? 'https' : 'http'}://${at}:${agent.registryPort}`,
      controlPlaneUrl: `http://${at}:${controlPlane.port}`,
    };
  }

  function announce({ agent, controlPlane, lines }: Started): void {
    if (prints === 'nothing') return;
    const startedMs = clock.monotonicMs() - startMs;
    const at = inUrl(advertisedHost);
    const { registryUrl, controlPlaneUrl } = addressesOf(agent, controlPlane);
    const kafka = `${at}:${agent.kafkaPort}`;
    const http = `${values.httpTLS ? 'https' : 'http'}://${at}:${agent.httpPort}`;
    if (prints === 'json') {
      const addresses = { kafka, http, schema_registry: registryUrl, control_plane: controlPlaneUrl };
      const line = { release, ready_after_ms: Math.round(startedMs), ...addresses };
      output.out(`${JSON.stringify({ ...line, sign_in: controlPlane.signInUrl, ...facts })}\n`);
      return;
    }
    output.out(
      [
        `weir ${release} ${name} is ready after ${(startedMs / 1000).toFixed(2)} s`,
        `  Kafka          ${kafka}`,
        `  HTTP           ${http}`,
        `  registry       ${registryUrl}`,
        `  control plane  ${controlPlaneUrl}`,
        ...(controlPlane.signInUrl === undefined ? [] : [`  sign in        ${controlPlane.signInUrl}`]),
        ...notes.map((note) => `  ${note}`),
        ...lines,
        'Ctrl-C stops it.',
        '',
      ].join('\n'),
    );
  }
}

/** The second agent of the process, which keeps its id as the first one does. */
function lakeAgentId(agentId: string): string {
  return `${agentId.slice(0, -1)}${agentId.endsWith('0') ? '1' : '0'}`;
}

/** A control plane that makes backups does not lead without its bucket. If that is why it does not, says so. */
async function leading(
  ready: ReadyProcess,
  checkBucket: () => Promise<void>,
): ReturnType<ReadyProcess['whenLeader']> {
  const unusable = Promise.withResolvers<never>();
  let isChecking = false;
  const onProblem = () => {
    if (isChecking) return;
    isChecking = true;
    checkBucket().then(() => {
      isChecking = false;
    }, unusable.reject);
  };
  return await Promise.race([ready.whenLeader(onProblem), unusable.promise]);
}

/** The number of a bucket means the same for as long as the process runs. */
function remembered(isOwn: (bucket: number) => boolean): (bucket: number) => boolean {
  const known = new Map<number, boolean>();
  return (bucket) => {
    let answer = known.get(bucket);
    if (answer === undefined) {
      answer = isOwn(bucket);
      known.set(bucket, answer);
    }
    return answer;
  };
}

interface Started {
  readonly agent: RunningAgent;
  readonly controlPlane: ControlPlaneProcess;
  readonly lines: readonly string[];
}
