import type { NatsConnection } from './nats-connection.ts';

export interface ConsumerOptions {
  readonly subject: string;
  readonly stream: string;
  readonly durable: string;
  readonly queue: string;
  readonly isBound: boolean;
  readonly deliver: 'all' | 'last' | 'last_per_subject' | 'new';
  readonly ackWaitMs: number;
  readonly ackPendingMax: number;
}

/** A consumer of a stream: the server sends messages to a subject, or waits until it is asked for them. */
export interface Consumer {
  readonly stream: string;
  readonly name: string;
  /** Absent if messages have to be asked for. */
  readonly push?: { readonly subject: string; readonly group: string } | undefined;
}

interface ConsumerInfo {
  readonly name: string;
  readonly push_bound?: boolean;
  readonly config: {
    readonly deliver_subject?: string;
    readonly deliver_group?: string;
    readonly filter_subject?: string;
  };
}

const notFound = 10014;

class JetStreamError extends Error {
  readonly code: number | undefined;
  constructor(message: string, code?: number) {
    super(message);
    this.code = code;
  }
}

async function ask<Answer>(connection: NatsConnection, subject: string, body: object): Promise<Answer> {
  const { payload, status } = await connection.request(
    `$JS.API.${subject}`,
    Buffer.from(JSON.stringify(body)),
  );
  if (status === 503) throw new JetStreamError('the NATS server has no JetStream for this account');
  const answer = JSON.parse(payload.toString()) as Answer & {
    readonly error?: { readonly description?: string; readonly err_code?: number };
  };
  if (answer.error !== undefined)
    throw new JetStreamError(`JetStream refuses: ${answer.error.description}`, answer.error.err_code);
  return answer;
}

/**
 * Finds the consumer of an input, or makes it. One without a name ends with its connection; `resumeAt` is the sequence
 * where the next one begins. `listen` is called with the subject to which messages are sent.
 */
export async function openConsumer(
  connection: NatsConnection,
  options: ConsumerOptions,
  resumeAt: number | undefined,
  listen: (subject: string, group: string) => Promise<void>,
): Promise<Consumer> {
  const { subject, queue } = options;
  const stream = options.stream === '' ? await streamOf(connection, subject) : options.stream;
  // A group of consumers shares one consumer, which needs a name.
  const name = options.durable === '' ? queue : options.durable;
  const found = name === '' ? undefined : await infoOf(connection, stream, name);
  if (found !== undefined) {
    const consumer = existing(found, stream, options);
    if (consumer.push !== undefined) await listen(consumer.push.subject, consumer.push.group);
    return consumer;
  }
  if (options.isBound) throw new Error(`the stream ${stream} has no consumer ${name}`);
  const push = { subject: connection.newInbox(), group: queue };
  // A consumer may be refused that sends to a subject to which no client listens.
  await listen(push.subject, push.group);
  const config = {
    deliver_subject: push.subject,
    ...(queue !== '' && { deliver_group: queue }),
    ...(name !== '' && { durable_name: name }),
    ...(resumeAt === undefined
      ? { deliver_policy: options.deliver }
      : { deliver_policy: 'by_start_sequence', opt_start_seq: resumeAt }),
    ack_policy: 'explicit',
    ...(options.ackWaitMs > 0 && { ack_wait: Math.round(options.ackWaitMs * 1e6) }),
    ...(options.ackPendingMax !== 0 && { max_ack_pending: options.ackPendingMax }),
    ...(subject !== '' && { filter_subject: subject }),
  };
  const create = name === '' ? `CONSUMER.CREATE.${stream}` : `CONSUMER.DURABLE.CREATE.${stream}.${name}`;
  const made = await ask<ConsumerInfo>(connection, create, { stream_name: stream, config });
  return { stream, name: made.name, push };
}

function existing(
  { name, config, push_bound }: ConsumerInfo,
  stream: string,
  options: ConsumerOptions,
): Consumer {
  const { deliver_subject: subject = '', deliver_group: group = '', filter_subject: filter = '' } = config;
  if (options.subject !== '' && filter !== '' && options.subject !== filter && options.subject !== subject)
    throw new Error(`the consumer ${name} is for the subject ${filter}, not for ${options.subject}`);
  if (subject === '') return { stream, name };
  if (group !== options.queue)
    throw new Error(`the consumer ${name} ${group === '' ? 'has no queue' : `is for the queue ${group}`}`);
  if (push_bound && group === '')
    throw new Error(`the consumer ${name} has another client; several can share it with a queue`);
  return { stream, name, push: { subject, group } };
}

async function streamOf(connection: NatsConnection, subject: string): Promise<string> {
  const { streams } = await ask<{ readonly streams?: readonly string[] | null }>(connection, 'STREAM.NAMES', {
    subject,
  });
  const [first] = streams ?? [];
  if (first === undefined) throw new Error(`no stream of JetStream has the subject ${subject}`);
  return first;
}

async function infoOf(
  connection: NatsConnection,
  stream: string,
  name: string,
): Promise<ConsumerInfo | undefined> {
  try {
    return await ask<ConsumerInfo>(connection, `CONSUMER.INFO.${stream}.${name}`, {});
  } catch (error) {
    if (error instanceof JetStreamError && error.code === notFound) return undefined;
    throw error;
  }
}
