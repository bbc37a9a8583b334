import { ApiError } from '@weir/api';
import { authorizationUrl, CodeRefused, IssuerUnavailable, redeemCode } from '@weir/oidc';
import { isToken } from '../accounts/secrets/secrets.ts';
import type { SsoConnection } from '../accounts/sso/sso-connections.ts';
import { TokenBuckets } from '../api-server/token-buckets.ts';
import { placeOf } from '../http/remote-address.ts';
import { callbackUrlOf } from '../http/sign-in-paths.ts';
import { beginSession } from '../operations/account/begin-session.ts';
import { type PendingSignIn, PendingSignIns } from './pending-sign-in.ts';
import { personOf } from './person.ts';
import { returnPath } from './return-path.ts';
import type { SignInAudit } from './sign-in-audit.ts';
import type { SignInOptions } from './sign-in-options.ts';
import type { Visit } from './visit.ts';

/** Sign-ins that begin from one address. A company may share one address, and everyone signs in in the morning. */
const beginsPerPlace = { burst: 200, perSecond: 5 };

const identifierPattern = /^[a-z0-9-]{1,63}$/;

/**
 * The two halves of a sign-in: before and after the user is at the identity provider. Each returns where the browser
 * goes.
 */
export class SignInFlow {
  readonly #options: SignInOptions;
  readonly #audit: SignInAudit;
  readonly #pending: PendingSignIns | undefined;
  readonly #begins: TokenBuckets;

  constructor(options: SignInOptions, audit: SignInAudit) {
    const { secretBox, clock, randomBytes } = options;
    this.#options = options;
    this.#audit = audit;
    this.#pending = secretBox && new PendingSignIns(secretBox, clock, randomBytes);
    this.#begins = new TokenBuckets(beginsPerPlace, clock);
  }

  /** The path of the console. */
  home(): string {
    const path = URL.parse(this.#options.publicUrl())?.pathname ?? '/';
    return path.endsWith('/') ? path : `${path}/`;
  }

  async begin(visit: Visit, identifier: string): Promise<string> {
    const waitSeconds = this.#begins.take(placeOf(visit.remoteAddress));
    if (waitSeconds > 0) throw new ApiError('rate_limited', undefined, { retryAfterSeconds: waitSeconds });
    return this.#counted(visit, async () => {
      const connection = await this.#connectionCalled(visit, identifier);
      const pendingSignIns = this.#pendingSignIns();
      const { token } = visit.browser;
      const pending = pendingSignIns.begin({
        connectionId: connection.id,
        returnPath: returnPath(visit.query.get('return_to'), this.home()),
        // It is known now and not when the user comes back: then another site redirects the browser, and the session
        // cookie is not sent.
        replacedToken: token !== undefined && isToken(token) ? token : undefined,
      });
      const issuer = this.#options.issuers.of(connection.issuer);
      const client = { clientId: connection.clientId, redirectUrl: this.#callbackUrl(connection) };
      const wantedClaim = connection.hasRoleMapping ? connection.roleClaim : undefined;
      const location = await authorizationUrl({ issuer }, client, pending, wantedClaim);
      visit.pending.keep(pendingSignIns.seal(pending));
      return location;
    });
  }

