import { randomBytes, randomUUID } from 'node:crypto';
import {
  type AgentKey,
  authorizeByAgentKeys,
  authorizeByAny,
  type ControlPlane,
  CredentialsKeeper,
  type CredentialsKeeperOptions,
  keepClusterSecrets,
  parseBindings,
  platformIssuers,
  readTrustedFile,
  startControlPlane,
  TokenExchange,
  WatchedFile,
  watchLeader,
} from '@weir/controlplane';
import type { Clock, Log, Metrics } from '@weir/core';
import { ClusterNode, clusterSecrets, type JournalHub, openJournals } from '@weir/metadata';
import { Failure } from '../failure.ts';

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
  /** The file with the credentials of the cluster. */
  readonly credentialsFile?: string | undefined;
  /** The file that says whose identity tokens admit an agent. */
  readonly bindingsFile?: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** One control-plane process: its part of the cluster, and the server through which agents reach it. */
export interface ClusterProcess {
  readonly node: ClusterNode;
  readonly url: string;
  readonly port: number;
  /** Resolves when this process leads the cluster, and it has the credentials of the file. */
  whenLeader(): Promise<void>;
  stop(): Promise<void>;
}

/** How often a process says that it lives, and looks who else does. */
const announceIntervalMs = 2_000;

export async function startClusterProcess(options: ClusterProcessOptions): Promise<ClusterProcess> {
  // What was started is stopped in the opposite order, also when the rest cannot be started.
  const running = new AsyncDisposableStack();
  try {
    return await startParts(options, running);
  } catch (error) {
    await running.disposeAsync();
    throw error;
  }
}

async function startParts(
  options: ClusterProcessOptions,
  running: AsyncDisposableStack,
): Promise<ClusterProcess> {
  const { clusterId, clock, log, metrics, credentialsFile } = options;
  let node: ClusterNode | undefined;
  const { namespace, key } = clusterSecrets.agentTokens;
  const secretOf = (id: string) => (id === clusterId ? node?.record(namespace, key) : undefined);
  const tokens = await workloadIdentity(options, secretOf, running);
  const hub = openJournals(options.databaseUrl, { clock, log });
  running.defer(() => hub.close());
  const members = new Members(hub, clock, log);
  const byKeys = authorizeByAgentKeys(options.agentKeys);
  const server: ControlPlane = await startControlPlane({
    host: options.host,
    port: options.port,
    clusters: (id) => (id === clusterId ? node : undefined),
    authorize: tokens === undefined ? byKeys : authorizeByAny(byKeys, tokens.authorize),
    tokens,
    // A standby is ready too: its part is to wait.
    readiness: () => node !== undefined && node.role !== 'stopped',
    members: () => members.urls,
    lookForMembers: () => members.look(),
    clock,
    log,
    metrics,
  });
  const url = `http://${options.advertisedHost}:${server.port}`;
  const self = { id: hub.processId() ?? options.processId, url };
  running.defer(() => hub.withdraw(self.id).catch(() => undefined));
  running.defer(() => server.close());
  const started = new ClusterNode({ clusterId, journal: hub.journal(clusterId), self, clock, log, metrics });
  node = started;
  // The node before the server: whoever waits for a commit gets an answer, and the next leader need not wait for the lease.
  running.defer(() => started.stop());
  running.defer(() => members.stop());
  running.defer(keepClusterSecrets(started, { randomBytes, log }));
  const keeper = credentialsFile && (await credentialsOf(credentialsFile, { node: started, clock, log }));
  if (keeper) running.defer(() => keeper.stop());
  const diagnostics = watchLeader({ node: started, clusterId, clock, log, metrics });
  running.defer(() => diagnostics.stop());
  await members.start(self);
  started.start();
  diagnostics.start();
  return {
    node: started,
    url,
    port: server.port,
    async whenLeader() {
      await whenLeader(started);
      if (keeper) await keeper.applied();
    },
    stop: () => running.disposeAsync(),
  };
}

/** The file is an operator's, so that what is wrong with it is told in one line. */
async function credentialsOf(
  path: string,
  parts: Pick<CredentialsKeeperOptions, 'node' | 'clock' | 'log'>,
): Promise<CredentialsKeeper> {
  const freshId = () => randomUUID().replaceAll('-', '_');
  try {
    return await CredentialsKeeper.start({ ...parts, path, randomBytes, freshId });
  } catch (error) {
    throw new Failure(`-saslCredentialsFile ${path}: ${(error as Error).message}`);
  }
}

/** What admits agents by the identity that their platform gives them, if bindings say whom. */
async function workloadIdentity(
  { bindingsFile: path, clock, log, metrics }: ClusterProcessOptions,
  secretOf: (clusterId: string) => Uint8Array | undefined,
  running: AsyncDisposableStack,
): Promise<TokenExchange | undefined> {
  if (path === undefined) return undefined;
  const file = await WatchedFile.open({
    path,
    read: readTrustedFile,
    parse: parseBindings,
    clock,
    log,
  }).catch((error: Error) => {
    throw new Failure(`-workloadIdentityBindingsFile ${path}: ${error.message}`);
  });
  running.defer(() => file.stop());
  const issuers = platformIssuers({ clock, log });
  running.defer(() => issuers.close());
  file.watch((hasChanged) => {
    if (!hasChanged) return;
    log.info('the bindings of workload identities have changed', { path, count: file.content.length });
    issuers.keepOnly(new Set(file.content.map(({ issuer }) => issuer)));
  });
  return new TokenExchange({ bindings: () => file.content, secretOf, issuers, clock, log, metrics });
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
