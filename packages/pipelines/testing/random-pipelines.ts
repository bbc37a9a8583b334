import type { Clock, Random } from '@weir/core';
import { pauseUnlessStopped } from '@weir/core';
import { type ComponentSpec, componentOf } from '../src/component/component-spec.ts';
import type { PlainValue } from '../src/component/field.ts';
import { bool, int } from '../src/component/field-types.ts';
import { BatchFailure, type Delivery, NotConnected } from '../src/component/instances.ts';
import { type Batch, Message } from '../src/component/message.ts';
import { ReplayedInput } from '../src/engine/replayed-input.ts';

/** Whether a message is where a tree of outputs has to bring it; asked when its delivery is settled. */
type IsDone = (id: number) => boolean;

interface Tree {
  readonly config: PlainValue;
  readonly isDone: IsDone;
}

/** A delivery of a source, and how it was settled. */
interface Watched {
  readonly ids: readonly number[];
  settled: number;
  error: Error | undefined;
  /** Messages that were not where they had to be when it was settled without an error. */
  readonly lost: number[];
}

/**
 * A pipeline of random sources and a random tree of outputs that fail at random. Sources notice if a delivery is
 * settled too often, or before its messages are where they have to be.
 */
export class RandomPipeline {
  readonly #random: Random;
  readonly #clock: Clock;
  readonly #written: Set<number>[] = [];
  readonly #tree: Tree;
  readonly watched: Watched[] = [];
  readonly config: string;
  readonly specs: readonly ComponentSpec[];
  #lastId = 0;

