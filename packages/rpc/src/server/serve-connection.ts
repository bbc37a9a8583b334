import { type CallClass, callClass, clusterCalls, isCallName } from '@weir/cluster';
import { type MetricRow, type Metrics, release } from '@weir/core';
import { CallMetrics, callRows } from '../call-metrics.ts';
import { type Channel, type EndCode, endCodes } from '../channel/channel.ts';
import {
  type FailureBody,
  type PongBody,
  readCall,
  readClientHello,
  type ServerHello,
} from '../frames/bodies.ts';
import { beginFrame, callLimits, encodeFrame } from '../frames/frame.ts';
import { FrameError, FrameTooLarge } from '../frames/frame-error.ts';
import type { Frame } from '../frames/frame-kinds.ts';
import { FrameReader } from '../frames/frame-reader.ts';
import { rpcLimits } from '../limits.ts';
import { answerFrame, isPassing } from './answers.ts';
import { CallExecutor } from './call-executor.ts';
import { ConnectedAgent } from './connected-agent.ts';
import { LeaderWait } from './leader-wait.ts';
import type { Outcome, Session } from './reply-memory.ts';
import type { ServeOptions } from './serve-options.ts';
import type { Redirection } from './served-cluster.ts';
import { Subscriptions } from './subscriptions.ts';

/** The control plane's end of a connection. */
export interface ServedConnection {
  /** Accepts no more calls, answers those in flight, then closes. The client repeats the others elsewhere. */
  drain(): Promise<void>;
  close(code: EndCode, reason: string): void;
  abort(): void;
}

export const servedCallRows = callRows('agent_rpc', 'of agents');
export const connectionsRow: MetricRow<never> = {
  name: 'agent_rpc_connections',
  kind: 'gauge',
  help: 'Open connections of agents.',
  labels: [],
};

/** Request ids contain it. */
const clientIdCharsMax = 64;
const callsMax: Record<CallClass, number> = {
  working: rpcLimits.rpcRunningCallsMax,
  waiting: rpcLimits.rpcWaitingCallsMax,
};

/** A client pings far more often than this. */
const clientSilenceMsMax = 15_000;

const callMetricsOf = new WeakMap<Metrics, CallMetrics>();

/** All connections of a process count together, so that each need not look for the series. */
function servedCalls(metrics: Metrics): CallMetrics {
  let found = callMetricsOf.get(metrics);
  if (found === undefined) {
    found = new CallMetrics(metrics, servedCallRows);
    callMetricsOf.set(metrics, found);
  }
  return found;
}

