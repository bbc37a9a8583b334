import { type Clock, type Log, Metrics } from '@weir/core';
import { type Api, apis, type ErrorName } from '@weir/wire';
import { agentLimits } from '../../limits.ts';
import type { ClientSession } from '../session/client-session.ts';
import { type Conversation, type Done, type Failed, misspoken, type Step } from '../session/conversation.ts';
import { SaslSession } from '../session/sasl-session.ts';
import { FailureLog, printable } from './failure-log.ts';
import { type SaslMetrics, saslMetrics } from './sasl-metrics.ts';

/** Begins the conversation of a mechanism with the client at the other end of a connection. */
export type Mechanism = (session: ClientSession) => Conversation;

interface SaslOptions {
  /** Whether whoever has not logged in is served nothing but what he needs for it. */
  readonly isRequired: boolean;
  /** The mechanisms that are enabled, by their names. */
  readonly mechanisms: ReadonlyMap<string, Mechanism>;
  /** After this time clients have to log in again, or earlier when what they showed ends earlier; 0 for never. */
  readonly sessionMsMax: number;
  /** Told of every login, those included by which somebody stays who he is. */
  readonly onLogin?: (user: string, mechanism: string) => void;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

/** What a client is told of its token. */
export interface TokenAnswer {
  readonly error: ErrorName;
  readonly message: string | null;
  readonly token: Buffer;
  /** How long the login is good for; 0 for ever, or as long as there is none. */
  readonly lifetimeMs: number;
}

/** Who guesses has to wait for each answer: Kafka's `connection.failed.authentication.delay.ms`. */
const refusalDelayMs = 100;
/** A token may be taken some seconds after its end, and then gets a session all the same. */
const sessionMsMin = 1000;
const nothing = Buffer.alloc(0);

/**
 * Logins by SASL on all connections of an agent. What is allowed when is the table of sasl-session.ts; who is who is the business of the
 * mechanisms; here is what goes for all of them: sessions that end, stats, and the time that failures take.
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

  /** Whether a request may be served. If not, its connection ends. */
  admits(session: ClientSession, api: Api): boolean {
    if (api === apis.SaslHandshake || api === apis.SaslAuthenticate) return true;
    const sasl = session.sasl ?? untouched;
    const action = sasl.actionFor(api === apis.ApiVersions ? 'apiVersions' : 'otherRequest');
    if (action === 'serve') return true;
    if (action === 'serveUnlessRequired' && !this.#options.isRequired) return true;
    if (action !== 'serveUnlessExpired') {
      this.#metrics.unauthenticated.add(1);
      const fields = { peer: session.remoteAddress, api: api.name };
      this.#failures.tell('closed Kafka connection: client must authenticate first', fields);
      return false;
    }
    if (sasl.isExpired(this.#options.clock.monotonicMs())) {
      this.#metrics.expired.add(1);
      const fields = { peer: session.remoteAddress, user: printable(sasl.login!.user) };
      this.#failures.tell('closed Kafka connection: client did not re-authenticate in time', fields);
      return false;
    }
    return true;
  }

  /** The largest frame that may come next, when that is less than everybody's. */
  frameBytesMax(session: ClientSession): number | undefined {
    if (session.sasl?.takesTokens) return agentLimits.saslTokenBytesMax;
    const mustLogIn = this.#options.isRequired && session.sasl?.login === undefined;
    return mustLogIn ? agentLimits.frameBytesBeforeLoginMax : undefined;
  }

  /** SaslHandshake: the client chooses a mechanism, and in which way tokens follow. */
  handshake(session: ClientSession, mechanism: string, apiVersion: number): ErrorName {
    session.sasl ??= new SaslSession();
    const action = session.sasl.actionFor(apiVersion === 0 ? 'handshakeV0' : 'handshakeV1');
    if (action !== 'begin') {
      const message = 'a SaslHandshake out of its order';
      if (action !== 'refuse') this.#fail(session, session.sasl, 'other', misspoken(message));
      return 'ILLEGAL_SASL_STATE';
    }
    const begin = this.#options.mechanisms.get(mechanism);
    if (begin === undefined) {
      this.#fail(session, session.sasl, 'other', misspoken(`no mechanism "${printable(mechanism)}"`));
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
    const failure = misspoken('a SaslAuthenticate out of its order');
    if (action !== 'refuse') this.#fail(session, session.sasl, 'other', failure);
    return { error: 'ILLEGAL_SASL_STATE', message: failure.message, token: nothing, lifetimeMs: 0 };
  }

  /** A token without a header. There is no way to tell its sender what is wrong with it. */
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
      const step = await this.#judge(sasl, token);
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

  async #judge(sasl: SaslSession, token: Buffer): Promise<Step> {
    if (token.length > agentLimits.saslTokenBytesMax) {
      return misspoken(
        `a token has at most ${agentLimits.saslTokenBytesMax} bytes and this one has ${token.length}`,
      );
    }
    try {
      const step = await sasl.conversation.step(token);
      const problem = step.kind === 'done' ? sasl.problemOfRenewal(step.user) : undefined;
      return step.kind === 'done' && problem !== undefined ? misspoken(problem, step.user) : step;
    } catch (error) {
      // What broke is ours to know, and must not let anybody in.
      this.#options.log.error('failed to check login', { error: (error as Error).message });
      return misspoken('the login could not be checked; try again later');
    }
  }

  #succeed(session: ClientSession, sasl: SaslSession, { user, validUntilMs }: Done): number {
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
    this.#options.onLogin?.(user, mechanism);
    return isForever ? 0 : lifetimeMs;
  }

  /** Ends the login, and with its answer the connection. */
  #fail(session: ClientSession, sasl: SaslSession, mechanism: string, { reason, user }: Failed): void {
    sasl.end();
    this.#metrics.authentications(mechanism, 'failure').add(1);
    this.#failures.tell('failed to authenticate client', {
      mechanism,
      user: user === undefined ? undefined : printable(user),
      peer: session.remoteAddress,
      reason,
    });
  }

  #delay(closed: AbortSignal): Promise<'tell' | 'drop'> {
    if (this.#delayedRefusals >= agentLimits.delayedRefusalsMax) return Promise.resolve('drop');
    this.#delayedRefusals++;
    return new Promise((resolve) => {
      const end = () => {
        cancel();
        closed.removeEventListener('abort', end);
        this.#delayedRefusals--;
        resolve('tell');
      };
      const cancel = this.#options.clock.after(refusalDelayMs, end);
      closed.addEventListener('abort', end, { once: true });
    });
  }
}

/** For listeners at which nobody can log in. */
export function saslWithoutMechanisms(parts: Pick<SaslOptions, 'clock' | 'log'>): Sasl {
  return new Sasl({
    ...parts,
    isRequired: false,
    mechanisms: new Map(),
    sessionMsMax: 0,
    metrics: new Metrics(),
  });
}

/** Stands for the sessions of connections on which nobody has said anything about SASL. Never changed. */
const untouched = new SaslSession();

function accepted(token: Buffer, lifetimeMs: number): TokenAnswer {
  return { error: 'NONE', message: null, token, lifetimeMs };
}
