import type { Socket } from 'node:net';
import type { Clock } from '@weir/core';
import type { ConnectionLink, LinkReceiver } from './connection-link.ts';
import type { FrameMemory } from './frame-pool.ts';
import type { Intake, Receiver } from './intake.ts';
import { Outbox } from './outbox.ts';
import { ReceivedFrames } from './received-frames.ts';

interface SocketLinkOptions {
  readonly frames: FrameMemory;
  readonly clock: Clock;
  /** Evaluated for each frame. */
  readonly frameBytesMax: () => number;
}

/** The link of a connection whose socket belongs to this thread. */
export class SocketLink implements ConnectionLink, Receiver {
  readonly frames: ReceivedFrames;
  readonly outbox: Outbox;
  readonly #socket: Socket;
  readonly #intake: Intake;
  readonly #clock: Clock;
  #receiver: LinkReceiver | undefined;

  constructor(intake: Intake, { frames, clock, frameBytesMax }: SocketLinkOptions) {
    this.#intake = intake;
    this.#socket = intake.socket;
    this.#clock = clock;
    this.frames = new ReceivedFrames(frameBytesMax, frames);
    this.outbox = new Outbox(intake.socket, () => this.#receiver!.onProgress());
  }

  start(receiver: LinkReceiver): void {
    const socket = this.#socket;
    this.#receiver = receiver;
    socket.on('error', (error) => receiver.onError(error));
    // Otherwise Node.js would end this side together with the client's, before everything is served.
    socket.allowHalfOpen = true;
    socket.on('end', () => receiver.onEnd());
    socket.on('close', () => receiver.onClose());
    this.#intake.start(this);
  }

  pause(): void {
    this.#intake.pause();
  }

  resume(): void {
    this.#intake.resume();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  get place(): Buffer | undefined {
    return this.#receiver?.isOpen === true ? this.frames.place : undefined;
  }

  onPlaced(bytes: number): void {
    const receiver = this.#receiver!;
    if (!receiver.isOpen) return;
    const nowMs = this.#clock.monotonicMs();
    receiver.onReceived(bytes, nowMs, this.frames.placed(bytes, nowMs));
  }

  onChunk(chunk: Buffer): void {
    const receiver = this.#receiver!;
    if (!receiver.isOpen || this.frames.isBroken) return;
    const nowMs = this.#clock.monotonicMs();
    this.frames.push(chunk, nowMs);
    receiver.onReceived(chunk.length, nowMs, true);
  }
}
