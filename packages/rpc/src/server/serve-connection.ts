import {
  type AgentDescription,
  type CallClass,
  type CallName,
  type ClusterChange,
  type ClusterPort,
  type ClusterSnapshot,
  ClusterUnavailable,
  callClass,
  callOn,
  clusterCalls,
  isCallName,
} from '@weir/cluster';
import { clusterLimits } from '@weir/cluster/limits';
import { type Clock, type Log, type MetricRow, type Metrics, release } from '@weir/core';
import { normalAddress } from '../addresses.ts';
import { CallMetrics, callRows } from '../call-metrics.ts';
import { type Channel, type EndCode, endCodes } from '../channel/channel.ts';
import {
  type FailureBody,
  type PongBody,
  readCall,
  readClientHello,
  type ServerHello,
} from '../frames/bodies.ts';
import {
  callLimits,
  decodeFrame,
  type EncodedBody,
  encodeBody,
  encodeFrame,
  type Frame,
  FrameError,
  FrameTooLarge,
  frameOf,
  replyLimits,
} from '../frames/frame.ts';
import { packChanges } from '../frames/packed-changes.ts';
import type { Outcome, ReplyMemory, Session } from './reply-memory.ts';

/** A cluster in a process that may lead it or not. */
export interface ServedCluster extends ClusterPort {
  /** The port for one request: a repeated request returns the first answer, on any process. */
  forRequest?(requestId: string): ClusterPort;
  /** Calls the listener when the leader changes, or there is none. Returns a function that removes it. */
  onLeader?(listener: () => void): () => void;
  /** Notes the connection of an agent; called after each of its heartbeats. */
  agentConnected?(agentId: string, connection: object): void;
  /** Notes the end of that connection, unless this process stops. `isBroken`: neither side closed it. */
  agentDisconnected?(agentId: string, connection: object, isBroken: boolean): void;
  /**
   * The reason why followers get nothing here, and the address of the leader if known; `undefined` if this process
   * leads.
   */
  notLeader?(): Redirection | undefined;
}

interface Redirection {
  readonly message: string;
  readonly leaderUrl: string | undefined;
}

