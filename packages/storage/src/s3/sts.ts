import { hash } from 'node:crypto';
import type { Clock, Environment } from '@weir/core';
import { StoreError } from '../store/store-error.ts';
import { endpointOf, isServer } from '../store-http/endpoint.ts';
import { escapeQuery } from '../store-http/escape.ts';
import { HttpClient, hostHeader } from '../store-http/http-client.ts';
import type { ExpiringCredentials } from './expiring-credentials.ts';
import { kindOfS3Error } from './s3-errors.ts';
import { awsDomain } from './s3-url.ts';
import { type Credentials, signRequest } from './signature.ts';
import { textOf } from './xml.ts';

interface StsOptions {
  readonly clock: Clock;
  readonly region: string;
  readonly environment: Environment;
  /** The URL of the bucket, which errors name. */
  readonly subject: string;
}

const responseBytesMax = 64 * 1024;
const timeoutMs = 10_000;

/** Exchanges credentials, or the token of a workload, for those of a role, at the Security Token Service. */
export class Sts {
  readonly #options: StsOptions;
  readonly #closed = new AbortController();

  constructor(options: StsOptions) {
    this.#options = options;
  }

  /** Ends requests under way. */
  close(): void {
    this.#closed.abort(new Error('the store was closed'));
  }

  assumeRole(
    source: Credentials,
    { roleArn, durationSeconds }: { readonly roleArn: string; readonly durationSeconds?: number | undefined },
  ): Promise<ExpiringCredentials> {
    const duration = durationSeconds === undefined ? {} : { DurationSeconds: String(durationSeconds) };
    return this.#request('AssumeRole', { RoleArn: roleArn, ...duration }, source);
  }

  /** The token is the proof, so that the request has no signature. */
  assumeRoleWithWebIdentity(roleArn: string, token: string): Promise<ExpiringCredentials> {
    return this.#request('AssumeRoleWithWebIdentity', { RoleArn: roleArn, WebIdentityToken: token });
  }

  async #request(
    action: string,
    parameters: Readonly<Record<string, string>>,
    signedBy?: Credentials,
  ): Promise<ExpiringCredentials> {
    const { clock, region, environment, subject } = this.#options;
    const { AWS_ENDPOINT_URL_STS, AWS_ROLE_SESSION_NAME } = environment;
    const server = AWS_ENDPOINT_URL_STS || `https://sts.${region}.${awsDomain(region)}`;
    if (!/^https?:/.test(server) || !isServer(server))
      throw new StoreError('invalid', subject, 'AWS_ENDPOINT_URL_STS is no URL of a server');
    const endpoint = endpointOf(new URL(server));
    const form = Object.entries({
      Action: action,
      Version: '2011-06-15',
      RoleSessionName: AWS_ROLE_SESSION_NAME || 'weir',
      ...parameters,
    })
      .map(([name, value]) => `${name}=${escapeQuery(value)}`)
      .join('&');
    const plain = { host: hostHeader(endpoint), 'content-type': 'application/x-www-form-urlencoded' };
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
              payloadHash: hash('sha256', form),
            },
          );
    const http = new HttpClient({ endpoint, clock, connectionsMax: 1 });
    const timeout = new AbortController();
    const cancel = clock.after(timeoutMs, () =>
      timeout.abort(new Error(`no response within ${timeoutMs} ms`)),
    );
    const failed = (problem: string) => `cannot assume ${parameters.RoleArn}: ${problem}`;
    try {
      const { status, body } = await http
        .request(
          {
            method: 'POST',
            path: '/',
            headers,
            content: [Buffer.from(form)],
            bodyBytesMax: responseBytesMax,
          },
          AbortSignal.any([timeout.signal, this.#closed.signal]),
        )
        .catch((error: Error) => {
          throw new StoreError('unavailable', subject, failed(error.message), { cause: error });
        });
      const xml = body.toString('utf8');
      if (status !== 200) {
        const code = textOf(xml, 'Code');
        const words = [status, code, textOf(xml, 'Message')].filter((word) => word !== '').join(' ');
        // A role that does not exist, or an invalid token, is a matter of permissions too.
        const kind = kindOfS3Error(status, code);
        throw new StoreError(
          kind === 'invalid' || kind === 'notFound' ? 'denied' : kind,
          subject,
          failed(`STS answered ${words}`),
        );
      }
      const credentials = credentialsOf(xml);
      if (credentials === undefined)
        throw new StoreError('unavailable', subject, failed('STS answered without credentials'));
      return credentials;
    } finally {
      cancel();
      http.close();
    }
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
