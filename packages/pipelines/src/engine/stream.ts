import { backOffMs, pauseUnlessStopped } from '@weir/core';
import type { PipelineServices } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Buffer, Delivery, Input, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { Catalogue } from '../config/catalogue.ts';
import type { StreamConfig } from '../config/stream-fields.ts';
import { pipelineLimits } from '../limits.ts';
import { Chain } from './chain.ts';
import { InFlight } from './in-flight.ts';
import { Opening } from './open-component.ts';
import { failedIndexes, sharedSettling, withOrigins } from './shared-settling.ts';

/**
 * A pipeline that runs: batches go from the input through the processors to the output, and what becomes of them goes
 * back. Batches are written in the order in which they were read, and several may be on their way.
 */
export class Stream {
  readonly #config: StreamConfig;
  readonly #services: PipelineServices;
  readonly #catalogue: Catalogue;
  /** Aborted when nothing is waited for any more. */
  readonly #end = new AbortController();
  readonly #inFlight = new InFlight();
  /** Resolves when the batch that was read last has been handed to the output. */
  #handedOver: Promise<void> = Promise.resolve();
  /** Batches that are processed or wait for the output, the oldest first. */
  readonly #waiting: Promise<void>[] = [];

  constructor(config: StreamConfig, services: PipelineServices, catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#config = config;
    this.#services = services;
  }

  /** Runs until the input ends, or until `stop` is aborted and what was read is written or the time for it is over. */
  async run(stop: AbortSignal): Promise<void> {
    const opening = new Opening(this.#services, this.#catalogue, this.#end.signal);
    const closers: (() => Promise<void> | undefined)[] = [() => opening.close()];
    try {
      await this.#openResources(opening);
      const output = await opening.open(this.#config.output);
      closers.push(() => output.close());
      const chain = await Chain.open(this.#config.pipeline.processors, opening.contextOf(root));
      closers.push(() => chain.close());
      const buffer = await opening.open(this.#config.buffer);
      closers.push(() => buffer.close());
      const input = await opening.open(this.#config.input);
      closers.push(() => input.close());
      await this.#flow(
        buffered(input, buffer, this.#config.buffer.name, this.#services),
        { chain, output },
        stop,
      );
    } finally {
      this.#end.abort();
      for (const close of closers.toReversed()) await close();
    }
  }

  async #openResources(opening: Opening): Promise<void> {
    const config = this.#config;
    for (const resource of config.cache_resources) await opening.openResource(resource);
    for (const resource of config.rate_limit_resources) await opening.openResource(resource);
    for (const resource of config.processor_resources) await opening.openResource(resource);
    for (const resource of config.output_resources) await opening.openResource(resource);
    for (const resource of config.input_resources) await opening.openResource(resource);
  }

  async #flow(
    source: Pick<Input, 'read'>,
    parts: { chain: Chain; output: Output },
    stop: AbortSignal,
  ): Promise<void> {
    const cancelDelay = this.#afterDelay(stop);
    let failures = 0;
    while (!cancelDelay.signal.aborted) {
      await this.#room(parts.output, cancelDelay.signal);
      try {
        const delivery = await source.read(cancelDelay.signal);
        if (delivery === undefined) break;
        failures = 0;
        await this.#take(delivery, parts);
      } catch (error) {
        if (cancelDelay.signal.aborted) break;
        this.#services.log.warn('failed to read from the input', { error: reasonOf(error), stage: 'input' });
        this.#services.metrics.failed('input', 1);
        const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
        await pauseUnlessStopped(
          this.#services.clock,
          backOffMs(failures++, { firstMs, maxMs }),
          cancelDelay.signal,
        );
      }
    }
    await this.#drain(parts.output);
  }

  /** Aborted `shutdown_delay` after `stop`. */
  #afterDelay(stop: AbortSignal): AbortController {
    const delayed = new AbortController();
    const begin = () =>
      void this.#services.clock.after(this.#config.shutdown_delay ?? 0, () => delayed.abort());
    if (stop.aborted) begin();
    else stop.addEventListener('abort', begin, { once: true });
    return delayed;
  }

  /** Waits while too much is on its way. An output that gathers would wait for more, so it writes what it has. */
  async #room(output: Output, stop: AbortSignal): Promise<void> {
    while (this.#inFlight.isFull && !stop.aborted) {
      const changed = this.#inFlight.change(stop);
      void output.flush?.().catch(() => undefined);
      await changed;
    }
  }

  /** Returns when another delivery may be read, which is before this one is written. */
  async #take(delivery: Delivery, { chain, output }: { chain: Chain; output: Output }): Promise<void> {
    const batch = withOrigins(delivery.batch);
    const done = this.#inFlight.add(batch);
    this.#services.metrics.received(batch.length, bytesOf(batch));
    const processed = this.#processed(batch, chain);
    // Noted when its turn comes.
    processed.catch(() => undefined);
    const handedOver = this.#handedOver.then(async () => {
      try {
        await this.#hand(await processed, delivery, output, done);
      } catch (error) {
        await settled(delivery, error as Error, done, this.#services);
      }
    });
    this.#handedOver = handedOver;
    this.#waiting.push(handedOver);
    void handedOver.then(() => this.#waiting.shift());
    const { threads } = this.#config.pipeline;
    // What is processed and not taken by the output waits, and so does the input.
    while (this.#waiting.length >= (threads > 0 ? threads : processingAtATime)) await this.#waiting[0];
  }

  async #processed(batch: Batch, chain: Chain): Promise<readonly Batch[]> {
    const { strategy, log } = this.#config.error_handling;
    for (let attempt = 0; ; attempt++) {
      const batches = await chain.process(batch, this.#end.signal);
      if (strategy === 'none' && !log.enabled) return batches;
      const failed = batches.flat().filter(({ error }) => error !== undefined);
      if (failed.length === 0) return batches;
      if (log.enabled) this.#logFailures(failed);
      if (strategy === 'none') return batches;
      if (strategy === 'reject' || this.#end.signal.aborted) throw new Error(failed[0]?.error?.message);
      const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
      await pauseUnlessStopped(
        this.#services.clock,
        backOffMs(attempt, { firstMs, maxMs }),
        this.#end.signal,
      );
    }
  }

  #logFailures(failed: Batch): void {
    const { add_payload: addsPayload, sampling_ratio: ratio } = this.#config.error_handling.log;
    for (const { error, content } of failed) {
      if (this.#services.random.next() >= ratio) continue;
      this.#services.log.warn('failed to process a message', {
        error: error!.message,
        stage: error!.path,
        ...(addsPayload && { payload: content.toString('utf8', 0, pipelineLimits.loggedPayloadBytesMax) }),
      });
    }
  }

