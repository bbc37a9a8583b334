import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import { agentAudience } from '@weir/metadata';
import { type Claims, checkToken, type Issuers, issuerNamedIn } from '@weir/oidc';
import type { Authorize } from '../agent-keys.ts';
import { isAgentToken, readAgentToken, signAgentToken } from './agent-tokens.ts';
import type { WorkloadIdentityBinding } from './binding.ts';
import { isKept } from './claim-rule.ts';

export interface TokenExchangeOptions {
  readonly bindings: () => readonly WorkloadIdentityBinding[];
  /** What tokens of a cluster are signed with. `undefined` as long as this process does not know it. */
  readonly secretOf: (clusterId: string) => Uint8Array | undefined;
  readonly issuers: Pick<Issuers, 'of'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface GivenToken {
  readonly token: string;
  readonly lifetimeMs: number;
}

/** Why no token is given. Whoever asks is told no more than the kind; the log says the rest. */
export type ExchangeRefusal = 'not admitted' | 'not ready';

const exchangesRow: MetricRow<'outcome'> = {
  name: 'agent_token_exchanges_total',
  kind: 'counter',
  help: 'Requests of agents for a token in exchange for that of their platform.',
  labels: ['outcome'],
};

/** Exchanges the token of a platform for one that admits an agent, and recognises the tokens that were given. */
export class TokenExchange {
  readonly #options: TokenExchangeOptions;

  constructor(options: TokenExchangeOptions) {
    this.#options = options;
  }

  async exchange(audience: string, subjectToken: string): Promise<GivenToken | ExchangeRefusal> {
    const { metrics, log } = this.#options;
    const result = await this.#judge(audience, subjectToken);
    const outcome = 'refusal' in result ? result.refusal.replace(' ', '_') : 'ok';
    metrics.series(exchangesRow, { outcome }).add(1);
    if ('refusal' in result) {
      log.info('an agent was given no token', { audience: audience.slice(0, 200), problem: result.why });
      return result.refusal;
    }
    log.info('an agent was given a token', { binding: result.binding, subject: result.subject });
    return result;
  }

  /** Admits by tokens. One that was given by a binding which is gone, or has become another, is worth nothing. */
  readonly authorize: Authorize = (clusterId, key) => {
    if (!isAgentToken(key)) return false;
    const { secretOf, bindings, clock } = this.#options;
    const secret = secretOf(clusterId);
    if (secret === undefined) return undefined;
    const claims = readAgentToken(key, secret);
    if (claims?.clusterId !== clusterId || claims.endMs <= clock.nowMs()) return false;
    return bindings().some(({ mark }) => mark === claims.bindingMark);
  };

  async #judge(audience: string, subjectToken: string): Promise<(GivenToken & Found) | Refused> {
    const { bindings, issuers, secretOf, clock } = this.#options;
    const ofCluster = bindings().filter(({ clusterId }) => agentAudience(clusterId) === audience);
    if (ofCluster.length === 0) return { refusal: 'not admitted', why: 'no binding is for this audience' };
    const named = issuerNamedIn(subjectToken);
    const ofIssuer = ofCluster.filter((binding) => binding.issuer === named);
    // Nobody is asked for keys whom no binding names, or anybody could make this process call any address.
    if (named === undefined || ofIssuer.length === 0)
      return { refusal: 'not admitted', why: 'no binding is for the issuer of the token' };
    const issuer = issuers.of(named);
    const problems: string[] = [];
    for (const binding of ofIssuer) {
      const { clusterId, mark, lifetimeMs, name } = binding;
      const checked = await checkToken(subjectToken, { issuer, audience: binding.audience, clock });
      if ('problem' in checked) {
        if (checked.isIssuerAway) return { refusal: 'not ready', why: checked.problem };
        problems.push(`${name}: ${checked.problem}`);
        continue;
      }
      const broken = brokenRule(binding, checked.claims);
      if (broken !== undefined) {
        problems.push(`${name}: ${broken}`);
        continue;
      }
      const secret = secretOf(clusterId);
      if (secret === undefined) return { refusal: 'not ready', why: 'the cluster is not known here yet' };
      const endMs = clock.nowMs() + lifetimeMs;
      const token = signAgentToken({ clusterId, bindingMark: mark, endMs }, secret);
      return { token, lifetimeMs, binding: name, subject: checked.subject.slice(0, 200) };
    }
    return { refusal: 'not admitted', why: problems.join('; ') };
  }
}

interface Found {
  readonly binding: string;
  readonly subject: string;
}

interface Refused {
  readonly refusal: ExchangeRefusal;
  readonly why: string;
}

function brokenRule({ rules }: WorkloadIdentityBinding, claims: Claims): string | undefined {
  const broken = rules.find((rule) => !isKept(rule, claims));
  return broken === undefined ? undefined : `the claim ${broken.path} is another one`;
}
