import { type Clock, type Log, Metrics } from '@weir/core';
import { type Api, apis, type ErrorName } from '@weir/wire';
import { securityLimits } from '../limits.ts';
import type { ClientSession } from '../session/client-session.ts';
import { type Conversation, type Done, type Failed, misspoken, type Step } from '../session/conversation.ts';
import { SaslSession } from '../session/sasl-session.ts';
import { FailureLog, printable } from './failure-log.ts';
import type { PasswordLogin } from './password-check.ts';
import { type SaslMetrics, saslMetrics } from './sasl-metrics.ts';

/** Begins a conversation of a mechanism with the client of a connection. */
export type Mechanism = (session: ClientSession) => Conversation;

/** A login that succeeded. */
interface Login extends PasswordLogin {
  readonly mechanism: string;
}

interface SaslOptions {
  /** Whether an unauthenticated client is served only the requests that it needs to authenticate. */
  readonly isRequired: boolean;
  /** Enabled mechanisms by name. */
  readonly mechanisms: ReadonlyMap<string, Mechanism>;
  /** Clients must re-authenticate after this time, or earlier if their credential expires earlier; 0 for never. */
  readonly sessionMsMax: number;
  /** Called for every login, including re-authentications. */
  readonly onLogin?: (login: Login) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** The response to a token. */
export interface TokenAnswer {
  readonly error: ErrorName;
  readonly message: string | null;
  readonly token: Buffer;
  /** Lifetime of the session; 0 if it is unlimited, or if the login is not complete. */
  readonly lifetimeMs: number;
}

/** Slows down guessing: Kafka's `connection.failed.authentication.delay.ms`. */
const refusalDelayMs = 100;
/** A token may be accepted some seconds after its expiry, and still gets a session. */
const sessionMsMin = 1000;
const nothing = Buffer.alloc(0);

/**
 * SASL logins on all connections of an agent. The state table is in sasl-session.ts and the mechanisms identify users;
 * this class has what all mechanisms share: session expiry, metrics, and the delay of failures.
 */
export class Sasl {
  readonly #options: SaslOptions;
  readonly #metrics: SaslMetrics;
  readonly #failures: FailureLog;
  #delayedRefusals = 0;

  constructor(options: SaslOptions) {
    this.#options = options;
    this.#metrics = saslMetrics(options.metrics);
    this.#failures = new FailureLog(options);
  }

