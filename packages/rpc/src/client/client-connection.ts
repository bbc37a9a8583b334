import type { CallClass } from '@weir/cluster';
import { type Clock, type Log, release } from '@weir/core';
import { type Channel, type EndCode, endCodes } from '../channel/channel.ts';
import {
  type ClientHello,
  type FailureBody,
  readFailure,
  readPong,
  readResult,
  readServerHello,
  type ServerHello,
} from '../frames/bodies.ts';
import { decodeFrame, encodeFrame, replyLimits } from '../frames/frame.ts';
import { FrameError } from '../frames/frame-error.ts';
import type { Frame } from '../frames/frame-kinds.ts';

/** The events of a connection. */
interface ConnectionEvents {
  /** The control plane sent hello: calls and subscriptions may be sent. */
  onOpen(hello: ServerHello): void;
  onResult(id: number, value: unknown): void;
  onFailure(id: number, failure: FailureBody): void;
  onSnapshot(id: number, body: unknown): void;
  onChanges(id: number, body: unknown): void;
  /**
   * The subscription gets nothing here. The control plane ignores everything else that is sent over this connection.
   */
  onFollowFailure(failure: FailureBody): void;
  onMembers(members: readonly string[], regions: readonly string[] | undefined): void;
  /** Something was received from a process that leads, as far as is known. */
  onHeard(): void;
  /** Calls wait, and the process is silent. Returns whether there is another one to go to. */
  onSilence(): boolean;
  /** The other side ended the connection. `code` is `undefined` if it broke. */
  onEnd(code: number | undefined, reason: string): void;
}

/** Provides the client hello when the control plane has sent its own. */
type Introduction = () => Omit<ClientHello, 'release'>;

/**
 * The connection is looked at so often. What follows counts looks and not time: after a pause of this process, answers
 * of the other side are still unread.
 */
const tickMs = 500;
/**
 * A ping is sent after this long without an answer. Longer than the interval of heartbeats, which stand for pings: both
 * sides then know that the connection works.
 */
const unansweredTicksMax = 9;
/**
 * Short enough that a lost connection is replaced before the agent counts as gone (`agentSilenceMsMax`), and before
 * calls are given up (`PendingCalls`).
 */
const silentTicksMax = 11;
/**
 * While calls wait, a ping is sent after this long without a byte. A process answers pings from its event loop alone,
 * whatever its database does.
 */
const waitingTicksUntilPing = 1;
/** The same while only calls wait that others have to answer; well before they are given up (`PendingCalls`). */
const longWaitTicksUntilPing = 4;
/**
 * A process that was silent for this long while calls waited, and also to the ping, is left for another one, if there
 * is one. Longer than the lease over PostgreSQL: a leader whose event loop stands still for as long loses it anyway.
 */
const waitingTicksMax = 4;
/** A ping is also due after this long, to confirm answers. */
const confirmationTicks = 120;
/** Answers are confirmed after this many, and with every ping. */
const repliesPerConfirmation = 64;

/** One connection to a control-plane process, from the open channel to its end. */
export class ClientConnection {
  readonly agentKey: string;
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #introduction: Introduction;
  readonly #events: ConnectionEvents;
  /** Set by hello; nothing is sent before. */
  #hello: ServerHello | undefined;
  /** Calls that were sent and not answered, including those that have timed out since. */
  readonly #running = new Map<number, CallClass>();
  readonly #runningCount: Record<CallClass, number> = { working: 0, waiting: 0 };
  #hasWorked = false;
  #replyCount = 0;
  #confirmedCount = 0;
  /** Ticks since anything was received, since a call or a ping was answered, and since a ping was sent. */
  #ticksSilent = 0;
  #ticksUnanswered = 0;
  #ticksUnconfirmed = 0;
  /** Ticks with calls in flight since anything was received. */
  #ticksWaiting = 0;
  #receivedBytes = 0;
  #isOver = false;
  #cancelTick: () => void = () => {};

  constructor(
    channel: Channel,
    agentKey: string,
    { clock, log }: { readonly clock: Clock; readonly log: Log },
    introduction: Introduction,
    events: ConnectionEvents,
  ) {
    this.#channel = channel;
    this.agentKey = agentKey;
    this.#clock = clock;
    this.#log = log;
    this.#introduction = introduction;
    this.#events = events;
    channel.listen({
      onFrame: (bytes) => this.#receive(bytes),
      onEnd: (code, reason) => this.#end(code, reason),
    });
  }

  /** Whether the control plane ever sent hello. */
  get wasOpened(): boolean {
    return this.#hello !== undefined;
  }

  get isOpen(): boolean {
    return this.wasOpened && !this.#isOver;
  }

  /** Whether the process did something that only a leader does. */
  get hasWorked(): boolean {
    return this.#hasWorked;
  }

  /** Whether another call of this class may be in flight. */
  hasRoom(places: CallClass): boolean {
    if (!this.isOpen) return false;
    const { runningCallsMax, waitingCallsMax } = this.#hello!;
    return this.#runningCount[places] < (places === 'waiting' ? waitingCallsMax : runningCallsMax);
  }

