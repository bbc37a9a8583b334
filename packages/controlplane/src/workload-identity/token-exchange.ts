import type { Clock, Log, MetricRow, Metrics } from '@weir/core';
import { agentAudience } from '@weir/metadata';
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Authorize } from '../agent-keys.ts';
import { isAgentToken, readAgentToken, signAgentToken } from './agent-tokens.ts';
import type { WorkloadIdentityBinding } from './binding.ts';
import { isKept } from './claim-rule.ts';
import { type IssuerKeys, IssuerUnavailable } from './issuer-keys.ts';

export interface TokenExchangeOptions {
  readonly bindings: () => readonly WorkloadIdentityBinding[];
  /** What tokens of a cluster are signed with. `undefined` as long as this process does not know it. */
  readonly secretOf: (clusterId: string) => Uint8Array | undefined;
  readonly keys: Pick<IssuerKeys, 'of'>;
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

/** Platforms and control planes disagree by this much about the time. */
const skewSeconds = 30;
/** Symmetric ones and `none` are not among them: what an issuer publishes must not be able to sign. */
const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'];

/** Exchanges the token of a platform for one that admits an agent, and recognises the tokens that were given. */
export class TokenExchange {
  readonly #options: TokenExchangeOptions;

  constructor(options: TokenExchangeOptions) {
    this.#options = options;
  }

  async exchange(audience: string, subjectToken: string): Promise<GivenToken | ExchangeRefusal> {
    const { metrics, log } = this.#options;
    const result = await this.#judge(audience, subjectToken).catch((error: Error): Refused => {
      const refusal = error instanceof IssuerUnavailable ? 'not ready' : 'not admitted';
      return { refusal, why: error.message };
    });
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
    const { bindings, secretOf, clock } = this.#options;
    const ofCluster = bindings().filter(({ clusterId }) => agentAudience(clusterId) === audience);
    if (ofCluster.length === 0) return { refusal: 'not admitted', why: 'no binding is for this audience' };
    const issuer = issuerIn(subjectToken);
    const ofIssuer = ofCluster.filter((binding) => binding.issuer === issuer);
    // Nobody is asked for keys whom no binding names, or anybody could make this process call any address.
    if (ofIssuer.length === 0)
      return { refusal: 'not admitted', why: 'no binding is for the issuer of the token' };
    const problems: string[] = [];
    for (const binding of ofIssuer) {
      const claims = await this.#verified(subjectToken, binding).catch((error: Error) => whyNot(error));
      const problem = typeof claims === 'string' ? claims : brokenRule(binding, claims);
      if (problem !== undefined) {
        problems.push(`${binding.name}: ${problem}`);
        continue;
      }
      const { clusterId, mark, lifetimeMs, name } = binding;
      const secret = secretOf(clusterId);
      if (secret === undefined) return { refusal: 'not ready', why: 'the cluster is not known here yet' };
      const endMs = clock.nowMs() + lifetimeMs;
      const token = signAgentToken({ clusterId, bindingMark: mark, endMs }, secret);
      const { sub = '' } = claims as JWTPayload;
      return { token, lifetimeMs, binding: name, subject: sub.slice(0, 200) };
    }
    return { refusal: 'not admitted', why: problems.join('; ') };
  }

  async #verified(token: string, { issuer, audience }: WorkloadIdentityBinding): Promise<JWTPayload> {
    const { keys, clock } = this.#options;
    const { payload } = await jwtVerify(token, await keys.of(issuer), {
      issuer,
      audience,
      algorithms,
      clockTolerance: skewSeconds,
      currentDate: new Date(clock.nowMs()),
      requiredClaims: ['exp'],
    });
    return payload;
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

function issuerIn(token: string): string | undefined {
  try {
    return decodeJwt(token).iss;
  } catch {
    return undefined;
  }
}

/** What is wrong with a token, without a word of it. Nothing is, when its issuer cannot be asked. */
function whyNot(error: Error): string {
  if (error instanceof IssuerUnavailable) throw error;
  if (error instanceof errors.JWTClaimValidationFailed)
    return `the claim ${error.claim} is not as it should be`;
  return error.message;
}

function brokenRule({ rules }: WorkloadIdentityBinding, claims: JWTPayload): string | undefined {
  const broken = rules.find((rule) => !isKept(rule, claims));
  return broken === undefined ? undefined : `the claim ${broken.path} is another one`;
}
