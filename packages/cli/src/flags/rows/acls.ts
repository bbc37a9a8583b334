import { oneOf, principal, text } from '../../values/text.ts';
import { planned } from '../row.ts';

const aclTools = ['cli create-acls', 'cli describe-acls', 'cli delete-acls'] as const;

/** The seven fields of an ACL. `create-acls` sets them, the other two tools filter by them. */
export const aclFlags = [
  planned({
    name: 'resource-type',
    type: oneOf('ANY', 'TOPIC', 'GROUP', 'CLUSTER', 'TRANSACTIONAL_ID', 'DELEGATION_TOKEN'),
    commands: aclTools,
    help: 'The kind of resource.',
  }),
  planned({
    name: 'resource-name',
    type: text('name'),
    commands: aclTools,
    help: 'The name of the resource; kafka-cluster for the cluster itself.',
    rule: '* stands for every name when the pattern is LITERAL.',
  }),
  planned({
    name: 'pattern-type',
    type: oneOf('LITERAL', 'PREFIXED'),
    commands: aclTools,
    help: 'Whether the name is a whole name or the start of one.',
  }),
  planned({
    name: 'principal',
    type: principal(),
    commands: aclTools,
    help: 'Whom the ACL is about.',
  }),
  planned({
    name: 'host',
    type: text('host'),
    commands: aclTools,
    help: 'The address from which the principal connects; * for every one.',
  }),
  planned({
    name: 'operation',
    type: oneOf(
      'ALL',
      'READ',
      'WRITE',
      'CREATE',
      'DELETE',
      'ALTER',
      'DESCRIBE',
      'CLUSTER_ACTION',
      'DESCRIBE_CONFIGS',
      'ALTER_CONFIGS',
      'IDEMPOTENT_WRITE',
    ),
    commands: aclTools,
    help: 'What the ACL is about.',
  }),
  planned({
    name: 'permission',
    type: oneOf('ALLOW', 'DENY'),
    commands: aclTools,
    help: 'Whether the ACL allows or denies.',
  }),
];
