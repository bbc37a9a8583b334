import type { IncomingHttpHeaders } from 'node:http';
import { type Clock, coreLimits, type Log, utf8Text } from '@weir/core';
import { HttpProblem } from '@weir/http';
import { securityLimits } from './limits.ts';
import { anonymous, type Principal } from './principal.ts';
import type { PrincipalOf } from './principals.ts';
import { FailureLog, printable } from './sasl/failure-log.ts';
import type { LoginChecks } from './sasl/login-checks.ts';
import type { PasswordLogin } from './sasl/password-check.ts';

export type AuthenticationMethod = 'basic' | 'bearer' | 'mtls';
export type AuthenticationOutcome = 'success' | 'failure' | 'busy';

interface HttpLoginsOptions {
  /** What callers log in to, in answers and logs. */
  readonly service: string;
  readonly checks: Pick<LoginChecks, 'passwords' | 'checkToken'>;
  readonly principalOf: PrincipalOf;
  /** Whether callers must authenticate. Credentials that a caller sends are checked in any case. */
  readonly isRequired: boolean;
  /** Called for each password that was right. */
  readonly onPasswordLogin?: ((login: PasswordLogin) => void) | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each credential. */
  readonly onOutcome: (method: AuthenticationMethod, outcome: AuthenticationOutcome) => void;
}

/** A request as far as it matters here. */
interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly remoteAddress: string;
  /** The user of the client certificate. */
  readonly certificateUser: string | undefined;
  /** Whether this request needs credentials even if others do not. */
  readonly mustAuthenticate?: boolean;
}

/** Slows down guessing, as for Kafka. */
const refusalDelayMs = 100;

/** Who sends a request: by HTTP Basic, by a token, or else by a client certificate. */
export class HttpLogins {
  readonly #options: HttpLoginsOptions;
  readonly #failures: FailureLog;
  #delayed = 0;

  constructor(options: HttpLoginsOptions) {
    this.#options = options;
    this.#failures = new FailureLog(options);
  }

  /** Throws an `HttpProblem` with 401, or 503 if too many passwords wait to be checked. */
  async principalOf(caller: Caller): Promise<Principal> {
    const { principalOf, isRequired } = this.#options;
    const { authorization } = caller.headers;
    if (authorization !== undefined) return principalOf(await this.#userIn(authorization, caller));
    if (caller.certificateUser !== undefined) return principalOf(caller.certificateUser);
    if (!isRequired && caller.mustAuthenticate !== true) return anonymous;
    throw this.#unauthorized(`The ${this.#options.service} requires authentication.`);
  }

  async #userIn(authorization: string, caller: Caller): Promise<string> {
    const [, scheme = '', value = ''] = /^(\S+) +(\S+)$/.exec(authorization.trim()) ?? [];
    switch (scheme.toLowerCase()) {
      case 'basic':
        return await this.#basic(value, caller);
      case 'bearer':
        return await this.#bearer(value, caller);
      default:
        throw this.#unauthorized('Authenticate with HTTP Basic or with a bearer token.');
    }
  }

  async #basic(encoded: string, caller: Caller): Promise<string> {
    const text = utf8Text(Buffer.from(encoded, 'base64'));
    const colon = text?.indexOf(':') ?? -1;
    if (
      text === undefined ||
      colon <= 0 ||
      colon === text.length - 1 ||
      colon > coreLimits.principalNameCharsMax
    )
      return await this.#refuse(
        'basic',
        caller,
        undefined,
        'authorization header has no user name and password',
      );
    const user = text.slice(0, colon);
    const { remoteAddress } = caller;
    const answer = await this.#options.checks.passwords.check({
      user,
      password: text.slice(colon + 1),
      remoteAddress,
    });
    if (answer === 'wrong')
      return await this.#refuse('basic', caller, user, 'unknown user or wrong password');
    if (answer === 'busy') throw this.#busy('basic', 'Too many logins are queued; try again later.');
    this.#count('basic', 'success');
    this.#options.onPasswordLogin?.({ user, hasOldPassword: answer === 'old' });
    return user;
  }

  async #bearer(token: string, caller: Caller): Promise<string> {
    const { checkToken } = this.#options.checks;
    if (checkToken === undefined)
      return await this.#refuse('bearer', caller, undefined, 'no token issuer is configured');
    const checked = await checkToken(token);
    if (!('problem' in checked)) {
      this.#count('bearer', 'success');
      return checked.subject;
    }
    if (checked.isIssuerAway)
      throw this.#busy('bearer', 'The token cannot be validated now; try again later.');
    return await this.#refuse('bearer', caller, checked.subject, checked.problem);
  }

  /** The details go to the log only: they could reveal whether a user exists. */
  async #refuse(
    method: AuthenticationMethod,
    { remoteAddress }: Caller,
    user: string | undefined,
    reason: string,
  ): Promise<never> {
    this.#count(method, 'failure');
    this.#failures.log('failed to authenticate HTTP client', {
      service: this.#options.service,
      method,
      user: user === undefined ? undefined : printable(user),
      peer: remoteAddress,
      error: reason,
    });
    if (this.#delayed < securityLimits.delayedRefusalsMax) {
      this.#delayed++;
      await new Promise<void>((resolve) => this.#options.clock.after(refusalDelayMs, resolve));
      this.#delayed--;
    }
    throw this.#unauthorized('Invalid credentials.');
  }

  #busy(method: AuthenticationMethod, message: string): HttpProblem {
    this.#count(method, 'busy');
    return new HttpProblem(503, message, { headers: { 'retry-after': '1' } });
  }

  #count(method: AuthenticationMethod, outcome: AuthenticationOutcome): void {
    this.#options.onOutcome(method, outcome);
  }

  #unauthorized(message: string): HttpProblem {
    const basic = `Basic realm="${this.#options.service}", charset="UTF-8"`;
    const challenges = this.#options.checks.checkToken === undefined ? basic : `${basic}, Bearer`;
    return new HttpProblem(401, message, { headers: { 'www-authenticate': challenges } });
  }
}
