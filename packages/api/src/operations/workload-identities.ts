import * as z from 'zod';
import { clusterId, examples, flag, httpsUrl, integer, list, text, time, word } from '../fields.ts';
import { id } from '../ids.ts';
import { apiLimits } from '../limits.ts';
import { clusterInput, defineClusterOperation } from '../operation.ts';

const claimRule = {
  claim_path: text(256, 1).describe(
    'The path of the claim, with dots between names; put a name that contains dots in double quotes.',
  ),
  expected_value: text(1024, 1).describe('The required value. A `*` at the end matches any suffix.'),
};

const federationFields = {
  id: id('workloadIdentity').describe('The id of the federation.'),
  source: z
    .enum(['api', 'file'])
    .describe(
      'Where it is defined: with this API, or in the file of the operator (`-workloadIdentityBindingsFile`), which this API cannot change.',
    ),
  virtual_cluster_id: clusterId(),
  name: text(132).describe('Its name.'),
  issuer_url: text(apiLimits.apiUrlCharsMax).describe('The token issuer.'),
  audience: text(apiLimits.apiUrlCharsMax).describe('The audience that a token must have.'),
  claim_match_rules: list(z.object(claimRule), apiLimits.workloadClaimRulesMax).describe(
    'The claims that a token must have.',
  ),
  read_only: z
    .boolean()
    .describe(
      'Whether its tokens are limited to reading the cluster through the API, and cannot connect agents.',
    ),
  max_credential_ttl_seconds: z.int().describe('How long a token admits an agent, in seconds.'),
  created_at: time().nullable().describe('When it was created; `null` if it comes from the file.'),
};

const federation = z.object(federationFields).meta({
  id: 'WorkloadIdentityFederation',
  description:
    'A workload identity federation: which tokens admit agents to a cluster. It is immutable; create another to replace it.',
});

const exampleRule = { claim_path: 'sub', expected_value: 'system:serviceaccount:weir:*' };
const exampleFederation = {
  id: examples.federation,
  source: 'api' as const,
  virtual_cluster_id: examples.cluster,
  name: 'production',
  issuer_url: 'https://issuer.example',
  audience: `weir://${examples.cluster}`,
  claim_match_rules: [exampleRule],
  read_only: false,
  max_credential_ttl_seconds: 3600,
  created_at: examples.time,
};

export const workloadIdentityOperations = [
  defineClusterOperation({
    name: 'list_workload_identity_federations',
    title: 'List federations',
    summary: 'List the workload identity federations of a virtual cluster.',
    output: z.object({
      workload_identity_federations: list(federation, 2 * apiLimits.workloadBindingsMax).describe(
        "The federations by name, including those of the operator's file.",
      ),
    }),
    example: {
      output: { workload_identity_federations: [exampleFederation] },
    },
  }),
  defineClusterOperation({
    name: 'create_workload_identity_federation',
    title: 'Create a federation',
    summary:
      'Create a workload identity federation, with which agents authenticate by tokens of their platform.',
    input: clusterInput({
      name: word(
        /^[a-zA-Z0-9_.-]{1,128}$/,
        128,
        'is not 1 to 128 letters, digits, dots, underscores and hyphens',
      ).describe('The name, unique in the cluster.'),
      issuer_url: httpsUrl().describe('The issuer, as in the tokens.'),
      claim_match_rules: list(z.strictObject(claimRule), apiLimits.workloadClaimRulesMax, 1).describe(
        'The required claims. All of them must match.',
      ),
      read_only: flag(
        'Whether its tokens are limited to reading the cluster through the API, and cannot connect agents.',
      ),
      max_credential_ttl_seconds: integer(60, 86_400)
        .default(3600)
        .describe('How long a token admits an agent, in seconds.'),
    }),
    output: z.object(federationFields),
    errors: ['duplicate_name', 'limit_exceeded'],
    example: {
      input: {
        name: 'production',
        issuer_url: 'https://issuer.example',
        claim_match_rules: [exampleRule],
      },
      output: exampleFederation,
    },
  }),
  defineClusterOperation({
    name: 'delete_workload_identity_federation',
    title: 'Delete a federation',
    summary: 'Delete a workload identity federation. Its agents are refused within seconds.',
    input: clusterInput({
      id: id('workloadIdentity').describe('The federation.'),
    }),
    errors: ['conflict'],
    example: { input: { id: examples.federation } },
  }),
] as const;
