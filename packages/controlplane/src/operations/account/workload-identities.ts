import type { InputOf, OutputOf } from '@weir/api';
import { agentAudience } from '@weir/metadata';
import type { Federation } from '../../accounts/federations.ts';
import type { AccountsDatabase } from '../../accounts/open.ts';
import { parseClaimRule } from '../../workload-identity/claim-rule.ts';
import type { CallContext } from '../call-context.ts';
import type { OperationHandlers } from '../handler.ts';
import { OperationFailed } from '../operation-failed.ts';
import { checkedIssuer } from './sso.ts';
import { timeText } from './told.ts';

type Names =
  | 'list_workload_identity_federations'
  | 'create_workload_identity_federation'
  | 'delete_workload_identity_federation';

type GivenRules = InputOf<'create_workload_identity_federation'>['claim_match_rules'];

export function workloadIdentityHandlers({
  federations,
}: AccountsDatabase): OperationHandlers<Names, CallContext> {
  return {
    async list_workload_identity_federations({ virtual_cluster_id }, { accountId }) {
      const all = await federations.list(accountId, virtual_cluster_id);
      return { workload_identity_federations: all.map(told) };
    },

    async create_workload_identity_federation(input, { accountId }) {
      const clusterId = input.virtual_cluster_id;
      const federation = await federations.create(accountId, {
        clusterId,
        name: input.name,
        issuer: checkedIssuer(input.issuer_url),
        // Agents ask their platform for a token with this audience, and no other.
        audience: agentAudience(clusterId),
        rules: checkedRules(input.claim_match_rules),
        isReadOnly: input.read_only,
        lifetimeSeconds: input.max_credential_ttl_seconds,
      });
      return told(federation);
    },

    async delete_workload_identity_federation({ virtual_cluster_id, id }, { accountId }) {
      await federations.delete(accountId, virtual_cluster_id, id);
      return {};
    },
  };
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

function told(federation: Federation): OutputOf<'create_workload_identity_federation'> {
  return {
    id: federation.id,
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
