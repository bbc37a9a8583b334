import { readFile } from 'node:fs/promises';
import type { ClientTls, SaslLogin } from '@weir/client';
import { type Clock, Failure, withSecrets } from '@weir/core';
import { type Credentials, isMskHost, mskPayload } from '@weir/storage';
import type { Credential, SourceCredentials, SourceMechanism } from './source-credentials.ts';

/** What credentials are looked up in. Their values stay in this process. */
export interface CredentialStore {
  /** The value of a variable of the agent, by its whole name. */
  readonly variable: (name: string) => string | undefined;
  /** The values of the named secrets that the configuration refers to. */
  readonly secrets: Readonly<Record<string, string>>;
  /** Credentials of the agent itself, for `aws-msk-iam` without a key. Absent if it lends them to no pipeline. */
  readonly lentAwsCredentials?: (() => Promise<Credentials>) | undefined;
  readonly clock: Clock;
}

export interface SourceLogin {
  readonly tls: ClientTls | undefined;
  readonly login: SaslLogin | undefined;
}

/** TLS and the login are independent: neither needs a client certificate. Throws a `Failure` of one line. */
export async function sourceLogin(
  credentials: SourceCredentials | undefined,
  store: CredentialStore,
): Promise<SourceLogin> {
  if (credentials === undefined) return { tls: undefined, login: undefined };
  return { tls: await tlsOf(credentials, store), login: await loginOf(credentials, store) };
}

const passwordMechanisms = {
  plain: 'PLAIN',
  'scram-256': 'SCRAM-SHA-256',
  'scram-512': 'SCRAM-SHA-512',
} as const satisfies Partial<Record<SourceMechanism, string>>;

async function loginOf(
  credentials: SourceCredentials,
  store: CredentialStore,
): Promise<SaslLogin | undefined> {
  const { mechanism, username, password } = credentials;
  switch (mechanism) {
    case undefined:
      return undefined;
    case 'plain':
    case 'scram-256':
    case 'scram-512':
      return {
        mechanism: passwordMechanisms[mechanism],
        username: secretOf(username, store),
        password: secretOf(password, store),
      };
    case 'oauthbearer':
      // A file of tokens is written anew before the token in it expires, so every login reads it again.
      return { mechanism: 'OAUTHBEARER', token: async () => (await contentOf(password, store)).trim() };
    case 'aws-msk-iam': {
      const lent = store.lentAwsCredentials;
      if (password === undefined) {
        if (lent === undefined)
          throw new Failure(
            'aws-msk-iam needs sasl_username_env and sasl_password_env, or agents with -lendAWSCredentials: this one lends no credentials',
          );
        if (credentials.skipsVerification)
          throw new Failure('an agent lends its credentials of AWS only without tls_insecure_skip_verify');
      }
      const own = async (): Promise<Credentials> => ({
        accessKeyId: secretOf(username, store),
        secretAccessKey: secretOf(password, store),
        ...(credentials.sessionToken && { sessionToken: secretOf(credentials.sessionToken, store) }),
      });
      const find = async (host: string): Promise<Credentials> => {
        if (password !== undefined) return own();
        // The configuration names the host, and may be that of a tenant.
        if (!isMskHost(host))
          throw new Failure(
            `an agent lends its credentials of AWS to brokers of Amazon MSK only: ${host} is none`,
          );
        return lent!();
      };
      return {
        mechanism: 'AWS_MSK_IAM',
        payload: async (host) =>
          mskPayload(host, {
            credentials: await find(host),
            region: credentials.awsRegion,
            regionSetting: 'source_cluster_credentials.aws_region',
            nowMs: store.clock.nowMs(),
          }),
      };
    }
  }
}

async function tlsOf(credentials: SourceCredentials, store: CredentialStore): Promise<ClientTls | undefined> {
  const { usesTls, skipsVerification, trustedCertificates, clientCertificate, clientKey } = credentials;
  if (!usesTls) return undefined;
  const pem = async (credential: Credential | undefined) =>
    credential && Buffer.from(await contentOf(credential, store));
  const [authorities, certificate, privateKey] = [
    await pem(trustedCertificates),
    await pem(clientCertificate),
    await pem(clientKey),
  ];
  return {
    skipsVerification,
    ...(authorities && { authorities }),
    ...(certificate && { certificate }),
    ...(privateKey && { privateKey }),
  };
}

function secretOf(credential: Credential | undefined, { variable, secrets }: CredentialStore): string {
  if (credential === undefined) return '';
  if (credential.kind === 'text') return withSecrets(credential.text, secrets);
  const value = variable(credential.name);
  if (value === undefined || value === '')
    throw new Failure(`the environment variable ${credential.name} of the agents is not set`);
  return value;
}

/**
 * The content itself, or of the file that it names. Only variables name files, which operators of agents set: a
 * configuration must not make an agent read its files.
 */
async function contentOf(credential: Credential | undefined, store: CredentialStore): Promise<string> {
  const value = secretOf(credential, store);
  const isFile = credential?.kind === 'variable' && /^[/.~]|^[A-Za-z]:\\/.test(value);
  if (!isFile) return value;
  try {
    return await readFile(value, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new Failure(`failed to read the file that ${credential.name} names: ${code ?? 'unknown error'}`);
  }
}
