import {
  type CallName,
  CallRefused,
  CallTooLarge,
  type ClusterFollower,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  type FileCommitResult,
  type FilesToCommit,
  filesToSend,
  portOf,
} from '@weir/cluster';
import type { Clock, Log, MetricRow, Metrics, Random, Series } from '@weir/core';
import { randomId } from '@weir/core';
import { AgentKeyRefused, type Channel, type Dial, endCodes } from '../channel/channel.ts';
import type { ForwardProxy } from '../channel/forward-proxy.ts';
import { dialThroughProxy, dialWebSocket } from '../channel/web-socket.ts';
import type { FailureBody, ServerHello } from '../frames/bodies.ts';
import { unpackChanges } from '../frames/unpack-changes.ts';
import { ClientConnection } from './client-connection.ts';
import { Connector, type KeyPlace } from './connector.ts';
import { type LateArgs, lookMs, PendingCalls } from './pending-calls.ts';
import { splitByCount, splitInHalves } from './split-calls.ts';

interface ClusterClientOptions {
  /** The addresses of some control-plane processes; the others are learnt. */
  readonly urls: readonly string[];
  readonly clusterId: string;
  /** The region of this process; control planes there are tried before others. */
  readonly region?: string | undefined;
  /** Called at every attempt to connect, so that a key can be replaced while the agent runs. */
  readonly agentKey: (place: KeyPlace) => string;
  /** Called with a refused key, so that the owner can get another. */
  readonly onAgentKeyRefused?: (key: string, place: KeyPlace) => void;
  /** Called with the regions that have control planes, so that the owner can get keys for them ahead. */
  readonly onRegions?: (regions: readonly string[]) => void;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** The forward proxy to the control plane, if the network requires one. */
  readonly proxy?: ForwardProxy | undefined;
  /** Opens a WebSocket by default; tests replace it. */
  readonly dial?: Dial;
}

export interface ClusterClient extends ClusterPort {
  /** The known addresses of the control plane, the configured ones first. */
  urls(): readonly string[];
  /** Closes the connection. Calls without an answer fail. */
  close(): void;
}

export const connectedRow: MetricRow<never> = {
  name: 'control_plane_rpc_connected',
  kind: 'gauge',
  help: '1 if the agent is connected to the control plane.',
  labels: [],
};

/**
 * The port of a cluster over a connection. One connection carries all calls and subscriptions; when it is lost, calls
 * without an answer are sent again with their ids, in order, until their deadlines.
 */
export function connectCluster(options: ClusterClientOptions): ClusterClient {
  const client = new Client(options);
  return {
    ...portOf((name, args) => client.call(name, args)),
    commitFiles: (files) => client.commitFiles(files),
    follow: (follower) => client.follow(follower),
    urls: () => client.urls,
    close: () => client.close(),
  };
}

class Client {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #connector: Connector;
  readonly #clientId: string;
  readonly #connected: Series;
  readonly #calls: PendingCalls;
  readonly #followers = new Map<number, ClusterFollower>();
  #lastFollowerId = 0;
  #connection: ClientConnection | undefined;
  #isClosed = false;
  #cancelLook: () => void = () => {};

  constructor(options: ClusterClientOptions) {
    const { clock, metrics, random } = options;
    this.#clock = clock;
    this.#log = options.log.with({ clusterId: options.clusterId });
    this.#clientId = randomId(random);
    this.#connected = metrics.series(connectedRow, {});
    this.#calls = new PendingCalls(clock, metrics);
    this.#connector = new Connector(
      { ...options, dial: options.dial ?? dialBy(options.proxy), log: this.#log },
      {
        onChannel: (channel, agentKey) => this.#attach(channel, agentKey),
        onSilence: (reason) => this.#lost(reason),
        onKeyRefused: (error) => this.#calls.failAll('key_refused', error),
      },
    );
    this.#connector.connect();
    this.#lookLater();
  }

  get urls(): readonly string[] {
    return this.#connector.addresses.all;
  }

  call(method: CallName, args: readonly unknown[]): Promise<unknown> {
    const calls = splitByCount(method, args);
    return calls === undefined ? this.#callOnce(method, args) : this.#callInTurn(method, calls);
  }

  commitFiles(files: FilesToCommit): Promise<FileCommitResult[]> {
    const lateArgs: LateArgs = () => {
      const wanted = filesToSend(files);
      return wanted.length === 0 ? undefined : [wanted];
    };
    const answer =
      typeof files === 'function' ? this.#send('commitFiles', lateArgs) : this.call('commitFiles', [files]);
    return answer as Promise<FileCommitResult[]>;
  }

