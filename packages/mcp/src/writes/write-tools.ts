import type { Tool } from '../tools/tool.ts';
import { aclWriteTools } from './acl-writes.ts';
import { consumerGroupWriteTools } from './consumer-group-writes.ts';
import { diagnosticWriteTools } from './diagnostic-writes.ts';
import { migrationWriteTools } from './migration-writes.ts';
import { topicWriteTools } from './topic-writes.ts';

/**
 * Every tool that changes something, in the order of the list. What cannot be undone, such as deleting a topic or a
 * cluster, is for people.
 */
export const writeTools: readonly Tool[] = [
  ...topicWriteTools,
  ...consumerGroupWriteTools,
  ...aclWriteTools,
  ...diagnosticWriteTools,
  ...migrationWriteTools,
];
