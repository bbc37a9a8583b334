/** What becomes of configs and ACLs of the source. */
export { type AclOutcome, type AclRules, copyAcls } from './copy-acls.ts';
export { copyClusterConfigs } from './copy-cluster-configs.ts';
export { type ConfigOutcome, type CopiedConfigs, copyTopicConfigs } from './copy-topic-configs.ts';
