import { KiB, systemClock } from '@weir/core';
import { apis, DecodeError } from '@weir/wire';
import { brokerLimits } from '../limits.ts';
import { FrameAssembler } from '../net/frame-assembler.ts';
import type { Frame } from '../net/frame-pool.ts';
import type { Intake, Receiver } from '../net/intake.ts';
import { Outbox } from '../net/outbox.ts';
import { costOf } from '../net/received-frames.ts';
import { hasIntactBatches } from './intact-batches.ts';
import type { SharedFrames } from './shared-frames.ts';
import { frameFlags, fromThread, readModes, takenStepBytes } from './thread-messages.ts';

interface ThreadConnectionOptions {
  readonly frames: SharedFrames;
  readonly frameBytesMax: number;
  write(record: readonly number[]): void;
  /** For what is in no hurry. */
  writeLater(record: readonly number[]): void;
  /** For `unfinished`, which is in no hurry. */
  writeUnfinished(connection: number, receivedBytes: number, unfinishedBytes: number): void;
  post(message: {
    readonly kind: 'broken' | 'lost';
    readonly connection: number;
    readonly problem: string;
  }): void;
  /** Called when its progress has to be written after this turn. */
  onProgress(connection: ThreadConnection): void;
  onClosed(): void;
}

/** Answers of this size are reported at once when they were sent. */
const promptBytesMin = 64 * KiB;

/**
 * A connection in its serving thread: cuts the stream into frames and passes them on, sends slices of answers.
 * Decisions come from the main thread; what this one has under way is limited, however late they come.
 */
export class ThreadConnection implements Receiver {
  readonly #id: number;
  readonly #intake: Intake;
  readonly #options: ThreadConnectionOptions;
  readonly #assembler: FrameAssembler;
  readonly #outbox: Outbox;
  #frameBytesMax: number;
  #mode: number = readModes.all;
  #isReading = true;
  /** Whether what comes is read and dropped: the stream is broken, or the connection ends. */
  #isDiscarding = false;
  /** Received and not reported yet. */
  #receivedBytes = 0;
  #unfinishedBytes = 0;
  /** Cost of frames that the main thread has not taken. */
  #waitingBytes = 0;
  /** Answers as queued, and as last reported. */
  #pushedBytes = 0;
  #reportedBytes = 0;

  constructor(id: number, intake: Intake, options: ThreadConnectionOptions) {
    this.#id = id;
    this.#intake = intake;
    this.#options = options;
    this.#frameBytesMax = options.frameBytesMax;
    this.#assembler = new FrameAssembler(() => this.#frameBytesMax, options.frames);
    const { socket } = intake;
    this.#outbox = new Outbox(socket, () => options.onProgress(this));
    socket.on('error', (error) => options.post({ kind: 'lost', connection: id, problem: error.message }));
    // As in `SocketLink`.
    socket.allowHalfOpen = true;
    socket.on('end', () => options.write([fromThread.ended, id]));
    socket.on('close', () => this.#onClose());
    intake.start(this);
  }

  get place(): Buffer | undefined {
    return this.#isDiscarding ? undefined : this.#assembler.place;
  }

  onPlaced(bytes: number): void {
    this.#receivedBytes += bytes;
    const frame = this.#assembler.placed(bytes);
    if (frame !== undefined) this.#passOn(frame);
    this.#received();
  }

  onChunk(chunk: Buffer): void {
    if (this.#isDiscarding) return;
    this.#receivedBytes += chunk.length;
    const frames: Frame[] = [];
    let problem: DecodeError | undefined;
    try {
      this.#assembler.push(chunk, frames);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      problem = error;
    }
    for (const frame of frames) this.#passOn(frame);
    if (problem !== undefined) this.#break(problem);
    this.#received();
  }

  read(mode: number): void {
    this.#mode = mode;
    this.#steer();
  }

  /** The main thread has taken frames of this cost. */
  taken(bytes: number): void {
    this.#waitingBytes -= bytes;
    this.#steer();
  }

  limitFrames(bytesMax: number): void {
    this.#frameBytesMax = bytesMax;
  }

  send(slices: readonly Buffer[]): void {
    for (const slice of slices) this.#pushedBytes += slice.length;
    this.#outbox.push(slices);
  }

  end(): void {
    // The end of the peer is noticed only while something is read.
    this.#isDiscarding = true;
    this.#outbox.end();
    this.#steer();
  }

  destroy(): void {
    this.#intake.socket.destroy();
  }

  /** Reports the answers that the socket has accepted since the last time. */
  reportProgress(): void {
    const sentBytes = this.#pushedBytes - this.#outbox.queuedBytes;
    const bytes = sentBytes - this.#reportedBytes;
    this.#reportedBytes = sentBytes;
    if (bytes === 0) return;
    const record = [fromThread.sent, this.#id, bytes];
    // Pages are in use until then, and the main thread may wait to send more.
    if (bytes >= promptBytesMin) this.#options.write(record);
    else this.#options.writeLater(record);
  }

  #passOn(frame: Frame): void {
    const { bytes } = frame;
    // Not after it was handed over.
    const { length } = bytes;
    const carriesRecords = length >= 2 && bytes.readInt16BE(0) === apis.Produce.key;
    const hasCheckedCrcs = carriesRecords && hasIntactBatches(bytes);
    const flags =
      (carriesRecords ? frameFlags.carriesRecords : 0) | (hasCheckedCrcs ? frameFlags.hasCheckedCrcs : 0);
    const { id, start } = this.#options.frames.placeOf(frame);
    const receivedMs = systemClock.nowMs() | 0;
    this.#waitingBytes += costOf(length);
    this.#options.write([
      fromThread.frame,
      this.#id,
      this.#receivedBytes,
      receivedMs,
      id,
      start,
      length,
      flags,
    ]);
    this.#receivedBytes = 0;
    this.#unfinishedBytes = 0;
  }

  #break({ problem }: DecodeError): void {
    this.#isDiscarding = true;
    this.#options.post({ kind: 'broken', connection: this.#id, problem });
    this.#options.write([fromThread.broken, this.#id, this.#receivedBytes]);
    this.#receivedBytes = 0;
  }

  #received(): void {
    const { pendingBytes } = this.#assembler;
    if (pendingBytes !== this.#unfinishedBytes && !this.#isDiscarding) {
      this.#unfinishedBytes = pendingBytes;
      this.#options.writeUnfinished(this.#id, this.#receivedBytes, pendingBytes);
      this.#receivedBytes = 0;
    }
    this.#steer();
  }

  #steer(): void {
    const isWanted =
      this.#mode === readModes.all ||
      (this.#mode === readModes.restOfFrame && this.#assembler.pendingBytes > 0);
    const hasRoom = this.#waitingBytes < brokerLimits.readAheadBytesPerConnectionMax + takenStepBytes;
    const reading = this.#isDiscarding || (isWanted && hasRoom);
    if (reading === this.#isReading) return;
    this.#isReading = reading;
    if (reading) this.#intake.resume();
    else this.#intake.pause();
  }

  #onClose(): void {
    this.#assembler.forget();
    this.#outbox.close();
    this.#options.onClosed();
    this.#options.write([fromThread.closed, this.#id]);
  }
}
