import {
  type Clock,
  caps,
  type Log,
  type MetricRow,
  type Metrics,
  type Random,
  release,
  type Series,
} from '@weir/core';
import {
  type ClusterFollower,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
} from '../cluster/port.ts';
import { Addresses } from './addresses.ts';
import {
  type ClientHello,
  type FailureBody,
  readFailure,
  readPong,
  readResult,
  readServerHello,
  type ServerHello,
} from './bodies.ts';
import { CallFigures, callRows } from './call-figures.ts';
import { unpackChanges } from './changes.ts';
import { AgentKeyRefused, type Channel, type Dial, type EndCode, endCodes } from './channel.ts';
import { callLimits, decodeFrame, encodeFrame, type Frame, FrameError, replyLimits } from './frame.ts';
import { type MethodName, methodNames, methods } from './methods.ts';
import { dialWebSocket } from './web-socket.ts';

export interface ClusterClientOptions {
  /** Of any control-plane processes; the others are learnt. */
  readonly urls: readonly string[];
  readonly clusterId: string;
  /** Asked at every attempt to connect, so that a key can be replaced while the agent runs. */
  readonly agentKey: () => string;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
  /** A WebSocket, unless a test has something else. */
  readonly dial?: Dial;
}

export interface ClusterClient extends ClusterPort {
  /** Ends the connection. Calls without an answer fail. */
  close(): void;
}

/** The control plane answered that it cannot do this, and asking again will not help. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly kind: 'invalid' | 'internal';

  constructor(kind: 'invalid' | 'internal', message: string) {
    super(message);
    this.kind = kind;
  }
}

const rows = callRows('control_plane_rpc', 'to the control plane');
const connectedRow: MetricRow<never> = {
  name: 'control_plane_rpc_connected',
  kind: 'gauge',
  help: 'Whether there is a connection to the control plane.',
  labels: [],
};
const connectsRow: MetricRow<'outcome'> = {
  name: 'control_plane_rpc_connects_total',
  kind: 'counter',
  help: 'Attempts to connect to the control plane.',
  labels: ['outcome'],
};

/** Short enough that a lost connection is replaced before the agent counts as gone. */
const pingIntervalMs = 2_000;
/**
 * Counted in pings and not in time: when this process itself was held up, what the other side sent still waits to be read.
 */
const unansweredPingsMax = 3;
/** Opening a channel and hearing hello. */
const connectMsMax = 5_000;
/** Answers are confirmed after so many, and with every ping. */
const repliesPerConfirmation = 64;
const backoffMsMin = 100;
const backoffMsMax = 5_000;
/** A key that was refused is tried again this often; a new key at once. */
const refusedKeyRetryMs = 30_000;
const newKeyLookMs = 1_000;

interface PendingCall {
  readonly id: number;
  readonly method: MethodName;
  readonly frame: Uint8Array;
  readonly startMs: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly cancelDeadline: () => void;
}

interface Connection {
  readonly channel: Channel;
  readonly agentKey: string;
  /** Set by hello; nothing is sent before. */
  hello: ServerHello | undefined;
  /** Calls that were sent and not answered, those included that were given up since. */
  readonly running: Set<number>;
  replyCount: number;
  confirmedCount: number;
  unansweredPings: number;
}

/**
 * The port of a cluster over a connection. One connection carries all calls and subscriptions; when it is lost, calls without
 * an answer are sent again under their ids, in their order, until their deadlines.
 */
export function connectCluster(options: ClusterClientOptions): ClusterClient {
  const client = new Client(options);
  const calls = Object.fromEntries(
    methodNames.map((name) => [name, (...args: readonly unknown[]) => client.call(name, args)]),
  );
  // The table has a row for every method of the port but `follow`, and what comes back is the answer of the same port.
  return {
    ...(calls as unknown as Pick<ClusterPort, MethodName>),
    follow: (follower) => client.follow(follower),
    close: () => client.close(),
  };
}

class Client {
  readonly #options: ClusterClientOptions;
  readonly #dial: Dial;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #addresses: Addresses;
  readonly #clientId: string;
  readonly #figures: CallFigures;
  readonly #connected: Series;
  /** In the order of their ids. */
  readonly #pending = new Map<number, PendingCall>();
  /** Calls that have not been sent over the present connection, in the order of their ids. */
  readonly #unsent = new Map<number, PendingCall>();
  readonly #followers = new Map<number, ClusterFollower>();
  #lastCallId = 0;
  #lastFollowerId = 0;
  #connection: Connection | undefined;
  /** Gives up what is being waited for: the channel, hello, or the time to try again. */
  #cancelWait: () => void = () => {};
  #cancelPing: () => void = () => {};
  /** Redirections since the last answer. Two processes that point at each other must not make us run in circles. */
  #redirections = 0;
  #keyRefused: AgentKeyRefused | undefined;
  #isClosed = false;

