import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { AgentStats, startDataLakeAgent } from '@weir/agent';
import type { ReadyProcess } from '@weir/controlplane/process';
import {
  type Clock,
  type Environment,
  type Log,
  Metrics,
  pauseUnlessStopped,
  release,
  systemRandom,
} from '@weir/core';
import type { ObjectStore, StoreDeps } from '@weir/storage';
import { bucketUrlsOf, createBucket, probesFolder } from '@weir/storage';
import type { CommandValues } from '../flags/catalogue.ts';
import { agentBuckets } from './agent-buckets.ts';
import { agentSettings, jobSettings } from './agent-settings.ts';
import type { BucketCheckValues } from './bucket-check.ts';
import { freePorts } from './free-ports.ts';
import { tenantAccess } from './tenant-access.ts';

type LedCluster = Awaited<ReturnType<ReadyProcess['whenLeader']>>;

interface OwnTablesOptions {
  readonly clusterId: string;
  readonly agentId: string;
  readonly values: CommandValues<'local'>;
  readonly zone: string;
  readonly host: string;
  readonly advertisedHost: string;
  readonly bucketUrl: string;
  readonly store: ObjectStore;
  readonly storage: Pick<StoreDeps, 's3'> | undefined;
  readonly allowedBucketUrls: readonly string[];
  readonly bucketCheck: BucketCheckValues;
  readonly openBucket: (url: string) => Promise<ObjectStore>;
  readonly environment: Environment;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the process stops. */
  readonly stop: AbortSignal;
}

/** The id of the data lake that is in one process with a Kafka cluster. */
export function dataLakeIdOf(clusterId: string): string {
  return clusterId.replace(/^vci_/, 'vci_dl_');
}

/** There are no other agents, so there is no need to wait for clients to move on. */
const stopDeadlineMs = 5_000;
const retryMs = 5_000;

/**
 * The agent of the data lake of a self-contained process. It starts when the data lake gets its first pipeline: until
 * then nothing of it takes time or memory.
 */
export class OwnTables {
  readonly #options: OwnTablesOptions;
  readonly #running = new AsyncDisposableStack();
  #starting: Promise<void> | undefined;

  constructor(options: OwnTablesOptions) {
    this.#options = options;
  }

  /** Starts the agent; if that fails, again and again. */
  begin(cluster: LedCluster): void {
    this.#starting ??= this.#startPatiently(cluster);
  }

  async stop(): Promise<void> {
    await this.#starting;
    await this.#running.disposeAsync();
  }

  async #startPatiently(cluster: LedCluster): Promise<void> {
    const { clock, log, stop } = this.#options;
    while (!stop.aborted) {
      try {
        return await this.#start(cluster);
      } catch (error) {
        if (stop.aborted) return;
        log.warn('failed to start the agent of the data lake', { error: (error as Error).message });
        await pauseUnlessStopped(clock, retryMs, stop);
      }
    }
  }

  async #start(cluster: LedCluster): Promise<void> {
    const { clusterId, agentId, values, host, store, storage, environment, clock, log, stop } = this.#options;
    const { bucketUrl, allowedBucketUrls, bucketCheck, openBucket } = this.#options;
    await using running = new AsyncDisposableStack();
    const buckets = await agentBuckets({
      clusterId,
      cluster,
      own: { url: bucketUrl, store },
      allowedUrls: allowedBucketUrls,
      open: openBucket,
      checkValues: bucketCheck,
      bucketCheck: {
        folder: probesFolder(clusterId),
        deletes: !values.disableFileDeletion,
        clock,
        log,
        stop,
      },
      clock,
      log,
      stop,
    });
    running.defer(() => buckets.stop());
    const metrics = new Metrics({ agent_version: release });
    const { tableflowInternalHTTPPort: wanted } = values;
    const { httpPort } = await freePorts(host, { httpPort: wanted });
    if (httpPort !== wanted)
      log.warn('replaced -tableflowInternalHTTPPort, which is in use', { wanted, httpPort });
    const agent = await startDataLakeAgent({
      ...agentSettings(values, bucketUrl),
      jobs: jobSettings(values, [], { bucketUrl, environment, ...storage, usesMetadataService: false }),
      clusterId,
      agentId,
      group: '',
      zone: this.#options.zone,
      roles: ['proxy', 'jobs'],
      host,
      httpPort,
      advertisedHost: this.#options.advertisedHost,
      hostname: hostname(),
      tenantAccess: tenantAccess(values, environment),
      servesMetrics: values.enablePrometheusMetrics,
      cluster,
      store: buckets.store,
      buckets,
      stats: new AgentStats({ clock, metrics }),
      tables: {
        bucket: {
          url: await tablesUrl(bucketUrl, running),
          allowedUrls: allowedBucketUrls,
          environment,
          ...storage,
          usesMetadataService: false,
        },
      },
      givenUp: stop,
      clock,
      random: systemRandom,
      log,
      metrics,
    });
    running.defer(() =>
      agent.stop({ deadlineMs: Math.max(values.gracefulShutdownDuration, stopDeadlineMs) }),
    );
    this.#running.use(running.move());
  }
}

/** Another process writes tables, which does not see a bucket in memory: then they are in a temporary directory. */
async function tablesUrl(bucketUrl: string, running: AsyncDisposableStack): Promise<string> {
  if (!bucketUrlsOf(bucketUrl).some((url) => url.startsWith('mem:'))) return bucketUrl;
  const directory = mkdtempSync(join(tmpdir(), 'weir-lake-'));
  running.defer(() => rmSync(directory, { recursive: true, force: true }));
  const { href } = pathToFileURL(directory);
  await createBucket(href);
  return href;
}
