import {
  type ClusterFollower,
  type ClusterPort,
  ClusterUnavailable,
  callOn,
  NotLeader,
  portOf,
} from '@weir/cluster';
import { type Clock, type Log, Metrics, type Random } from '@weir/core';
import type { ClusterNode } from '@weir/metadata';
import { type ClusterClient, connectCluster } from '@weir/rpc';
import { controlPlaneLimits } from '../limits.ts';
import type { SecretsOf } from '../workload-identity/agent-tokens.ts';
import type { ClusterHost } from './cluster-host.ts';
import { memberToken } from './member-tokens.ts';

export interface LeaderPortsOptions {
  readonly host: Pick<ClusterHost, 'node' | 'refresh'>;
  readonly secretsOf: SecretsOf;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
}

/** A new cluster, or one whose leader just ended, has a leader within this time. Callers wait no longer. */
const leaderWaitMsMax = 5_000;
const secretsPollMs = 25;
/** The idle timeout of a connection to another process. */
const idleMsMax = 60_000;

interface Remote {
  readonly client: ClusterClient;
  readonly leaderUrl: string;
  /** The followers of the cluster through it. */
  followers: number;
  lastUsedMs: number;
}

/**
 * Calls to the leader of any cluster. If this process leads the cluster the call is local; otherwise it connects to the
 * leading process, as an agent does. Connections are opened on demand and closed when idle.
 */
export class LeaderPorts {
  readonly #options: LeaderPortsOptions;
  /** The least recently used first. */
  readonly #remotes = new Map<string, Remote>();
  readonly #ports = new Map<string, ClusterPort>();
  #cancelSweep: (() => void) | undefined;

  constructor(options: LeaderPortsOptions) {
    this.#options = options;
  }

  /** Calls reject with `ClusterUnavailable` while the cluster has no leader. */
  readonly portOf = (clusterId: string): ClusterPort => {
    const known = this.#ports.get(clusterId);
    if (known !== undefined) return known;
    const port: ClusterPort = {
      ...portOf((name, args) => this.#withLeader(clusterId, (leader) => callOn(leader, name, args))),
      follow: (follower) => this.#follow(clusterId, follower),
    };
    if (this.#ports.size >= controlPlaneLimits.hostedClustersMax) this.#ports.clear();
    this.#ports.set(clusterId, port);
    return port;
  };

  close(): void {
    this.#cancelSweep?.();
    for (const { client } of this.#remotes.values()) client.close();
    this.#remotes.clear();
  }

  async #withLeader<Answer>(
    clusterId: string,
    call: (port: ClusterPort) => Promise<Answer>,
  ): Promise<Answer> {
    const port = await this.#leader(clusterId);
    try {
      return await call(port);
    } catch (error) {
      // A former leader: retry once at the current one.
      if (!(error instanceof NotLeader)) throw error;
      return call(await this.#leader(clusterId));
    }
  }

  #follow(clusterId: string, follower: ClusterFollower): () => void {
    const { host, log } = this.#options;
    let attempt = 0;
    let unfollow = () => {};
    let unlisten: (() => void) | undefined;
    const begin = () => {
      const mine = ++attempt;
      unfollow();
      unfollow = () => {};
      // A node that no longer leads would send nothing.
      unlisten ??= host.node(clusterId)?.onLeader(begin);
      this.#leader(clusterId).then(
        (port) => {
          if (mine !== attempt) return;
          unlisten ??= host.node(clusterId)?.onLeader(begin);
          unfollow = this.#followAt(clusterId, port, follower);
        },
        // The follower has its own deadline, and until then another process may lead.
        (error: Error) => log.debug('failed to follow cluster', { clusterId, error: error.message }),
      );
    };
    begin();
    return () => {
      attempt++;
      unlisten?.();
      unfollow();
    };
  }

  #followAt(clusterId: string, port: ClusterPort, follower: ClusterFollower): () => void {
    const unfollow = port.follow(follower);
    const remote = this.#remotes.get(clusterId);
    if (remote?.client !== port) return unfollow;
    remote.followers++;
    return () => {
      remote.followers--;
      unfollow();
    };
  }

  async #leader(clusterId: string): Promise<ClusterPort> {
    const { host } = this.#options;
    if (host.node(clusterId) === undefined) await host.refresh();
    const node = host.node(clusterId);
    if (node === undefined) throw new ClusterUnavailable(`${clusterId} is not served by this process`);
    const leader = await this.#whoLeads(node, clusterId);
    if (leader === 'self') return node;
    await this.#secretsKnown(clusterId);
    return this.#remote(clusterId, leader);
  }

  /** A new leader writes the secrets first; a standby reads them shortly after. */
  async #secretsKnown(clusterId: string): Promise<void> {
    const { clock, secretsOf } = this.#options;
    const endMs = clock.monotonicMs() + leaderWaitMsMax;
    while (secretsOf(clusterId) === undefined) {
      if (clock.monotonicMs() >= endMs) throw new ClusterUnavailable(`${clusterId} has no secrets yet`);
      await new Promise<void>((resolve) => clock.after(secretsPollMs, resolve));
    }
  }

  /** Returns `self`, or the address of the leader. */
  #whoLeads(node: ClusterNode, clusterId: string): Promise<'self' | string> {
    const leader = () => (node.role === 'leader' ? 'self' : node.leaderUrl);
    return new Promise((resolve, reject) => {
      const known = leader();
      if (known !== undefined) return resolve(known);
      const finish = (settle: () => void) => {
        cancel();
        unlisten();
        settle();
      };
      const cancel = this.#options.clock.after(leaderWaitMsMax, () =>
        finish(() => reject(new ClusterUnavailable(`${clusterId} has no leader now`))),
      );
      const unlisten = node.onLeader(() => {
        const now = leader();
        if (now !== undefined) finish(() => resolve(now));
      });
    });
  }

  #remote(clusterId: string, leaderUrl: string): ClusterClient {
    const { clock, random, log, secretsOf } = this.#options;
    const known = this.#remotes.get(clusterId);
    this.#remotes.delete(clusterId);
    if (known !== undefined && known.leaderUrl === leaderUrl) {
      known.lastUsedMs = clock.monotonicMs();
      this.#remotes.set(clusterId, known);
      return known.client;
    }
    known?.client.close();
    const client = connectCluster({
      urls: [leaderUrl],
      clusterId,
      agentKey: () => memberToken(clusterId, secretsOf, clock) ?? '',
      clock,
      random,
      log,
      // The metrics of agents would count this process as one of them.
      metrics: new Metrics(),
    });
    this.#remotes.set(clusterId, { client, leaderUrl, followers: 0, lastUsedMs: clock.monotonicMs() });
    if (this.#remotes.size > controlPlaneLimits.remoteLeadersMax) this.#closeIdle(0);
    this.#sweepLater();
    return client;
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#options.clock.after(idleMsMax, () => {
      this.#cancelSweep = undefined;
      this.#closeIdle(idleMsMax);
      if (this.#remotes.size > 0) this.#sweepLater();
    });
  }

  /** Closes connections that were idle for so long; with 0, the least recently used one. */
  #closeIdle(unusedMs: number): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const [clusterId, { client, followers, lastUsedMs }] of this.#remotes) {
      if (followers > 0 || nowMs - lastUsedMs < unusedMs) continue;
      client.close();
      this.#remotes.delete(clusterId);
      if (unusedMs === 0) return;
    }
  }
}
