import { componentOf } from '../component/component-spec.ts';
import { durationMs, int, interpolated, oneOf, string } from '../component/field-types.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { textFor } from '../object-storage/foreign-bucket.ts';
import { gcpCredentials, openGcpBucket } from '../object-storage/gcp-bucket.ts';
import { metadataWithout, ObjectOutput, usualPath } from '../object-storage/object-output.ts';

const collisions = { overwrite: 'overwrite', 'error-if-exists': 'fail', ignore: 'ignore' } as const;

export const gcpCloudStorageOutput = componentOf('output', {
  name: 'gcp_cloud_storage',
  about: 'Writes each message as an object to a bucket of Google Cloud Storage.',
  fields: {
    bucket: string('The bucket.'),
    path: interpolated('The name of the object.').or(usualPath),
    content_type: interpolated('The type of the content.').or('application/octet-stream'),
    content_encoding: interpolated('The encoding of the content.').or('').advanced(),
    collision_mode: oneOf('What is done if the object exists: replace it, fail, or drop the message.', [
      'overwrite',
      'append',
      'error-if-exists',
      'ignore',
    ])
      .or('overwrite')
      .check((mode) =>
        mode === 'append'
          ? 'append is not available in this release: a repeated write would append twice'
          : undefined,
      ),
    chunk_size: int('The bytes of a request.')
      .or(16_777_216)
      .advanced()
      .withoutEffect('objects are sent in one request'),
    timeout: durationMs('How long the upload of an object may take.').or('3s'),
    max_in_flight: maxInFlight.or(64),
    batching,
    credentials_json: gcpCredentials,
  },
  async open(fields, context) {
    const { collision_mode: mode } = fields;
    const output = new ObjectOutput(
      {
        timeoutMs: fields.timeout ?? 3_000,
        collision: mode === 'append' ? 'fail' : collisions[mode],
        open: (bucket) => openGcpBucket(bucket, fields, context),
        objectOf: (batch, index) => ({
          bucket: fields.bucket,
          key: textFor(fields.path, batch, index, context),
          attributes: {
            contentType: textFor(fields.content_type, batch, index, context),
            contentEncoding: textFor(fields.content_encoding, batch, index, context),
            metadata: metadataWithout(batch[index]!, []),
          },
        }),
      },
      context,
    );
    return pacedOutput(output, fields, context);
  },
});
