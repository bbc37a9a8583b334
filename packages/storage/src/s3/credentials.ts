import { readFile } from 'node:fs/promises';
import type { Clock, Environment } from '@weir/core';
import type { Credentials, ExpiringCredentials } from './signature.ts';
import type { Sts } from './sts.ts';

/** Credentials in the environment that was passed in. They stay. */
export function credentialsIn(environment: Environment): ExpiringCredentials | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
    expiresMs: Number.POSITIVE_INFINITY,
  };
}

interface ProfileFiles {
  readonly filepath?: string;
  readonly configFilepath?: string;
  readonly profile?: string;
}

/** The files and the profile that variables name instead of those in `~/.aws`. */
function profileFiles(environment: Environment): ProfileFiles {
  const { AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE, AWS_PROFILE } = environment;
  return {
    ...(AWS_SHARED_CREDENTIALS_FILE ? { filepath: AWS_SHARED_CREDENTIALS_FILE } : {}),
    ...(AWS_CONFIG_FILE ? { configFilepath: AWS_CONFIG_FILE } : {}),
    ...(AWS_PROFILE ? { profile: AWS_PROFILE } : {}),
  };
}

type Profile = Readonly<Record<string, string | undefined>>;
type Profiles = Readonly<Record<string, Profile | undefined>>;

/** Values of `credential_source` that are metadata services. */
const metadataSources: ReadonlySet<string | undefined> = new Set(['Ec2InstanceMetadata', 'EcsContainer']);

/**
 * Follows `source_profile` as the SDK does: after the first profile keys take precedence, and there they need no role.
 */
function metadataSourceProblem(profiles: Profiles, firstName: string): string | undefined {
  const visited = new Set<string>();
  for (let name: string | undefined = firstName; name !== undefined && !visited.has(name); ) {
    const profile: Profile = profiles[name] ?? {};
    const isFirst = visited.size === 0;
    const isRole = profile.role_arn !== undefined;
    if (profile.aws_access_key_id !== undefined && (!isFirst || !isRole)) return undefined;
    if (metadataSources.has(profile.credential_source) && (!isFirst || isRole)) {
      return `the profile ${name} takes credentials from ${profile.credential_source}, a metadata service, which only agents ask: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE to another profile`;
    }
    visited.add(name);
    name = profile.source_profile;
  }
  return undefined;
}

/**
 * Credentials from files of the user: a profile in `~/.aws`. Unless the metadata service may be asked, a profile that
 * names one as its source is rejected.
 */
async function credentialsOfProfile(
  files: ProfileFiles,
  usesMetadataService: boolean,
): Promise<SdkCredentials> {
  const [{ fromIni }, { getProfileName, parseKnownFiles }] = await Promise.all([
    import('@aws-sdk/credential-provider-ini'),
    import('@smithy/core/config'),
  ]);
  if (!usesMetadataService) {
    const problem = metadataSourceProblem(await parseKnownFiles(files), getProfileName(files));
    if (problem !== undefined) throw new Error(problem);
  }
  return fromIni(files)();
}

/** As the SDK returns them. Without an expiration they are valid until the files change. */
interface SdkCredentials extends Omit<Credentials, 'sessionToken'> {
  readonly sessionToken?: string | undefined;
  readonly expiration?: Date | undefined;
}

interface FoundCredentialsOptions {
  readonly environment: Environment;
  readonly clock: Clock;
  readonly sts: Sts;
  /** Whether credentials that are not found elsewhere may be requested from the metadata service of the machine. */
  readonly usesMetadataService: boolean;
}

/** What the SDK returns without an expiration is looked up again after this time. */
const filesMs = 900_000;

/**
 * Finds credentials that are not in the environment: of a profile in `~/.aws`, by the token of
 * `AWS_WEB_IDENTITY_TOKEN_FILE`, and, where the caller allows it, of the metadata service of the machine or its
 * container.
 */
export function findCredentials(
  options: FoundCredentialsOptions,
): (signal: AbortSignal) => Promise<ExpiringCredentials> {
  const { environment, clock, sts, usesMetadataService } = options;
  const fromSdk = ({ expiration, sessionToken, ...keys }: SdkCredentials): ExpiringCredentials => ({
    ...keys,
    ...(sessionToken === undefined ? {} : { sessionToken }),
    expiresMs: expiration?.getTime() ?? clock.nowMs() + filesMs,
  });
  const ofMetadataService = async () => {
    const { defaultProvider } = await import('@aws-sdk/credential-provider-node');
    return fromSdk(await defaultProvider()());
  };
  return async (signal) => {
    try {
      return fromSdk(await credentialsOfProfile(profileFiles(environment), usesMetadataService));
    } catch (error) {
      // An invalid setting is an error; for a missing one the next source is tried.
      if ((error as { readonly tryNextLink?: boolean }).tryNextLink !== true) throw error;
    }
    const { AWS_WEB_IDENTITY_TOKEN_FILE: tokenFile, AWS_ROLE_ARN: roleArn } = environment;
    if (tokenFile && roleArn) {
      // The platform replaces the file before the token expires.
      const token = await readFile(tokenFile, 'utf8');
      return sts.assumeRoleWithWebIdentity(roleArn, token.trim(), signal);
    }
    if (usesMetadataService) return ofMetadataService();
    throw new Error('neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a profile in ~/.aws names any');
  };
}
