import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, durationMs, int, interpolated, list, oneOf, string } from '../component/field-types.ts';
import type { Interpolated } from '../component/interpolated.ts';
import type { Batch } from '../component/message.ts';
import { pattern } from '../component/pattern-field.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { amqpFields } from './amqp-fields.ts';

export const amqpInput = componentOf('input', {
  name: 'amqp_0_9',
  connectionsCountedBy: 'itself',
  about:
    'Reads a queue of an AMQP 0-9-1 broker, such as RabbitMQ. Messages are acknowledged when they are written, and go back to the queue otherwise.',
  fields: {
    ...amqpFields,
    queue: string('The queue.'),
    queue_declare: object('Makes the queue if it is not there.', {
      enabled: bool('Whether it is made.').or(false),
      durable: bool('Whether it outlives a restart of the broker.').or(true),
      auto_delete: bool('Whether it is deleted with its last consumer.').or(false),
    }).advanced(),
    bindings_declare: list(
      'Bindings of the queue to make.',
      object('A binding.', {
        exchange: string('The exchange.').or(''),
        key: string('The key.').or(''),
      }),
    )
      .or([])
      .advanced(),
    consumer_tag: string('The tag of the consumer.').or(''),
    auto_ack: bool(
      'Whether messages are acknowledged as they are sent; those that are not written are lost then.',
    )
      .or(false)
      .advanced(),
    nack_reject_patterns: list(
      'A message that failed with an error in which one of these finds something does not go back to the queue: it is dropped, or goes to the dead-letter exchange.',
      pattern('A regular expression (RE2).'),
    )
      .or([])
      .advanced(),
    prefetch_count: int(
      'Messages that the broker sends before one is acknowledged; 0 is as many as are taken.',
    )
      .or(10)
      .check((count) => (count < 0 || count > 65_535 ? 'has to be from 0 to 65535' : undefined)),
    prefetch_size: int('The same in bytes, which brokers refuse.')
      .or(0)
      .check((size) =>
        size === 0 ? undefined : 'has to be 0: brokers have no limit of bytes; use prefetch_count',
      )
      .advanced(),
  },
  async open(fields, context) {
    const { AmqpInput } = await import('./amqp-input.ts');
    const { queue_declare: declared, nack_reject_patterns: patterns } = fields;
    const options = {
      queue: fields.queue,
      declares: declared.enabled
        ? { durable: declared.durable, autoDelete: declared.auto_delete }
        : undefined,
      bindings: fields.bindings_declare,
      consumerTag: fields.consumer_tag,
      autoAck: fields.auto_ack,
      prefetchCount: fields.prefetch_count,
      isRejected: (reason: string) => patterns.some((one) => one.matcher(reason).find()),
    };
    return new AmqpInput(fields, options, context);
  },
});

const property = (about: string) => interpolated(about).or('').advanced();

export const amqpOutput = componentOf('output', {
  name: 'amqp_0_9',
  connectionsCountedBy: 'itself',
  about:
    'Sends messages to an exchange of an AMQP 0-9-1 broker, such as RabbitMQ. They are written when the broker has confirmed them. Metadata become headers.',
  fields: {
    ...amqpFields,
    exchange: interpolated('The exchange.'),
    exchange_declare: object('Makes the exchange if it is not there.', {
      enabled: bool('Whether it is made.').or(false),
      type: oneOf('Its type.', ['direct', 'fanout', 'topic', 'x-custom']).or('direct'),
      durable: bool('Whether it outlives a restart of the broker.').or(true),
    }).advanced(),
    key: interpolated('The routing key; `/` becomes `.`.').or(''),
    type: interpolated('The property `type`; `/` becomes `.`.').or(''),
    content_type: interpolated('The property `content_type`.').or('application/octet-stream').advanced(),
    content_encoding: property('The property `content_encoding`.'),
    correlation_id: property('The property `correlation_id`.'),
    reply_to: property('The property `reply_to`.'),
    expiration: property('How long the message may wait in a queue, in milliseconds.'),
    message_id: property('The property `message_id`.'),
    user_id: property('The property `user_id`; the broker demands that it is the user of the connection.'),
    app_id: property('The property `app_id`.'),
    metadata: object('Which metadata become headers; `_` becomes `-`.', {
      exclude_prefixes: list('Keys that begin with one of these are left out.', string('A prefix.')).or([]),
    }),
    priority: property('The priority, from 0 to 9.'),
    max_in_flight: maxInFlight.or(64),
    persistent: bool('Whether messages outlive a restart of the broker, in durable queues.')
      .or(false)
      .advanced(),
    mandatory: bool('Whether a message that reaches no queue fails.').or(false).advanced(),
    immediate: bool('Whether a message that no consumer waits for fails, which brokers refuse.')
      .or(false)
      .check((isSet) =>
        isSet ? 'has to be false: brokers have no such messages since RabbitMQ 3' : undefined,
      )
      .advanced(),
    timeout: durationMs('How long the broker may take to confirm; without end if it is empty.')
      .or('')
      .advanced(),
  },
  async open(fields, context) {
    const [{ amqpOutput: open }, { headersOf }] = await Promise.all([
      import('./amqp-output.ts'),
      import('./amqp-metadata.ts'),
    ]);
    const { exchange_declare: declared, metadata } = fields;
    const { mappingPorts: ports } = context;
    const publishedOf = (batch: Batch, index: number) => {
      const text = (field: Interpolated) => field.text(batch, index, ports);
      const named = (name: string, field: Interpolated) => {
        const value = text(field);
        return value === '' ? {} : { [name]: value };
      };
      const { content, metadata: entries } = batch[index]!;
      const type = text(fields.type).replaceAll('/', '.');
      return {
        exchange: text(fields.exchange),
        key: text(fields.key).replaceAll('/', '.'),
        content,
        options: {
          headers: headersOf(entries, metadata.exclude_prefixes),
          persistent: fields.persistent,
          mandatory: fields.mandatory,
          priority: priorityOf(text(fields.priority)),
          ...(type !== '' && { type }),
          ...named('contentType', fields.content_type),
          ...named('contentEncoding', fields.content_encoding),
          ...named('correlationId', fields.correlation_id),
          ...named('replyTo', fields.reply_to),
          ...named('expiration', fields.expiration),
          ...named('messageId', fields.message_id),
          ...named('userId', fields.user_id),
          ...named('appId', fields.app_id),
        },
      };
    };
    const options = {
      publishedOf,
      declares: declared.enabled ? { type: declared.type, durable: declared.durable } : undefined,
      timeoutMs: fields.timeout,
    };
    return pacedOutput(open(fields, options, context), fields, context);
  },
});

function priorityOf(text: string): number {
  if (text === '') return 0;
  if (!/^\d$/.test(text))
    throw new Error(`priority has to be from 0 to 9, not ${JSON.stringify(text.slice(0, 20))}`);
  return Number(text);
}
