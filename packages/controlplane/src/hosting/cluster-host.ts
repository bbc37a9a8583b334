import type { Clock, Log, Metrics } from '@weir/core';
import type { JournalHub, LeaseHolder } from '@weir/journal';
import { ClusterNode, shortLease } from '@weir/metadata';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { keepClusterName } from '../cluster-name.ts';
import { controlPlaneLimits } from '../limits.ts';

export interface ClusterHostOptions {
  /** Which clusters there are. */
  readonly list: () => Promise<readonly VirtualCluster[]>;
  readonly hub: JournalHub;
  /** This control-plane process, whose address is known by the time that the host starts. */
  readonly self: () => LeaseHolder;
  /** How long a free lease of a cluster is left to other processes, by who had it last. */
  readonly leaseGraceOf?: (clusterId: string) => (lastHolderId: string | undefined) => number;
  /** Told of every node that begins. Returns what ends with it. */
  readonly attach?: (node: ClusterNode, cluster: VirtualCluster) => () => void | Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** A cluster that this process serves, as its leader or as a standby. */
interface HostedCluster {
  readonly cluster: VirtualCluster;
  readonly node: ClusterNode;
}

interface Hosted extends HostedCluster {
  readonly detach: () => void | Promise<void>;
}

/** How often clusters are listed. Callers that need a new one at once call `refresh`. */
const checkIntervalMs = 2_000;
/** Nodes that are stopped at a time. */
const stopsAtATime = 32;

/**
 * The clusters of a control-plane process: one node for each that the registry has. A cluster that is deleted ends here
 * within seconds, and its journal stays until it cannot be restored.
 */
export class ClusterHost {
  readonly #options: ClusterHostOptions;
  readonly #hosted = new Map<string, Hosted>();
  /** Those whose node has not ended yet, so that no second one begins beside it. */
  readonly #ending = new Map<string, Promise<void>>();
  #refreshing: Promise<void> = Promise.resolve();
  #nextRefresh: Promise<void> | undefined;
  #hasRefreshed = false;
  #hasStopped = false;
  #cancel = () => {};

  constructor(options: ClusterHostOptions) {
    this.#options = options;
  }

  /** Whether it knows which clusters there are. */
  get isReady(): boolean {
    return this.#hasRefreshed && !this.#hasStopped;
  }

  node(clusterId: string): ClusterNode | undefined {
    return this.#hosted.get(clusterId)?.node;
  }

  cluster(clusterId: string): VirtualCluster | undefined {
    return this.#hosted.get(clusterId)?.cluster;
  }

  all(): readonly HostedCluster[] {
    return [...this.#hosted.values()];
  }

  /** Those that this process leads at the moment. */
  leading(): readonly HostedCluster[] {
    return this.all().filter(({ node }) => node.role === 'leader');
  }

  async start(): Promise<void> {
    await this.refresh();
    this.#refreshLater();
  }

  /** Looks which clusters there are, now. Those who ask together share a look that begins after they asked. */
  refresh(): Promise<void> {
    this.#nextRefresh ??= this.#refreshing.then(() => {
      this.#nextRefresh = undefined;
      this.#refreshing = this.#refresh();
      return this.#refreshing;
    });
    return this.#nextRefresh;
  }

  async stop(): Promise<void> {
    this.#hasStopped = true;
    this.#cancel();
    await this.#refreshing;
    const ids = this.#hosted.keys();
    const takeTurns = async () => {
      for (const clusterId of ids) await this.#end(clusterId);
    };
    await Promise.all(Array.from({ length: stopsAtATime }, takeTurns));
    await Promise.all(this.#ending.values());
  }

  #refreshLater(): void {
    if (this.#hasStopped) return;
    this.#cancel = this.#options.clock.after(
      checkIntervalMs,
      () => void this.refresh().then(() => this.#refreshLater()),
    );
  }

  async #refresh(): Promise<void> {
    if (this.#hasStopped) return;
    const { list, log } = this.#options;
    let found: readonly VirtualCluster[];
    try {
      found = await list();
    } catch (error) {
      // What is served goes on; a database that is away is no reason to let go of it.
      log.warn('failed to list clusters', { problem: (error as Error).message });
      return;
    }
    if (this.#hasStopped) return;
    this.#hasRefreshed = true;
    const ids = new Set(found.map(({ id }) => id));
    for (const clusterId of [...this.#hosted.keys()]) if (!ids.has(clusterId)) void this.#end(clusterId);
    for (const cluster of found) this.#begin(cluster);
    for (const { node, cluster } of this.leading()) void keepClusterName(node, cluster.name, log);
  }

  #begin(cluster: VirtualCluster): void {
    const known = this.#hosted.get(cluster.id);
    if (known !== undefined) {
      this.#hosted.set(cluster.id, { ...known, cluster });
      return;
    }
    if (this.#ending.has(cluster.id)) return;
    const { hub, self, clock, log, metrics, attach, leaseGraceOf } = this.#options;
    if (this.#hosted.size >= controlPlaneLimits.hostedClustersMax) {
      log.error('refused further clusters: limit reached', {
        clusterId: cluster.id,
        limit: controlPlaneLimits.hostedClustersMax,
      });
      return;
    }
    const journal = hub.journal(cluster.id);
    const node = new ClusterNode({
      clusterId: cluster.id,
      journal,
      self: self(),
      ...(leaseGraceOf === undefined ? {} : { leaseGraceMs: leaseGraceOf(cluster.id) }),
      ...(hub.processId() === undefined ? { timing: shortLease } : {}),
      clock,
      log,
      metrics,
    });
    const detach = attach?.(node, cluster) ?? (() => {});
    this.#hosted.set(cluster.id, { cluster, node, detach });
    node.start();
  }

  #end(clusterId: string): Promise<void> {
    const hosted = this.#hosted.get(clusterId);
    if (hosted === undefined) return Promise.resolve();
    this.#hosted.delete(clusterId);
    const ended = this.#endNode(hosted).finally(() => this.#ending.delete(clusterId));
    this.#ending.set(clusterId, ended);
    return ended;
  }

  async #endNode({ node, cluster, detach }: Hosted): Promise<void> {
    try {
      await detach();
      await node.stop();
    } catch (error) {
      this.#options.log.error('failed to stop cluster node', {
        clusterId: cluster.id,
        problem: (error as Error).message,
      });
    }
  }
}
