import { pauseUnlessStopped } from '@weir/core';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, child, interpolated } from '../component/field-types.ts';
import type { Delivery, Input, Scanner } from '../component/instances.ts';
import { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { ScannedInput } from '../engine/scanned-input.ts';
import { HttpClient, httpFields } from '../http-requests/index.ts';

/** Sends one request after the other; the next one may use what the last answer had. */
class HttpPoll implements Input {
  readonly #client: HttpClient;
  readonly #dropsEmpty: boolean;
  #last: Batch = [];

  constructor(client: HttpClient, dropsEmpty: boolean) {
    this.#client = client;
    this.#dropsEmpty = dropsEmpty;
  }

  async read(stop: AbortSignal): Promise<Delivery | undefined> {
    while (!stop.aborted) {
      const batch = await this.#client.send(this.#last, stop);
      const isEmpty = batch.length === 0 || (batch.length === 1 && batch[0]!.content.length === 0);
      if (isEmpty && (this.#dropsEmpty || batch.length === 0)) continue;
      this.#last = batch;
      return { batch, settle() {} };
    }
    return undefined;
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

/** Leaves out messages without content. */
function withoutEmpty(scanner: Scanner): Scanner {
  return {
    async *scan(source, name) {
      for await (const batch of scanner.scan(source, name)) {
        const rest = batch.filter(({ content }) => content.length > 0);
        if (rest.length > 0) yield rest;
      }
    },
  };
}

/** Cuts answers that may go on without end into messages. */
class HttpStream implements Input {
  readonly #client: HttpClient;
  readonly #input: ScannedInput;

  constructor(
    client: HttpClient,
    scanner: Scanner,
    pause: ((stop: AbortSignal) => Promise<void>) | undefined,
  ) {
    this.#client = client;
    let isFirst = true;
    this.#input = new ScannedInput(scanner, async (stop) => {
      if (!isFirst && pause === undefined) return undefined;
      if (!isFirst) await pause?.(stop);
      isFirst = false;
      if (stop.aborted) return undefined;
      const { body, metadata, close } = await client.stream([], stop);
      return { bytes: body, name: '', metadata, finish: close };
    });
  }

  read(stop: AbortSignal): Promise<Delivery | undefined> {
    return this.#input.read(stop);
  }

  async close(): Promise<void> {
    await this.#input.close();
    await this.#client.close();
  }
}

export const httpClient = componentOf('input', {
  name: 'http_client',
  about: 'Sends HTTP requests again and again, or reads an answer that goes on, and makes messages of it.',
  fields: {
    ...httpFields('GET'),
    payload: interpolated('The body of requests; it may use the last answer.').optional(),
    drop_empty_bodies: bool('Whether answers without a body are left out.').or(true).advanced(),
    stream: object('Reads an answer while it arrives.', {
      enabled: bool('Whether answers are read while they arrive.').or(false),
      reconnect: bool('Whether another request is sent when the answer ends.').or(true),
      scanner: child('scanner', 'How the answer is cut into messages.').or({ lines: {} }),
    }),
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
  },
  async open(
    { payload, drop_empty_bodies: dropsEmpty, stream, auto_replay_nacks: replays, ...fields },
    context,
  ) {
    const { clock } = context;
    // The last answer is there for queries, and is not sent.
    const client = await HttpClient.open(fields, context, { payload: payload ?? new Interpolated([]) });
    const input = stream.enabled ? await streamed() : new HttpPoll(client, dropsEmpty);
    return replays ? new ReplayedInput(input, clock) : input;

    async function streamed(): Promise<Input> {
      const scanner = await context.open(stream.scanner);
      const pause = (stop: AbortSignal) => pauseUnlessStopped(clock, fields.retry_period ?? 0, stop);
      return new HttpStream(
        client,
        dropsEmpty ? withoutEmpty(scanner) : scanner,
        stream.reconnect ? pause : undefined,
      );
    }
  },
});
