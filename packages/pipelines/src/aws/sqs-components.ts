import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, int, interpolated, list, string } from '../component/field-types.ts';
import type { Interpolated } from '../component/interpolated.ts';
import { retries } from '../component/retries.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { ownSessionFields } from './aws-session.ts';
import { queueUrlProblem, receiveMax, waitSeconds } from './sqs-fields.ts';
import { SqsQueue } from './sqs-queue.ts';

/** The engine writes again what was not taken. */
const writtenAgain = 'what is not taken is written again, without end';

export const awsSqsInput = componentOf('input', {
  name: 'aws_sqs',
  about:
    'Reads a queue of SQS. Messages are deleted when they are written, and are handed out again otherwise.',
  fields: {
    url: string('The URL of the queue.').check(queueUrlProblem),
    delete_message: bool('Whether messages that were written are deleted.').or(true).advanced(),
    reset_visibility: bool(
      'Whether messages that were not written are handed out again after pauses that grow to 10 seconds; otherwise after the visibility timeout of the queue.',
    )
      .or(true)
      .advanced(),
    max_number_of_messages: receiveMax,
    wait_time_seconds: waitSeconds,
    ...ownSessionFields,
  },
  async open(fields, context) {
    const { SqsInput } = await import('./sqs-input.ts');
    return new SqsInput(
      {
        queue: await SqsQueue.open(fields, context),
        max: fields.max_number_of_messages,
        waitSeconds: fields.wait_time_seconds,
        deletes: fields.delete_message,
        resetsVisibility: fields.reset_visibility,
      },
      context,
    );
  },
});

export const awsSqsOutput = componentOf('output', {
  name: 'aws_sqs',
  about:
    'Sends messages to a queue of SQS, with their metadata as attributes: the first ten by name. Messages have to be texts.',
  fields: {
    url: string('The URL of the queue.').check(queueUrlProblem),
    message_group_id: interpolated('The group of a message, in queues that keep the order.').optional(),
    message_deduplication_id: interpolated('What two copies of a message have in common.').optional(),
    delay_seconds: interpolated('Seconds until a message can be read, up to 900.').optional(),
    max_in_flight: maxInFlight.or(64),
    metadata: object('Which metadata of messages is sent.', {
      exclude_prefixes: list('Keys that begin with one of these are left out.', string('A prefix.')).or([]),
    }),
    batching,
    ...ownSessionFields,
    max_retries: int('How often a request is repeated.').or(0).advanced().withoutEffect(writtenAgain),
    backoff: retries({ initial: '1s', max: '5s', elapsed: '30s' }).withoutEffect(writtenAgain),
  },
  async open(fields, context) {
    const { SqsOutput } = await import('./sqs-output.ts');
    const { exclude_prefixes: excluded } = fields.metadata;
    const output = new SqsOutput({
      queue: await SqsQueue.open(fields, context),
      isOrdered: fields.url.endsWith('.fifo'),
      optionsOf(batch, index) {
        const text = (field: Interpolated | undefined) =>
          field?.text(batch, index, context.mappingPorts) ?? '';
        const group = text(fields.message_group_id);
        const id = text(fields.message_deduplication_id);
        const delay = text(fields.delay_seconds);
        if (delay !== '' && !/^(?:[1-8]?\d?\d|900)$/.test(delay))
          throw new Error('delay_seconds has to be from 0 to 900');
        return {
          ...(group !== '' && { MessageGroupId: group }),
          ...(id !== '' && { MessageDeduplicationId: id }),
          ...(delay !== '' && { DelaySeconds: Number(delay) }),
        };
      },
      keepsMetadata: (name) => !excluded.some((prefix) => name.startsWith(prefix)),
    });
    return pacedOutput(output, fields, context);
  },
});
