import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { httpExchange, targetOfUrl, withinTime } from '@weir/http/client';
import type { ComponentContext } from '../component/component-context.ts';
import { reasonOf } from '../component/failures.ts';
import { pipelineLimits } from '../limits.ts';
import type { AwsSession } from './aws-session.ts';
import { type AwsSigner, awsSigner } from './aws-signer.ts';

/** A message as a queue hands it out; what no message has is absent. */
export interface ReceivedMessage {
  readonly MessageId?: string;
  readonly ReceiptHandle: string;
  readonly Body?: string;
  readonly Attributes?: Readonly<Record<string, string>>;
  readonly MessageAttributes?: Readonly<Record<string, { readonly StringValue?: string }>>;
}

/** A message to send, with the names that the API has. */
export interface QueuedMessage {
  readonly MessageBody: string;
  readonly MessageAttributes?: Readonly<
    Record<string, { readonly DataType: 'String'; readonly StringValue: string }>
  >;
  readonly MessageGroupId?: string;
  readonly MessageDeduplicationId?: string;
  readonly DelaySeconds?: number;
}

interface BatchAnswer {
  readonly Failed?: readonly { readonly Id: string; readonly Code?: string; readonly Message?: string }[];
}

/** A request has at most so many messages. */
export const sqsBatchMax = 10;
/** How long a request may take, beside the time that it waits for messages. */
const requestMsMax = 10_000;

type Session = AwsSession & { readonly url: string };

/** A queue of SQS, or of a server that is compatible, by its JSON protocol. */
export class SqsQueue {
  readonly #url: string;
  readonly #server: URL;
  readonly #signer: AwsSigner;
  readonly #context: Pick<ComponentContext, 'clock' | 'outbound'>;
  readonly #agents = {
    http: new HttpAgent({ keepAlive: true }),
    https: new HttpsAgent({ keepAlive: true }),
  };

  private constructor(url: string, server: URL, signer: AwsSigner, context: ComponentContext) {
    this.#url = url;
    this.#server = server;
    this.#signer = signer;
    this.#context = context;
  }

  static async open(session: Session, context: ComponentContext): Promise<SqsQueue> {
    const { url, endpoint } = session;
    const server = new URL('/', endpoint || url);
    const serviceOf = ({ hostname }: URL) => {
      const [, region] = /^(?:sqs\.)?([a-z0-9-]+)\.(?:queue\.)?amazonaws\.com(?:\.cn)?$/.exec(hostname) ?? [];
      return { service: 'sqs', region } as const;
    };
    return new SqsQueue(url, server, await awsSigner(session, serviceOf, context), context);
  }

  /** Receives messages, which others do not get for the visibility timeout of the queue. */
  async receive(
    { max, waitSeconds }: { readonly max: number; readonly waitSeconds: number },
    stop: AbortSignal,
  ): Promise<readonly ReceivedMessage[]> {
    const answer = await this.#call(
      'ReceiveMessage',
      {
        MaxNumberOfMessages: max,
        WaitTimeSeconds: waitSeconds,
        // Both names: the first is of the present, the second of compatible servers.
        MessageSystemAttributeNames: ['All'],
        AttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      },
      stop,
      waitSeconds * 1000,
    );
    const { Messages: messages = [] } = answer as { readonly Messages?: readonly ReceivedMessage[] | null };
    return messages ?? [];
  }

  /** Throws if one could not be deleted: it will come again. */
  delete(handles: readonly string[], stop: AbortSignal): Promise<void> {
    const entries = handles.map((handle, at) => ({ Id: String(at), ReceiptHandle: handle }));
    return this.#settle('DeleteMessageBatch', entries, stop);
  }

  /** Hands messages out again, after some seconds. */
  release(handles: readonly string[], seconds: number, stop: AbortSignal): Promise<void> {
    const entries = handles.map((handle, at) => ({
      Id: String(at),
      ReceiptHandle: handle,
      VisibilityTimeout: seconds,
    }));
    return this.#settle('ChangeMessageVisibilityBatch', entries, stop);
  }

  /** Returns the errors of messages that the queue did not take, by their place. */
  async send(messages: readonly QueuedMessage[], stop: AbortSignal): Promise<Map<number, Error>> {
    const entries = messages.map((message, at) => ({ Id: String(at), ...message }));
    const { Failed: failed = [] } = (await this.#call(
      'SendMessageBatch',
      { Entries: entries },
      stop,
    )) as BatchAnswer;
    return new Map(
      failed.map(({ Id, Code, Message }) => [Number(Id), new Error(`SQS refuses: ${Code}: ${Message}`)]),
    );
  }

  close(): void {
    this.#signer.close();
    this.#agents.http.destroy();
    this.#agents.https.destroy();
  }

  async #settle(action: string, entries: readonly object[], stop: AbortSignal): Promise<void> {
    const answer = (await this.#call(action, { Entries: entries }, stop)) as BatchAnswer;
    const [failed] = answer.Failed ?? [];
    if (failed !== undefined) throw new Error(`SQS refuses: ${failed.Code}: ${failed.Message}`);
  }

  async #call(action: string, parameters: object, stop: AbortSignal, waitMs = 0): Promise<object> {
    const { clock, outbound } = this.#context;
    const url = this.#server;
    const { host, port, isSecure } = targetOfUrl(url);
    const body = JSON.stringify({ QueueUrl: this.#url, ...parameters });
    const plain = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` };
    const { status, text } = await withinTime(
      { clock, timeoutMs: requestMsMax + waitMs, stop },
      async (signal) =>
        httpExchange(
          {
            url,
            method: 'POST',
            headers: await this.#signer.sign({ url, headers: plain, body }, signal),
            body,
            agent: isSecure ? this.#agents.https : this.#agents.http,
            lookup: outbound.lookupFor(host, port),
            signal,
          },
          async (answer) => ({
            status: answer.status,
            text: await answer.text(pipelineLimits.httpAnswerBytesMax),
          }),
        ),
    );
    const answer = objectIn(text);
    if (status === 200 && answer !== undefined) return answer;
    const { __type: type, message, Message } = (answer ?? {}) as Readonly<Record<string, unknown>>;
    const name = typeof type === 'string' ? type.replace(/^.*#/, '') : `status ${status}`;
    throw new Error(`SQS refuses ${action}: ${name}: ${reasonOf(message ?? Message ?? 'no reason given')}`);
  }
}

function objectIn(text: string): object | undefined {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
