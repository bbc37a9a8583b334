import type { Credentials } from '@weir/storage';
import type { ComponentContext } from '../component/component-context.ts';
import { object, type Values } from '../component/field.ts';
import { bool, durationMs, string } from '../component/field-types.ts';

/** The fields that every component of AWS has. */
export const awsSessionFields = {
  region: string('The region, such as `eu-west-1`.').or(''),
  endpoint: string('The URL of a server that is compatible, instead of AWS.').or('').advanced(),
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

/** The same where requests are always signed. An agent signs nothing for a pipeline with credentials of its own. */
export const ownSessionFields = {
  ...awsSessionFields,
  credentials: awsSessionFields.credentials.check(({ id, secret }, { isLocal }) =>
    !isLocal && (id === '' || secret === '') ? 'needs id and secret in managed pipelines' : undefined,
  ),
};

export type AwsSession = Values<typeof awsSessionFields>;

type Context = Pick<ComponentContext, 'clock' | 'environment' | 'outbound'>;

/** The credentials of a configuration, which are renewed before they expire. */
interface AwsIdentity {
  get(signal?: AbortSignal): Promise<Credentials>;
  close(): void;
}

/**
 * Managed pipelines have the credentials of their configuration and no others; those that a person runs find them as
 * other programs of this person do.
 */
export async function awsIdentity(
  { region, credentials }: Pick<AwsSession, 'region' | 'credentials'>,
  subject: string,
  { clock, environment, outbound }: Context,
): Promise<AwsIdentity> {
  const { id, secret, token, profile, role, role_external_id: externalId, from_ec2_role } = credentials;
  const isGiven = id !== '' && secret !== '';
  if (environment === undefined && !isGiven)
    throw new Error('credentials are missing: set credentials.id and credentials.secret');
  if (environment === undefined && from_ec2_role)
    throw new Error('managed pipelines cannot use the credentials of the machine that runs them');
  const { awsCredentials } = await import('@weir/storage');
  const renewed = awsCredentials(
    {
      subject,
      region,
      ...(role !== '' && { roleArn: role }),
      ...(externalId !== '' && { externalId }),
    },
    {
      clock,
      environment: isGiven
        ? {
            AWS_ACCESS_KEY_ID: id,
            AWS_SECRET_ACCESS_KEY: secret,
            ...(token !== '' && { AWS_SESSION_TOKEN: token }),
          }
        : { ...environment, ...(profile !== '' && { AWS_PROFILE: profile }) },
      usesMetadataService: from_ec2_role,
      lookupFor: (host, port) => outbound.lookupFor(host, port),
    },
  );
  return { get: (signal) => renewed.get(signal), close: () => renewed.close() };
}
