import type { ObjectStore } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { object, type Values } from '../component/field.ts';
import { bool, durationMs, string } from '../component/field-types.ts';
import { openBucketOf } from './foreign-bucket.ts';

/** The fields that every component of AWS has. */
export const awsSessionFields = {
  region: string('The region, such as `eu-west-1`.').or(''),
  endpoint: string('The URL of a server that is compatible with S3, instead of AWS.').or('').advanced(),
  credentials: object('Who signs requests.', {
    profile: string('A profile of `~/.aws`, in pipelines that a person runs.').or('').advanced(),
    id: string('The id of the access key.').or(''),
    secret: string('The access key.').or('').secret(),
    token: string('The token of a session.').or('').secret(),
    from_ec2_role: bool('Whether the role of the machine is used, in pipelines that a person runs.')
      .or(false)
      .advanced(),
    role: string('The ARN of a role to assume.').or('').advanced(),
    role_external_id: string('What the owner of the role demands.').or('').advanced(),
    expiry_window: durationMs('How long before their end credentials are renewed.')
      .or('')
      .advanced()
      .withoutEffect('credentials of roles are renewed five minutes ahead'),
  }).advanced(),
};

type AwsSession = Values<typeof awsSessionFields>;

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
