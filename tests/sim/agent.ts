import { testAgent } from '@weir/broker/testing';
import type { AgentDescription, ClusterPort } from '@weir/cluster';
import { MiB, type Random, release, seededRandom } from '@weir/core';
import type { RegistryService } from '@weir/registry';
import { connectCluster } from '@weir/rpc';
import { aroundStore, type ObjectStore, withPatience } from '@weir/storage';
import { Heartbeats } from '../../packages/agent/src/heartbeats.ts';
import { createClusterView } from '../../packages/broker/src/cluster/following-view.ts';
import { DamageRegistry } from '../../packages/broker/src/damage/damage-registry.ts';
import { createHandlers } from '../../packages/broker/src/dispatch/request-dispatch.ts';
import { FetchSessions } from '../../packages/broker/src/fetch/fetch-sessions.ts';
import { produceHandler } from '../../packages/broker/src/handlers/00-produce.ts';
import { fetchHandler } from '../../packages/broker/src/handlers/01-fetch.ts';
import { listOffsetsHandler } from '../../packages/broker/src/handlers/02-list-offsets.ts';
import { shareFetchHandler } from '../../packages/broker/src/handlers/78-share-fetch.ts';
import { shareAcknowledgeHandler } from '../../packages/broker/src/handlers/79-share-acknowledge.ts';
import { createReadPath } from '../../packages/broker/src/read-path/read-path.ts';
import type { RequestServer } from '../../packages/broker/src/requests/request-server.ts';
import { ShareService } from '../../packages/broker/src/share/share-service.ts';
import { ClientTelemetry } from '../../packages/broker/src/telemetry/client-telemetry.ts';
import { createWritePath } from '../../packages/broker/src/write-path/file-write-path.ts';
import { openRegistry } from '../../packages/gateway/src/schema-registry/open-registry.ts';
import { RegistryMetrics } from '../../packages/gateway/src/schema-registry/registry-metrics.ts';
import { DialError } from '../../packages/rpc/src/channel/channel.ts';
import type { SimControlPlane } from './control-plane.ts';
import { clusterId, type Deps, isLost, type Region } from './deps.ts';
import { Lane, type Link } from './link.ts';
import { SimProcess } from './sim-process.ts';

interface SimAgentOptions {
  readonly agentId: string;
  readonly region: Region;
  /** The bucket, shared by the whole simulation. */
  readonly bucket: ObjectStore;
  /** How long an open file collects batches. */
  readonly windowMs: number;
  readonly controlPlaneUrls: readonly string[];
  readonly controlPlaneAt: (url: string) => SimControlPlane | undefined;
  /** Wraps the cluster port with a bug, to prove that the checks find it. */
  readonly sabotage: (port: ClusterPort) => ClusterPort;
}

const kafkaPort = 9092;
const retryStartMs = 500;
/** When a connection fails whose packets are lost, if the agent has not given it up before. */
const dialMsMax = 20_000;
/** Small, so that files have many pages and the cache cannot hold all of them. */
const pageBytes = 1024;
const cacheBytesMax = 16 * 1024;

/** One agent: the real one without its sockets. */
export class SimAgent {
  readonly agentId: string;
  readonly address: { readonly host: string; readonly port: number };
  readonly process: SimProcess;
  /** Undefined until the agent is ready. */
  server: RequestServer | undefined;
  /** Its schema registry, once that has read its state. Undefined until the agent is ready. */
  registry: (() => Promise<RegistryService>) | undefined;
  readonly #world: Deps;
  readonly #options: SimAgentOptions;
  readonly #random: Random;
  #links: Link[] = [];

  constructor(world: Deps, options: SimAgentOptions) {
    this.#world = world;
    this.#options = options;
    this.agentId = options.agentId;
    this.address = { host: options.agentId, port: kafkaPort };
    this.process = new SimProcess(world, options.region);
    // A separate generator, because file ids depend on the random source.
    this.#random = seededRandom(world.random.below(2 ** 32));
    void this.#start();
  }

  kill(isNoticed: boolean): void {
    this.process.kill();
    for (const link of this.#links) {
      if (isNoticed) link.cut();
      else link.silence();
    }
  }

