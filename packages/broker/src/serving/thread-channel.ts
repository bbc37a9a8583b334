import { type MessagePort, receiveMessageOnPort } from 'node:worker_threads';
import { afterEvents, systemClock } from '@weir/core';
import { RingReader, RingWriter, ringMemory } from './shared-ring.ts';
import type { ChannelMemory } from './thread-messages.ts';

/** Words of each ring: 4,000 records of the usual length and more. */
const ringWords = 64 * 1024;

export function channelMemory(): ChannelMemory {
  return {
    toThread: ringMemory(ringWords),
    fromThread: ringMemory(ringWords),
    posted: new SharedArrayBuffer(8),
  };
}

/** Which end of a channel this thread has. */
type End = 'main' | 'thread';

interface ChannelHandlers<Incoming> {
  onMessage(message: Incoming): void;
  /** Reads the words of one record. */
  onRecord(reader: RingReader): void;
  /** Called after each round of records. */
  onRound?(): void;
}

/** How long a record may wait for another that wakes the other side. */
const laterMs = 5;

/** A message that only wakes the other side. */
const wake = 0;

/**
 * One end of the channel between the main thread and a serving thread: messages, and records in rings. What was posted
 * before a record is received before it.
 */
export class ThreadChannel<Incoming, Outgoing> {
  readonly #port: MessagePort;
  readonly #handlers: ChannelHandlers<Incoming>;
  readonly #reader: RingReader;
  readonly #writer: RingWriter;
  readonly #posted: Int32Array;
  readonly #ownAt: number;
  readonly #flush = () => this.#flushNow();
  readonly #flushLate = () => {
    this.#isWaiting = false;
    this.#flushNow();
  };
  #received = 0;
  #isFlushing = false;
  /** Whether a flush of records that are in no hurry is due. */
  #isWaiting = false;
  #isClosed = false;

  constructor(end: End, port: MessagePort, memory: ChannelMemory, handlers: ChannelHandlers<Incoming>) {
    const isMain = end === 'main';
    this.#port = port;
    this.#handlers = handlers;
    this.#posted = new Int32Array(memory.posted);
    this.#ownAt = isMain ? 0 : 1;
    this.#reader = new RingReader(isMain ? memory.fromThread : memory.toThread);
    this.#writer = new RingWriter(
      isMain ? memory.toThread : memory.fromThread,
      () => port.postMessage(wake),
      !isMain,
    );
    port.on('message', (message: Incoming | typeof wake) => {
      this.#onMessage(message);
      this.#receive();
    });
  }

  /** The other side receives it before any record that is written from now on. Memory in `given` becomes its own. */
  post(message: Outgoing, given: ArrayBuffer[] = []): void {
    if (this.#isClosed) return;
    this.#port.postMessage(message, given);
    Atomics.add(this.#posted, this.#ownAt, 1);
  }

  /** Writes a record, which the other side gets soon, together with others. */
  write(record: readonly number[]): void {
    if (this.#isClosed) return;
    this.#writer.write(record);
    this.flushSoon();
  }

  /** Writes a record that is in no hurry. The other side is not woken for it alone, unless nothing else comes. */
  writeLater(record: readonly number[]): void {
    if (this.#isClosed) return;
    this.#writer.write(record);
    this.#writer.publish();
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    systemClock.after(laterMs, this.#flushLate);
  }

  /** Once for all events of a turn: to wake another thread costs as much as to serve a small request. */
  flushSoon(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    afterEvents(this.#flush);
  }

  /** Reads what has come and was not announced. */
  poll(): void {
    if (!this.#isClosed) this.#receive();
  }

  close(): void {
    this.#isClosed = true;
    this.#port.close();
  }

  #flushNow(): void {
    this.#isFlushing = false;
    if (this.#isClosed || this.#writer.flush()) return;
    this.#isFlushing = true;
    systemClock.after(1, this.#flush);
  }

  #receive(): void {
    const end = this.#reader.visible();
    this.#receivePosted();
    while (!this.#isClosed && this.#reader.next(end)) this.#handlers.onRecord(this.#reader);
    if (this.#isClosed) return;
    this.#handlers.onRound?.();
    if (!this.#reader.sleep()) afterEvents(() => this.poll());
  }

  /** Receives the messages that were posted before the records that are visible now. */
  #receivePosted(): void {
    while (this.#received !== Atomics.load(this.#posted, 1 - this.#ownAt)) {
      const next = receiveMessageOnPort(this.#port) as { message: Incoming | typeof wake } | undefined;
      if (next === undefined) return;
      this.#onMessage(next.message);
    }
  }

  #onMessage(message: Incoming | typeof wake): void {
    if (message === wake || this.#isClosed) return;
    this.#received = (this.#received + 1) | 0;
    this.#handlers.onMessage(message);
  }
}
