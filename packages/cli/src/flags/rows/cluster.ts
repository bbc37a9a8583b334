import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { regionGroups } from '../../values/region-groups.ts';
import { agentGroup, hostname, oneOf, path, text, virtualClusterId, zoneName } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available } from '../row.ts';
import { apiTools, bucketTools, clusterMembers, recordTools } from './takers.ts';

/** Which cluster an agent belongs to, its credentials, and the address of the control plane. */
export const clusterFlags = [
  available({
    name: 'defaultVirtualClusterID',
    type: virtualClusterId(),
    commands: [...clusterMembers, 'control-plane', 'control-plane restore', ...bucketTools],
    deprecatedNames: ['-virtualClusterID', 'SERVICE_VIRTUAL_CLUSTER_ID'],
    help: 'The virtual cluster to serve.',
  }),
  available({
    name: 'agentKey',
    type: text('key'),
    secret: true,
    commands: [...clusterMembers, 'control-plane'],
    // The variable SERVICE_API_KEY is not listed: provisioning tools use it for another key.
    deprecatedNames: ['-apiKey'],
    help: 'The key that authenticates an agent to the control plane.',
  }),
  available({
    name: 'agentKeyPath',
    type: path(),
    commands: clusterMembers,
    help: 'A file with the agent key.',
    rule: 'Reloaded when it changes, also behind a symbolic link.',
  }),
  available({
    name: 'workloadIdentityTokenSource',
    env: 'SERVICE_AGENT_WORKLOAD_IDENTITY_TOKEN_SOURCE',
    type: oneOf('aws', 'gcp'),
    commands: clusterMembers,
    help: 'The cloud whose identity token authenticates the agent, instead of a key.',
    rule: 'gcp reads the token from the metadata service, aws from the file in AWS_WEB_IDENTITY_TOKEN_FILE.',
  }),
  available({
    name: 'workloadIdentityBindingsFile',
    type: path(),
    commands: ['control-plane'],
    help: 'A JSON file with the identity tokens that authenticate agents.',
    rule: 'A list of {name, issuer, clusterId, audience, claims: [{path, value}], lifetimeSeconds}. Reloaded when it changes.',
  }),
  available({
    name: 'sealingKeysFile',
    type: path(),
    commands: ['control-plane'],
    help: 'A file with the keys that encrypt the secrets of single sign-on, 64 hex digits per line.',
    rule: 'The first key encrypts, all keys decrypt. With SQLite the file is created automatically; with PostgreSQL single sign-on needs it.',
  }),
  available({
    name: 'allowPrivateIssuers',
    type: bool(),
    default: false,
    commands: ['control-plane'],
    help: 'Allow token issuers with private addresses.',
    rule: 'Otherwise the control plane refuses issuers that are not on the public internet.',
  }),
  available({
    name: 'agentPoolName',
    type: text('name'),
    default: 'apn_default',
    commands: clusterMembers,
    help: 'The agent pool, for older deployments.',
    rule: 'Accepted and ignored: -defaultVirtualClusterID chooses the cluster.',
  }),
  available({
    name: 'roles',
    env: 'SERVICE_AGENT_ROLES',
    type: list(oneOf('proxy', 'proxy-produce', 'proxy-consume', 'jobs', 'pipelines', 'query')),
    default: ['proxy', 'jobs'],
    commands: ['agent'],
    help: 'The roles of this agent.',
    rule: 'pipelines runs managed pipelines, as -enableManagedPipelines does.',
  }),
  available({
    name: 'agentGroup',
    type: agentGroup(),
    default: '',
    commands: ['agent'],
    help: 'The agent group; Metadata lists only agents of the same group.',
  }),
  available({
    name: 'region',
    type: zoneName('region'),
    commands: [...clusterMembers, 'control-plane'],
    help: 'The region of this process; agents find their control plane in its zones, below -controlPlaneDomain.',
    rule: 'With -multiregion, agents use control planes of their region before others, and a control plane leads the clusters of its region.',
  }),
  available({
    name: 'controlPlaneDomain',
    type: hostname(),
    commands: clusterMembers,
    help: 'The domain of the addresses of the control plane.',
    rule: 'https://REGION-a.DOMAIN, REGION-b and REGION-c are its addresses in three zones, and https://REGION.DOMAIN the one of the region.',
  }),
  available({
    name: 'metadataURL',
    type: list(url()),
    commands: clusterMembers,
    help: 'The URL of the control plane, or of several of its processes.',
    rule: 'Default: the three zonal addresses of -region. One reachable process is enough: agents learn the others from it. With -multiregion these are used after those of -region; list processes of other regions.',
  }),
  available({
    name: 'agentEnableZonalURLs',
    type: bool(),
    default: true,
    commands: clusterMembers,
    help: 'Use the three zonal addresses of the region instead of its regional address.',
    rule: 'An address that does not respond is passed over for ten seconds.',
  }),
  available({
    name: 'apiURL',
    type: url(),
    commands: [...clusterMembers, 'apply', ...apiTools, ...recordTools, 'cli who-may'],
    deprecatedNames: ['-consoleURL', 'SERVICE_CONSOLE_URL'],
    help: 'The URL of the control plane API.',
    rule: 'Can end with /api/v1. Agents exchange platform tokens there; default: -metadataURL.',
  }),
  available({
    name: 'apiKey',
    type: text('key'),
    secret: true,
    commands: ['apply', ...apiTools, ...recordTools, 'cli who-may'],
    help: 'The API key: an application or account key.',
    rule: 'Other users of the machine can see flags; use the variable instead.',
  }),
  available({
    name: 'multiregion',
    type: bool(),
    default: false,
    commands: [...clusterMembers, 'control-plane'],
    help: 'The control plane of the cluster spans two regions or more.',
    rule: 'Its processes share a PostgreSQL database. Needs -region.',
  }),
  available({
    name: 'regionGroups',
    type: regionGroups(),
    default: [],
    commands: ['control-plane'],
    help: 'The regions over which clusters may run, by the name of a group.',
    rule: 'Clusters of a group are led in the first of its regions that has a control plane. Every process needs the same groups.',
  }),
  available({
    name: 'enableRipcord',
    type: bool(),
    default: false,
    commands: ['agent'],
    help: 'Keep accepting records and SASL reauthentication while the control plane is down.',
    rule: 'All topics are lightning topics then, so that idempotent and transactional producers are refused. It has to be set before the control plane is away.',
  }),
];
