import type { Environment } from '@weir/core';
import type { Credentials } from './signature.ts';

/** Credentials in the environment that was passed in. */
export function credentialsIn(environment: Environment): Credentials | undefined {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = environment;
  if (!AWS_ACCESS_KEY_ID || !AWS_SECRET_ACCESS_KEY) return undefined;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
  };
}

/** Overrides for the files in `~/.aws`, and for the profile of `AWS_PROFILE`. */
interface ProfileFiles {
  readonly filepath?: string;
  readonly configFilepath?: string;
  readonly profile?: string;
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
 * Credentials from files of the user: a profile in `~/.aws`, or the token of `AWS_WEB_IDENTITY_TOKEN_FILE`. Unlike the
 * SDK's default chain, this one does not end at the metadata service of the machine or its container, and it rejects a
 * profile that names one as its source.
 */
export async function credentialsFromFiles(files: ProfileFiles = {}) {
  const [{ fromIni }, { fromTokenFile }, { getProfileName, parseKnownFiles }] = await Promise.all([
    import('@aws-sdk/credential-provider-ini'),
    import('@aws-sdk/credential-provider-web-identity'),
    import('@smithy/core/config'),
  ]);
  const fromProfile = async () => {
    const problem = metadataSourceProblem(await parseKnownFiles(files), getProfileName(files));
    if (problem !== undefined) throw new Error(problem);
    return fromIni(files)();
  };
  const sources = [fromProfile, fromTokenFile()];
  return async () => {
    for (const source of sources) {
      try {
        return await source();
      } catch (error) {
        // An invalid setting is an error; for a missing one the next source is tried.
        if ((error as { readonly tryNextLink?: boolean }).tryNextLink !== true) throw error;
      }
    }
    throw new Error('neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a profile in ~/.aws names any');
  };
}
