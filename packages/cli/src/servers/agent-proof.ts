import { AgentKeyFile, AgentToken, platformToken } from '@weir/agent';
import type { ReportedExpiry } from '@weir/cluster';
import type { Clock, Environment, Log, Metrics, Random } from '@weir/core';
import { Failure } from '@weir/core';
import type { ForwardProxy, KeyPlace } from '@weir/rpc';
import type { CommandValues } from '../flags/catalogue.ts';
import { resolveAgentIdentity } from '../rules/agent-identity.ts';
import { apiBaseUrl } from '../values/api-base-url.ts';

/** The credentials of an agent, for all ways to authenticate. */
interface AgentProof {
  readonly agentKey: (place?: KeyPlace) => string;
  /** Reports a key that the control plane rejected. */
  readonly refused: (key: string, place: KeyPlace) => void;
  /** Reports the regions that have control planes. */
  readonly expect: (regions: readonly string[]) => void;
  /** Credentials that expire, and when. */
  readonly tokens: () => readonly ReportedExpiry[];
  /** Resolves when there are credentials to connect with. */
  whenReady(): Promise<void>;
  stop(): void;
}

interface AgentProofOptions {
  readonly values: CommandValues<'agent'> | CommandValues<'metrics'>;
  /** URLs of the control plane. */
  readonly urls: () => readonly string[];
  readonly proxy: ForwardProxy | undefined;
  readonly clock: Clock;
  readonly environment: Environment;
  readonly random: Random;
  readonly log: Log;
  readonly metrics: Metrics;
}

export function agentProof(options: AgentProofOptions): AgentProof {
  const { values, clock, log } = options;
  const identity = resolveAgentIdentity(values);
  if ('problem' in identity) throw new Failure(identity.problem.rule);
  const { proof, virtualClusterId: clusterId } = identity.value;
  switch (proof.kind) {
    case 'key':
      return byKey(() => proof.key);
    case 'keyFile': {
      const file = new AgentKeyFile({ path: proof.path, clock, log });
      return byKey(() => file.current());
    }
    case 'workloadIdentity': {
      const { apiURL } = values;
      const token = new AgentToken({
        ...options,
        ...(apiURL === undefined ? {} : { urls: () => [apiBaseUrl(apiURL)] }),
        clusterId,
        platformToken: platformToken(proof.source, options),
      });
      token.start();
      return {
        agentKey: (place) => token.current(place),
        refused: (key, place) => token.refused(key, place),
        expect: (regions) => token.expect(regions),
        tokens: () => token.expiry(),
        whenReady: () => token.whenHeld(),
        stop: () => token.stop(),
      };
    }
  }
}

function byKey(agentKey: () => string): AgentProof {
  return {
    agentKey,
    refused: () => {},
    expect: () => {},
    tokens: () => [],
    whenReady: async () => {},
    stop: () => {},
  };
}
