import { timingSafeEqual } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ApiError } from '@weir/api';
import type { Clock } from '@weir/core';
import type { AccountsDatabase } from '../accounts/open.ts';
import { hashSecret } from '../accounts/secrets/secrets.ts';
import type { User } from '../accounts/users/users.ts';
import type { RateLimits } from '../api-server/rate-limits.ts';
import { browserSessionOf } from '../api-server/session-cookie.ts';
import { remoteAddressOf } from '../http/remote-address.ts';
import { type Handler, routePath } from '../http/route-table.ts';
import { controlPlaneLimits } from '../limits.ts';
import { beginSession } from '../operations/account/begin-session.ts';

interface SignInLinkOptions {
  readonly accounts: Pick<AccountsDatabase, 'sessions'>;
  readonly user: User;
  readonly publicUrl: () => string;
  readonly limits: Pick<RateLimits, 'countAttempt'>;
  /** The last part of the path. */
  readonly token: string;
  readonly clock: Clock;
}

/** A link that signs one user in while the process lives, for a process whose only user reads its output. */
export function signInLink(options: SignInLinkOptions): Handler {
  const { accounts, user, publicUrl, limits, token, clock } = options;
  const isToken = (text: string) =>
    timingSafeEqual(Buffer.from(hashSecret(text)), Buffer.from(hashSecret(token)));

  return async (request, response) => {
    const remoteAddress = remoteAddressOf(request, false);
    try {
      if (request.method !== 'GET') throw new ApiError('method_not_allowed');
      const putBack = limits.countAttempt(remoteAddress, undefined);
      if (!isToken((request.url ?? '').slice(routePath('signInLink').length)))
        throw new ApiError('invalid_token');
      putBack('succeeded');
      const isSecure = publicUrl().startsWith('https:');
      const browser = browserSessionOf(request, response, { isSecure, clock });
      const userAgent = (request.headers['user-agent'] ?? '').slice(0, controlPlaneLimits.userAgentCharsMax);
      await beginSession(accounts, user, { browser, remoteAddress, userAgent });
      response.setHeader('location', '/');
      end(response, 303, 'You are signed in.');
    } catch (error) {
      const failure =
        error instanceof ApiError ? error : new ApiError('internal', undefined, { cause: error });
      end(response, failure.status, failure.message);
    }
  };
}

function end(response: ServerResponse, status: number, text: string): void {
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.setHeader('cache-control', 'no-store');
  response.setHeader('referrer-policy', 'no-referrer');
  response.writeHead(status).end(`${text}\n`);
}
