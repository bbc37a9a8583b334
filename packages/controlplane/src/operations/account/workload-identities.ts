import type { InputOf, OutputOf } from '@weir/api';
import { timeText } from '@weir/core';
import { agentAudience } from '@weir/rpc';
import type { AccountsDatabase } from '../../accounts/open.ts';
import type { Federation } from '../../accounts/workspaces/federations.ts';
import type { WorkloadIdentityBinding } from '../../workload-identity/binding.ts';
import { parseClaimRule } from '../../workload-identity/claim-rule.ts';
import { byText } from '../cluster/wire-values.ts';
import type { SomeHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { checkedIssuer } from './sso.ts';

type GivenRules = InputOf<'create_workload_identity_federation'>['claim_match_rules'];

export function workloadIdentityHandlers(
  { federations }: AccountsDatabase,
  fileBindings: () => readonly WorkloadIdentityBinding[],
  onAgentsRevoked: (clusterId: string) => void,
) {
  const inFile = (virtualClusterId: string) =>
    fileBindings().filter(({ clusterId }) => clusterId === virtualClusterId);
  return {
    async list_workload_identity_federations({ virtual_cluster_id }, { accountId }) {
      const all = await federations.list(accountId, virtual_cluster_id);
      const both = [...all.map(toFederationResponse), ...inFile(virtual_cluster_id).map(toBindingResponse)];
      return { workload_identity_federations: both.sort((a, b) => byText(a.name, b.name)) };
    },

    async create_workload_identity_federation(input, { accountId }) {
      const clusterId = input.virtual_cluster_id;
      const federation = await federations.create(accountId, {
        clusterId,
        name: input.name,
        issuer: checkedIssuer(input.issuer_url),
        // Agents request a token with this audience from their platform, and no other.
        audience: agentAudience(clusterId),
        rules: checkedRules(input.claim_match_rules),
        isReadOnly: input.read_only,
        lifetimeSeconds: input.max_credential_ttl_seconds,
      });
      return toFederationResponse(federation);
    },

    async delete_workload_identity_federation({ virtual_cluster_id, id }, { accountId }) {
      if (inFile(virtual_cluster_id).some(({ name }) => name === id))
        throw new OperationFailed(
          'conflict',
          `${id} is defined in the file of -workloadIdentityBindingsFile, which the API cannot change; remove it there.`,
        );
      await federations.delete(accountId, virtual_cluster_id, id);
      onAgentsRevoked(virtual_cluster_id);
      return {};
    },
  } satisfies SomeHandlers;
}

function checkedRules(given: GivenRules): Federation['rules'] {
  return given.map(({ claim_path: path, expected_value: value }, index) => {
    try {
      parseClaimRule(path, value);
      return { path, value };
    } catch (error) {
      throw new OperationFailed(
        'invalid_request',
        `claim_match_rules[${index}]: ${(error as Error).message}`,
      );
    }
  });
}

type FederationResponse = OutputOf<'create_workload_identity_federation'>;

function toFederationResponse(federation: Federation): FederationResponse {
  return {
    id: federation.id,
    source: 'api',
    virtual_cluster_id: federation.clusterId,
    name: federation.name,
    issuer_url: federation.issuer,
    audience: federation.audience,
    claim_match_rules: federation.rules.map(({ path, value }) => ({
      claim_path: path,
      expected_value: value,
    })),
    read_only: federation.isReadOnly,
    max_credential_ttl_seconds: federation.lifetimeSeconds,
    created_at: timeText(federation.createdMs),
  };
}

/** Its name is its id, and its creation time is unknown. */
function toBindingResponse(binding: WorkloadIdentityBinding): FederationResponse {
  return {
    id: binding.name,
    source: 'file',
    virtual_cluster_id: binding.clusterId,
    name: binding.name.replace(/^wif_/, ''),
    issuer_url: binding.issuer,
    audience: binding.audience,
    claim_match_rules: binding.rules.map(({ path, expected, isPrefix }) => ({
      claim_path: path,
      expected_value: isPrefix ? `${expected}*` : expected,
    })),
    read_only: binding.isReadOnly,
    max_credential_ttl_seconds: binding.lifetimeMs / 1000,
    created_at: null,
  };
}
