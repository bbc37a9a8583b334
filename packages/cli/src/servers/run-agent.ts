import { hostname } from 'node:os';
import {
  AgentEvents,
  AgentStats,
  type RunningAgent,
  startAgent,
  startDataLakeAgent,
  startMetricsPush,
} from '@weir/agent';
import { lookUpZone, OwnZone, type ZoneOfAddress, ZoneWarnings, zonesByAddress } from '@weir/broker';
import { clusterKind, Failure, type Log, Metrics, release, systemRandom } from '@weir/core';
import { type ObjectStore, openStore, probesFolder } from '@weir/storage';
import type { CommandValues } from '../flags/catalogue.ts';
import { resolveBuckets } from '../rules/buckets.ts';
import { resolveRoles } from '../rules/roles.ts';
import { type BucketUrl, bucketUrl as bucketType } from '../values/bucket-url.ts';
import { advertisedAgentHost, advertisedClientHost } from './advertised-addresses.ts';
import { agentBuckets } from './agent-buckets.ts';
import { agentSettings, jobSettings } from './agent-settings.ts';
import type { AgentToRun } from './agent-to-run.ts';
import { isSameBucket } from './allowed-buckets.ts';
import { listenAddress } from './bind-address.ts';
import { checkBucket } from './bucket-check.ts';
import { connectAgent } from './connect-agent.ts';
import { explainingStart } from './explaining-start.ts';
import { externalSchemas } from './external-schemas.ts';
import { withLentCredentials } from './lent-credentials.ts';
import { metricsPushSettings } from './metrics-settings.ts';
import { keepFilesPrivate } from './private-files.ts';
import { storeSettings } from './store-settings.ts';
import { tenantAccess } from './tenant-access.ts';
import { proxyProtocolSettings, tlsSettings } from './tls-settings.ts';
import { serveUntilStopped } from './until-stopped.ts';

/**
 * Runs one agent from start to end. An agent is stateless, so it may be killed at any moment; when it is stopped, it
 * answers all pending requests.
 */
