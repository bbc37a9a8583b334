import type { Clock, Log, Metrics } from '@weir/core';
import type { JournalHub, LeaseHolder } from '@weir/journal';
import { ClusterNode, SeriesBudget, shortLease } from '@weir/metadata';
import type { VirtualCluster } from '../accounts/workspaces/virtual-clusters.ts';
import { keepClusterName } from '../cluster-name.ts';
import { controlPlaneLimits } from '../limits.ts';

export interface ClusterHostOptions {
  /** Lists the clusters. */
  readonly list: () => Promise<readonly VirtualCluster[]>;
  readonly hub: JournalHub;
  /** This control-plane process; its address is known by the time that the host starts. */
  readonly self: () => LeaseHolder;
  /** How long a free lease of a cluster is left to other processes, depending on its last holder. */
  readonly leaseGraceOf?: (clusterId: string) => (lastHolderId: string | undefined) => number;
  /** Called for every node that starts. Returns a function to call when the node ends. */
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
/** Without a listing for so long, a process is not ready: it cannot lead without the database. */
const listingAgeMsMax = 20_000;
/** How long a started process waits for the journals of its clusters before it counts as ready without them. */
const catchUpMsMax = 60_000;
/** Nodes that are stopped at a time. */
const stopsAtATime = 32;

/**
 * The clusters of a control-plane process: one node per cluster of the registry. The node of a deleted cluster ends
 * within seconds; its journal stays until the cluster cannot be restored.
 */
export class ClusterHost {
  readonly #options: ClusterHostOptions;
  readonly #hosted = new Map<string, Hosted>();
  readonly #seriesBudget = new SeriesBudget();
  /** Nodes that have not ended yet, so that no second one starts beside them. */
  readonly #ending = new Map<string, Promise<void>>();
  #refreshing: Promise<void> = Promise.resolve();
  #nextRefresh: Promise<void> | undefined;
  #listedMs = Number.NEGATIVE_INFINITY;
  /** Clusters of the first listing whose journals are not read to their ends yet. */
  #behind: Set<string> | undefined;
  #behindUntilMs = Number.POSITIVE_INFINITY;
  #hasStopped = false;
  #cancel = () => {};

  constructor(options: ClusterHostOptions) {
    this.#options = options;
  }

  /** Whether the clusters are known, and the database that orders their leaders has answered lately. */
  get isReady(): boolean {
    return !this.#hasStopped && this.#options.clock.monotonicMs() - this.#listedMs < listingAgeMsMax;
  }

  /**
   * Whether this process could lead the clusters that it found at its start. Before that, the end of another process
   * would leave them without a leader for as long as their journals take to read.
   */
  get hasCaughtUp(): boolean {
    if (this.#behind === undefined) return false;
    for (const clusterId of this.#behind)
      if (this.node(clusterId)?.hasCaughtUp !== false) this.#behind.delete(clusterId);
    return this.#behind.size === 0 || this.#options.clock.monotonicMs() >= this.#behindUntilMs;
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

  /** Returns the clusters that this process leads now. */
  leading(): readonly HostedCluster[] {
    return this.all().filter(({ node }) => node.role === 'leader');
  }

  async start(): Promise<void> {
    await this.refresh();
    this.#refreshLater();
  }

  /** Lists the clusters now. Concurrent calls share a listing that begins after them. */
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
      // Serving continues while the database is unreachable.
      log.warn('failed to list clusters', { error: (error as Error).message });
      return;
    }
    if (this.#hasStopped) return;
    this.#listedMs = this.#options.clock.monotonicMs();
    const ids = new Set(found.map(({ id }) => id));
    for (const clusterId of [...this.#hosted.keys()]) if (!ids.has(clusterId)) void this.#end(clusterId);
    for (const cluster of found) this.#begin(cluster);
    if (this.#behind === undefined) {
      this.#behind = ids;
      this.#behindUntilMs = this.#listedMs + catchUpMsMax;
    }
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
      seriesBudget: this.#seriesBudget,
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
        error: (error as Error).message,
      });
    }
  }
}
