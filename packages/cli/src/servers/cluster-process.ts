import {
  type AgentKey,
  authorizeByAgentKeys,
  type ControlPlane,
  startControlPlane,
} from '@weir/controlplane';
import type { Clock, Log, Metrics } from '@weir/core';
import { ClusterNode, type JournalHub, openJournals } from '@weir/metadata';

export interface ClusterProcessOptions {
  readonly clusterId: string;
  /** `postgres://…`, the path of a SQLite file, or `memory://name`. */
  readonly databaseUrl: string;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  /** The host under which agents reach this process. */
  readonly advertisedHost: string;
  /** Its own among all control-plane processes. Used where the database has no better name for it. */
  readonly processId: string;
  readonly agentKeys: readonly AgentKey[];
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One control-plane process: its part of the cluster, and the server through which agents reach it. */
export interface ClusterProcess {
  readonly node: ClusterNode;
  readonly url: string;
  readonly port: number;
  /** Resolves when this process leads the cluster. */
  whenLeader(): Promise<void>;
  stop(): Promise<void>;
}

/** How often a process says that it lives, and looks who else does. */
const announceIntervalMs = 2_000;

export async function startClusterProcess(options: ClusterProcessOptions): Promise<ClusterProcess> {
  const { clusterId, clock, log, metrics } = options;
  const hub = openJournals(options.databaseUrl, { clock, log });
  let node: ClusterNode | undefined;
  const members = new Members(hub, clock, log);
  const server: ControlPlane = await startControlPlane({
    host: options.host,
    port: options.port,
    clusters: (id) => (id === clusterId ? node : undefined),
    authorize: authorizeByAgentKeys(options.agentKeys),
    // A standby is ready too: its part is to wait.
    readiness: () => node !== undefined && node.role !== 'stopped',
    members: () => members.urls,
    lookForMembers: () => members.look(),
    clock,
    log,
    metrics,
  }).catch(async (error: unknown) => {
    await hub.close();
    throw error;
  });
  const url = `http://${options.advertisedHost}:${server.port}`;
  const self = { id: hub.processId() ?? options.processId, url };
  const started = new ClusterNode({ clusterId, journal: hub.journal(clusterId), self, clock, log, metrics });
  node = started;
  await members.start(self);
  started.start();
  return {
    node: started,
    url,
    port: server.port,
    whenLeader: () => whenLeader(started),
    async stop() {
      members.stop();
      // The node first: whoever waits for a commit gets an answer, and the next leader need not wait for the lease.
      await started.stop();
      await server.close();
      await hub.withdraw(self.id).catch(() => undefined);
      await hub.close();
    },
  };
}

function whenLeader(node: ClusterNode): Promise<void> {
  return new Promise((resolve) => {
    if (node.role === 'leader') {
      resolve();
      return;
    }
    const end = node.onRole((role) => {
      if (role !== 'leader') return;
      end();
      resolve();
    });
  });
}

/** The control-plane processes that live, as agents are told. */
class Members {
  readonly #hub: JournalHub;
  readonly #clock: Clock;
  readonly #log: Log;
  #self: { readonly id: string; readonly url: string } | undefined;
  #urls: readonly string[] = [];
  /** The look that is under way: agents that connect together share one. */
  #looking: Promise<void> | undefined;
  #cancel: (() => void) | undefined;
  #hasStopped = false;

  constructor(hub: JournalHub, clock: Clock, log: Log) {
    this.#hub = hub;
    this.#clock = clock;
    this.#log = log;
  }

  get urls(): readonly string[] {
    return this.#urls;
  }

  async start(self: { readonly id: string; readonly url: string }): Promise<void> {
    this.#self = self;
    this.#urls = [self.url];
    await this.#round();
  }

  /** Looks who lives, now. */
  look(): Promise<void> {
    this.#looking ??= this.#read().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  stop(): void {
    this.#hasStopped = true;
    this.#cancel?.();
  }

  async #round(): Promise<void> {
    try {
      await this.#hub.announce(this.#self!);
    } catch (error) {
      this.#warn(error);
    }
    await this.look();
    if (!this.#hasStopped) this.#cancel = this.#clock.after(announceIntervalMs, () => void this.#round());
  }

  async #read(): Promise<void> {
    try {
      const found = (await this.#hub.members()).map(({ url }) => url);
      const own = this.#self?.url;
      this.#urls = own === undefined || found.includes(own) ? found : [own, ...found];
    } catch (error) {
      this.#warn(error);
    }
  }

  #warn(error: unknown): void {
    if (!this.#hasStopped) this.#log.warn('the database does not answer', { error: String(error) });
  }
}
