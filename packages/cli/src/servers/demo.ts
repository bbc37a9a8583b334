import { Failure, jsonLog } from '@weir/core';
import { apiClient } from '../api-client.ts';
import { demoAnnouncement } from '../demo/announcement.ts';
import { demoPipelines, demoTablePipelines, startDemoPipelines } from '../demo/pipelines.ts';
import { setUpDemo } from '../demo/set-up.ts';
import { startWorkload } from '../demo/workload.ts';
import type { Deps } from '../deps.ts';
import type { CommandValues } from '../flags/catalogue.ts';
import type { Handler } from '../handler.ts';
import { bucketUrl } from '../values/bucket-url.ts';
import { loopback } from './bind-address.ts';
import { type ClusterPlace, placeInDirectory, placeInMemory } from './cluster-place.ts';
import { freePorts } from './free-ports.ts';
import type { Identity } from './identity.ts';
import { isCi } from './is-ci.ts';
import { runLocal } from './local.ts';
import { dataLakeIdOf } from './own-tables.ts';
import { runningClusters } from './running-clusters.ts';
import { type Companion, type RunningCluster, runSelfContained } from './self-contained.ts';
import { storeSettings } from './store-settings.ts';

type DemoValues = CommandValues<'demo'>;

/**
 * A cluster with clients, for people who want to see what Weir shows them. Its data is in memory and gone when it
 * stops, however it stops; a directory that the user names is kept. In CI it becomes `local`.
 */
export const demo: Handler<'demo'> = async (given, deps) => {
  using cleanup = new DisposableStack();
  const values = { ...given, ...(await portsOf(given, deps)) };
  const timed = new AbortController();
  const own: Deps = { ...deps, stop: AbortSignal.any([deps.stop, timed.signal]) };
  const endInTime = () => {
    const { duration } = values;
    if (duration !== undefined) cleanup.defer(deps.clock.after(duration, () => timed.abort()));
  };
  if (isCi(deps.environment)) {
    deps.output.err(
      'weir demo: warning: started in CI; runs like weir local, without clients, and keeps no data\n',
    );
    return await runLocal(values, own, endInTime);
  }
  const place = placeOf(values, cleanup);
  return await runSelfContained(
    {
      ...place,
      name: 'demo',
      prints: values.output,
      facts: { api_key: place.identity.applicationKey, account_key: place.identity.accountKey },
      notes: [place.dataDir === undefined ? 'data is lost when it stops' : `data           ${place.dataDir}`],
      storage: storeSettings(values),
      allowedBucketUrls: values.allowedBucketURLs.map(bucketUrl().print),
      zone: 'demo',
      diagnosticsIntervalMs: values.diagnosticsInterval,
      async accompany(cluster) {
        const shop = await openShop(cluster, place.identity, values, own);
        endInTime();
        return shop;
      },
    },
    values,
    own,
  );
};

/** A demo starts wherever there is room: the numbers of its ports matter to nothing but the commands it prints. */
async function portsOf(values: DemoValues, { output }: Deps) {
  const { kafkaPort, httpPort, consolePort, schemaRegistryPort, bindAddress = loopback } = values;
  const wanted = { kafkaPort, httpPort, consolePort, schemaRegistryPort };
  const found = await freePorts(bindAddress, wanted);
  for (const flag of Object.keys(wanted) as (keyof typeof wanted)[]) {
    if (found[flag] === wanted[flag]) continue;
    output.err(`weir demo: warning: port ${wanted[flag]} is in use; using -${flag} ${found[flag]}\n`);
  }
  return found;
}

/** Where the demo stores its data: nowhere but in memory, unless the user names a directory. */
function placeOf(values: DemoValues, cleanup: DisposableStack): ClusterPlace {
  if (values.dataDir === undefined) {
    const flag = values.bucketURL === undefined ? '-databaseURL' : '-bucketURL';
    if (values.bucketURL !== undefined || values.databaseURL !== undefined)
      throw new Failure(`${flag}: needs -dataDir, which stores the keys of the cluster`);
    return placeInMemory();
  }
  return placeInDirectory(values.dataDir, values, cleanup);
}

/** Fills the cluster, and starts the clients. */
async function openShop(
  cluster: RunningCluster,
  { clusterId, applicationKey, accountKey }: Identity,
  values: DemoValues,
  deps: Deps,
): Promise<Companion> {
  const { clock, environment, output, stop } = deps;
  const { host, kafkaPort, registryUrl, controlPlaneUrl } = cluster;
  const log = jsonLog({
    level: values.logLevel,
    nowMs: clock.nowMs,
    write: (line) => output.err(`${line}\n`),
  });
  const client = apiClient({ apiURL: controlPlaneUrl, apiKey: applicationKey }, deps);
  const state = await setUpDemo(client, clusterId);
  const stopClients = await startWorkload({
    connection: {
      bootstrap: { host, port: kafkaPort },
      // They are clients of their own process, whose certificate need not be valid for its address.
      tls: values.kafkaTLS ? { skipsVerification: true } : undefined,
      mechanism: values.enabledSASLMechanisms.includes('SCRAM-SHA-512') ? 'SCRAM-SHA-512' : 'PLAIN',
      clock,
      log,
      stop,
    },
    registryUrl,
    state,
    recordsPerSecond: values.rate,
    seed: values.seed,
  });
  const reportFailure = (error: Error) => {
    if (!stop.aborted) log.warn('failed to start the pipelines of the demo', { error: error.message });
  };
  // Not waited for: the demo is there before its pipelines run.
  if (values.enableManagedPipelines)
    startDemoPipelines(client, clusterId, 'bento', demoPipelines(registryUrl)).catch(reportFailure);
  const isOpen = !values.requireSASLAuthentication && !values.requireMTLSAuthentication;
  if (isOpen) {
    const tables = demoTablePipelines({ host, kafkaPort, registryUrl, usesTls: values.kafkaTLS });
    startDemoPipelines(client, dataLakeIdOf(clusterId), 'data_lake', tables).catch(reportFailure);
  }
  const isAlone = runningClusters(environment).length === 1;
  const lines = demoAnnouncement({
    cluster,
    ...(isAlone ? {} : { api: { url: controlPlaneUrl, applicationKey, accountKey } }),
    program: environment.WEIR_PROGRAM ?? 'weir',
  });
  return { lines, stop: stopClients };
}
