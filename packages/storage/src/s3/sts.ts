import { hash } from 'node:crypto';
import type { Clock, Environment } from '@weir/core';
import { StoreError, type StoreErrorKind } from '../store/store-error.ts';
import { isServer } from '../store-http/endpoint.ts';
import { type LookupFor, problemOf } from '../store-http/http-client.ts';
import { exchangeOnce, formOf } from '../store-http/token-request.ts';
import { textOf } from '../store-http/xml.ts';
import { kindOfS3Error } from './s3-errors.ts';
import { awsDomain } from './s3-url.ts';
import { type Credentials, type ExpiringCredentials, signRequest } from './signature.ts';

interface StsOptions {
  readonly clock: Clock;
  readonly region: string;
  readonly environment: Environment;
  /** The URL of the bucket, which errors name. */
  readonly subject: string;
  /** Absent for the resolver of the system. */
  readonly lookupFor?: LookupFor | undefined;
}

interface AssumedRole {
  readonly roleArn: string;
  readonly durationSeconds?: number | undefined;
  /** What the owner of the role has given to whom may assume it. */
  readonly externalId?: string | undefined;
}

/** Exchanges credentials, or the token of a workload, for those of a role, at the Security Token Service. */
export class Sts {
  readonly #options: StsOptions;

  constructor(options: StsOptions) {
    this.#options = options;
  }

  assumeRole(
    source: Credentials,
    { roleArn, durationSeconds, externalId }: AssumedRole,
    signal: AbortSignal,
  ): Promise<ExpiringCredentials> {
    const duration = durationSeconds === undefined ? {} : { DurationSeconds: String(durationSeconds) };
    const external = externalId === undefined ? {} : { ExternalId: externalId };
    return this.#request('AssumeRole', { RoleArn: roleArn, ...duration, ...external }, signal, source);
  }

  /** The token is the proof, so that the request has no signature. */
  assumeRoleWithWebIdentity(
    roleArn: string,
    token: string,
    signal: AbortSignal,
  ): Promise<ExpiringCredentials> {
    const parameters = { RoleArn: roleArn, WebIdentityToken: token };
    return this.#request('AssumeRoleWithWebIdentity', parameters, signal);
  }

  async #request(
    action: string,
    parameters: Readonly<Record<string, string>>,
    signal: AbortSignal,
    signedBy?: Credentials,
  ): Promise<ExpiringCredentials> {
    const { clock, region, environment, subject, lookupFor } = this.#options;
    const { AWS_ENDPOINT_URL_STS, AWS_ROLE_SESSION_NAME } = environment;
    const server = AWS_ENDPOINT_URL_STS || `https://sts.${region}.${awsDomain(region)}`;
    if (!/^https?:/.test(server) || !isServer(server))
      throw new StoreError('invalid', subject, 'AWS_ENDPOINT_URL_STS is not the URL of a server');
    const url = new URL(server);
    const body = formOf({
      Action: action,
      Version: '2011-06-15',
      RoleSessionName: AWS_ROLE_SESSION_NAME || 'weir',
      ...parameters,
    });
    const plain = { host: url.host, 'content-type': 'application/x-www-form-urlencoded' };
    const headers =
      signedBy === undefined
        ? plain
        : signRequest(
            { method: 'POST', path: '/', headers: plain },
            {
              credentials: signedBy,
              service: 'sts',
              region,
              nowMs: clock.nowMs(),
              payloadHash: hash('sha256', body),
            },
          );
    const fail = (kind: StoreErrorKind, problem: string, cause?: unknown) =>
      new StoreError(kind, subject, `failed to assume ${parameters.RoleArn}: ${problem}`, { cause });
    const { status, text } = await exchangeOnce(
      { method: 'POST', url, headers, body },
      signal,
      lookupFor,
    ).catch((error: Error) => {
      signal.throwIfAborted();
      throw fail('unavailable', problemOf(error), error);
    });
    if (status !== 200) {
      const code = textOf(text, 'Code');
      const words = [status, code, textOf(text, 'Message')].filter((word) => word !== '').join(' ');
      // A role that does not exist, or an invalid token, is a matter of permissions too.
      const kind = kindOfS3Error(status, code);
      throw fail(kind === 'invalid' || kind === 'notFound' ? 'denied' : kind, `STS returned ${words}`);
    }
    const credentials = credentialsOf(text);
    if (credentials === undefined) throw fail('unavailable', 'the response of STS has no credentials');
    return credentials;
  }
}

/** The credentials in a response of STS, or of a session of S3 Express. */
export function credentialsOf(xml: string): ExpiringCredentials | undefined {
  const accessKeyId = textOf(xml, 'AccessKeyId');
  const secretAccessKey = textOf(xml, 'SecretAccessKey');
  const sessionToken = textOf(xml, 'SessionToken');
  const expiresMs = Date.parse(textOf(xml, 'Expiration'));
  // They become parts of headers.
  const areTexts = [accessKeyId, secretAccessKey, sessionToken].every((text) => /^[\x20-\x7e]+$/.test(text));
  if (!areTexts || Number.isNaN(expiresMs)) return undefined;
  return { accessKeyId, secretAccessKey, sessionToken, expiresMs };
}
