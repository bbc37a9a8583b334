import type { Channel, ChannelListener, EndCode } from '../../packages/rpc/src/channel/channel.ts';
import { type Deps, delayMs, isLost, type Region } from './deps.ts';
import type { SimProcess } from './sim-process.ts';

/** A one-way message channel between two processes with latency; messages keep their order. */
export class Lane {
  readonly #world: Deps;
  readonly #receiver: SimProcess;
  #lastDueMs = 0;

  constructor(world: Deps, receiver: SimProcess) {
    this.#world = world;
    this.#receiver = receiver;
  }

  carry(deliver: () => void): void {
    const { clock } = this.#world;
    const nowMs = clock.monotonicMs();
    this.#lastDueMs = Math.max(this.#lastDueMs, nowMs + delayMs(this.#world));
    clock.after(this.#lastDueMs - nowMs, () => this.#receiver.whenRunning(deliver));
  }
}

/** A connection between an agent and a control plane. */
export class Link {
  readonly agentEnd: LinkEnd;
  readonly serverEnd: LinkEnd;
  readonly #world: Deps;
  readonly #regions: readonly [Region, Region];

  constructor(world: Deps, agent: SimProcess, server: SimProcess) {
    this.agentEnd = new LinkEnd(agent, new Lane(world, server));
    this.serverEnd = new LinkEnd(server, new Lane(world, agent));
    this.agentEnd.other = this.serverEnd;
    this.serverEnd.other = this.agentEnd;
    this.#world = world;
    this.#regions = [agent.region, server.region];
  }

  /** Whether its ends are in two regions between which nothing passes. */
  get isCutOff(): boolean {
    return isLost(this.#world, ...this.#regions);
  }

  get isOver(): boolean {
    return this.agentEnd.isOver && this.serverEnd.isOver;
  }

  /** Breaks the connection: messages in flight are lost, and both sides are notified. */
  cut(): void {
    this.silence();
    this.agentEnd.breakOff();
    this.serverEnd.breakOff();
  }

  /** Drops all messages from now on, without notifying either side. */
  silence(): void {
    this.agentEnd.isSilent = true;
    this.serverEnd.isSilent = true;
  }
}

class LinkEnd implements Channel {
  other!: LinkEnd;
  isSilent = false;
  isOver = false;
  readonly #process: SimProcess;
  readonly #lane: Lane;
  #listener: ChannelListener | undefined;
  #receivedBytes = 0;

  constructor(process: SimProcess, lane: Lane) {
    this.#process = process;
    this.#lane = lane;
  }

  send(frame: Uint8Array): void {
    if (this.isOver) return;
    this.#carry(() => {
      if (this.other.isOver) return;
      this.other.#receivedBytes += frame.length;
      this.other.#listener?.onFrame(frame);
    });
  }

  unsentBytes(): number {
    return 0;
  }

  receivedBytes(): number {
    return this.#receivedBytes;
  }

  listen(listener: ChannelListener): void {
    this.#listener = listener;
  }

  /** The network holds any number of frames. */
  pause(): void {}

  resume(): void {}

  close(code: EndCode, reason: string): void {
    if (this.isOver) return;
    this.#carry(() => this.other.#end(code, reason));
    this.#end(code, reason);
  }

  abort(): void {
    if (this.isOver) return;
    this.#carry(() => this.other.#end(undefined, ''));
    this.#end(undefined, '');
  }

  breakOff(): void {
    this.#process.whenRunning(() => this.#end(undefined, ''));
  }

  #carry(deliver: () => void): void {
    if (this.isSilent) return;
    this.#lane.carry(() => {
      if (!this.isSilent) deliver();
    });
  }

  #end(code: number | undefined, reason: string): void {
    if (this.isOver) return;
    this.isOver = true;
    queueMicrotask(() => this.#listener?.onEnd(code, reason));
  }
}
