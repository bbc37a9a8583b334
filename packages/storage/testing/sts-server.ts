import type { Clock } from '@weir/core';
import { serve } from './http-server.ts';
import { verifySignature } from './signed-request.ts';

interface StsServerOptions {
  readonly clock: Clock;
  /** Secrets by access key, of those that may assume roles. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The token that proves an identity. */
  readonly webIdentityToken?: string;
}

/**
 * The part of the Security Token Service that gives out the credentials of roles. It verifies signatures, and counts
 * the credentials: those of the first role have the key `role-1`.
 */
export async function startStsServer({ clock, secrets, webIdentityToken }: StsServerOptions) {
  const asked: URLSearchParams[] = [];
  const server = await serve(({ request, body, response }) => {
    const form = new URLSearchParams(String(body));
    asked.push(form);
    const problem = sts.isDown ? 'down' : problemWith(form);
    if (problem !== undefined) {
      const [status, code] = sts.isDown ? [503, 'ServiceUnavailable'] : [403, 'AccessDenied'];
      response.writeHead(status as number);
      response.end(
        `<ErrorResponse><Error><Code>${code}</Code><Message>${problem}</Message></Error></ErrorResponse>`,
      );
      return;
    }
    sts.issued++;
    const expiresMs = clock.nowMs() + Number(form.get('DurationSeconds') ?? 3600) * 1000;
    const action = form.get('Action');
    response.end(
      `<${action}Response xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><${action}Result><Credentials>` +
        `<AccessKeyId>role-${sts.issued}</AccessKeyId><SecretAccessKey>${secretOfRole(`role-${sts.issued}`)}</SecretAccessKey>` +
        `<SessionToken>token&amp;${sts.issued}</SessionToken>` +
        `<Expiration>${new Date(expiresMs).toISOString()}</Expiration>` +
        `</Credentials></${action}Result></${action}Response>`,
    );

    function problemWith(form: URLSearchParams): string | undefined {
      if (request.method !== 'POST' || form.get('Version') !== '2011-06-15') return 'no request of STS';
      if (!form.get('RoleSessionName')) return 'no session name';
      if (form.get('Action') === 'AssumeRoleWithWebIdentity') {
        if (request.headers.authorization !== undefined) return 'the token is the proof';
        return form.get('WebIdentityToken') === sts.webIdentityToken ? undefined : 'another token';
      }
      const signed = verifySignature(request, body, (id) => secrets[id] ?? secretOfRole(id));
      if (typeof signed === 'string') return signed;
      return signed.service === 'sts' ? undefined : 'signed for another service';
    }
  });
  const sts = {
    asked,
    /** Credentials that were given out. */
    issued: 0,
    isDown: false,
    webIdentityToken,
    url: `http://127.0.0.1:${server.port}`,
    stop: server.stop,
  };
  return sts;
}

/** The secret and the session token of credentials that the server gave out. */
export function secretOfRole(accessKeyId: string): string | undefined {
  return accessKeyId.startsWith('role-') ? `secret/${accessKeyId}+` : undefined;
}
