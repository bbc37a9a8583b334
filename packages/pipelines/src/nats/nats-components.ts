import { componentOf } from '../component/component-spec.ts';
import {
  bool,
  durationMs,
  int,
  interpolated,
  map,
  oneOf,
  string,
  untraced,
} from '../component/field-types.ts';
import { MetadataFilter, metadataFilter } from '../component/metadata-filter.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { checkLogin, natsFields } from './nats-fields.ts';

const tracesOfInput = {
  extract_tracing_map: untraced('extract_tracing_map'),
  root_span_with_link: untraced('root_span_with_link'),
};
const isOneWord = (text: string) => (/\s/.test(text) ? 'may have no spaces' : undefined);
const isOneToken = (text: string) => (/[\s.*>]/.test(text) ? 'may have no spaces, dots, * or >' : undefined);
const queue = string('The queue group; its members share messages.').or('').check(isOneToken);

export const natsInput = componentOf('input', {
  name: 'nats',
  connectionsCountedBy: 'itself',
  about:
    'Listens to a subject of NATS. What is published while it does not listen is not delivered. A message that waits for a reply gets what `sync_response` leaves, or an acknowledgement.',
  fields: {
    ...natsFields,
    subject: string('The subject, with `*` and `>` for several.').check(isOneWord),
    queue,
    auto_replay_nacks: bool('Whether messages that were not written are delivered again.').or(true),
    nak_delay: durationMs('After how long a message that was not written should be sent again.')
      .optional()
      .advanced(),
    prefetch_count: int('Messages that may wait for the pipeline.')
      .or(524_288)
      .check((count) => (count < 0 ? 'has to be 0 or more' : undefined))
      .advanced(),
    send_ack: bool('Whether a message with a reply subject is acknowledged when it is written.')
      .or(true)
      .advanced(),
    ...tracesOfInput,
  },
  check: checkLogin,
  async open(fields, context) {
    const { NatsInput } = await import('./nats-input.ts');
    const options = {
      subject: fields.subject,
      queue: fields.queue,
      waitingMax: fields.prefetch_count,
      nakDelayMs: fields.nak_delay,
      sendsAck: fields.send_ack,
      isReplayed: fields.auto_replay_nacks,
    };
    const input = new NatsInput(fields, options, context);
    return fields.auto_replay_nacks ? new ReplayedInput(input, context.clock) : input;
  },
});

export const natsJetStreamInput = componentOf('input', {
  name: 'nats_jetstream',
  connectionsCountedBy: 'itself',
  about:
    'Reads messages of a stream of NATS JetStream, and acknowledges those that were written; others are delivered again after growing pauses.',
  fields: {
    ...natsFields,
    queue,
    subject: string('The subject, with `*` and `>` for several.').or('').check(isOneWord),
    durable: string('The name under which the stream keeps what was read.').or('').check(isOneToken),
    stream: string('The stream; by default the one that has the subject.').or('').check(isOneToken),
    bind: bool('Whether the consumer exists already and is not made.').or(false),
    deliver: oneOf('Where a new consumer begins.', ['all', 'last', 'last_per_subject', 'new']).or('all'),
    ack_wait: durationMs('How long the server waits before it delivers a message again.')
      .or('30s')
      .advanced(),
    max_ack_pending: int('Messages that may be delivered and not acknowledged.').or(1024).advanced(),
    ...tracesOfInput,
  },
  check(fields, reading, place) {
    const { bind, stream, durable, subject } = fields;
    checkLogin(fields, reading, place);
    if (subject === '' && !(bind && stream !== '' && durable !== ''))
      reading.problem(place, bind ? 'bind needs stream and durable, or a subject' : 'subject is missing');
  },
  async open(fields, context) {
    const { JetStreamInput } = await import('./jetstream-input.ts');
    const options = {
      subject: fields.subject,
      stream: fields.stream,
      durable: fields.durable,
      queue: fields.queue,
      isBound: fields.bind,
      deliver: fields.deliver,
      ackWaitMs: fields.ack_wait ?? 0,
      ackPendingMax: fields.max_ack_pending,
    };
    return new JetStreamInput(fields, options, context);
  },
});

const publishFields = {
  ...natsFields,
  subject: interpolated('The subject.'),
  headers: map('Headers by their names.', interpolated('The value.')).or({}),
  metadata: metadataFilter('Which metadata become headers.'),
  inject_tracing_map: untraced('inject_tracing_map'),
};

export const natsOutput = componentOf('output', {
  name: 'nats',
  connectionsCountedBy: 'itself',
  about: 'Publishes messages to a subject of NATS. They are written when the server has them.',
  fields: { ...publishFields, max_in_flight: maxInFlight.or(64) },
  check: checkLogin,
  async open(fields, context) {
    const { natsOutput: open } = await import('./nats-output.ts');
    const options = { ...fields, metadata: new MetadataFilter(fields.metadata) };
    return pacedOutput(open(fields, options, context), fields, context);
  },
});

export const natsJetStreamOutput = componentOf('output', {
  name: 'nats_jetstream',
  connectionsCountedBy: 'itself',
  about: 'Publishes messages to a subject of NATS JetStream. They are written when a stream has stored them.',
  fields: { ...publishFields, max_in_flight: maxInFlight.or(1024) },
  check: checkLogin,
  async open(fields, context) {
    const { jetStreamOutput } = await import('./nats-output.ts');
    const options = { ...fields, metadata: new MetadataFilter(fields.metadata) };
    return pacedOutput(jetStreamOutput(fields, options, context), fields, context);
  },
});
