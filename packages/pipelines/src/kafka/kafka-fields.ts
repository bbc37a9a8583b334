import type { Field } from '../component/field.ts';
import { bool, int, list, oneOf, string } from '../component/field-types.ts';
import { tls } from '../component/tls-fields.ts';
import { parseBrokers } from './brokers.ts';

/** Fields that inputs and outputs of Kafka share. */

export function brokers(about: string): Field<readonly string[]> {
  return list(about, string('An address, such as localhost:9092.')).check((texts) => {
    const parsed = parseBrokers(texts);
    return typeof parsed === 'string' ? parsed : undefined;
  });
}

export const tlsField = tls('TLS to brokers.');

export const clientId = string('What brokers call this client in their logs and quotas.')
  .or('bento')
  .advanced();

export const rackId = string('Where this client is, so that it reads from replicas nearby.')
  .or('')
  .advanced();

export const targetVersion = string('The version of the brokers.')
  .optional()
  .advanced()
  .withoutEffect('the versions of requests are negotiated with each broker');

export const isolation = oneOf('Whether records of open and aborted transactions are read.', [
  'read_uncommitted',
  'read_committed',
])
  .or('read_uncommitted')
  .advanced();

export const multiHeader = bool('Whether headers are lists, because names may occur more than once.')
  .or(false)
  .advanced();

export const autoReplayNacks = bool(
  'Whether messages that were not written are delivered again; otherwise they are dropped.',
).or(true);

export const startFromOldest = bool('Whether to begin with the oldest record where no offset is committed.')
  .or(true)
  .advanced();

export function checkpointLimit(): Field<number> {
  return int(
    'Messages of a partition that may be on their way; an offset is committed when all before it are. Batches of outputs that need more are written as they are.',
  )
    .or(1024)
    .check(atLeastOne);
}

export function atLeastOne(value: number): string | undefined {
  return value < 1 ? 'has to be 1 or more' : undefined;
}
