import { type Clock, Metrics, seededRandom, silentLog } from '@weir/core';
import type { JournalHub } from '@weir/journal';
import { ClusterNode } from '../src/leader/cluster-node.ts';
import { LoadSharing, type SharingTiming } from '../src/leader/load-sharing/load-sharing.ts';
import type { Timing } from '../src/leader/timing.ts';
import { SimulatedProcess } from './simulated-process.ts';

export interface SharingProcessOptions {
  readonly id: string;
  readonly clusterIds: readonly string[];
  readonly region?: string;
  readonly regionsOf?: (clusterId: string) => readonly string[];
  readonly world: Clock;
  readonly open: (clock: Clock) => JournalHub;
  /** How often it announces itself, and checks the other members. */
  readonly announceMs: number;
  readonly timing?: Partial<Timing>;
  readonly sharing?: Partial<SharingTiming>;
}

/** A control-plane process with a node for each of some clusters, which it shares with other processes. */
export class SharingProcess {
  readonly process: SimulatedProcess;
  readonly hub: JournalHub;
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly #options: SharingProcessOptions;
  readonly #sharing: LoadSharing;
  #hasStopped = false;

  constructor(options: SharingProcessOptions) {
    const { id, clusterIds, region, regionsOf, world, open, timing, sharing } = options;
    this.#options = options;
    this.process = new SimulatedProcess(world, seededRandom(1));
    const { clock } = this.process;
    this.hub = open(clock);
    this.#sharing = new LoadSharing({
      selfId: id,
      region,
      ...(regionsOf === undefined ? {} : { regionsOf }),
      led: () => this.led().map((clusterId) => ({ clusterId, node: this.nodes.get(clusterId)! })),
      clock,
      log: silentLog,
      timing: sharing ?? {},
    });
    const deps = { self: { id, url: `http://${id}` }, clock, log: silentLog, metrics: new Metrics() };
    this.nodes = new Map(
      clusterIds.map((clusterId) => {
        const journal = this.process.journal(this.hub.journal(clusterId));
        const leaseGraceMs = this.#sharing.graceOf(clusterId);
        const node = new ClusterNode({
          ...deps,
          clusterId,
          journal,
          leaseGraceMs,
          timing: timing ?? {},
        });
        return [clusterId, node] as const;
      }),
    );
  }

  async start(): Promise<void> {
    await this.#round();
    for (const node of this.nodes.values()) node.start();
  }

  /** The clusters that it leads. */
  led(): string[] {
    if (!this.process.isAlive) return [];
    return [...this.nodes].filter(([, { role }]) => role === 'leader').map(([clusterId]) => clusterId);
  }

  kill(): void {
    this.#hasStopped = true;
    this.process.kill();
  }

  /** Stops cleanly, like a process on SIGTERM. */
  async stop(): Promise<void> {
    this.#hasStopped = true;
    await Promise.all([...this.nodes.values()].map((node) => node.stop()));
    await this.hub.withdraw(this.#options.id);
  }

  async #round(): Promise<void> {
    if (this.#hasStopped) return;
    const { id, region, announceMs } = this.#options;
    await this.hub.announce({ id, url: `http://${id}`, region });
    const members = await this.hub.members();
    if (this.#hasStopped) return;
    void this.#sharing.look(members);
    this.process.clock.after(announceMs, () => void this.#round());
  }
}
