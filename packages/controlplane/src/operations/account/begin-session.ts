import type { AccountsDatabase } from '../../accounts/open.ts';
import type { Session } from '../../accounts/users/sessions.ts';
import type { User } from '../../accounts/users/users.ts';
import type { CallContext } from '../call-context.ts';

/** Signs a user in: the browser gets a new token, and its previous one becomes invalid. */
export async function beginSession(
  { sessions }: Pick<AccountsDatabase, 'sessions'>,
  user: User,
  { browser, remoteAddress, userAgent }: Pick<CallContext, 'browser' | 'remoteAddress' | 'userAgent'>,
): Promise<Session> {
  const { session, token } = await sessions.begin({
    userId: user.id,
    remoteAddress,
    userAgent,
    ...(browser.token === undefined ? {} : { replacedToken: browser.token }),
  });
  browser.begin(token, session.expiresMs);
  return session;
}