  async finish(visit: Visit): Promise<string> {
    return this.#counted(visit, async () => {
      const { query } = visit;
      const connection = await this.#connectionCalled(visit, query.get('connection') ?? '');
      const pending = this.#pendingSignIns().open(visit.pending.value, query.get('state'));
      if (pending === undefined || pending.connectionId !== connection.id)
        throw new ApiError(
          'invalid_token',
          'This sign-in was started in another browser, or has expired; sign in again.',
        );
      try {
        refuseRefusal(query.get('error'));
        return await this.#signIn(visit, connection, pending);
      } finally {
        // Used once, whatever the outcome.
        visit.pending.forget();
      }
    });
  }

  async #signIn(visit: Visit, connection: SsoConnection, pending: PendingSignIn): Promise<string> {
    const { user, note } = await this.#userOf(visit, connection, pending);
    const browser = { ...visit.browser, token: visit.browser.token ?? pending.replacedToken };
    await beginSession(this.#options.accounts, user, { ...visit, browser });
    await this.#audit.signedIn(visit, connection, user, note);
    return pending.returnPath;
  }

  async #userOf(visit: Visit, connection: SsoConnection, pending: PendingSignIn) {
    const { accounts, issuers, clock } = this.#options;
    const clientSecret = await this.#clientSecretOf(connection);
    const client = {
      clientId: connection.clientId,
      clientSecret,
      redirectUrl: this.#callbackUrl(connection),
    };
    const known = await redeemCode(
      { issuer: issuers.of(connection.issuer), clock, stop: visit.stop },
      client,
      pending,
      { code: visit.query.get('code') ?? '', saidIssuer: visit.query.get('iss') ?? undefined },
    );
    const person = await personOf(known, connection);
    visit.email = person.email;
    const { user, retainedLastAdministrator } = await accounts.ssoSignIns.signIn(connection, person);
    const note = retainedLastAdministrator
      ? `The claim ${connection.roleClaim} grants no administrator role; the last administrator keeps the role.`
      : '';
    return { user, note };
  }

  /** Rate-limits an attempt like a password attempt, and reports failures in words for the user. */
  async #counted(visit: Visit, attempt: () => Promise<string>): Promise<string> {
    const putBack = this.#options.limits.countAttempt(visit.remoteAddress, undefined);
    try {
      const location = await attempt();
      putBack('succeeded');
      return location;
    } catch (thrown) {
      const error = toApiError(thrown);
      if (!isWrongGuess(error)) putBack('not decided');
      throw error;
    }
  }

  async #connectionCalled(visit: Visit, identifier: string): Promise<SsoConnection> {
    const { ssoConnections } = this.#options.accounts;
    const connection = identifierPattern.test(identifier)
      ? await ssoConnections.findByIdentifier(identifier)
      : undefined;
    if (connection === undefined) throw new ApiError('not_found', 'Sign-in connection not found.');
    visit.connection = connection;
    return connection;
  }

  async #clientSecretOf(connection: SsoConnection): Promise<string> {
    try {
      return await this.#options.accounts.ssoConnections.clientSecretOf(connection);
    } catch (error) {
      if (error instanceof ApiError) throw error;
      const why = 'The client secret cannot be decrypted; an administrator must enter it again.';
      throw new ApiError('unavailable', why, { cause: error });
    }
  }

  #callbackUrl(connection: SsoConnection): string {
    return callbackUrlOf(this.#options.publicUrl(), connection);
  }

  #pendingSignIns(): PendingSignIns {
    if (this.#pending === undefined) throw new ApiError('no_sealing_keys', signInIsOff);
    return this.#pending;
  }
}

/** A visitor cannot fix it, and has to ask an administrator. */
const signInIsOff =
  'Single sign-on is off: the control plane was started without -sealingKeysFile. Sign in with a password until its operator sets the flag.';

/** The issuer may redirect users back with an error instead of a code. It is not authenticated. */
function refuseRefusal(word: string | null): void {
  if (word === null) return;
  const shown = /^[a-z_]{1,64}$/.test(word) ? ` (${word})` : '';
  throw new ApiError('invalid_credentials', `The identity provider did not sign you in${shown}.`);
}

function toApiError(thrown: unknown): unknown {
  if (thrown instanceof CodeRefused)
    return new ApiError('invalid_token', 'The identity provider returned no valid identity token.', {
      cause: thrown,
    });
  if (thrown instanceof IssuerUnavailable)
    return new ApiError('unavailable', 'The identity provider is not reachable; try again.', {
      cause: thrown,
    });
  return thrown;
}

function isWrongGuess(error: unknown): boolean {
  return error instanceof ApiError && (error.code === 'invalid_token' || error.code === 'not_found');
}