  /** Splits a call that is too large, or refuses it here: the control plane would not accept it. */
  async #callOnce(method: CallName, args: readonly unknown[]): Promise<unknown> {
    try {
      return await this.#send(method, args);
    } catch (error) {
      const halves = error instanceof CallTooLarge ? splitInHalves(method, args) : undefined;
      if (halves === undefined) throw error;
      return this.#callInTurn(method, halves);
    }
  }

  async #callInTurn(method: CallName, calls: readonly (readonly unknown[])[]): Promise<unknown[]> {
    const answers: unknown[] = [];
    for (const args of calls) {
      for (const answer of (await this.#callOnce(method, args)) as readonly unknown[]) answers.push(answer);
    }
    return answers;
  }

  #send(method: CallName, args: readonly unknown[] | LateArgs): Promise<unknown> {
    const problem = this.#whyNot(method);
    if (problem !== undefined) return this.#calls.refuse(method, problem);
    const answer = this.#calls.add(method, args);
    this.#sendCalls();
    return answer;
  }

  follow(follower: ClusterFollower): () => void {
    const id = ++this.#lastFollowerId;
    this.#followers.set(id, follower);
    if (this.#connection?.isOpen === true) this.#connection.sendSubscription('follow', id);
    return () => {
      if (!this.#followers.delete(id)) return;
      if (this.#connection?.isOpen === true) this.#connection.sendSubscription('unfollow', id);
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#cancelLook();
    this.#connector.stop();
    this.#detach()?.leave(endCodes.done, 'agent shutting down');
    this.#calls.failAll('closed', closedError());
    this.#followers.clear();
  }

  #lookLater(): void {
    this.#cancelLook = this.#clock.after(lookMs, () => {
      this.#calls.look();
      this.#lookLater();
    });
  }

  /** The reason why a call cannot even wait. */
  #whyNot(method: CallName): Error | undefined {
    if (this.#isClosed) return closedError();
    return this.#connector.keyRefused ?? this.#calls.whyFull(method);
  }

  #attach(channel: Channel, agentKey: string): void {
    const { addresses } = this.#connector;
    const connection: ClientConnection = new ClientConnection(
      channel,
      agentKey,
      { clock: this.#clock, log: this.#log },
      () => ({
        clientId: this.#clientId,
        pending: this.#calls.ids,
        unreachable: addresses.unreachable(),
        silent: addresses.silent(),
      }),
      {
        onOpen: (hello) => this.#opened(connection, hello),
        onResult: (id, value) => {
          this.#connector.worked();
          this.#sendCalls();
          this.#calls.succeed(id, value);
        },
        onFailure: (id, failure) => {
          this.#sendCalls();
          this.#failed(id, failure);
        },
        onSnapshot: (id, body) => {
          // Only a leader sends snapshots. Until the first heartbeat this is the only sign that this is the right
          // process.
          this.#connector.worked();
          this.#sendCalls();
          this.#notify(id, (follower) => follower.onSnapshot(body as ClusterSnapshot));
        },
        onChanges: (id, body) => {
          const changes = unpackChanges(body);
          this.#notify(id, (follower) => follower.onChanges(changes));
        },
        onFollowFailure: ({ message, leaderUrl }) => this.#redirected(message, leaderUrl),
        onMembers: (members, regions) => this.#connector.learn(members, regions),
        onHeard: () => this.#calls.heard(),
        onSilence: () => addresses.leaveSilent(),
        onEnd: (code, reason) => this.#ended(connection, code, reason),
      },
    );
    this.#connection = connection;
  }

  #opened(connection: ClientConnection, hello: ServerHello): void {
    this.#connector.opened(hello.members, hello.regions);
    this.#connected.set(1);
    this.#log.info('connected to control plane', {
      url: this.#connector.addresses.current,
      release: hello.release,
    });
    for (const id of this.#followers.keys()) connection.sendSubscription('follow', id);
    this.#calls.sendAllAgain();
    this.#sendCalls();
    for (const id of this.#followers.keys()) this.#notify(id, (follower) => follower.onConnected?.());
  }

  #failed(id: number, { kind, message, leaderUrl }: FailureBody): void {
    switch (kind) {
      case 'notLeader':
        this.#calls.notDone(id, message);
        this.#redirected(message, leaderUrl);
        return;
      case 'unavailable':
        this.#calls.fail(id, kind, new ClusterUnavailable(message));
        return;
      case 'invalid':
      case 'internal':
        this.#calls.fail(id, kind, new CallRefused(kind, message));
        return;
    }
  }

  /** Calls and subscriptions stay pending: they go to the leader, as soon as there is one. */
  #redirected(message: string, leaderUrl: string | undefined): void {
    this.#detach()?.leave(endCodes.done, message);
    this.#connector.goToLeader(message, leaderUrl);
  }

  #ended(connection: ClientConnection, code: number | undefined, reason: string): void {
    if (this.#isClosed || this.#connection !== connection) return;
    if (code === endCodes.keyRefused) {
      this.#detach();
      this.#connector.waitForKey(connection.agentKey, new AgentKeyRefused(reason));
      return;
    }
    if (code === endCodes.superseded) {
      // Only a client with our id can have done that, and no other client has it.
      this.#log.warn('closed connection: replaced by another one', { reason });
    }
    this.#lost(reason === '' ? 'connection lost' : reason);
  }

  /** Handles a lost or useless connection. */
  #lost(reason: string): void {
    const connection = this.#detach();
    connection?.leave(undefined, reason);
    this.#connector.retry(reason, connection?.wasOpened === true);
  }

  #notify(id: number, event: (follower: ClusterFollower) => void): void {
    const follower = this.#followers.get(id);
    // Events that were in flight when the subscription ended still arrive.
    if (follower === undefined) return;
    try {
      event(follower);
    } catch (error) {
      this.#log.error('failed to notify follower', { error: String(error) });
    }
  }

  #sendCalls(): void {
    const connection = this.#connection;
    if (connection === undefined || !this.#calls.hasUnsent) return;
    this.#calls.sendUnsent(
      // A follower gets a snapshot at once, and only from the leader.
      connection.hasWorked || this.#followers.size === 0,
      (places) => connection.hasRoom(places),
      (id, frame, places) => connection.sendCall(id, frame, places),
    );
  }

  #detach(): ClientConnection | undefined {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#connected.set(0);
    return connection;
  }
}

function dialBy(proxy: ForwardProxy | undefined): Dial {
  return proxy === undefined ? dialWebSocket : dialThroughProxy(proxy);
}

function closedError(): Error {
  return new ClusterUnavailable('connection to the control plane closed');
}