export async function runAgent(options: AgentToRun): Promise<void> {
  const kind = clusterKind(options.values.defaultVirtualClusterID);
  if (kind === 'schema registry') {
    const { runRegistryAgent } = await import('./run-registry-agent.ts');
    return await runRegistryAgent(options);
  }
  const { values, agentId, clock, environment, stop } = options;
  const roles = resolveRoles(values);
  if ('problem' in roles) throw new Failure(roles.problem.rule);
  const host = advertisedClientHost(values);
  const metrics = new Metrics({ agent_version: release });
  const events = new AgentEvents({
    agent: { agentId, hostname: hostname(), clusterId: values.defaultVirtualClusterID! },
    roles: roles.value,
    jobCategories: values.jobSelector,
    clock,
    random: systemRandom,
    log: options.log,
    metrics,
  });
  const { log } = events;
  const chosen = resolveBuckets(values);
  if ('problem' in chosen) throw new Failure(chosen.problem.rule);
  const { value: own } = chosen;
  const print = (url: BucketUrl) => bucketType().print(url);
  const ingestionUrl = print(own.kind === 'single' ? own.bucket : own.ingestion);
  const compactionUrl = own.kind === 'single' ? ingestionUrl : print(own.compaction);
  for (const bucketUrl of new Set([ingestionUrl, compactionUrl])) keepFilesPrivate({ bucketUrl }, log);
  const { kafkaPort, httpPort, internalTLSPort, tableflowInternalHTTPPort } = values;
  if (kind === 'data lake') noteIgnored(values, log);
  const warnings = new ZoneWarnings({ clock, log, areDisabled: values.disableAzLookupWarnings });
  const ownZone = new OwnZone({
    lookUp: (stop) => lookUpZone({ clock, environment, wantsId: values.lookupAvailabilityZoneID, stop }),
    clock,
    log,
    warnings,
  });
  const resources = new AsyncDisposableStack();
  resources.defer(() => ownZone.stop());
  if (values.availabilityZone === undefined) void ownZone.start();
  const start = async () => {
    const storage = { ...storeSettings(values), usesMetadataService: true };
    const deps = {
      clock,
      random: systemRandom,
      environment,
      log,
      metrics,
      ...storage,
      requiresGcsDirectConnectivity: values.gcsDirectConnectivityRequired,
    };
    const { defaultVirtualClusterID: clusterId, agentGroup } = values;
    const push = startMetricsPush({
      settings: metricsPushSettings(values),
      identity: { clusterId: clusterId!, agentId, agentGroup },
      clock,
      log,
      metrics,
    });
    resources.defer(() => push.stop());
    const stats = new AgentStats({ clock, metrics });
    const retiredBucketUrls = values.additionalBackgroundTasksBucketURLs.map(print);
    const openBucket = async (url: string) => {
      const opened = await openStore(url, { ...deps, retiredBucketUrls, onRequest: stats.requestEnded });
      resources.defer(() => opened.close());
      return opened;
    };
    // Opened first, so that a configuration error is reported at once.
    const ingestion = { url: ingestionUrl, store: await openBucket(ingestionUrl) };
    const compaction =
      own.kind === 'single' ? undefined : { url: compactionUrl, store: await openBucket(compactionUrl) };
    const tls = await tlsSettings(values, resources, deps);
    const proxyProtocol = proxyProtocolSettings(values, log);
    const { cluster, agentKey, tokens } = await connectAgent({
      values,
      resources,
      clock,
      environment,
      log,
      metrics,
    });
    const bucketCheck = {
      folder: probesFolder(clusterId!),
      deletes: !values.disableFileDeletion,
      clock,
      log,
      stop,
    };
    const buckets = await agentBuckets({
      clusterId: clusterId!,
      cluster,
      own: compaction === undefined ? ingestion : { ingestion, compaction },
      allowedUrls: values.allowedBucketURLs.map(print),
      otherUrls: retiredBucketUrls,
      open: openBucket,
      checkValues: values,
      bucketCheck,
      clock,
      log,
      stop,
    });
    resources.defer(() => buckets.stop());
    const additionalStores = await openAdditionalBuckets(
      retiredBucketUrls,
      buckets.urls().map(({ url }) => url),
      roles.value,
      async (url) => {
        const store = await openBucket(url);
        // The agent only looks for dead files there.
        const setting = '-additionalBackgroundTasksBucketURLs';
        await checkBucket({ ...bucketCheck, values, setting, bucketUrl: url, store, writes: false });
        return store;
      },
    );
    const common = {
      ...agentSettings(values, ingestionUrl, options.cpuCount),
      tenantAccess: withLentCredentials(tenantAccess(values, environment), values, { environment, clock }),
      jobs: jobSettings(values, additionalStores, {
        bucketUrl: compactionUrl,
        retiredBucketUrls,
        environment,
        ...storage,
      }),
      givenUp: stop,
      clusterId: values.defaultVirtualClusterID!,
      agentId,
      group: values.agentGroup,
      region: values.multiregion ? values.region : undefined,
      roles: roles.value,
      host: listenAddress(values),
      httpPort,
      advertisedHost: host,
      hostname: hostname(),
      internalHost: advertisedAgentHost(values, host),
      ...(tls === undefined ? {} : { tls }),
      servesMetrics: values.enablePrometheusMetrics,
      locksShutdown: values.enableShutdownLock,
      cluster,
      agentKey,
      store: buckets.store,
      buckets,
      stats,
      tokens,
      events,
      clock,
      random: systemRandom,
      log,
      metrics,
    };
    const running: RunningPorts & Pick<RunningAgent, 'stop'> =
      kind === 'data lake'
        ? await startDataLakeAgent({
            ...common,
            get zone() {
              return zone();
            },
            tables: {
              bucket: {
                url: compactionUrl,
                // Tables may be in the additional buckets, and are written and maintained there.
                allowedUrls: [...values.allowedBucketURLs.map(print), ...retiredBucketUrls],
                retiredUrls: retiredBucketUrls,
                environment,
                ...storage,
              },
              httpPort: tableflowInternalHTTPPort,
            },
          })
        : await startAgent({
            ...common,
            get zone() {
              return zone();
            },
            schemas: await externalSchemas(values, { resources, clock }),
            zoneOfAddress: zonesOfClients(values, warnings),
            pipelineBytesPerCpu: values.overridePipelinesSharedRateLimitPerVCPU,
            kafkaPort,
            ...(proxyProtocol === undefined ? {} : { proxyProtocol }),
          });
    resources.defer(() => running.stop({ deadlineMs: options.stopDeadlineMs() }));
    return running;
  };
  const zone = () => values.availabilityZone ?? ownZone.zone;
  // An agent waits for a control plane that it cannot reach, and must be stoppable meanwhile.
  await serveUntilStopped({
    start: () => explainingStart({ kafkaPort, httpPort, internalTLSPort, tableflowInternalHTTPPort }, start),
    onReady: ({ kafkaPort, tablesPort, httpPort }) =>
      options.onReady({ host, kafkaPort, tablesPort, httpPort }),
    end: () => resources.disposeAsync(),
    stop,
    clock,
  });
}

interface RunningPorts {
  readonly kafkaPort?: number;
  readonly tablesPort?: number;
  readonly httpPort: number;
}

const kafkaFlags = [
  'kafkaTLS',
  'schemaRegistryTLSEnabled',
  'externalSchemaRegistryURL',
  'zonedCIDRBlocks',
  'logIntakeDefaultTopic',
] as const;

/** Names flags of agents of Kafka clusters that have no effect here. */
function noteIgnored(values: CommandValues<'agent'>, log: Log): void {
  const given = kafkaFlags.filter((name) => values[name] !== undefined && values[name] !== false);
  const flags = [...(values.kafkaPort === 9092 ? [] : ['kafkaPort']), ...given].map((name) => `-${name}`);
  if (flags.length > 0)
    log.info('ignored settings that an agent of a data lake does not have', { flags: flags.join(' ') });
}

/** Only agents that run jobs need them. The buckets of the cluster are not opened twice. */
async function openAdditionalBuckets(
  urls: readonly string[],
  ofCluster: readonly string[],
  roles: readonly string[],
  open: (url: string) => Promise<ObjectStore>,
): Promise<readonly ObjectStore[]> {
  if (!roles.includes('jobs')) return [];
  const others = new Set(urls.filter((url) => !ofCluster.some((known) => isSameBucket(known, url))));
  return await Promise.all([...others].map(open));
}

/** Without configured blocks, zones are not derived from addresses, and there is nothing to warn about. */
function zonesOfClients(
  { zonedCIDRBlocks: blocks = [] }: CommandValues<'agent'>,
  warnings: ZoneWarnings,
): ZoneOfAddress {
  const zoneOf = zonesByAddress(blocks);
  return (address) => {
    const zone = zoneOf(address);
    if (zone === undefined && blocks.length > 0) {
      warnings.warn('found client outside all blocks of -zonedCIDRBlocks', { peer: address });
    }
    return zone;
  };
}
