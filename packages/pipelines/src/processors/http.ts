import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { failedBy } from '../component/failures.ts';
import { bool, interpolated } from '../component/field-types.ts';
import type { Processor } from '../component/instances.ts';
import type { Batch, Message } from '../component/message.ts';
import { HttpClient, httpFields, UnexpectedStatus } from '../http-requests/index.ts';

interface Options {
  readonly isOneRequest: boolean;
  readonly isParallel: boolean;
}

/** Sends messages to a server, and replaces their contents by its answers. */
class HttpProcessor implements Processor {
  readonly #client: HttpClient;
  readonly #options: Options;
  readonly #context: ComponentContext;

  constructor(client: HttpClient, options: Options, context: ComponentContext) {
    this.#client = client;
    this.#options = options;
    this.#context = context;
  }

  async process(batch: Batch, stop: AbortSignal): Promise<readonly Batch[]> {
    const { isOneRequest, isParallel } = this.#options;
    if (isOneRequest || batch.length === 1) return [await this.#sent(batch, stop)];
    if (isParallel) return [(await Promise.all(batch.map((message) => this.#sent([message], stop)))).flat()];
    const answers: Message[] = [];
    for (const message of batch) answers.push(...(await this.#sent([message], stop)));
    return [answers];
  }

  /** The answers with what the messages had; the messages with the error if there is none. */
  async #sent(batch: Batch, stop: AbortSignal): Promise<Message[]> {
    try {
      const answers = await this.#client.send(batch, stop);
      if (answers.length === 0) throw new Error('the answer has no parts');
      return answers.map(({ content, metadata }, index) => {
        const message = batch[index] ?? batch[0]!;
        return message.withContent(content).withMetadata(new Map([...message.metadata, ...metadata]));
      });
    } catch (error) {
      const status = error instanceof UnexpectedStatus ? error.status : undefined;
      return batch.map((message) => {
        const failed = failedBy(message, error, this.#context, 'http');
        return status === undefined ? failed : failed.withEntry('http_status_code', status);
      });
    }
  }

  close(): Promise<void> {
    return this.#client.close();
  }
}

export const http = componentOf('processor', {
  name: 'http',
  about:
    'Sends each message as the body of an HTTP request, and replaces its content by the body of the answer.',
  fields: {
    ...httpFields('POST'),
    payload: interpolated('A body instead of the content of the message.').optional().advanced(),
    batch_as_multipart: bool('Whether a batch is one request, with a part for each message.')
      .or(false)
      .advanced(),
    parallel: bool('Whether requests for the messages of a batch are sent side by side.').or(false),
  },
  async open({ payload, batch_as_multipart: isOneRequest, parallel: isParallel, ...fields }, context) {
    const client = await HttpClient.open(fields, context, { payload });
    return new HttpProcessor(client, { isOneRequest, isParallel }, context);
  },
});