/** Serves one cluster to one agent until the channel ends. The caller has authenticated and authorised it. */
export function serveConnection(channel: Channel, options: ServeOptions): ServedConnection {
  const { clock, log, metrics, memory, clusterId } = options;
  const callMetrics = servedCalls(metrics);
  const connections = metrics.series(connectionsRow, {});
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
  let hasReceived = true;
  /** A frame that is read in parts, and the frames behind it. */
  let reading: FrameReader | undefined;
  const behind: Uint8Array[] = [];
  const drained: (() => void)[] = [];
  let cancelWatch = () => {};
  const agent = new ConnectedAgent(options.cluster);
  const leaders = new LeaderWait(clock, () => state === 'open');
  const executor = new CallExecutor(options, agent, leaders);
  const subscriptions = new Subscriptions(options, { channel, leaders, close, turnAway });

  let sentMembers: readonly string[] = [];

  connections.add(1);
  channel.listen({ onFrame, onEnd });
  const hello: ServerHello = {
    release,
    ...membersNow(),
    runningCallsMax: callsMax.working,
    waitingCallsMax: callsMax.waiting,
  };
  channel.send(encodeFrame('hello', 0, hello));
  watch();
  return { drain, close, abort: () => channel.abort() };

  function onFrame(bytes: Uint8Array): void {
    if (state === 'ended') return;
    hasReceived = true;
    if (reading === undefined) take(() => beginFrame(bytes, callLimits));
    else behind.push(Uint8Array.from(bytes));
  }

  /** Accepts a frame, or reads on later if it is not read yet. Frames are accepted in the order in which they came. */
  function take(read: () => Frame | FrameReader): void {
    reading = undefined;
    try {
      const frame = read();
      if (!(frame instanceof FrameReader)) {
        accept(frame);
        return;
      }
      reading = frame;
      channel.pause();
      clock.after(0, readOn);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      if (error instanceof FrameTooLarge && error.kind === 'call' && session !== undefined) {
        refuseCall(error, session);
        return;
      }
      log.warn('refused frame of agent', { clusterId, error: error.message });
      close(endCodes.badFrame, error.message);
    }
  }

  function readOn(): void {
    const reader = reading;
    if (reader === undefined || state === 'ended') return;
    // Pings of the client wait behind the frame.
    hasReceived = true;
    take(() => reader.advance() ?? reader);
    while (reading === undefined && behind.length > 0 && !isEnded()) {
      const bytes = behind.shift()!;
      take(() => beginFrame(bytes, callLimits));
    }
    if (reading === undefined) channel.resume();
  }

  function isEnded(): boolean {
    return state === 'ended';
  }

  function accept({ kind, id, body }: Frame): void {
    if (session === undefined) {
      if (kind !== 'hello') throw new FrameError(`${kind} frame before hello`);
      greet(body);
      return;
    }
    switch (kind) {
      case 'call':
        startCall(id, body, session);
        return;
      case 'follow':
        if (state === 'open') subscriptions.follow(id);
        return;
      case 'unfollow':
        subscriptions.unfollow(id);
        return;
      case 'ping':
        confirm(id, session);
        channel.send(encodeFrame('pong', id, membersNow()));
        return;
      default:
        throw new FrameError(`unexpected ${kind} frame for the control plane`);
    }
  }

  /**
   * Answers a call that is too large: closing the connection would make the client repeat it, and lose all others
   * meanwhile.
   */
  function refuseCall({ id, message }: FrameTooLarge, mine: Session): void {
    if (state !== 'open') return;
    log.warn('refused call of agent: too large', { clusterId, error: message });
    answer(id, 'call', { failure: { kind: 'invalid', message } }, mine);
  }

  function greet(body: unknown): void {
    const { clientId, pending, unreachable = [], silent = [] } = readClientHello(body);
    if (clientId.length > clientIdCharsMax)
      throw new FrameError(`hello: invalid id of ${clientId.length} characters`);
    leaders.setDoubtful(unreachable, silent);
    myClientId = clientId;
    session = memory.open(clusterId, clientId);
    // A client has one connection. Frames in an older one must not be executed after those of this one.
    session.supersede?.();
    session.supersede = () => close(endCodes.superseded, 'superseded by a newer connection of the client');
    session.keepOnly(pending);
  }

  /** Drops answers that the client has received over this connection. */
  function confirm(count: number, mine: Session): void {
    if (count < confirmedCount || count > confirmedCount + unconfirmed.length) {
      throw new FrameError(`${count} responses acknowledged that were not sent`);
    }
    for (const callId of unconfirmed.splice(0, count - confirmedCount)) mine.forget(callId);
    confirmedCount = count;
  }

  function startCall(callId: number, body: unknown, mine: Session): void {
    if (state !== 'open') return;
    const { method, args } = readCall(body);
    const places = callClass(method);
    if (running[places] >= callsMax[places]) {
      throw new FrameError(`more than ${callsMax[places]} concurrent calls`);
    }
    if (unconfirmed.length > rpcLimits.rpcRememberedRepliesMax) {
      throw new FrameError(`more than ${rpcLimits.rpcRememberedRepliesMax} unacknowledged responses`);
    }
    running[places]++;
    const startMs = clock.monotonicMs();
    const isRemembered = isCallName(method) && clusterCalls[method].onRetry !== 'reexecute';
    const work = () => executor.execute(myClientId, callId, method, args);
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

  function noteAgent(heartbeatArgs: readonly unknown[]): void {
    agent.connected(heartbeatArgs);
    if (state === 'ended') agent.disconnected(true);
  }

  function answer(callId: number, method: string, outcome: Outcome, mine: Session): void {
    // A call that was not executed may be executed when it is repeated.
    if ('failure' in outcome && isPassing(outcome.failure)) mine.forget(callId);
    if (state === 'ended') return;
    if (state === 'open' && 'failure' in outcome && outcome.failure.kind === 'notLeader')
      state = 'turnedAway';
    channel.send(answerFrame(callId, method, outcome, options));
    unconfirmed.push(callId);
    sendMembers();
    if (channel.unsentBytes() > rpcLimits.rpcQueuedBytesMax + subscriptions.snapshotBytes) {
      close(endCodes.tooSlow, 'agent does not read its responses');
    }
  }

  /** A client whose calls are answered pings rarely, and must know other processes before this one dies. */
  function sendMembers(): void {
    const members = options.members();
    if (members === sentMembers) return;
    const isSame =
      members.length === sentMembers.length && members.every((url, index) => url === sentMembers[index]);
    sentMembers = members;
    if (!isSame) channel.send(encodeFrame('pong', confirmedCount, membersNow()));
  }

  function membersNow(): PongBody {
    const { members, regionOf } = options;
    sentMembers = members();
    const regions = sentMembers.map((url) => regionOf?.(url) ?? '');
    return regions.some((region) => region !== '')
      ? { members: sentMembers, regions }
      : { members: sentMembers };
  }

  function turnAway(id: number, { message, leaderUrl }: Redirection): void {
    if (state !== 'open') return;
    state = 'turnedAway';
    const failure: FailureBody = { kind: 'notLeader', message, leaderUrl };
    channel.send(encodeFrame('followFailure', id, failure));
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
    leaders.giveUp();
    // Long-polling calls may take minutes; their client takes them elsewhere.
    if (running.working > 0) await new Promise<void>((resolve) => drained.push(resolve));
    close(endCodes.goingAway, 'control plane is shutting down');
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
    if (!isLeaving) agent.disconnected(isBroken);
    leaders.giveUp();
    cancelWatch();
    subscriptions.stopAll();
    connections.add(-1);
    if (session !== undefined) {
      session.supersede = undefined;
      session.lastUsedMs = clock.monotonicMs();
    }
    for (const notify of drained.splice(0)) notify();
  }
}
