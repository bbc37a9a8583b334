import type { Clock, Environment } from '@weir/core';
import type { LookupFor } from '../store-http/http-client.ts';
import { Renewed } from '../store-http/renewed.ts';
import { credentialsIn, findCredentials } from './credentials.ts';
import type { ExpiringCredentials } from './signature.ts';
import { Sts } from './sts.ts';

interface AwsCredentialsDeps {
  readonly clock: Clock;
  readonly environment: Environment;
  /** Whether the metadata service of the machine may be asked for credentials that are not found elsewhere. */
  readonly usesMetadataService?: boolean | undefined;
  readonly lookupFor?: LookupFor | undefined;
}

interface WantedCredentials {
  /** What they are for, in errors. */
  readonly subject: string;
  /** Where the Security Token Service is asked. */
  readonly region: string;
  /** The role to assume; those that are found are used themselves if it is absent. */
  readonly roleArn?: string | undefined;
  readonly durationSeconds?: number | undefined;
  readonly externalId?: string | undefined;
}

/** So long before they expire, credentials of a role are renewed. */
const renewAheadMs = 300_000;

/** The credentials of the environment or of files, or of a role that these may assume. */
export function awsCredentials(
  { subject, region, roleArn, durationSeconds, externalId }: WantedCredentials,
  { clock, environment, usesMetadataService = false, lookupFor }: AwsCredentialsDeps,
): Renewed<ExpiringCredentials> {
  const sts = new Sts({ clock, region, environment, subject, lookupFor });
  const fixed = credentialsIn(environment);
  const find =
    fixed === undefined
      ? findCredentials({ environment, clock, sts, usesMetadataService })
      : async () => fixed;
  const renew = async (signal: AbortSignal) => {
    const source = await find(signal);
    return roleArn === undefined
      ? source
      : sts.assumeRole(source, { roleArn, durationSeconds, externalId }, signal);
  };
  return new Renewed({ clock, subject, renew, renewAheadMs });
}
