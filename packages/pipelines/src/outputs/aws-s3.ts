import { ownSessionFields } from '../aws/aws-session.ts';
import { componentOf } from '../component/component-spec.ts';
import { object } from '../component/field.ts';
import { durationMs, interpolated, list, map, oneOf, string } from '../component/field-types.ts';
import { batching } from '../engine/batch-policy.ts';
import { maxInFlight, pacedOutput } from '../engine/open-output.ts';
import { openS3Bucket, pathStyle } from '../object-storage/aws-bucket.ts';
import { textFor } from '../object-storage/foreign-bucket.ts';
import { metadataWithout, ObjectOutput, usualPath } from '../object-storage/object-output.ts';

const storageClasses = [
  'STANDARD',
  'REDUCED_REDUNDANCY',
  'GLACIER',
  'STANDARD_IA',
  'ONEZONE_IA',
  'INTELLIGENT_TIERING',
  'DEEP_ARCHIVE',
];

export const awsS3Output = componentOf('output', {
  name: 'aws_s3',
  about: 'Writes each message as an object to a bucket of S3, or of a server that is compatible with it.',
  fields: {
    bucket: interpolated('The bucket.'),
    path: interpolated('The key of the object.').or(usualPath),
    tags: map('Tags of the object.', interpolated('The value of a tag.')).or({}),
    content_type: interpolated('The type of the content.').or('application/octet-stream'),
    content_encoding: interpolated('The encoding of the content.').or('').advanced(),
    cache_control: interpolated('How the object may be cached.').or('').advanced(),
    content_disposition: interpolated('How browsers show the object.').or('').advanced(),
    content_language: interpolated('The language of the content.').or('').advanced(),
    website_redirect_location: interpolated('Where a website sends readers of the object.').or('').advanced(),
    metadata: object('Which metadata of messages objects keep.', {
      exclude_prefixes: list('Keys that begin with one of these are left out.', string('A prefix.')).or([]),
    }),
    storage_class: interpolated(`The storage class: ${storageClasses.join(', ')}.`)
      .or('STANDARD')
      .advanced(),
    kms_key_id: string('The key of KMS with which the object is encrypted.').or('').advanced(),
    server_side_encryption: string('How the object is encrypted, such as `AES256`.').or('').advanced(),
    checksum_algorithm: oneOf('Objects always have a checksum, CRC32C.', [
      '',
      'CRC32',
      'CRC32C',
      'SHA1',
      'SHA256',
    ])
      .or('')
      .check((algorithm) =>
        algorithm === '' || algorithm === 'CRC32C'
          ? undefined
          : 'has to be CRC32C, which every object has anyway',
      )
      .advanced(),
    force_path_style_urls: pathStyle,
    max_in_flight: maxInFlight.or(64),
    timeout: durationMs('How long the upload of an object may take.').or('5s').advanced(),
    batching,
    ...ownSessionFields,
  },
  async open(fields, context) {
    const output = new ObjectOutput(
      {
        timeoutMs: fields.timeout ?? 5_000,
        collision: 'overwrite',
        open: (bucket) => openS3Bucket(bucket, fields, context),
        objectOf(batch, index) {
          const text = (field: typeof fields.path) => textFor(field, batch, index, context);
          const encryption = fields.kms_key_id === '' ? fields.server_side_encryption : 'aws:kms';
          const headers = {
            'cache-control': text(fields.cache_control),
            'content-disposition': text(fields.content_disposition),
            'content-language': text(fields.content_language),
            'x-amz-website-redirect-location': text(fields.website_redirect_location),
            'x-amz-storage-class': storageClassOf(text(fields.storage_class)),
            'x-amz-server-side-encryption': encryption,
            'x-amz-server-side-encryption-aws-kms-key-id': fields.kms_key_id,
            'x-amz-tagging': [...fields.tags]
              .toSorted(([one], [other]) => (one < other ? -1 : 1))
              .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(text(value))}`)
              .join('&'),
          };
          return {
            bucket: text(fields.bucket),
            key: text(fields.path),
            attributes: {
              contentType: text(fields.content_type),
              contentEncoding: text(fields.content_encoding),
              metadata: metadataWithout(batch[index]!, fields.metadata.exclude_prefixes),
              headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')),
            },
          };
        },
      },
      context,
    );
    return pacedOutput(output, fields, context);
  },
});

/** The class that every object has needs no header, which some servers reject. */
function storageClassOf(name: string): string {
  if (!storageClasses.includes(name))
    throw new Error(`storage_class has to be one of ${storageClasses.join(', ')}`);
  return name === 'STANDARD' ? '' : name;
}