  constructor(random: Random, clock: Clock) {
    this.#random = random;
    this.#clock = clock;
    this.#tree = this.#output(3);
    this.specs = [this.#source(), this.#leaf(), splitProcessor, mergeProcessor, noneProcessor];
    this.config = JSON.stringify({
      input: this.#input(2),
      pipeline: { threads: this.#pick([-1, 1, 3]), processors: this.#processors(['split_evenly', 'pass']) },
      output: this.#tree.config,
      shutdown_timeout: '10s',
    });
  }

  #pick<T>(options: readonly T[]): T {
    return options[this.#random.below(options.length)]!;
  }

  #processors(names: readonly string[]): PlainValue[] {
    return Array.from({ length: this.#random.below(2) }, () => ({ [this.#pick(names)]: {} }));
  }

  #batching(processors: readonly string[]): PlainValue {
    return this.#pick<PlainValue>([
      {},
      {},
      { count: 1 + this.#random.below(8) },
      { count: 50, period: '2s' },
      { count: 7, processors: this.#processors(processors) },
    ]);
  }

  #input(depth: number): PlainValue {
    const kind =
      depth === 0 ? 'source' : this.#pick(['source', 'broker', 'sequence', 'batched', 'read_until']);
    const inner = () => this.#input(depth - 1);
    const inputs = () => Array.from({ length: 1 + this.#random.below(3) }, inner);
    const processors = this.#processors(['split_evenly', 'pass']);
    if (kind === 'broker')
      return { broker: { inputs: inputs(), batching: this.#batching(['split_evenly']) }, processors };
    if (kind === 'sequence') return { sequence: { inputs: inputs() }, processors };
    if (kind === 'batched')
      return {
        batched: { child: inner(), policy: { count: 2 + this.#random.below(5), period: '1s' } },
        processors,
      };
    if (kind === 'read_until') return { read_until: { input: inner(), idle_timeout: '1h' }, processors };
    return { source: { count: this.#random.below(12), replays: this.#random.below(4) > 0 }, processors };
  }

  #output(depth: number): Tree {
    const kind =
      depth === 0
        ? 'leaf'
        : this.#pick([
            'leaf',
            'broker',
            'broker',
            'switch',
            'fallback',
            'retry',
            'drop_on',
            'reject_errored',
          ]);
    const inner = () => this.#output(depth - 1);
    if (kind === 'broker') return this.#broker(Array.from({ length: 1 + this.#random.below(3) }, inner));
    if (kind === 'switch') return this.#switch(Array.from({ length: 2 + this.#random.below(2) }, inner));
    if (kind === 'fallback') {
      const children = Array.from({ length: 1 + this.#random.below(3) }, inner);
      return {
        config: { fallback: children.map(({ config }) => config) },
        isDone: (id) => children.some(({ isDone }) => isDone(id)),
      };
    }
    if (kind === 'leaf') return this.#leafTree();
    const { config, isDone } = inner();
    if (kind === 'retry')
      return { config: { retry: { max_retries: this.#random.below(4), output: config } }, isDone };
    if (kind === 'drop_on')
      return { config: { drop_on: { error: true, output: config } }, isDone: () => true };
    return { config: { reject_errored: config }, isDone };
  }

  #broker(children: readonly Tree[]): Tree {
    const pattern = this.#pick([
      'fan_out',
      'fan_out_fail_fast',
      'fan_out_sequential',
      'fan_out_sequential_fail_fast',
      'round_robin',
      'greedy',
    ]);
    const isOne = pattern === 'round_robin' || pattern === 'greedy';
    return {
      config: {
        broker: {
          pattern,
          outputs: children.map(({ config }) => config),
          batching: this.#batching(['split_evenly', 'pass']),
        },
      },
      isDone: (id) =>
        isOne ? children.some(({ isDone }) => isDone(id)) : children.every(({ isDone }) => isDone(id)),
    };
  }

  /** Cases by the remainder of the number of a message. */
  #switch(children: readonly Tree[]): Tree {
    const goesOn = children.map(() => this.#random.below(2) === 0);
    const cases = children.map(({ config }, at) => ({
      check: `this.id % ${children.length + 1} >= ${at}`,
      output: config,
      continue: goesOn[at]!,
    }));
    const isDone: IsDone = (id) => {
      for (const [at, child] of children.entries()) {
        if (id % (children.length + 1) < at) continue;
        if (!child.isDone(id)) return false;
        if (!goesOn[at]) break;
      }
      return true;
    };
    return { config: { switch: { retry_until_success: this.#random.below(2) === 0, cases } }, isDone };
  }

  #leafTree(): Tree {
    const written = new Set<number>();
    const number = this.#written.push(written) - 1;
    return {
      config: { leaf: { number }, processors: this.#processors(['split_evenly', 'merge']) },
      isDone: (id) => written.has(id),
    };
  }

  #leaf(): ComponentSpec {
    return componentOf('output', {
      name: 'leaf',
      about: 'Fails at random, for tests.',
      fields: { number: int('Which.') },
      open: ({ number }) => ({
        write: async (batch: Batch, stop) => {
          if (this.#random.below(3) === 0)
            await pauseUnlessStopped(this.#clock, this.#random.below(3000), stop);
          const failed = new Map<number, Error>();
          const failure = this.#random.below(10);
          if (failure === 0) throw new Error('down');
          if (failure < 3)
            for (const at of batch.keys()) if (this.#random.below(2) === 0) failed.set(at, new Error('no'));
          for (const [at, message] of batch.entries())
            if (!failed.has(at)) for (const id of idsOf(message)) this.#written[number]!.add(id);
          if (failed.size > 0) throw new BatchFailure(failed);
        },
        close: async () => {},
      }),
    });
  }

  #source(): ComponentSpec {
    return componentOf('input', {
      name: 'source',
      about: 'Delivers messages with numbers, for tests.',
      fields: { count: int('Deliveries.'), replays: bool('Whether it delivers again.') },
      open: ({ count, replays }) => {
        let left = count;
        const input = {
          read: async (stop: AbortSignal): Promise<Delivery | undefined> => {
            await pauseUnlessStopped(this.#clock, this.#random.below(500), stop);
            if (left === 0 || stop.aborted) return undefined;
            if (this.#random.below(20) === 0) throw new NotConnected('not connected');
            left--;
            return this.#watch(Array.from({ length: 1 + this.#random.below(4) }, () => ++this.#lastId));
          },
          close: async () => {},
        };
        return replays ? new ReplayedInput(input, this.#clock) : input;
      },
    });
  }

  #watch(ids: readonly number[]): Delivery {
    const watched: Watched = { ids, settled: 0, error: undefined, lost: [] };
    this.watched.push(watched);
    return {
      batch: ids.map((id) => Message.of(JSON.stringify({ id, ids: [id] }))),
      settle: (error) => {
        watched.settled++;
        watched.error = error;
        if (error === undefined) watched.lost.push(...ids.filter((id) => !this.#tree.isDone(id)));
      },
    };
  }
}

function idsOf(message: Message): readonly number[] {
  return JSON.parse(message.content.toString()).ids;
}

const splitProcessor = componentOf('processor', {
  name: 'split_evenly',
  about: 'Makes two batches of one, for tests.',
  fields: {},
  open: () => ({
    process: (batch) =>
      [batch.filter((_, at) => at % 2 === 0), batch.filter((_, at) => at % 2 === 1)].filter(
        ({ length }) => length > 0,
      ),
  }),
});

/** As `archive` does: the message keeps only where the first one came from. */
const mergeProcessor = componentOf('processor', {
  name: 'merge',
  about: 'Makes one message of all, for tests.',
  fields: {},
  open: () => ({
    process: (batch) => {
      const ids = batch.flatMap(idsOf);
      return [[batch[0]!.withContent(Buffer.from(JSON.stringify({ id: ids[0]!, ids })))]];
    },
  }),
});

const noneProcessor = componentOf('processor', {
  name: 'pass',
  about: 'Changes nothing, later, for tests.',
  fields: {},
  open: () => ({ process: async (batch) => [batch] }),
});
