import type { ObjectStore } from '@weir/storage';
import type { AwsSession } from '../aws/aws-session.ts';
import type { ComponentContext } from '../component/component-context.ts';
import { bool } from '../component/field-types.ts';
import { openBucketOf } from './foreign-bucket.ts';

/** How requests of a bucket are addressed. */
export const pathStyle = bool(
  'Whether the bucket is part of the path and not of the host, as other servers need it.',
)
  .or(false)
  .advanced();

export function openS3Bucket(
  bucket: string,
  {
    region,
    endpoint,
    credentials,
    force_path_style_urls,
  }: AwsSession & { readonly force_path_style_urls: boolean },
  context: ComponentContext,
): Promise<ObjectStore> {
  const { id, secret, token, profile, role, role_external_id, from_ec2_role } = credentials;
  return openBucketOf(
    {
      scheme: 's3',
      bucket,
      parameters: {
        region,
        endpoint,
        disableSSL: endpoint.startsWith('http:') ? 'true' : undefined,
        s3ForcePathStyle: force_path_style_urls ? 'true' : undefined,
        assumeRoleARN: role,
      },
      credentials: {
        ...(id !== '' && { AWS_ACCESS_KEY_ID: id }),
        ...(secret !== '' && { AWS_SECRET_ACCESS_KEY: secret }),
        ...(token !== '' && { AWS_SESSION_TOKEN: token }),
        ...(profile !== '' && { AWS_PROFILE: profile }),
      },
      credentialFields: 'credentials.id and credentials.secret',
      hasCredentials: id !== '' && secret !== '',
      usesMetadataService: from_ec2_role,
      roleExternalId: role_external_id === '' ? undefined : role_external_id,
    },
    context,
  );
}
