import type { ReportedExpiry } from '@weir/cluster';
import {
  type Clock,
  type JitteredBackOff,
  jitteredBackOffMs,
  type Log,
  type MetricRow,
  type Metrics,
  type Random,
} from '@weir/core';
import { agentAudience, agentTokenPath, type ForwardProxy, tokenExchange } from '@weir/rpc';
import type { PlatformToken } from './platform-token.ts';
import { postForm } from './post-form.ts';

export interface AgentTokenOptions {
  readonly clusterId: string;
  /** URLs of the control plane, tried in turn. */
  readonly urls: () => readonly string[];
  readonly platformToken: PlatformToken;
  readonly proxy?: ForwardProxy | undefined;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export const refreshesRow: MetricRow<'outcome'> = {
  name: 'agent_token_refreshes_total',
  kind: 'counter',
  help: 'Attempts to exchange the token of the platform for one that admits this agent.',
  labels: ['outcome'],
};

/**
 * A token is replaced within this part of its lifetime, so that there is time for several attempts, and agents do not
 * refresh at the same time.
 */
const refreshPartMin = 0.5;
const refreshPartMax = 0.75;
const retryBackOff: JitteredBackOff = { firstMs: 500, maxMs: 15_000, jitter: 'half' };
/** Limit on the reason that a control plane returns for a refusal. */
const problemCharsMax = 300;

/**
 * Credential of an agent without a key: a token that the control plane issues in exchange for the identity token of the
 * agent's platform, and that is replaced well before it expires.
 */
export class AgentToken {
  readonly #options: AgentTokenOptions;
  readonly #stopping = new AbortController();
  readonly #held = Promise.withResolvers<void>();
  #token: { readonly text: string; readonly endMs: number; readonly lifetimeMs: number } | undefined;
  #problem = 'it was not given yet';
  #failures = 0;
  #isRefreshing = false;
  #cancel = () => {};

  constructor(options: AgentTokenOptions) {
    this.#options = options;
  }

  start(): void {
    void this.#refresh();
  }

  /** Resolves when there is a token for the first time. */
  whenHeld(): Promise<void> {
    return this.#held.promise;
  }

  /** Returns the token. Throws while there is no valid one. */
  current(): string {
    const token = this.#token;
    if (token === undefined || token.endMs <= this.#options.clock.monotonicMs()) {
      throw new Error(`no agent token: ${this.#problem}`);
    }
    return token.text;
  }

  /** Returns when the token expires; an empty list if there never was one. */
  expiry(): readonly ReportedExpiry[] {
    const token = this.#token;
    if (token === undefined) return [];
    const { clock } = this.#options;
    const expiresMs = Math.round(clock.nowMs() + token.endMs - clock.monotonicMs());
    return [{ name: 'agent token', expiresMs, issuedMs: expiresMs - token.lifetimeMs }];
  }

  /** Called when the control plane refuses the token before it expires. */
  refused(text: string): void {
    if (this.#token?.text !== text || this.#isRefreshing) return;
    this.#cancel();
    this.#retryLater();
  }

  stop(): void {
    this.#stopping.abort();
    this.#cancel();
  }

  async #refresh(): Promise<void> {
    const { clock, log, metrics, random } = this.#options;
    this.#isRefreshing = true;
    try {
      const { text, lifetimeMs } = await this.#exchanged();
      this.#token = { text, lifetimeMs, endMs: clock.monotonicMs() + lifetimeMs };
      this.#failures = 0;
      this.#held.resolve();
      metrics.series(refreshesRow, { outcome: 'ok' }).add(1);
      log.debug('renewed agent token', { lifetimeMs });
      const part = refreshPartMin + random.next() * (refreshPartMax - refreshPartMin);
      this.#later(part * lifetimeMs);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#problem = (error as Error).message;
      metrics.series(refreshesRow, { outcome: 'failed' }).add(1);
      log.warn('failed to renew agent token, retrying', { error: this.#problem });
      this.#retryLater();
    } finally {
      this.#isRefreshing = false;
    }
  }

  #retryLater(): void {
    this.#later(jitteredBackOffMs(this.#failures++, retryBackOff, this.#options.random));
  }

  #later(delayMs: number): void {
    if (this.#stopping.signal.aborted) return;
    this.#cancel = this.#options.clock.after(delayMs, () => void this.#refresh());
  }

  async #exchanged(): Promise<{ text: string; lifetimeMs: number }> {
    const { clusterId, urls, platformToken } = this.#options;
    const audience = agentAudience(clusterId);
    const form = new URLSearchParams({
      grant_type: tokenExchange.grantType,
      subject_token_type: tokenExchange.subjectTokenTypes[0],
      subject_token: await platformToken(audience, this.#stopping.signal),
      audience,
    });
    const problems: string[] = [];
    for (const url of urls()) {
      try {
        return await this.#exchangedAt(url, form);
      } catch (error) {
        problems.push((error as Error).message);
      }
    }
    throw new Error(problems.join('; '));
  }

  async #exchangedAt(address: string, form: URLSearchParams): Promise<{ text: string; lifetimeMs: number }> {
    const { proxy, clock } = this.#options;
    const base = new URL(address);
    if (!base.pathname.endsWith('/')) base.pathname += '/';
    const url = new URL(agentTokenPath, base);
    const { status, text } = await postForm({ url, form, proxy, clock, stop: this.#stopping.signal });
    const body = fieldsOf(text);
    const { access_token: token, expires_in: seconds, error_description: why } = body;
    if (status !== 200) {
      const detail = typeof why === 'string' ? `: ${why.slice(0, problemCharsMax)}` : '';
      throw new Error(`${url.origin}: no token, status ${status}${detail}`);
    }
    if (typeof token !== 'string' || typeof seconds !== 'number' || !(seconds > 0)) {
      throw new Error(`${url.origin}: the response has no access_token and expires_in`);
    }
    return { text: token, lifetimeMs: seconds * 1000 };
  }
}

function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}
