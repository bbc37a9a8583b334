import type { RecordRefusal } from '@weir/cluster';
import { errorByCode } from '@weir/wire';

/** A read or write of records that is refused. The message is one sentence for the person who asked. */
export class RecordRefused extends Error {
  override readonly name = 'RecordRefused';
  readonly reason: RecordRefusal;

  constructor(reason: RecordRefusal, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** The refusal for an error of Kafka about a partition. */
export function refusalOf(
  errorCode: number,
  {
    act,
    topic,
    partition,
  }: { readonly act: 'read' | 'write'; readonly topic: string; readonly partition: number },
): RecordRefused {
  const { name, message, retriable } = errorByCode(errorCode) ?? {
    name: 'UNKNOWN_SERVER_ERROR',
    message: `Kafka error ${errorCode}.`,
    retriable: true,
  };
  switch (name) {
    case 'TOPIC_AUTHORIZATION_FAILED':
      return new RecordRefused(
        'denied',
        `The Kafka credential may not ${act} the topic ${topic}; an ACL decides.`,
      );
    case 'UNKNOWN_TOPIC_ID':
    case 'INVALID_TOPIC_EXCEPTION':
    case 'UNKNOWN_TOPIC_OR_PARTITION':
      return new RecordRefused('notFound', `The topic ${topic} has no partition ${partition}.`);
    default:
      return new RecordRefused(retriable ? 'unavailable' : 'refused', `${name}: ${message}`);
  }
}
