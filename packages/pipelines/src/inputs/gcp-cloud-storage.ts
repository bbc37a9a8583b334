import type { ObjectInfo } from '@weir/storage';
import { componentOf } from '../component/component-spec.ts';
import { bool, child, interpolated, string } from '../component/field-types.ts';
import type { Metadata } from '../component/message.ts';
import { ReplayedInput } from '../engine/replayed-input.ts';
import { rfc3339 } from '../object-storage/foreign-bucket.ts';
import { gcpCredentials, openGcpBucket } from '../object-storage/gcp-bucket.ts';
import { ListedObjects } from '../object-storage/listed-objects.ts';
import { ObjectInput } from '../object-storage/object-input.ts';

export const gcpCloudStorageInput = componentOf('input', {
  name: 'gcp_cloud_storage',
  about: 'Reads the objects of a bucket of Google Cloud Storage, and ends after the last.',
  fields: {
    bucket: string('The bucket.'),
    prefix: interpolated('What names of objects begin with.').or(''),
    scanner: child('scanner', 'How an object is cut into messages.').or({ to_the_end: {} }),
    delete_objects: bool('Whether objects are deleted when all of their messages were written.')
      .or(false)
      .advanced(),
    credentials_json: gcpCredentials,
  },
  async open(fields, context) {
    const { bucket } = fields;
    const scanner = await context.open(fields.scanner);
    const input = new ObjectInput(
      {
        source: new ListedObjects({
          bucket,
          prefix: fields.prefix.text([], 0, context.mappingPorts),
          open: () => openGcpBucket(bucket, fields, context),
        }),
        deletesObjects: fields.delete_objects,
        scanner,
        metadataOf,
      },
      context,
    );
    return new ReplayedInput(input, context.clock);
  },
});

function metadataOf({ key, modifiedMs, attributes = {} }: ObjectInfo, bucket: string): Metadata {
  const { contentType = '', contentEncoding = '', metadata = {} } = attributes;
  return new Map<string, string | number>([
    ['gcs_key', key],
    ['gcs_bucket', bucket],
    ['gcs_last_modified', rfc3339(modifiedMs)],
    ['gcs_last_modified_unix', Math.floor(modifiedMs / 1000)],
    ['gcs_content_type', contentType],
    ['gcs_content_encoding', contentEncoding],
    ...Object.entries(metadata),
  ]);
}
