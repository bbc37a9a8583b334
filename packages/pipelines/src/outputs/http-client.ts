import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, interpolated, list } from '../component/field-types.ts';
import { BatchFailure, type Output } from '../component/instances.ts';
import type { Batch } from '../component/message.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { HttpClient, httpFields } from '../http-requests/index.ts';

interface Options {
  readonly isOneRequest: boolean;
  readonly propagates: boolean;
}

/** Sends messages as the bodies of requests. */
class HttpOutput implements Output {
  readonly #client: HttpClient;
  readonly #options: Options;

  constructor(client: HttpClient, options: Options) {
    this.#client = client;
    this.#options = options;
  }

  async write(batch: Batch, stop: AbortSignal): Promise<void> {
    if (batch.length === 1 || this.#options.isOneRequest) return this.#send(batch, stop);
    const failed = new Map<number, Error>();
    for (const [index, message] of batch.entries())
      try {
        await this.#send([message], stop);
      } catch (error) {
        failed.set(index, error as Error);
      }
    if (failed.size > 0) throw new BatchFailure(failed);
  }

  close(): Promise<void> {
    return this.#client.close();
  }

  async #send(batch: Batch, stop: AbortSignal): Promise<void> {
    const answer = await this.#client.send(batch, stop);
    if (!this.#options.propagates || answer.length === 0) return;
    const { origin } = batch[0]!;
    origin?.answers?.store(answer.map((message) => message.withOrigin(origin)));
  }
}

export const httpClient = componentOf('output', {
  name: 'http_client',
  about: 'Sends messages as the bodies of HTTP requests.',
  fields: {
    ...httpFields('POST'),
    payload: interpolated('A body instead of the content of the message.').optional().advanced(),
    batch_as_multipart: bool('Whether a batch is one request, with a part for each message.')
      .or(false)
      .advanced(),
    propagate_response: bool('Whether the answer is sent back to the input, which may be an `http_server`.')
      .or(false)
      .advanced(),
    max_in_flight: maxInFlight.or(64),
    batching,
    multipart: list(
      'The parts of a multipart body, instead of the content of the message.',
      object('A part.', {
        content_type: interpolated('Its content type.').or(''),
        content_disposition: interpolated('Its content disposition.').or(''),
        body: interpolated('Its body.').or(''),
      }),
    )
      .or([])
      .advanced(),
  },
  async open(
    { payload, batch_as_multipart: isOneRequest, propagate_response: propagates, multipart, ...fields },
    context,
  ) {
    const client = await HttpClient.open(fields, context, { payload, parts: multipart });
    return pacedOutput(new HttpOutput(client, { isOneRequest, propagates }), fields, context);
  },
});