interface ServeOptions {
  readonly clusterId: string;
  /** The cluster in this process, looked up for every call; `undefined` if it is not here at present. */
  readonly cluster: () => ServedCluster | undefined;
  /** The addresses of all control-plane processes, this one included. */
  readonly members: () => readonly string[];
  /** Whether the caller is another control-plane process, and not an agent. */
  readonly isMember?: boolean;
  /** Called for every call that an agent may not make. */
  readonly onForbiddenCall?: ((method: string, agentId: string | undefined) => void) | undefined;
  readonly memory: ReplyMemory;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The control plane's end of a connection. */
export interface ServedConnection {
  /** Accepts no more calls, answers those in flight, then closes. The client repeats the others elsewhere. */
  drain(): Promise<void>;
  close(code: EndCode, reason: string): void;
  abort(): void;
}

const rows = callRows('agent_rpc', 'of agents');
const connectionsRow: MetricRow<never> = {
  name: 'agent_rpc_connections',
  kind: 'gauge',
  help: 'Connections of agents.',
  labels: [],
};
const forbiddenRow: MetricRow<never> = {
  name: 'agent_rpc_forbidden_calls_total',
  kind: 'counter',
  help: 'Calls with an agent key that only the control plane may make. Agents make none: the key is misused.',
  labels: [],
};
const skippedRow: MetricRow<never> = {
  name: 'agent_rpc_followers_skipped_total',
  kind: 'counter',
  help: 'Followers that were too slow for the changes and waited for a snapshot instead.',
  labels: [],
};

/** Request ids contain it. */
const clientIdCharsMax = 64;
const callsMax: Record<CallClass, number> = {
  working: clusterLimits.rpcRunningCallsMax,
  waiting: clusterLimits.rpcWaitingCallsMax,
};

/** A client pings far more often than this. */
const clientSilenceMsMax = 15_000;
/**
 * How long calls of a client without a reachable leader wait here: longer than it takes to replace a leader, and
 * shorter than any deadline.
 */
const waitForLeaderMsMax = 4_500;
/** How often a follower that fell behind is checked. */
const catchUpIntervalMs = 50;

/**
 * All followers of a cluster get the same changes, and a leader passes the same list object to each, so it is encoded
 * once.
 */
const encodedChanges = new WeakMap<readonly ClusterChange[], EncodedBody>();

interface Subscription {
  stop: () => void;
  isSkipping: boolean;
}

/** Serves one cluster to one agent until the channel ends. The caller has authenticated and authorised it. */
export function serveConnection(channel: Channel, options: ServeOptions): ServedConnection {
  const { clock, log, metrics, memory, clusterId } = options;
  const callMetrics = new CallMetrics(metrics, rows);
  const connections = metrics.series(connectionsRow, {});
  const forbidden = metrics.series(forbiddenRow, {});
  const skipped = metrics.series(skippedRow, {});
  const subscriptions = new Map<number, Subscription>();
  /** Calls whose answers were sent and not confirmed, in the order of sending. */
  const unconfirmed: number[] = [];
  let confirmedCount = 0;
  /** Calls in flight, by class. */
  const running: Record<CallClass, number> = { working: 0, waiting: 0 };
  let session: Session | undefined;
  let myClientId = '';
  /**
   * `turnedAway`: the client was redirected and takes all of its calls along, in order. Calls that still arrive here
   * must not be executed before them.
   */
  let state: 'open' | 'turnedAway' | 'draining' | 'ended' = 'open';
  /** Addresses that the client could not reach when it connected. */
  let unreachable: ReadonlySet<string> = new Set();
  /** Calls that wait for a leader; called with whether the leader changed. */
  const waiting = new Set<(isChanged: boolean) => void>();
  let hasReceived = true;
  let snapshotBytes = 0;
  /** Methods of refused calls that were logged. */
  const forbiddenMethods = new Set<CallName>();
  const drained: (() => void)[] = [];
  /** The identity of this connection for the cluster, and the agent that sent heartbeats over it. */
  const connection = {};
  let agentId: string | undefined;
  let cancelWatch = () => {};

  connections.add(1);
  channel.listen({ onFrame, onEnd });
  const hello: ServerHello = {
    release,
    members: options.members(),
    runningCallsMax: callsMax.working,
    waitingCallsMax: callsMax.waiting,
  };
  channel.send(encodeFrame('hello', 0, hello));
  watch();
  return { drain, close, abort: () => channel.abort() };

  function onFrame(bytes: Uint8Array): void {
    if (state === 'ended') return;
    hasReceived = true;
    try {
      accept(decodeFrame(bytes, callLimits));
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      if (error instanceof FrameTooLarge && error.kind === 'call' && session !== undefined) {
        refuseCall(error, session);
        return;
      }
      log.warn('refused frame of agent', { clusterId, problem: error.message });
      close(endCodes.badFrame, error.message);
    }
  }

  function accept({ kind, id, body }: Frame): void {
    if (session === undefined) {
      if (kind !== 'hello') throw new FrameError(`a ${kind} before hello`);
      greet(body);
      return;
    }
    switch (kind) {
      case 'call':
        startCall(id, body, session);
        return;
      case 'follow':
        follow(id);
        return;
      case 'unfollow':
        unfollow(id);
        return;
      case 'ping':
        confirm(id, session);
        channel.send(encodeFrame('pong', id, { members: options.members() } satisfies PongBody));
        return;
      default:
        throw new FrameError(`a ${kind} is not for the control plane`);
    }
  }

  /**
   * Answers a call that is too large: closing the connection would make the client repeat it, and lose all others
   * meanwhile.
   */
  function refuseCall({ id, message }: FrameTooLarge, mine: Session): void {
    if (state !== 'open') return;
    log.warn('refused call of agent: too large', { clusterId, problem: message });
    answer(id, 'call', { failure: { kind: 'invalid', message } }, mine);
  }

  function greet(body: unknown): void {
    const { clientId, pending, unreachable: notReached = [] } = readClientHello(body);
    if (clientId.length > clientIdCharsMax)
      throw new FrameError(`hello: an id of ${clientId.length} characters`);
    unreachable = new Set(notReached);
    myClientId = clientId;
    session = memory.open(clusterId, clientId);
    // A client has one connection. Frames in an older one must not be executed after those of this one.
    session.supersede?.();
    session.supersede = () => close(endCodes.superseded, 'the client opened a newer connection');
    session.keepOnly(pending);
  }

  /** Drops answers that the client has received over this connection. */
  function confirm(count: number, mine: Session): void {
    if (count < confirmedCount || count > confirmedCount + unconfirmed.length) {
      throw new FrameError(`${count} answers confirmed that were not sent`);
    }
    for (const callId of unconfirmed.splice(0, count - confirmedCount)) mine.forget(callId);
    confirmedCount = count;
  }

  function startCall(callId: number, body: unknown, mine: Session): void {
    if (state !== 'open') return;
    const { method, args } = readCall(body);
    const places = callClass(method);
    if (running[places] >= callsMax[places]) {
      throw new FrameError(`more than ${callsMax[places]} calls at a time`);
    }
    if (unconfirmed.length > clusterLimits.rpcRememberedRepliesMax) {
      throw new FrameError(
        `more than ${clusterLimits.rpcRememberedRepliesMax} answers without a confirmation`,
      );
    }
    running[places]++;
    const startMs = clock.monotonicMs();
    const isRemembered = isCallName(method) && clusterCalls[method].onRetry !== 'reexecute';
    const work = () => run(callId, method, args);
    const outcome = isRemembered ? mine.run(callId, work) : work();
    outcome.then((found) => {
      running[places]--;
      if (method === 'heartbeat' && 'value' in found) noteAgent(args);
      answer(callId, method, found, mine);
      const ended = 'failure' in found ? found.failure.kind : 'ok';
      callMetrics.ended(isCallName(method) ? method : 'other', ended, clock.monotonicMs() - startMs);
      if (running.working === 0) for (const notify of drained.splice(0)) notify();
    });
  }

  function noteAgent([heartbeat]: readonly unknown[]): void {
    agentId = (heartbeat as AgentDescription).agentId;
    options.cluster()?.agentConnected?.(agentId, connection);
    if (state === 'ended') lostAgent(true);
  }

  function lostAgent(isBroken: boolean): void {
    if (agentId !== undefined) options.cluster()?.agentDisconnected?.(agentId, connection, isBroken);
  }

  async function run(callId: number, method: string, args: readonly unknown[]): Promise<Outcome> {
    if (!isCallName(method)) {
      const message = `${method}: this control plane is ${release} and has no such call`;
      return { failure: { kind: 'invalid', message } };
    }
    if (clusterCalls[method].membersOnly && options.isMember !== true)
      return { failure: refusedCall(method) };
    const problem = clusterCalls[method].args(args, method);
    if (problem !== undefined) return { failure: { kind: 'invalid', message: problem } };
    const giveUpMs = clock.monotonicMs() + waitForLeaderMsMax;
    for (;;) {
      const cluster = options.cluster();
      if (cluster === undefined) {
        return { failure: { kind: 'notLeader', message: `${clusterId} is not here just now` } };
      }
      try {
        return { value: await callOn(portFor(callId, method, cluster), method, args) };
      } catch (error) {
        const failure = failureOf(error, method);
        if (failure.kind !== 'notLeader' || !(await hasLeaderChanged(cluster, failure.leaderUrl, giveUpMs))) {
          return { failure };
        }
      }
    }
  }

  function refusedCall(method: CallName): FailureBody {
    forbidden.add(1);
    options.onForbiddenCall?.(method, agentId);
    // Once per method and connection, so that the key cannot be used to fill the log.
    if (!forbiddenMethods.has(method)) {
      forbiddenMethods.add(method);
      log.warn('refused call that agents may not make', { clusterId, agentId, method });
    }
    return { kind: 'invalid', message: `${method}: an agent key does not allow this; use the API` };
  }

  /** The caller has validated the arguments. */
  function portFor(callId: number, method: CallName, cluster: ServedCluster): ClusterPort {
    const isOnce = clusterCalls[method].onRetry === 'dedupe-durable' && cluster.forRequest !== undefined;
    return isOnce ? cluster.forRequest!(`${myClientId}:${callId}`) : cluster;
  }

  /**
   * A client that could not reach the leader is not redirected there: its call waits for another leader, perhaps this
   * process. Returns whether a retry makes sense.
   */
  function hasLeaderChanged(
    cluster: ServedCluster,
    leaderUrl: string | undefined,
    giveUpMs: number,
  ): Promise<boolean> {
    const leftMs = giveUpMs - clock.monotonicMs();
    const canGoThere = leaderUrl !== undefined && !unreachable.has(normalAddress(leaderUrl));
    if (canGoThere || leftMs <= 0 || state !== 'open' || cluster.onLeader === undefined) {
      return Promise.resolve(false);
    }
    return new Promise((resolve) => {
      const done = (isChanged: boolean) => {
        waiting.delete(done);
        stopListening();
        cancel();
        resolve(isChanged);
      };
      const stopListening = cluster.onLeader!(() => done(true));
      const cancel = clock.after(leftMs, () => done(false));
      waiting.add(done);
    });
  }

  function failureOf(error: unknown, method: string): FailureBody {
    if (error instanceof ClusterUnavailable) {
      const { message } = error;
      if (!('leaderUrl' in error)) return { kind: 'unavailable', message };
      const leaderUrl = typeof error.leaderUrl === 'string' ? error.leaderUrl : undefined;
      return { kind: 'notLeader', message, leaderUrl };
    }
    const message = error instanceof Error ? error.message : String(error);
    log.error('failed to serve call of agent', {
      clusterId,
      method,
      problem: message,
      stack: error instanceof Error ? error.stack : undefined,
    });
    return { kind: 'internal', message: `${method}: ${message}` };
  }

  function answer(callId: number, method: string, outcome: Outcome, mine: Session): void {
    // A call that was not executed may be executed when it is repeated.
    if ('failure' in outcome && isPassing(outcome.failure)) mine.forget(callId);
    if (state === 'ended') return;
    if (state === 'open' && 'failure' in outcome && outcome.failure.kind === 'notLeader')
      state = 'turnedAway';
    channel.send(answerFrame(callId, method, outcome));
    unconfirmed.push(callId);
    if (channel.unsentBytes() > clusterLimits.rpcQueuedBytesMax + snapshotBytes) {
      close(endCodes.tooSlow, 'the agent does not read its answers');
    }
  }

  function answerFrame(callId: number, method: string, outcome: Outcome): Uint8Array {
    if ('failure' in outcome) return encodeFrame('failure', callId, outcome.failure);
    try {
      const frame = encodeFrame('result', callId, { value: outcome.value });
      if (frame.length <= replyLimits.frameBytesMax) return frame;
      const message = `${method}: an answer of ${frame.length} bytes; ask for less at a time`;
      return encodeFrame('failure', callId, { kind: 'invalid', message });
    } catch (error) {
      return encodeFrame('failure', callId, failureOf(error, method));
    }
  }

  function follow(id: number): void {
    if (state !== 'open') return;
    if (subscriptions.has(id)) throw new FrameError(`subscription ${id} exists`);
    if (subscriptions.size >= clusterLimits.rpcRunningCallsMax)
      throw new FrameError('too many subscriptions');
    const subscription: Subscription = { stop: () => {}, isSkipping: false };
    subscriptions.set(id, subscription);
    start(id, subscription);
  }

  function start(id: number, subscription: Subscription): void {
    const cluster = options.cluster();
    if (cluster === undefined) {
      close(endCodes.tryAgain, `${clusterId} is not here just now`);
      return;
    }
    subscription.isSkipping = false;
    const isCurrent = () => subscriptions.get(id) === subscription && !subscription.isSkipping;
    let isStopped = false;
    const stop = cluster.follow({
      onSnapshot: (snapshot) => deliver(() => pushSnapshot(id, snapshot)),
      onChanges: (changes) => deliver(() => pushChanges(id, subscription, changes)),
    });
    /** Errors here must not reach the leader. */
    function deliver(push: () => void): void {
      if (isStopped || !isCurrent()) return;
      try {
        push();
      } catch (error) {
        const { message } = failureOf(error, 'follow');
        close(endCodes.tryAgain, message);
      }
    }
    const stopWatching = watchLeader(id, cluster, () => !isStopped && isCurrent());
    subscription.stop = () => {
      isStopped = true;
      stopWatching();
      stop();
    };
    // The follower may have fallen behind, or the connection ended, before the port returned.
    if (!isCurrent()) subscription.stop();
  }

  /**
   * Redirects a follower to the leader when this process does not lead, at once or later. A client that only follows
   * makes no call that would redirect it.
   */
  function watchLeader(id: number, cluster: ServedCluster, isCurrent: () => boolean): () => void {
    let isChecking = false;
    const check = async () => {
      if (isChecking) return;
      isChecking = true;
      const giveUpMs = clock.monotonicMs() + waitForLeaderMsMax;
      for (;;) {
        const redirection = isCurrent() ? cluster.notLeader?.() : undefined;
        if (redirection === undefined) break;
        if (await hasLeaderChanged(cluster, redirection.leaderUrl, giveUpMs)) continue;
        if (isCurrent()) turnAway(id, redirection);
        break;
      }
      isChecking = false;
    };
    const stopListening = cluster.onLeader?.(() => void check());
    void check();
    return () => stopListening?.();
  }

  function turnAway(id: number, { message, leaderUrl }: Redirection): void {
    if (state !== 'open') return;
    state = 'turnedAway';
    const failure: FailureBody = { kind: 'notLeader', message, leaderUrl };
    channel.send(encodeFrame('followFailure', id, failure));
  }

  function pushSnapshot(id: number, snapshot: ClusterSnapshot): void {
    const frame = encodeFrame('snapshot', id, snapshot);
    if (frame.length > replyLimits.frameBytesMax) {
      throw new RangeError(`a snapshot of ${frame.length} bytes; at most ${replyLimits.frameBytesMax}`);
    }
    // A snapshot of any size is allowed, because it is the way to catch up; the queue limit counts from its end.
    snapshotBytes = frame.length;
    channel.send(frame);
  }

  function pushChanges(id: number, subscription: Subscription, changes: readonly ClusterChange[]): void {
    let body = encodedChanges.get(changes);
    if (body === undefined) {
      body = encodeBody(packChanges(changes));
      encodedChanges.set(changes, body);
    }
    const unsent = channel.unsentBytes();
    if (unsent + body.frame.length <= clusterLimits.rpcQueuedPushBytesMax + snapshotBytes) {
      channel.send(frameOf('changes', id, body));
      return;
    }
    skipped.add(1);
    log.info('dropped changes for slow agent, sending a snapshot later', { clusterId, unsent });
    subscription.isSkipping = true;
    subscription.stop();
    catchUp(id, subscription);
  }

  function catchUp(id: number, subscription: Subscription): void {
    clock.after(catchUpIntervalMs, () => {
      if (state === 'ended' || subscriptions.get(id) !== subscription) return;
      if (channel.unsentBytes() > clusterLimits.rpcQueuedPushBytesMax / 4) catchUp(id, subscription);
      else start(id, subscription);
    });
  }

  function unfollow(id: number): void {
    const subscription = subscriptions.get(id);
    subscriptions.delete(id);
    subscription?.stop();
  }

  function watch(): void {
    cancelWatch = clock.after(clientSilenceMsMax, () => {
      if (hasReceived) {
        hasReceived = false;
        watch();
      } else {
        log.info('closed silent agent connection', { clusterId });
        channel.abort();
      }
    });
  }

  async function drain(): Promise<void> {
    if (state === 'draining' || state === 'ended') return;
    state = 'draining';
    for (const give of waiting) give(false);
    // Long-polling calls may take minutes; their client takes them elsewhere.
    if (running.working > 0) await new Promise<void>((resolve) => drained.push(resolve));
    close(endCodes.goingAway, 'the control plane is about to stop');
  }

  function close(code: EndCode, reason: string): void {
    if (state !== 'ended') channel.close(code, reason);
    end(false);
  }

  function onEnd(code: number | undefined): void {
    end(code === undefined);
  }

  function end(isBroken: boolean): void {
    if (state === 'ended') return;
    // A stopping process closes all connections, and no agent is gone because of it.
    const isLeaving = state === 'draining';
    state = 'ended';
    if (!isLeaving) lostAgent(isBroken);
    for (const give of waiting) give(false);
    cancelWatch();
    stopFollowing();
    connections.add(-1);
    if (session !== undefined) {
      session.supersede = undefined;
      session.lastUsedMs = clock.monotonicMs();
    }
    for (const notify of drained.splice(0)) notify();
  }

  function stopFollowing(): void {
    for (const { stop } of subscriptions.values()) stop();
    subscriptions.clear();
  }
}

/** Whether the call was not executed, and may be when it is repeated. */
function isPassing({ kind }: FailureBody): boolean {
  return kind === 'unavailable' || kind === 'notLeader';
}
