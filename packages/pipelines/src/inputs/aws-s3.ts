import type { ObjectInfo, ObjectStore } from '@weir/storage';
import { type AwsSession, ownSessionFields } from '../aws/aws-session.ts';
import { queueUrlProblem, receiveMax, waitSeconds } from '../aws/sqs-fields.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { bool, child, durationMs, string } from '../component/field-types.ts';
import type { Metadata } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { openS3Bucket, pathStyle } from '../object-storage/aws-bucket.ts';
import { rfc3339 } from '../object-storage/foreign-bucket.ts';
import { ListedObjects } from '../object-storage/listed-objects.ts';
import { ObjectInput, type ObjectSource } from '../object-storage/object-input.ts';

export const awsS3Input = componentOf('input', {
  name: 'aws_s3',
  about:
    'Reads the objects of a bucket of S3, or of a server that is compatible with it, and ends after the last; with `sqs`, those that notifications in a queue name, without end.',
  fields: {
    bucket: string('The bucket; with `sqs`, that of notifications which name none.').or(''),
    prefix: string('What keys of objects begin with, without `sqs`.').or(''),
    ...ownSessionFields,
    force_path_style_urls: pathStyle,
    delete_objects: bool('Whether objects are deleted when all of their messages were written.')
      .or(false)
      .advanced(),
    scanner: child('scanner', 'How an object is cut into messages.').or({ to_the_end: {} }),
    sqs: object('Notifications of new objects, in a queue of SQS.', {
      url: string('The URL of the queue. Without it, the objects of the bucket are read once.')
        .or('')
        .check((url) => (url === '' ? undefined : queueUrlProblem(url))),
      endpoint: string('The URL of a server that is compatible, instead of SQS.').or('').advanced(),
      key_path: string('Where a notification has keys of objects.').or('Records.*.s3.object.key'),
      bucket_path: string('Where it has the names of their buckets.').or('Records.*.s3.bucket.name'),
      envelope_path: string('Where the text of another message has it: `Message` behind a topic of SNS.').or(
        '',
      ),
      delay_period: durationMs('How long after a notification was sent its objects are read.')
        .or('')
        .advanced(),
      max_messages: receiveMax,
      wait_time_seconds: waitSeconds,
    }),
  },
  check({ bucket, sqs }, reading, place) {
    if (bucket === '' && sqs?.url === '') reading.problem(place, 'bucket is missing');
  },
  async open(fields, context) {
    const { bucket, prefix, sqs } = fields;
    const scanner = await context.open(fields.scanner);
    const open = (name: string) => openS3Bucket(name, fields, context);
    const input = new ObjectInput(
      {
        source:
          sqs.url === ''
            ? new ListedObjects({ bucket, prefix, open: () => open(bucket) })
            : await notifiedObjects(fields, open, context),
        deletesObjects: fields.delete_objects,
        scanner,
        metadataOf,
      },
      context,
    );
    return new ReplayedInput(input, context.clock);
  },
});

interface Notified extends AwsSession {
  readonly bucket: string;
  readonly sqs: {
    readonly url: string;
    readonly endpoint: string;
    readonly key_path: string;
    readonly bucket_path: string;
    readonly envelope_path: string;
    readonly delay_period: number | undefined;
    readonly max_messages: number;
    readonly wait_time_seconds: number;
  };
}

async function notifiedObjects(
  { bucket, sqs, region, credentials }: Notified,
  open: (bucket: string) => Promise<ObjectStore>,
  context: ComponentContext,
): Promise<ObjectSource> {
  const { NotifiedObjects } = await import('../object-storage/notified-objects.ts');
  const { SqsQueue } = await import('../aws/sqs-queue.ts');
  const { url, endpoint } = sqs;
  return new NotifiedObjects(
    {
      queue: await SqsQueue.open({ url, endpoint, region, credentials }, context),
      max: sqs.max_messages,
      waitSeconds: sqs.wait_time_seconds,
      keyPath: sqs.key_path,
      bucketPath: sqs.bucket_path,
      envelopePath: sqs.envelope_path,
      delayMs: sqs.delay_period ?? 0,
      bucket,
      open,
    },
    context,
  );
}

function metadataOf({ key, modifiedMs, attributes = {} }: ObjectInfo, bucket: string): Metadata {
  const { contentType, contentEncoding, versionId, metadata = {} } = attributes;
  return new Map<string, string | number>([
    ['s3_key', key],
    ['s3_bucket', bucket],
    ['s3_last_modified', rfc3339(modifiedMs)],
    ['s3_last_modified_unix', Math.floor(modifiedMs / 1000)],
    ...(contentType ? [['s3_content_type', contentType] as const] : []),
    ...(contentEncoding ? [['s3_content_encoding', contentEncoding] as const] : []),
    ...(versionId ? [['s3_version_id', versionId] as const] : []),
    ...Object.entries(metadata),
  ]);
}
