import type { ObjectInfo } from '@weir/storage';
import { awsSessionFields } from '../aws/aws-session.ts';
import { componentOf } from '../component/component-spec.ts';
import { any, bool, child, string } from '../component/field-types.ts';
import type { Metadata } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { openS3Bucket, pathStyle } from '../object-storage/aws-bucket.ts';
import { rfc3339 } from '../object-storage/foreign-bucket.ts';
import { ObjectInput } from '../object-storage/object-input.ts';

export const awsS3Input = componentOf('input', {
  name: 'aws_s3',
  about:
    'Reads the objects of a bucket of S3, or of a server that is compatible with it, and ends after the last.',
  fields: {
    bucket: string('The bucket.').check((bucket) =>
      bucket === '' ? 'has to be the name of a bucket' : undefined,
    ),
    prefix: string('What keys of objects begin with.').or(''),
    ...awsSessionFields,
    force_path_style_urls: pathStyle,
    delete_objects: bool('Whether objects are deleted when all of their messages were written.')
      .or(false)
      .advanced(),
    scanner: child('scanner', 'How an object is cut into messages.').or({ to_the_end: {} }),
    sqs: any('Notifications of new objects.')
      .optional()
      .check(() => 'is not available in this release; without it, the objects of the bucket are read'),
  },
  async open(fields, context) {
    const { bucket, prefix } = fields;
    const scanner = await context.open(fields.scanner);
    const input = new ObjectInput(
      {
        prefix,
        deletesObjects: fields.delete_objects,
        scanner,
        open: () => openS3Bucket(bucket, fields, context),
        metadataOf: (object) => metadataOf(object, bucket),
      },
      context,
    );
    return new ReplayedInput(input, context.clock);
  },
});

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
