import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { agentMetricRows } from '@weir/agent';
import type { MetadataBackupSettings, ReadyProcess } from '@weir/controlplane/process';
import { jsonLog, Metrics, release, systemRandom } from '@weir/core';
import { type ObjectStore, openStore, probesFolder, StoreError } from '@weir/storage';
import type { Handler } from '../handler.ts';
import { bucketUrl } from '../values/bucket-url.ts';
import { listenAddress, onlyAddress } from './bind-address.ts';
import { checkBucket } from './bucket-check.ts';
import { openDataDirectory } from './data-directory.ts';
import { explainingStart } from './explaining-start.ts';
import { clusterIdentityIn } from './identity.ts';
import { startHostedPush } from './metrics-hosted-push.ts';
import { clusterMetricsSettings, metricsPushSettings } from './metrics-settings.ts';
import { keepFilesPrivate } from './private-files.ts';
import { startingControlPlane } from './starting-control-plane.ts';
import { storeSettings } from './store-settings.ts';
import { tenantAccess } from './tenant-access.ts';
import { serveUntilStopped } from './until-stopped.ts';

const defaultDataDir = 'weir-data';

/**
 * One control-plane process. Any number of them share a database: each cluster is led by one of them, and the others
 * are standbys. A new database starts with a cluster and a key for its agents, which are stored in the data directory
 * of the process that created them.
 */
export const controlPlane: Handler<'control-plane'> = async (values, deps) => {
  const { clock, environment, output, stop } = deps;
  const dataDir = resolve(values.dataDir ?? defaultDataDir);
  const { consolePort, agentKey } = values;
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  });
  const databaseUrl = values.databaseURL ?? join(dataDir, 'weir.db');
  using directory = new DisposableStack();
  if (values.databaseURL === undefined) directory.defer(openDataDirectory(dataDir, 'shared'));
  keepFilesPrivate({ dataDir, databaseUrl }, log);
  const metrics = new Metrics({ agent_version: release });
  const processId = randomUUID();
  // Everything that was started is stopped in reverse order, also if the rest fails to start.
  const running = new AsyncDisposableStack();
  const start = async () => {
    const backup = await openBackup();
    const controlPlane = await startingControlPlane({
      databaseUrl,
      host: listenAddress(values),
      port: consolePort,
      advertisedHost: values.controlPlaneHost ?? onlyAddress(values.bindAddress) ?? hostname(),
      regions: values.multiregion ? { own: values.region!, groups: values.regionGroups } : undefined,
      publicUrl: values.publicURL,
      isBehindProxy: values.behindProxy,
      allowsMcpWrites: values.mcpWrites,
      processId,
      clusterId: values.defaultVirtualClusterID,
      firstCluster: () => {
        const made = clusterIdentityIn(dataDir);
        return { id: made.clusterId, agentKey: agentKey ?? made.agentKey, accountKey: made.accountKey };
      },
      agentKey,
      credentialsFile: values.saslCredentialsFile,
      bindingsFile: values.workloadIdentityBindingsFile,
      sealingKeysFile: values.sealingKeysFile,
      allowsPrivateIssuers: values.allowPrivateIssuers,
      tenantAccess: tenantAccess(values, environment),
      clusterMetrics: clusterMetricsSettings(values),
      agentMetricRows,
      backup,
      clock,
      log,
      metrics,
    });
    running.defer(() => controlPlane.stop());
    output.out(`weir ${release} control-plane\n  control plane  ${controlPlane.url}\n`);
    const ready = await controlPlane.whenReady();
    const push = startHostedPush({
      settings: metricsPushSettings(values),
      clusters: controlPlane.clusters,
      processId,
      clock,
      log,
      metrics,
    });
    running.defer(() => push.stop());
    return ready;
  };
  await serveUntilStopped({
    start: () => explainingStart({ consolePort }, start),
    onReady: (ready) =>
      output.out(announcement(ready, join(dataDir, 'identity.json'), agentKey !== undefined)),
    end: () => running.disposeAsync(),
    stop,
    clock,
  });
  return 0;

  async function openBackup(): Promise<MetadataBackupSettings | undefined> {
    const { bucketURL, metadataBackup, metadataBackupInterval: intervalMs } = values;
    if (bucketURL === undefined || !metadataBackup) return undefined;
    const store = await openStore(bucketUrl().print(bucketURL), {
      clock,
      random: systemRandom,
      environment,
      log,
      metrics,
      ...storeSettings(values),
      usesMetadataService: true,
    });
    running.defer(() => store.close());
    await checkBackupBucket(bucketUrl().print(bucketURL), store);
    return { store, intervalMs };
  }

  /**
   * The directory or the file of a new bucket is made by the first agent of a Kafka cluster, which starts later; agents
   * of a schema registry have none. Backups begin then.
   */
  async function checkBackupBucket(bucketUrl: string, store: ObjectStore): Promise<void> {
    if (/\b(?:file|sqlite):\/\//.test(bucketUrl) && (await isMissing(store))) {
      log.warn('found no bucket at -bucketURL, waiting for the first agent to make it', {
        advice: 'agents of a schema registry make none; without a Kafka cluster create the bucket yourself',
      });
      return;
    }
    await checkBucket({
      values,
      setting: '-bucketURL',
      bucketUrl,
      store,
      folder: probesFolder(),
      deletes: true,
      clock,
      log,
      stop,
    });
  }
};

async function isMissing(store: ObjectStore): Promise<boolean> {
  try {
    await store.head(`${probesFolder()}any`);
    return false;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return error.kind === 'bucketMissing';
  }
}

function announcement(
  { ownClusterId, hasFirstCluster, setupUrl }: ReadyProcess,
  identityPath: string,
  hasOwnKey: boolean,
): string {
  return [
    `  serves         ${ownClusterId ?? 'the clusters of its database'}`,
    ...(hasFirstCluster && !hasOwnKey ? [`  agent key      in ${identityPath}`] : []),
    ...(hasFirstCluster ? [`  account key    in ${identityPath}`] : []),
    ...(setupUrl === undefined ? [] : [`  first user     signs up at ${setupUrl}`]),
    '',
  ].join('\n');
}