  sendCall(id: number, frame: Uint8Array, places: CallClass): void {
    this.#running.set(id, places);
    this.#runningCount[places]++;
    this.#channel.send(frame);
  }

  sendSubscription(kind: 'follow' | 'unfollow', id: number): void {
    this.#channel.send(encodeFrame(kind, id));
  }

  /** Ends the connection from our side, without further events. Without a code it does not wait for the other side. */
  leave(code: EndCode | undefined, reason: string): void {
    if (this.#isOver) return;
    this.#over();
    if (code === undefined) this.#channel.abort();
    else this.#channel.close(code, reason);
  }

  #over(): void {
    this.#isOver = true;
    this.#cancelTick();
  }

  #end(code: number | undefined, reason: string): void {
    if (this.#isOver) return;
    this.#over();
    this.#events.onEnd(code, reason);
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isOver) return;
    try {
      const frame = decodeFrame(bytes, replyLimits);
      if (this.#hello === undefined) this.#greet(frame);
      else this.#accept(frame);
    } catch (error) {
      if (!(error instanceof FrameError)) throw error;
      this.#log.error('refused frame of control plane', { error: error.message });
      this.leave(endCodes.badFrame, error.message);
      this.#events.onEnd(endCodes.badFrame, error.message);
    }
  }

  #greet({ kind, body }: Frame): void {
    if (kind !== 'hello') throw new FrameError(`${kind} frame before hello`);
    const hello = readServerHello(body);
    this.#channel.send(encodeFrame('hello', 0, { release, ...this.#introduction() } satisfies ClientHello));
    this.#hello = hello;
    this.#events.onOpen(hello);
    this.#tickLater();
  }

  #accept({ kind, id, body }: Frame): void {
    switch (kind) {
      case 'result': {
        const { value } = readResult(body);
        this.#replied(id);
        this.#hasWorked = true;
        this.#events.onResult(id, value);
        return;
      }
      case 'failure': {
        const failure = readFailure(body);
        this.#replied(id);
        this.#events.onFailure(id, failure);
        return;
      }
      case 'snapshot':
        this.#hasWorked = true;
        this.#events.onSnapshot(id, body);
        return;
      case 'changes':
        this.#events.onChanges(id, body);
        return;
      case 'followFailure':
        this.#events.onFollowFailure(readFailure(body));
        return;
      case 'pong': {
        const { members, regions } = readPong(body);
        this.#ticksUnanswered = 0;
        this.#events.onMembers(members, regions);
        return;
      }
      default:
        throw new FrameError(`unexpected ${kind} frame for an agent`);
    }
  }

  #replied(id: number): void {
    const places = this.#running.get(id);
    if (places === undefined) throw new FrameError(`response to unknown call ${id}`);
    this.#running.delete(id);
    this.#runningCount[places]--;
    this.#replyCount++;
    this.#ticksUnanswered = 0;
    if (this.#replyCount - this.#confirmedCount >= repliesPerConfirmation) this.#ping();
  }

  #tickLater(): void {
    if (this.#isOver) return;
    this.#cancelTick = this.#clock.after(tickMs, () => {
      this.#tick();
      this.#tickLater();
    });
  }

  #tick(): void {
    this.#countSilence();
    const isLeft = this.#ticksWaiting >= waitingTicksMax && this.#events.onSilence();
    if (isLeft || this.#ticksSilent > silentTicksMax) {
      const ticks = isLeft ? this.#ticksWaiting : silentTicksMax;
      const reason = `nothing received for ${(ticks * tickMs) / 1_000} s`;
      this.leave(undefined, reason);
      this.#events.onEnd(undefined, reason);
      return;
    }
    this.#ticksUnconfirmed++;
    this.#ticksUnanswered++;
    // Once each: what is sent after an unanswered ping waits behind it.
    if (
      this.#ticksUnanswered === unansweredTicksMax ||
      this.#ticksWaiting === waitingTicksUntilPing ||
      (this.#runningCount.waiting > 0 && this.#ticksSilent === longWaitTicksUntilPing) ||
      this.#ticksUnconfirmed >= confirmationTicks
    )
      this.#ping();
  }

  /** Bytes count, and not frames: a large snapshot may take longer to arrive than a live process may be silent. */
  #countSilence(): void {
    const receivedBytes = this.#channel.receivedBytes();
    if (receivedBytes !== this.#receivedBytes) {
      this.#receivedBytes = receivedBytes;
      this.#ticksSilent = 0;
      this.#ticksWaiting = 0;
      if (this.#hasWorked) this.#events.onHeard();
      return;
    }
    this.#ticksSilent++;
    // Calls that wait for others may be answered after minutes.
    if (this.#runningCount.working > 0) this.#ticksWaiting++;
  }

  /** Requests a sign of life, and confirms the number of received answers. */
  #ping(): void {
    this.#ticksUnconfirmed = 0;
    this.#confirmedCount = this.#replyCount;
    this.#channel.send(encodeFrame('ping', this.#replyCount));
  }
}