  /** Hands batches to the output in order; each settles its part of the delivery when it is written. */
  async #hand(
    batches: readonly Batch[],
    delivery: Delivery,
    output: Output,
    done: () => void,
  ): Promise<void> {
    if (batches.length === 0) return settled(delivery, undefined, done, this.#services);
    const settle = sharedSettling(
      { ...delivery, settle: (error, failed) => settled(delivery, error, done, this.#services, failed) },
      batches.length,
    );
    for (const batch of batches) {
      await output.ready?.();
      const { clock, metrics } = this.#services;
      const beganMs = clock.monotonicMs();
      void output.write(batch, this.#end.signal).then(
        () => {
          metrics.sent(batch.length, bytesOf(batch), clock.monotonicMs() - beganMs);
          return settle();
        },
        (error: Error) => {
          this.#services.log.warn('failed to write to the output', {
            error: reasonOf(error),
            stage: 'output',
          });
          metrics.failed('output', batch.length);
          return settle(error, failedIndexes(batch, error));
        },
      );
    }
  }

  /** Waits until all that was read is settled, as long as the configuration allows. */
  async #drain(output: Output): Promise<void> {
    const { clock } = this.#services;
    const late = new AbortController();
    const cancel = clock.after(this.#config.shutdown_timeout ?? 0, () => late.abort());
    const over = new Promise<void>((resolve) => late.signal.addEventListener('abort', () => resolve()));
    await Promise.race([this.#handedOver, over]);
    while (!this.#inFlight.isEmpty && !late.signal.aborted) {
      const changed = this.#inFlight.change(late.signal);
      void output.flush?.().catch(() => undefined);
      await changed;
    }
    cancel();
    if (late.signal.aborted) this.#services.log.warn('failed to write all messages in time');
  }
}

/** One thread runs a pipeline: more at a time help only where processors wait for others. */
const processingAtATime = 8;

const root = { label: '', path: 'root.pipeline', name: 'pipeline' };

function bytesOf(batch: Batch): number {
  let bytes = 0;
  for (const message of batch) bytes += message.byteCount;
  return bytes;
}

async function settled(
  delivery: Delivery,
  error: Error | undefined,
  done: () => void,
  { log }: PipelineServices,
  failed?: ReadonlySet<number>,
): Promise<void> {
  try {
    await delivery.settle(error, failed);
  } catch (failure) {
    log.warn('failed to acknowledge messages', { error: reasonOf(failure), stage: 'input' });
  } finally {
    done();
  }
}

/** Reads from the buffer what the input puts there; without a buffer, from the input. */
function buffered(
  input: Input,
  buffer: Buffer,
  name: string,
  { log }: PipelineServices,
): Pick<Input, 'read'> {
  if (name === 'none') return input;
  let isStarted = false;
  const pump = async (stop: AbortSignal) => {
    try {
      for (;;) {
        const delivery = await input.read(stop);
        if (delivery === undefined) break;
        await buffer.store(delivery, stop);
      }
    } catch (error) {
      if (!stop.aborted)
        log.warn('failed to read from the input', { error: reasonOf(error), stage: 'input' });
    } finally {
      buffer.end();
    }
  };
  return {
    read: (stop) => {
      if (!isStarted) void pump(stop);
      isStarted = true;
      return buffer.next(stop);
    },
  };
}
