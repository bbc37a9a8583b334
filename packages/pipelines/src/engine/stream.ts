import { backOffMs, type Clock, pauseUnlessStopped } from '@weir/core';
import type { PipelineServices } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import type { Buffer, Delivery, Input, Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import type { Catalogue } from '../config/catalogue.ts';
import type { StreamConfig } from '../config/stream-fields.ts';
import { pipelineLimits } from '../limits.ts';
import { Chain } from './chain.ts';
import { HeldBackFlush } from './held-back-flush.ts';
import { InFlight } from './in-flight.ts';
import { Opening } from './open-component.ts';
import { failedOf, withOrigins } from './outcomes.ts';
import { partsOf } from './parts.ts';
import { endedError, Wake } from './pending-read.ts';
import { Turns } from './turns.ts';

/** Where batches go to after the input. */
interface Parts {
  readonly chain: Chain;
  readonly output: Output;
}

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
  /** Deliveries that are not settled. */
  readonly #unsettled = new Set<Delivery>();
  /** Resolves when the batch that was read last has been handed to the output. */
  #handedOver: Promise<void> = Promise.resolve();
  /** Deliveries that were not handed to the output yet. */
  #waiting = 0;
  readonly #handed = new Wake();

  constructor(config: StreamConfig, services: PipelineServices, catalogue: Catalogue) {
    this.#catalogue = catalogue;
    this.#config = config;
    this.#services = services;
  }

  /** Runs until the input ends, or until `stop` is aborted and what was read is written or the time for it is over. */
  async run(stop: AbortSignal): Promise<void> {
    const opening = new Opening(this.#services, this.#catalogue, this.#end.signal);
    const closers: (() => Promise<void> | undefined)[] = [() => opening.close()];
    const ending = new Ending(this.#config, this.#services.clock, stop);
    try {
      await this.#openResources(opening);
      const output = await opening.open(this.#config.output);
      const flush = new HeldBackFlush(opening.heldBack, this.#inFlight, output, this.#services.clock);
      closers.push(() => {
        flush.close();
        return output.close();
      });
      const chain = await Chain.open(this.#config.pipeline.processors, opening.contextOf(root));
      closers.push(() => chain.close());
      const buffer = await opening.open(this.#config.buffer);
      closers.push(() => buffer.close());
      const input = await opening.open(this.#config.input);
      closers.push(() => input.close());
      await this.#flow(input, buffer, { chain, output }, ending);
    } finally {
      ending.cancel();
      this.#end.abort();
      await this.#giveBack();
      for (const close of closers.toReversed()) await this.#closed(close);
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

  async #closed(close: () => Promise<void> | undefined): Promise<void> {
    try {
      await close();
    } catch (error) {
      this.#services.log.warn('failed to close a component', { error: reasonOf(error) });
    }
  }

  async #flow(given: Input, buffer: Buffer, parts: Parts, ending: Ending): Promise<void> {
    const input = { read: (stop: AbortSignal) => this.#received(given, stop) };
    if (this.#config.buffer.name === 'none') await this.#pass(input, ending.soon, parts);
    else {
      // What is in the buffer was acknowledged, so that it is written also after the input was stopped.
      const storing = this.#store(input, buffer, ending.soon);
      await this.#pass({ read: (stop) => buffer.next(stop) }, ending.late, parts);
      await storing;
    }
    await this.#drain(parts.output, ending);
  }

  async #received(input: Input, stop: AbortSignal): Promise<Delivery | undefined> {
    const delivery = await input.read(stop);
    if (delivery === undefined) return undefined;
    const bytes = bytesOf(delivery.batch);
    this.#services.metrics.received(delivery.batch.length, bytes);
    await this.#services.admit?.(bytes, stop);
    return delivery;
  }

  async #store(input: Pick<Input, 'read'>, buffer: Buffer, stop: AbortSignal): Promise<void> {
    for (;;) {
      const delivery = await this.#read(input, stop);
      if (delivery === undefined) break;
      await buffer.store(delivery, stop);
    }
    buffer.end();
  }

  /** Reads until the end, and hands on what it reads. */
  async #pass(source: Pick<Input, 'read'>, stop: AbortSignal, parts: Parts): Promise<void> {
    const { output } = parts;
    const turns = new Turns(this.#services.clock, pipelineLimits.turnMsMax);
    while (!stop.aborted) {
      await turns.pause();
      await this.#whileFull(output, stop);
      // At its end, an input may still have to deliver again what was not written; it is asked once nothing is left.
      const wasSettled = this.#inFlight.isEmpty;
      const delivery = await this.#read(source, stop);
      if (delivery !== undefined) await this.#take(delivery, parts, stop);
      else if (wasSettled) break;
      else await this.#whileUnsettled(output, stop);
    }
    turns.end();
  }

  async #read(source: Pick<Input, 'read'>, stop: AbortSignal): Promise<Delivery | undefined> {
    for (let failures = 0; !stop.aborted; failures++) {
      try {
        return await source.read(stop);
      } catch (error) {
        if (stop.aborted) return undefined;
        this.#services.log.warn('failed to read from the input', { error: reasonOf(error), stage: 'input' });
        this.#services.metrics.failed('input', 1);
        const { retryMsFirst: firstMs, retryMsMax: maxMs } = pipelineLimits;
        await pauseUnlessStopped(this.#services.clock, backOffMs(failures, { firstMs, maxMs }), stop);
      }
    }
    return undefined;
  }

  /** Waits while too much is on its way. An output that gathers would wait for more, so it writes what it has. */
  async #whileFull(output: Output, stop: AbortSignal): Promise<void> {
    while (this.#inFlight.isFull && !stop.aborted) await this.#flushed(output, stop);
  }

  async #whileUnsettled(output: Output, stop: AbortSignal): Promise<void> {
    while (!this.#inFlight.isEmpty && !stop.aborted) await this.#flushed(output, stop);
  }

  /** Until something was settled, or a moment: a batch that one output wrote may go on to another that gathers. */
  async #flushed(output: Output, stop: AbortSignal): Promise<void> {
    const changed = this.#inFlight.change(this.#services.clock, pipelineLimits.flushEveryMs, stop);
    void output.flush?.().catch(() => undefined);
    await changed;
  }

  /** Returns when another delivery may be read, which is before this one is written. */
  async #take(given: Delivery, { chain, output }: Parts, stop: AbortSignal): Promise<void> {
    const delivery = this.#tracked(given);
    const processed = this.#processed(delivery.batch, chain);
    // It is awaited later, when all before it were handed over.
    processed.catch(() => undefined);
    this.#waiting++;
    this.#handedOver = this.#handedOver.then(async () => {
      try {
        await this.#hand(await processed, delivery, output);
      } catch (error) {
        await delivery.settle(error as Error);
      } finally {
        this.#waiting--;
        this.#handed.wake();
      }
    });
    const { threads } = this.#config.pipeline;
    const atATime = threads > 0 ? threads : processingAtATime;
    // What is processed and not taken by the output waits here, and so does the input.
    while (this.#waiting >= atATime && !stop.aborted) await this.#handedOne(output);
  }

  /** An output may be busy until others that it writes to have written what they gathered. */
  async #handedOne(output: Output): Promise<void> {
    const cancel = this.#services.clock.after(pipelineLimits.flushEveryMs, () => {
      void output.flush?.().catch(() => undefined);
      this.#handed.wake();
    });
    await this.#handed.next();
    cancel();
  }

  /** Counted, and settled once, whatever happens. */
  #tracked(given: Delivery): Delivery {
    const { clock, metrics } = this.#services;
    const batch = withOrigins(given.batch);
    const done = this.#inFlight.add(batch);
    const beganMs = clock.monotonicMs();
    const delivery: Delivery = {
      batch,
      settle: async (error, failed) => {
        if (!this.#unsettled.delete(delivery)) return;
        metrics.settled(clock.monotonicMs() - beganMs);
        try {
          await given.settle(error, failed);
        } catch (failure) {
          const { log } = this.#services;
          log.warn('failed to acknowledge messages', { error: reasonOf(failure), stage: 'input' });
        } finally {
          done();
        }
      },
    };
    this.#unsettled.add(delivery);
    return delivery;
  }

  /** Returns to the input what was not written; it delivers that another time. */
  async #giveBack(): Promise<void> {
    if (this.#unsettled.size > 0) this.#services.log.warn('failed to write all messages in time');
    await Promise.all([...this.#unsettled].map((delivery) => delivery.settle(endedError())));
  }

  async #processed(batch: Batch, chain: Chain): Promise<readonly Batch[]> {
    const { strategy, log } = this.#config.error_handling;
    for (let attempt = 0; ; attempt++) {
      const batches = await chain.process(batch, this.#end.signal);
      forgetReplaced(batch, batches);
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
      for (const { origin } of batch) if (origin?.replay !== undefined) origin.replay.attempts++;
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
  async #hand(batches: readonly Batch[], delivery: Delivery, output: Output): Promise<void> {
    if (batches.length === 0) return delivery.settle();
    const parts = partsOf(delivery, batches);
    for (let at = 0; at < parts.length; at++) {
      await output.ready?.();
      // Processors that wait give up at the end, with messages that are not what the output should get.
      if (this.#end.signal.aborted) return;
      void this.#write(batches[at]!, parts[at]!, output);
    }
  }

  async #write(batch: Batch, part: Delivery, output: Output): Promise<void> {
    const { clock, metrics, log } = this.#services;
    const beganMs = clock.monotonicMs();
    try {
      await output.write(batch, this.#end.signal);
    } catch (error) {
      log.warn('failed to write to the output', { error: reasonOf(error), stage: 'output' });
      const failed = failedOf(batch, error as Error);
      metrics.failed('output', failed.size);
      metrics.notSent();
      await part.settle(error as Error, new Set(failed.keys()));
      return;
    }
    metrics.sent(batch.length, bytesOf(batch), clock.monotonicMs() - beganMs);
    await part.settle();
  }

  /** Waits until all that was read is settled, as long as the configuration allows. */
  async #drain(output: Output, { late }: Ending): Promise<void> {
    await Promise.race([this.#handedOver, aborted(late)]);
    await this.#whileUnsettled(output, late);
  }
}

/** One thread runs a pipeline: more at a time help only where processors wait for others. */
const processingAtATime = 8;

const root = { kind: 'processor', label: '', path: 'root.pipeline', name: 'pipeline' } as const;

function bytesOf(batch: Batch): number {
  let bytes = 0;
  for (const message of batch) bytes += message.byteLength;
  return bytes;
}

/** Messages that others took the place of are kept until they are acknowledged, and their documents need not be. */
function forgetReplaced(batch: Batch, results: readonly Batch[]): void {
  const [first] = results;
  const isOneToOne = results.length === 1 && first!.length === batch.length;
  const passedOn = isOneToOne ? undefined : new Set(results.flat());
  for (let at = 0; at < batch.length; at++) {
    const message = batch[at]!;
    if (passedOn === undefined ? first![at] !== message : !passedOn.has(message)) message.forget();
  }
}

/** How a pipeline that is stopped comes to its end. */
class Ending {
  readonly #soon = new AbortController();
  readonly #late = new AbortController();
  readonly #cancels: (() => void)[] = [];

  constructor(
    { shutdown_delay: delayMs = 0, shutdown_timeout: timeoutMs = 0 }: StreamConfig,
    clock: Clock,
    stop: AbortSignal,
  ) {
    const begin = () => {
      this.#cancels.push(
        clock.after(delayMs, () => this.#soon.abort()),
        clock.after(delayMs + timeoutMs, () => this.#late.abort()),
      );
    };
    if (stop.aborted) begin();
    else stop.addEventListener('abort', begin, { once: true });
    this.#cancels.push(() => stop.removeEventListener('abort', begin));
  }

  /** The input is not read any more. */
  get soon(): AbortSignal {
    return this.#soon.signal;
  }

  /** Nothing is waited for any more. */
  get late(): AbortSignal {
    return this.#late.signal;
  }

  cancel(): void {
    for (const cancel of this.#cancels) cancel();
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