  /** Breaks the connection to the control plane. */
  cutLinks(): void {
    for (const link of this.#links) link.cut();
  }

  silenceLinks(): void {
    for (const link of this.#links) link.silence();
  }

  /** Nothing passes between the regions any more. */
  silenceCutLinks(): void {
    for (const link of this.#links) if (link.isCutOff) link.silence();
  }

  async #start(): Promise<void> {
    const { metrics } = this.#world;
    const { clock } = this.process;
    const log = this.#world.log.with({ agent: this.agentId });
    const random = this.#random;
    const port = this.#options.sabotage(this.#connect());
    const store = withPatience(this.#reachBucket(), {
      clock,
      random,
      log,
      metrics,
      name: 'sim',
      isRemote: true,
    });
    const self = () => this.#description();
    const heartbeats = new Heartbeats({ port, self, clock, log });
    const view = createClusterView(port, {
      clock,
      log,
      recentPointersPerPartitionMax: 12,
      recentPointersMax: 30,
      onConnected: () => heartbeats.beatNow(),
    });
    const readPath = createReadPath({
      store,
      cluster: view,
      pages: { pageBytes, cacheBytesMax, ownFiles: 'keep' },
      clock,
      log,
      metrics,
    });
    const writePath = createWritePath({
      clusterId,
      store,
      cluster: view,
      flush: { windowMs: this.#options.windowMs, uncompressedBytesMax: MiB, compressedBytesMax: 4096 },
      hedgesUploads: true,
      inflightFilesMax: 4,
      bufferedBytesMax: 8192,
      clock,
      random,
      log,
      metrics,
      onStored: (file) => readPath.adopt(file),
    });
    const damage = new DamageRegistry({ view, clock, log });
    const share = new ShareService({ port: view.port, readPath, damage, requestBytesMax: 16 * MiB });
    const { roles } = self();
    const server = createHandlers({
      cluster: view,
      clock,
      log,
      self,
      defaultStrategy: 'consistent_spread',
      telemetry: new ClientTelemetry({ records: view.records('clientMetrics'), clock, log, metrics }),
      produce: produceHandler({ roles, writePath, recordBytesMax: MiB, metrics }),
      fetch: fetchHandler({
        roles,
        readPath,
        damage,
        sessions: new FetchSessions({ clock, random }),
        requestBytesMax: 16 * MiB,
        partitionBytesMax: 16 * MiB,
      }),
      listOffsets: listOffsetsHandler({ readPath, damage }),
      shareFetch: shareFetchHandler(share, { roles }),
      shareAcknowledge: shareAcknowledgeHandler(share),
    });
    // As in the real agent: no call before the first snapshot, so that a standby has to name the leader.
    await view.ready();
    const isRegistered = () =>
      heartbeats.start().then(
        () => true,
        () => false,
      );
    while (!(await isRegistered())) await new Promise<void>((resolve) => clock.after(retryStartMs, resolve));
    this.server = server;
    const registry = openRegistry({
      clusterId,
      port: view.port,
      changes: view,
      release,
      clock,
      random,
      log,
      metrics: new RegistryMetrics(metrics),
    });
    this.registry = registry.service;
  }

  #connect(): ClusterPort {
    const { log, metrics } = this.#world;
    return connectCluster({
      urls: this.#options.controlPlaneUrls,
      clusterId,
      agentKey: () => 'aks_sim',
      clock: this.process.clock,
      random: this.#random,
      log: log.with({ agent: this.agentId }),
      metrics,
      dial: ({ url }) => {
        const target = this.#options.controlPlaneAt(url);
        return new Promise((resolve, reject) => {
          const back = new Lane(this.#world, this.process);
          if (target === undefined || !target.process.isAlive) {
            back.carry(() => reject(new DialError(`${url} does not answer`)));
            return;
          }
          new Lane(this.#world, target.process).carry(() => {
            if (isLost(this.#world, this.process.region, target.process.region)) {
              this.process.clock.after(dialMsMax, () => reject(new DialError(`${url} does not answer`)));
              return;
            }
            const link = target.accept(this.process);
            this.#links = this.#links.filter(({ isOver }) => !isOver);
            this.#links.push(link);
            this.process.whenRunning(() => resolve(link.agentEnd));
          });
        });
      },
    });
  }

  /** The bucket as this process reaches it. Its effects are durable whether or not the process receives the answer. */
  #reachBucket(): ObjectStore {
    return aroundStore(this.#options.bucket, ({ run, signal }) => this.process.answer(run(signal)));
  }

  #description(): AgentDescription {
    return testAgent(this.agentId, {
      host: this.agentId,
      kafkaPort,
      internalUrl: `http://${this.agentId}:8080`,
    });
  }
}
