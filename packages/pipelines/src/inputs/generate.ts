import type { Mapping } from '@weir/bloblang';
import { pauseUnlessStopped } from '@weir/core';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { bool, int, mapping, string } from '../component/field-types.ts';
import { parseGoDurationMs } from '../component/go-duration.ts';
import type { Delivery, Input } from '../component/instances.ts';
import { Message } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';

interface Options {
  readonly mapping: Mapping | undefined;
  readonly intervalMs: number;
  readonly count: number;
  readonly batchSize: number;
}

/** Makes messages by a mapping. */
class Generate implements Input {
  readonly #options: Options;
  readonly #context: ComponentContext;
  #made = 0;

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    const { intervalMs, count, batchSize } = this.#options;
    for (;;) {
      if (count > 0 && this.#made >= count) return undefined;
      if (this.#made > 0 && intervalMs > 0) await pauseUnlessStopped(this.#context.clock, intervalMs, stop);
      if (stop.aborted) return undefined;
      const batch: Message[] = [];
      while (batch.length < batchSize && (count === 0 || this.#made < count)) {
        this.#made++;
        const message = this.#message();
        if (message !== undefined) batch.push(message);
      }
      if (batch.length > 0) return { batch, settle() {} };
    }
  }

  #message(): Message | undefined {
    const result = this.#options.mapping?.apply({}, {}, this.#context.mappingPorts);
    if (result === undefined || result.kind !== 'value') return undefined;
    return new Message({ value: result.value, ...(result.metadata && { metadata: result.metadata }) });
  }

  async close(): Promise<void> {}
}

export const generate = componentOf('input', {
  name: 'generate',
  about: 'Makes messages by a mapping, for tests and for pipelines that begin at a time.',
  fields: {
    mapping: mapping('Makes a message.'),
    interval: string('The time between two batches, such as `1s`; none if empty.').or('1s'),
    count: int('Messages in all; 0 is without end.').or(0),
    batch_size: int('Messages of a batch.').or(1),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  open(fields, context) {
    const intervalMs = parseGoDurationMs(fields.interval) ?? 0;
    const input = new Generate({ ...fields, intervalMs, batchSize: fields.batch_size }, context);
    return fields.auto_replay_nacks ? new ReplayedInput(input, context.clock) : input;
  },
});
