import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { agentGroup, oneOf, path, text, virtualClusterId, zoneName } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available, planned } from '../row.ts';
import { apiTools, bucketTools, clusterMembers, recordTools } from './takers.ts';

/** Which cluster an agent belongs to, its credentials, and the address of the control plane. */
export const clusterFlags = [
  available({
    name: 'defaultVirtualClusterID',
    type: virtualClusterId(),
    commands: [...clusterMembers, 'control-plane', 'control-plane restore', ...bucketTools],
    deprecatedNames: ['-virtualClusterID', 'SERVICE_VIRTUAL_CLUSTER_ID'],
    help: 'The virtual cluster that is served.',
  }),
  available({
    name: 'agentKey',
    type: text('key'),
    secret: true,
    commands: [...clusterMembers, 'control-plane'],
    // The variable SERVICE_API_KEY is not listed: provisioning tools use it for another key.
    deprecatedNames: ['-apiKey'],
    help: 'The key that admits an agent to its cluster.',
  }),
  available({
    name: 'agentKeyPath',
    type: path(),
    commands: clusterMembers,
    help: 'A file that holds the agent key.',
    rule: 'The file is read again when it changes, also behind a symbolic link.',
  }),
  available({
    name: 'workloadIdentityTokenSource',
    env: 'SERVICE_AGENT_WORKLOAD_IDENTITY_TOKEN_SOURCE',
    type: oneOf('aws', 'gcp'),
    commands: clusterMembers,
    help: 'The cloud whose identity token is exchanged for a short-lived agent token, instead of a key.',
    rule: 'On gcp the metadata service gives the token, on aws the file that AWS_WEB_IDENTITY_TOKEN_FILE names.',
  }),
  available({
    name: 'workloadIdentityBindingsFile',
    type: path(),
    commands: ['control-plane'],
    help: 'A JSON file that says whose identity tokens admit an agent.',
    rule: 'A list of {name, issuer, clusterId, audience, claims: [{path, value}], lifetimeSeconds}. The file is read again when it changes.',
  }),
  available({
    name: 'sealingKeysFile',
    type: path(),
    commands: ['control-plane'],
    help: 'A file with the keys by which the secrets of single sign-on are kept, 64 hex digits a line.',
    rule: 'The first key seals and all of them open. Beside a SQLite database such a file is made by itself; with PostgreSQL there is no single sign-on without one.',
  }),
  available({
    name: 'allowPrivateIssuers',
    type: bool(),
    default: false,
    commands: ['control-plane'],
    help: 'Let issuers that users name have addresses that are not on the public internet.',
    rule: 'Without it no user can make the control plane call addresses of its own network.',
  }),
  available({
    name: 'agentPoolName',
    type: text('name'),
    default: 'apn_default',
    commands: clusterMembers,
    help: 'The pool of agents, as older deployments name it.',
    rule: 'Accepted and without effect: -defaultVirtualClusterID says where an agent belongs.',
  }),
  available({
    name: 'roles',
    env: 'SERVICE_AGENT_ROLES',
    type: list(oneOf('proxy', 'proxy-produce', 'proxy-consume', 'jobs', 'pipelines', 'query')),
    default: ['proxy', 'jobs'],
    commands: ['agent'],
    help: 'The work this agent does.',
    rule: 'An empty list means no role. pipelines is refused, because this release runs none.',
  }),
  available({
    name: 'agentGroup',
    type: agentGroup(),
    default: '',
    commands: ['agent'],
    help: 'The agent group; Metadata lists only agents of the same group.',
  }),
  planned({
    name: 'region',
    type: zoneName('region'),
    commands: clusterMembers,
    help: 'The region of the control plane.',
  }),
  available({
    name: 'metadataURL',
    type: list(url()),
    commands: clusterMembers,
    help: 'The address of the control plane for metadata, or the addresses of several of its processes.',
    rule: 'Without it the three zonal addresses of the region are used. The processes announce each other to agents, so that one address that answers is enough to find all.',
  }),
  planned({
    name: 'agentEnableZonalURLs',
    type: bool(),
    default: true,
    commands: clusterMembers,
    help: 'Use the three zonal addresses of the region rather than its one regional address.',
  }),
  available({
    name: 'apiURL',
    type: url(),
    commands: [...clusterMembers, 'apply', ...apiTools, ...recordTools, 'cli who-may'],
    deprecatedNames: ['-consoleURL', 'SERVICE_CONSOLE_URL'],
    help: 'The address of the API of the control plane.',
    rule: 'It may end with /api/v1, as provisioning tools write it. Agents exchange the tokens of their platform there, or else at -metadataURL.',
  }),
  planned({
    name: 'multiregion',
    type: bool(),
    default: false,
    commands: [...clusterMembers, 'control-plane'],
    help: 'The control plane of the cluster spans two regions.',
  }),
  planned({
    name: 'enableRipcord',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Keep accepting records, and let clients reauthenticate by SASL, while the control plane is down.',
  }),
];