  constructor(options: ClusterClientOptions) {
    this.#options = options;
    this.#dial = options.dial ?? dialWebSocket;
    this.#clock = options.clock;
    this.#log = options.log.with({ clusterId: options.clusterId });
    this.#addresses = new Addresses(options.urls);
    this.#clientId = randomId(options.random);
    this.#figures = new CallFigures(options.metrics, rows);
    this.#connected = options.metrics.series(connectedRow, {});
    this.#connect();
  }

  call(method: MethodName, args: readonly unknown[]): Promise<unknown> {
    const startMs = this.#clock.monotonicMs();
    const problem = this.#whyNot();
    if (problem !== undefined) {
      this.#figures.ended(method, 'refused', 0);
      return Promise.reject(problem);
    }
    const id = ++this.#lastCallId;
    let frame: Uint8Array;
    try {
      frame = encodeFrame('call', id, { method, args });
    } catch (error) {
      return Promise.reject(error);
    }
    if (frame.length > callLimits.frameBytesMax) {
      const message = `${method}: ${frame.length} bytes; at most ${callLimits.frameBytesMax} go into one call`;
      return Promise.reject(new CallRefused('invalid', message));
    }
    return new Promise((resolve, reject) => {
      const { deadlineMs } = methods[method];
      const cancelDeadline = this.#clock.after(deadlineMs, () => {
        const seconds = deadlineMs / 1000;
        this.#fail(
          pending,
          'deadline',
          new ClusterUnavailable(`${method}: the control plane did not answer within ${seconds} s`),
        );
      });
      const pending: PendingCall = { id, method, frame, startMs, resolve, reject, cancelDeadline };
      this.#pending.set(id, pending);
      this.#unsent.set(id, pending);
      this.#sendCalls();
    });
  }

  follow(follower: ClusterFollower): () => void {
    const id = ++this.#lastFollowerId;
    this.#followers.set(id, follower);
    this.#sendIfOpen('follow', id);
    return () => {
      if (this.#followers.delete(id)) this.#sendIfOpen('unfollow', id);
    };
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#disconnect(endCodes.done, 'the agent is done');
    this.#failAll('closed', new ClusterUnavailable('the connection to the control plane was closed'));
    this.#followers.clear();
  }

  /** Why a call cannot even wait. */
  #whyNot(): Error | undefined {
    if (this.#isClosed) return new ClusterUnavailable('the connection to the control plane was closed');
    if (this.#keyRefused !== undefined) return this.#keyRefused;
    if (this.#pending.size >= caps.rpcPendingCallsMax) {
      return new ClusterUnavailable(`${this.#pending.size} calls wait for the control plane already`);
    }
    return undefined;
  }

  #connect(): void {
    const url = this.#addresses.current;
    const agentKey = this.#readKey();
    if (agentKey === undefined) return;
    const giveUp = new AbortController();
    const cancelTimeout = this.#clock.after(connectMsMax, () => {
      this.#reconnect(`no answer within ${connectMsMax} ms`);
    });
    let isWaiting = true;
    this.#cancelWait = () => {
      isWaiting = false;
      cancelTimeout();
      giveUp.abort();
    };
    this.#dial({ url, clusterId: this.#options.clusterId, agentKey, signal: giveUp.signal }).then(
      (channel) => {
        if (isWaiting) this.#attach(channel, agentKey);
        else channel.abort();
      },
      (error: Error) => {
        if (!isWaiting) return;
        if (error instanceof AgentKeyRefused) this.#waitForKey(agentKey, error);
        else this.#reconnect(error.message);
      },
    );
  }

  /** The key, or `undefined` when it cannot be read now and will be tried again. */
  #readKey(): string | undefined {
    try {
      return this.#options.agentKey();
    } catch (error) {
      this.#reconnect(`the agent key cannot be read: ${String(error)}`);
      return undefined;
    }
  }

  #attach(channel: Channel, agentKey: string): void {
    const connection: Connection = {
      channel,
      agentKey,
      hello: undefined,
      running: new Set(),
      replyCount: 0,
      confirmedCount: 0,
      unansweredPings: 0,
    };
    this.#connection = connection;
    channel.listen({
      onFrame: (bytes) => {
        if (this.#connection === connection) this.#receive(connection, bytes);
      },
      onEnd: (code, reason) => {
        if (this.#connection === connection) this.#ended(connection, code, reason);
      },
    });
  }

  #receive(connection: Connection, bytes: Uint8Array): void {
    connection.unansweredPings = 0;
    try {
      const frame = decodeFrame(bytes, replyLimits);
      if (connection.hello === undefined) this.#greet(connection, frame);
      else this.#accept(connection, frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#log.error('the control plane sent a frame that cannot be accepted', { problem: error.message });
      this.#reconnect(error.message, endCodes.badFrame);
    }
  }

  #greet(connection: Connection, { kind, body }: Frame): void {
    if (kind !== 'hello') throw new FrameError(`a ${kind} before hello`);
    connection.hello = readServerHello(body);
    this.#cancelWait();
    this.#keyRefused = undefined;
    this.#addresses.learn(connection.hello.members);
    const pending = Float64Array.from(this.#pending.keys());
    const answer: ClientHello = { release, clientId: this.#clientId, pending };
    connection.channel.send(encodeFrame('hello', 0, answer));
    this.#connected.set(1);
    this.#countConnect('ok');
    this.#log.info('connected to the control plane', {
      url: this.#addresses.current,
      release: connection.hello.release,
    });
    for (const id of this.#followers.keys()) connection.channel.send(encodeFrame('follow', id));
    for (const call of this.#pending.values()) this.#unsent.set(call.id, call);
    this.#sendCalls();
    this.#pingLater(connection);
  }

  #accept(connection: Connection, { kind, id, body }: Frame): void {
    switch (kind) {
      case 'result':
        this.#replied(connection, id);
        this.#succeed(id, readResult(body).value);
        return;
      case 'failure':
        this.#replied(connection, id);
        this.#refuse(id, readFailure(body));
        return;
      case 'snapshot':
        this.#tell(id, (follower) => follower.onSnapshot(body as ClusterSnapshot));
        return;
      case 'changes': {
        const changes = unpackChanges(body);
        this.#tell(id, (follower) => follower.onChanges(changes));
        return;
      }
      case 'pong':
        this.#addresses.learn(readPong(body).members);
        return;
      default:
        throw new FrameError(`a ${kind} is not for an agent`);
    }
  }

  #replied(connection: Connection, id: number): void {
    if (!connection.running.delete(id)) throw new FrameError(`an answer to call ${id}, which was not sent`);
    connection.replyCount++;
    if (connection.replyCount - connection.confirmedCount >= repliesPerConfirmation) this.#ping(connection);
    if (this.#unsent.size > 0) this.#sendCalls();
  }

  #succeed(id: number, value: unknown): void {
    this.#working();
    const call = this.#pending.get(id);
    if (call === undefined) return;
    this.#settle(call, 'ok');
    call.resolve(value);
  }

  #refuse(id: number, { kind, message, leaderUrl }: FailureBody): void {
    const call = this.#pending.get(id);
    switch (kind) {
      case 'notLeader':
        // The call stays: it goes to the leader, as soon as there is one.
        this.#goToLeader(message, leaderUrl);
        return;
      case 'unavailable':
        if (call !== undefined) this.#fail(call, kind, new ClusterUnavailable(message));
        return;
      case 'invalid':
      case 'internal':
        if (call !== undefined) this.#fail(call, kind, new CallRefused(kind, message));
        return;
    }
  }

  /** A process did something for us, so that it is a good one to be connected to. */
  #working(): void {
    this.#redirections = 0;
    this.#addresses.worked();
  }

  #tell(id: number, event: (follower: ClusterFollower) => void): void {
    const follower = this.#followers.get(id);
    // What was under way when it was ended still arrives.
    if (follower === undefined) return;
    try {
      event(follower);
    } catch (error) {
      this.#log.error('a follower of the cluster failed', { problem: String(error) });
    }
  }

  #fail(call: PendingCall, outcome: string, error: Error): void {
    this.#settle(call, outcome);
    call.reject(error);
  }

  #failAll(outcome: string, error: Error): void {
    for (const call of [...this.#pending.values()]) this.#fail(call, outcome, error);
  }

  #settle(call: PendingCall, outcome: string): void {
    call.cancelDeadline();
    this.#pending.delete(call.id);
    this.#unsent.delete(call.id);
    this.#figures.ended(call.method, outcome, this.#clock.monotonicMs() - call.startMs);
  }

  #sendCalls(): void {
    const connection = this.#connection;
    if (connection?.hello === undefined) return;
    const { running, channel } = connection;
    const runningMax = connection.hello.runningCallsMax;
    for (const call of this.#unsent.values()) {
      if (running.size >= runningMax) return;
      this.#unsent.delete(call.id);
      running.add(call.id);
      channel.send(call.frame);
    }
  }

  #sendIfOpen(kind: 'follow' | 'unfollow', id: number): void {
    if (this.#connection?.hello !== undefined) this.#connection.channel.send(encodeFrame(kind, id));
  }

  #pingLater(connection: Connection): void {
    this.#cancelPing = this.#clock.after(pingIntervalMs, () => {
      if (connection.unansweredPings >= unansweredPingsMax) {
        this.#reconnect(`${unansweredPingsMax} pings without an answer`, undefined, true);
        return;
      }
      connection.unansweredPings++;
      this.#ping(connection);
      this.#pingLater(connection);
    });
  }

  /** Asks for a sign of life, and says how many answers have come. */
  #ping(connection: Connection): void {
    connection.confirmedCount = connection.replyCount;
    connection.channel.send(encodeFrame('ping', connection.replyCount));
  }

  #ended(connection: Connection, code: number | undefined, reason: string): void {
    if (code === endCodes.keyRefused) {
      this.#waitForKey(connection.agentKey, new AgentKeyRefused(reason));
      return;
    }
    if (code === endCodes.superseded) {
      // Only a client with our id can have done that, and there is none but us.
      this.#log.warn('another connection took the place of this one', { reason });
    }
    const wasOpen = connection.hello !== undefined;
    this.#reconnect(reason === '' ? 'the connection was lost' : reason, undefined, wasOpen);
  }

  /** Tries the next address after a while. */
  #reconnect(reason: string, code?: EndCode, wasOpen = false): void {
    if (this.#isClosed) return;
    this.#disconnect(code, reason);
    const rounds = this.#addresses.failed();
    if (!wasOpen) this.#countConnect('failed');
    const delayMs = this.#options.random.next() * Math.min(backoffMsMax, backoffMsMin * 2 ** rounds);
    this.#log.warn('no connection to the control plane', {
      reason,
      next: this.#addresses.current,
      delayMs: Math.round(delayMs),
    });
    this.#cancelWait = this.#clock.after(delayMs, () => this.#connect());
  }

  #goToLeader(message: string, leaderUrl: string | undefined): void {
    this.#redirections++;
    if (this.#redirections > this.#addresses.all.length || !this.#addresses.follow(leaderUrl)) {
      this.#reconnect(message, endCodes.done, true);
      return;
    }
    this.#log.info('the leader is elsewhere', { message, leaderUrl });
    this.#disconnect(endCodes.done, message);
    this.#connect();
  }

  /** Fails what waits, because it would only wait for its deadline, and looks out for another key. */
  #waitForKey(key: string, error: AgentKeyRefused): void {
    this.#disconnect(undefined, error.message);
    if (this.#hasNewKey(key)) {
      this.#connect();
      return;
    }
    this.#keyRefused = error;
    this.#countConnect('key_refused');
    this.#log.error('the control plane refused the agent key; it has to be replaced', {
      problem: error.message,
      url: this.#addresses.current,
    });
    this.#failAll('key_refused', error);
    this.#addresses.failed();
    let waitedMs = 0;
    const look = () => {
      waitedMs += newKeyLookMs;
      const hasNewKey = this.#hasNewKey(key);
      if (hasNewKey) this.#keyRefused = undefined;
      if (hasNewKey || waitedMs >= refusedKeyRetryMs) this.#connect();
      else this.#cancelWait = this.#clock.after(newKeyLookMs, look);
    };
    this.#cancelWait = this.#clock.after(newKeyLookMs, look);
  }

  #hasNewKey(refused: string): boolean {
    try {
      return this.#options.agentKey() !== refused;
    } catch {
      // It is just being replaced.
      return false;
    }
  }

  #disconnect(code: EndCode | undefined, reason: string): void {
    this.#cancelWait();
    this.#cancelPing();
    const connection = this.#connection;
    this.#connection = undefined;
    this.#connected.set(0);
    if (code === undefined) connection?.channel.abort();
    else connection?.channel.close(code, reason);
  }

  #countConnect(outcome: string): void {
    this.#options.metrics.series(connectsRow, { outcome }).add(1);
  }
}

/** 32 hex digits. Not a secret; it only has to be nobody else's. */
function randomId(random: Random): string {
  return Array.from({ length: 4 }, () =>
    random
      .below(2 ** 32)
      .toString(16)
      .padStart(8, '0'),
  ).join('');
}