  get mechanisms(): readonly string[] {
    return [...this.#options.mechanisms.keys()];
  }

  /** Whether a request may be served. If not, the connection is closed. */
  admits(session: ClientSession, api: Api): boolean {
    if (api === apis.SaslHandshake || api === apis.SaslAuthenticate) return true;
    const sasl = session.sasl ?? untouched;
    const action = sasl.actionFor(api === apis.ApiVersions ? 'apiVersions' : 'otherRequest');
    if (action === 'serve') return true;
    if (action === 'serveUnlessRequired' && !this.#options.isRequired) return true;
    if (action !== 'serveUnlessExpired') {
      this.#metrics.unauthenticated.add(1);
      const fields = { peer: session.remoteAddress, api: api.name };
      this.#failures.log('closed Kafka connection: client must authenticate first', fields);
      return false;
    }
    if (sasl.isExpired(this.#options.clock.monotonicMs())) {
      this.#metrics.expired.add(1);
      const fields = { peer: session.remoteAddress, user: printable(sasl.login!.user) };
      this.#failures.log('closed Kafka connection: client did not re-authenticate in time', fields);
      return false;
    }
    return true;
  }

  /** Size limit of the next frame, if it is below the general limit. */
  frameBytesMax(session: ClientSession): number | undefined {
    if (session.sasl?.takesTokens) return securityLimits.saslTokenBytesMax;
    const mustLogIn = this.#options.isRequired && session.sasl?.login === undefined;
    return mustLogIn ? securityLimits.frameBytesBeforeLoginMax : undefined;
  }

  /** SaslHandshake: the client chooses a mechanism, and by the version how tokens follow. */
  handshake(session: ClientSession, mechanism: string, apiVersion: number): ErrorName {
    session.sasl ??= new SaslSession();
    const action = session.sasl.actionFor(apiVersion === 0 ? 'handshakeV0' : 'handshakeV1');
    if (action !== 'begin') {
      const message = 'unexpected SaslHandshake';
      if (action !== 'refuse') this.#fail(session, session.sasl, 'other', misspoken(message));
      return 'ILLEGAL_SASL_STATE';
    }
    const begin = this.#options.mechanisms.get(mechanism);
    if (begin === undefined) {
      this.#fail(
        session,
        session.sasl,
        'other',
        misspoken(`unsupported mechanism "${printable(mechanism)}"`),
      );
      return 'UNSUPPORTED_SASL_MECHANISM';
    }
    session.sasl.begin(mechanism, begin(session), apiVersion === 0 ? 'raw' : 'inRequests');
    return 'NONE';
  }

  /** SaslAuthenticate: the next token. */
  async authenticate(
    session: ClientSession,
    token: Buffer,
    closed: AbortSignal,
  ): Promise<TokenAnswer | 'close'> {
    session.sasl ??= new SaslSession();
    const action = session.sasl.actionFor('authenticate');
    if (action === 'step') return this.#step(session, session.sasl, token, closed);
    const failure = misspoken('unexpected SaslAuthenticate');
    if (action !== 'refuse') this.#fail(session, session.sasl, 'other', failure);
    return { error: 'ILLEGAL_SASL_STATE', message: failure.message, token: nothing, lifetimeMs: 0 };
  }

  /** Takes a token without a Kafka header. An error cannot be reported to the client, so the connection is closed. */
  async takeToken(session: ClientSession, token: Buffer, closed: AbortSignal): Promise<Buffer | 'close'> {
    const answer = await this.#step(session, session.sasl!, token, closed);
    return answer === 'close' || answer.error !== 'NONE' ? 'close' : answer.token;
  }

  async #step(
    session: ClientSession,
    sasl: SaslSession,
    token: Buffer,
    closed: AbortSignal,
  ): Promise<TokenAnswer | 'close'> {
    const { mechanism } = sasl;
    sasl.isBusy = true;
    try {
      const step = await this.#evaluate(sasl, token);
      if (step.kind === 'challenge') return accepted(step.token, 0);
      if (step.kind === 'done') return accepted(step.token, this.#succeed(session, sasl, step));
      this.#fail(session, sasl, mechanism, step);
      if ((await this.#delay(closed)) === 'drop') return 'close';
      return {
        error: 'SASL_AUTHENTICATION_FAILED',
        message: step.message,
        token: nothing,
        lifetimeMs: 0,
      };
    } finally {
      sasl.isBusy = false;
    }
  }

  async #evaluate(sasl: SaslSession, token: Buffer): Promise<Step> {
    if (token.length > securityLimits.saslTokenBytesMax) {
      return misspoken(
        `SASL token of ${token.length} bytes exceeds the limit of ${securityLimits.saslTokenBytesMax}`,
      );
    }
    try {
      const step = await sasl.conversation.step(token);
      const problem = step.kind === 'done' ? sasl.problemOfRenewal(step.user) : undefined;
      return step.kind === 'done' && problem !== undefined ? misspoken(problem, step.user) : step;
    } catch (error) {
      // An internal error is logged but not revealed, and must not authenticate the client.
      this.#options.log.error('failed to check login', { error: (error as Error).message });
      return misspoken('login could not be checked; try again later');
    }
  }

  #succeed(session: ClientSession, sasl: SaslSession, login: Done): number {
    const { user, validUntilMs, hasOldPassword, isToken } = login;
    const { clock, sessionMsMax } = this.#options;
    const { mechanism } = sasl;
    const credentialMs = (validUntilMs ?? Number.POSITIVE_INFINITY) - clock.nowMs();
    const settingMs = sessionMsMax > 0 ? sessionMsMax : Number.POSITIVE_INFINITY;
    const lifetimeMs = Math.floor(Math.max(sessionMsMin, Math.min(credentialMs, settingMs)));
    const isForever = !Number.isFinite(lifetimeMs);
    this.#metrics.authentications(mechanism, sasl.login === undefined ? 'success' : 'renewed').add(1);
    const expiresMs = isForever ? undefined : clock.monotonicMs() + lifetimeMs;
    sasl.succeed({ user, mechanism, expiresMs });
    session.user = user;
    session.hasToken = isToken;
    // A token is no use of the credential of its owner.
    if (!isToken) this.#options.onLogin?.({ user, mechanism, hasOldPassword });
    return isForever ? 0 : lifetimeMs;
  }

  /** Fails the login. The connection is closed after the response. */
  #fail(session: ClientSession, sasl: SaslSession, mechanism: string, { reason, user }: Failed): void {
    sasl.end();
    this.#metrics.authentications(mechanism, 'failure').add(1);
    this.#failures.log('failed to authenticate client', {
      mechanism,
      user: user === undefined ? undefined : printable(user),
      peer: session.remoteAddress,
      error: reason,
    });
  }

  #delay(closed: AbortSignal): Promise<'respond' | 'drop'> {
    if (this.#delayedRefusals >= securityLimits.delayedRefusalsMax) return Promise.resolve('drop');
    this.#delayedRefusals++;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        closed.removeEventListener('abort', end);
        this.#delayedRefusals--;
        resolve('respond');
      };
      const cancel = this.#options.clock.after(refusalDelayMs, end);
      closed.addEventListener('abort', end, { once: true });
    });
  }
}

/** For listeners without SASL. */
export function saslWithoutMechanisms(parts: Pick<SaslOptions, 'clock' | 'log'>): Sasl {
  return new Sasl({
    ...parts,
    isRequired: false,
    mechanisms: new Map(),
    sessionMsMax: 0,
    metrics: new Metrics(),
  });
}

/** The state of connections without any SASL request. Never changed. */
const untouched = new SaslSession();

function accepted(token: Buffer, lifetimeMs: number): TokenAnswer {
  return { error: 'NONE', message: null, token, lifetimeMs };
}
