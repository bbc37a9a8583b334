import { errorByCode } from '@weir/wire';
import type { Bootstrap } from './bootstrap.ts';
import { type Connection, ConnectionLost } from './client.ts';
import type { ClientDeps } from './deps.ts';
import type { History } from './history.ts';

const requestTimeoutMs = 3_000;
const longPollMs = 400;
const bytesMax = 2_000;

/** Reads all partitions from the beginning, from any agent, and checks every answer. */
export class Reader {
  readonly #world: ClientDeps;
  readonly #history: History;
  readonly #bootstrap: Bootstrap;
  readonly #name: string;
  readonly positions: number[];
  #connection: Connection | undefined;
  #connections = 0;
  #isStopped = false;

  constructor(world: ClientDeps, history: History, bootstrap: Bootstrap, name: string) {
    this.#world = world;
    this.#history = history;
    this.#bootstrap = bootstrap;
    this.#name = name;
    this.positions = new Array<number>(bootstrap.partitionCount).fill(0);
  }

  /** Follows the log end until stopped. */
  follow(): void {
    const round = async (): Promise<void> => {
      while (!this.#isStopped) {
        if (this.#world.random.next() < 0.1) this.#connection?.close('moves on');
        if ((await this.#fetch(longPollMs)) === undefined) await this.#pause();
      }
    };
    round().catch((error) => this.#world.problem(error));
  }

  /** Reads to the end and returns the end offsets. */
  async readAll(): Promise<readonly number[]> {
    while (!this.#isStopped) {
      const ends = await this.#fetch(0);
      if (ends === undefined) await this.#pause();
      else if (ends.every((end, partition) => end === this.positions[partition])) return ends;
    }
    throw new ConnectionLost('the reader was stopped');
  }

  stop(): void {
    this.#isStopped = true;
    this.cut();
  }

  cut(): void {
    this.#connection?.close('connection reset');
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => this.#world.clock.after(50, resolve));
  }

  /** Fetches all partitions once. Returns their end offsets, or undefined on failure. */
  async #fetch(maxWaitMs: number): Promise<number[] | undefined> {
    const { random } = this.#world;
    if (this.#connection?.isOpen !== true) {
      const brokers = this.#bootstrap.brokers();
      this.#connection = this.#bootstrap.connect(brokers[random.below(brokers.length)]!);
      this.#connections++;
    }
    const connection = this.#connection;
    const { agentId } = connection.broker;
    const reader = `${this.#name} on connection ${this.#connections} to ${agentId}`;
    const { topicName, topicId } = this.#bootstrap;
    const fetchOffsets = [...this.positions];
    const reportedEnds = fetchOffsets.map((_, partition) => this.#history.endReportedBy(agentId, partition));
    // Rotates the order, because the first partition of the list may exceed all limits.
    const turn = random.below(fetchOffsets.length);
    const order = fetchOffsets.map((_, index) => (index + turn) % fetchOffsets.length);
    const body = {
      maxWaitMs,
      minBytes: 1,
      maxBytes: bytesMax,
      topics: [
        {
          topic: topicName,
          topicId,
          partitions: order.map((partition) => ({
            partition,
            fetchOffset: BigInt(fetchOffsets[partition]!),
            partitionMaxBytes: bytesMax,
          })),
        },
      ],
    };
    try {
      const answer = await connection.request('Fetch', body, requestTimeoutMs);
      const ends = [...fetchOffsets];
      for (const { partitionIndex, errorCode, highWatermark, records } of answer.responses[0]!.partitions) {
        const error = errorByCode(errorCode)!;
        if (error.name !== 'NONE') {
          this.#world.note(`${reader}: ${error.name}`);
          // An agent that has just started may not know the topic yet.
          if (!error.retriable) {
            throw new Error(
              `${reader}: partition ${partitionIndex} from ${fetchOffsets[partitionIndex]}: ${error.name}`,
            );
          }
          return undefined;
        }
        const end = Number(highWatermark);
        ends[partitionIndex] = end;
        this.#history.watermark(reader, partitionIndex, end, reportedEnds[partitionIndex]!);
        this.positions[partitionIndex] = this.#history.read(
          partitionIndex,
          fetchOffsets[partitionIndex]!,
          records ?? Buffer.alloc(0),
          end,
        );
      }
      return ends;
    } catch (error) {
      if (error instanceof ConnectionLost) return undefined;
      throw error;
    }
  }
}
