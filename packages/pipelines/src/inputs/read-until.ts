import { type Mapping, MappingFailure } from '@weir/bloblang';
import { backOffMs, pauseUnlessStopped } from '@weir/core';
import type { ComponentConfig } from '../component/component-config.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { reasonOf } from '../component/failures.ts';
import { object } from '../component/field.ts';
import { bool, child, durationMs, mapping } from '../component/field-types.ts';
import type { Delivery, Input } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { PendingRead } from '../engine/pending-read.ts';

interface Options {
  readonly config: ComponentConfig<'input'>;
  readonly check: Mapping | undefined;
  readonly idleMs: number | undefined;
  readonly restarts: boolean;
  readonly restartMsFirst: number;
  readonly restartMsMax: number;
}

/** An input that is open, and the signal that ends its reads. */
class Opened {
  readonly #input: Input;
  readonly #end = new AbortController();
  readonly #reads: PendingRead;

  constructor(input: Input, stop: AbortSignal) {
    this.#input = input;
    this.#reads = new PendingRead(input);
    if (stop.aborted) this.#end.abort();
    else stop.addEventListener('abort', () => this.#end.abort(), { once: true, signal: this.#end.signal });
  }

  next(interrupted: Promise<unknown>): Promise<Delivery | undefined | 'interrupted'> {
    return this.#reads.next(this.#end.signal, interrupted);
  }

  async close(): Promise<void> {
    this.#end.abort();
    this.#reads.abandon();
    await this.#input.close();
  }
}

/** Reads until a message is the last one, or none came for a while. */
class ReadUntil implements Input {
  readonly #options: Options;
  readonly #context: ComponentContext;
  #opened: Opened | undefined;
  #unsettled = 0;
  #restarts = 0;
  #hasEnded = false;
  /** Whether the last message was delivered; if it cannot be written, it comes again. */
  #isAtLast = false;

  constructor(options: Options, context: ComponentContext) {
    this.#options = options;
    this.#context = context;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!this.#hasEnded && !this.#isAtLast && !stop.aborted) {
      this.#opened ??= new Opened(await this.#context.open(this.#options.config), stop);
      const wasSettled = this.#unsettled === 0;
      const read = await this.#next(this.#opened);
      if (read !== undefined && read !== 'interrupted') {
        this.#restarts = 0;
        return this.#tracked(read);
      }
      if (!wasSettled || stop.aborted) return undefined;
      await this.#opened.close();
      this.#opened = undefined;
      if (read === 'interrupted' || !this.#options.restarts) this.#hasEnded = true;
      else await this.#pause(stop);
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.#opened?.close();
  }

  async #next(opened: Opened): Promise<Delivery | undefined | 'interrupted'> {
    const { idleMs } = this.#options;
    let cancel: () => void = () => {};
    const idle = new Promise<void>((resolve) => {
      if (idleMs !== undefined) cancel = this.#context.clock.after(idleMs, resolve);
    });
    try {
      return await opened.next(idle);
    } finally {
      cancel();
    }
  }

  #pause(stop: AbortSignal): Promise<void> {
    const { restartMsFirst: firstMs, restartMsMax: maxMs } = this.#options;
    return pauseUnlessStopped(this.#context.clock, backOffMs(this.#restarts++, { firstMs, maxMs }), stop);
  }

  #tracked(delivery: Delivery): Delivery {
    const { batch } = delivery;
    const isLast = this.#isLast(batch);
    this.#unsettled++;
    this.#isAtLast ||= isLast;
    const [first, ...rest] = batch;
    return {
      batch: isLast ? [first!.withEntry('bento_read_until', 'final'), ...rest] : batch,
      settle: async (error, failed) => {
        try {
          await delivery.settle(error, failed);
        } finally {
          this.#unsettled--;
          if (isLast && error === undefined) this.#hasEnded = true;
          if (isLast) this.#isAtLast = false;
        }
      },
    };
  }

  #isLast(batch: Batch): boolean {
    const { check } = this.#options;
    if (check === undefined) return false;
    try {
      const result = check.apply(batch[0]!, { batch, index: 0 }, this.#context.mappingPorts);
      return result.kind === 'value' && result.value === true;
    } catch (error) {
      if (!(error instanceof MappingFailure)) throw error;
      this.#context.log.warn('failed to check a message', { error: reasonOf(error) });
      return false;
    }
  }
}

export const readUntil = componentOf('input', {
  name: 'read_until',
  connectionsCountedBy: 'its children',
  about: 'Reads from the input within until a check is true for a message, or no message came for a while.',
  fields: {
    input: child('input', 'Where messages come from.'),
    check: mapping('A query; the message for which it is true is the last one.').optional(),
    idle_timeout: durationMs('How long it waits for a message before it ends.').optional(),
    restart_input: bool('Whether the input is opened again if it ends before the check is true.').or(false),
    restart_backoff: object('The pauses before the input is opened again.', {
      initial_interval: durationMs('The first pause.').or('1ms'),
      max_interval: durationMs('The longest pause.').or('100ms'),
    }),
  },
  check({ check, idle_timeout: idleMs }, reading, place) {
    if (check === undefined && idleMs === undefined)
      reading.problem(place, 'read_until has to have check or idle_timeout');
  },
  open: (fields, context) =>
    new ReadUntil(
      {
        config: fields.input,
        check: fields.check,
        idleMs: fields.idle_timeout,
        restarts: fields.restart_input,
        restartMsFirst: fields.restart_backoff.initial_interval ?? 0,
        restartMsMax: fields.restart_backoff.max_interval ?? 0,
      },
      context,
    ),
});
