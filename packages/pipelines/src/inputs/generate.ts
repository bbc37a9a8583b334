import type { Mapping } from '@weir/bloblang';
import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { Field } from '../component/field.ts';
import { bool, int, mapping, string } from '../component/field-types.ts';
import { parseGoDurationMs } from '../component/go-duration.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { pipelineLimits } from '../limits.ts';
import { parseSchedule, type Schedule } from './cron-schedule.ts';

type Interval =
  /** 0 is none. */
  { readonly everyMs: number } | { readonly schedule: Schedule };

interface Options {
  readonly mapping: Mapping | undefined;
  readonly interval: Interval;
  readonly count: number;
  readonly batchSize: number;
}

/** Makes messages by a mapping. */
class Generate implements Input {
  readonly #options: Options;
  readonly #context: ComponentContext;
  #made = 0;
  /** When the last batch was to be made, by the clock of its interval. */
  #lastMs: number | undefined;

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    const { count, batchSize } = this.#options;
    while (count === 0 || this.#made < count) {
      await this.#pause(stop);
      if (stop.aborted) return undefined;
      const messages: Message[] = [];
      const size = count === 0 ? batchSize : Math.min(batchSize, count - this.#made);
      for (let at = 0; at < size; at++) {
        const message = this.#message();
        if (message !== undefined) messages.push(message);
      }
      this.#made += messages.length;
      if (messages.length > 0) return { batch: messages, settle() {} };
      // A mapping that deletes all it makes leaves a turn to others.
      await pauseUnlessStopped(this.#context.clock, 0, stop);
    }
    return undefined;
  }

  /** Until the next batch is to be made. The first comes at once, unless there is a schedule. */
  async #pause(stop: AbortSignal): Promise<void> {
    const { interval } = this.#options;
    const { clock } = this.#context;
    if ('schedule' in interval) {
      const nextMs = interval.schedule(this.#lastMs ?? clock.nowMs());
      this.#lastMs = nextMs;
      const pauseMs = nextMs === undefined ? Number.POSITIVE_INFINITY : nextMs - clock.nowMs();
      if (pauseMs > 0) await pauseUnlessStopped(clock, pauseMs, stop);
    } else if (interval.everyMs > 0) {
      const nowMs = clock.monotonicMs();
      // One that is late does not delay the others, and those that were missed are not made up for.
      const dueMs = this.#lastMs === undefined ? nowMs : Math.max(this.#lastMs + interval.everyMs, nowMs);
      if (dueMs > nowMs) await pauseUnlessStopped(clock, dueMs - nowMs, stop);
      this.#lastMs = dueMs;
    }
  }

  #message(): Message | undefined {
    const result = this.#options.mapping?.apply({}, {}, this.#context.mappingPorts);
    if (result === undefined || result.kind === 'deleted') return undefined;
    const metadata = result.metadata ?? new Map();
    return result.kind === 'value'
      ? new Message({ value: result.value, metadata })
      : Message.of('', metadata);
  }

  async close(): Promise<void> {}
}

/** More would be more than a pipeline has on its way. */
const batchSizeMax = pipelineLimits.inFlightMessagesMax;

/** A duration, a schedule, or nothing. */
function intervalField(about: string): Field<Interval> {
  const text = string(about);
  return new Field<Interval>({ name: 'string' }, about, (value, reading, path) => {
    const interval = text.read(value, reading, path);
    if (interval === undefined) return undefined;
    const everyMs = interval === '' ? 0 : parseGoDurationMs(interval);
    if (everyMs !== undefined) return { everyMs };
    const schedule = parseSchedule(interval);
    if (schedule !== undefined) return { schedule };
    reading.problem(
      value.place,
      'interval has to be a duration such as 1s, @every 1s, or a schedule of cron such as TZ=Europe/London 30 4 * * *',
    );
    return undefined;
  });
}

export const generate = componentOf('input', {
  name: 'generate',
  about: 'Makes messages by a mapping, for tests and for pipelines that begin at a time.',
  fields: {
    mapping: mapping('Makes a message.'),
    interval: intervalField(
      'The time between two batches, such as `1s`, or a schedule of cron; as fast as they are written if empty.',
    ).or('1s'),
    count: int('Messages in all; 0 is without end.').or(0),
    batch_size: int('Messages of a batch.')
      .or(1)
      .check((size) =>
        size >= 1 && size <= batchSizeMax ? undefined : `has to be from 1 to ${batchSizeMax}`,
      ),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  open(fields, context) {
    const input = new Generate({ ...fields, batchSize: fields.batch_size }, context);
    return fields.auto_replay_nacks ? new ReplayedInput(input, context.clock) : input;
  },
});
