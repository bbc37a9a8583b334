import { type AclOperation, aclOperations, type KafkaResourceType, kafkaResourceTypes } from '@weir/core';
import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { oneOf, principal, text } from '../../values/text.ts';
import { available } from '../row.ts';

const aclTools = ['cli create-acls', 'cli describe-acls', 'cli delete-acls'] as const;

/** `who-may` takes some of the fields as a question. */
const aclToolsAndWhoMay = [...aclTools, 'cli who-may'] as const;

const resourceTypes = Object.keys(kafkaResourceTypes) as KafkaResourceType[];
const operations = Object.keys(aclOperations) as AclOperation[];

/**
 * The seven fields of an ACL. `create-acls` sets them, and the other two tools filter by them; a missing field matches
 * everything.
 */
export const aclFlags = [
  available({
    name: 'resource-type',
    type: oneOf('ANY', ...resourceTypes),
    commands: aclTools,
    help: 'The resource type.',
    rule: 'ANY is for filters.',
  }),
  available({
    name: 'resource-name',
    type: text('name'),
    commands: aclTools,
    help: 'The name of the resource; kafka-cluster for the cluster itself.',
    rule: '* matches every name if the pattern type is LITERAL.',
  }),
  available({
    name: 'pattern-type',
    type: oneOf('LITERAL', 'PREFIXED', 'MATCH', 'ANY'),
    commands: aclTools,
    help: 'Whether -resource-name is a whole name or a prefix.',
    rule:
      'New ACLs are LITERAL by default. MATCH and ANY are for filters: MATCH finds all ACLs that apply to a resource of ' +
      'the name, ANY finds both types.',
  }),
  available({
    name: 'principal',
    type: list(principal(), { itemsBegin: 'User:' }),
    commands: aclToolsAndWhoMay,
    help: 'The principal of the ACL, such as User:alice.',
    rule: 'User:* matches all users. who-may shows all principals by default.',
  }),
  available({
    name: 'host',
    type: text('host'),
    commands: aclToolsAndWhoMay,
    help: 'The IP address the principal connects from; * for all.',
    rule: 'New ACLs apply to all hosts by default; who-may assumes a host that no rule names.',
  }),
  available({
    name: 'operation',
    type: list(oneOf(...operations)),
    commands: aclToolsAndWhoMay,
    help: 'The operation of the ACL.',
    rule: 'who-may shows all operations of the resource by default.',
  }),
  available({
    name: 'permission',
    type: oneOf('ALLOW', 'DENY'),
    commands: aclTools,
    help: 'Whether the ACL allows or denies.',
    rule: 'New ACLs are ALLOW by default.',
  }),
  available({
    name: 'transactional-id',
    type: text('id'),
    commands: ['cli who-may'],
    help: 'The transactional id to check.',
  }),
  available({
    name: 'whole-cluster',
    type: bool(),
    default: false,
    commands: ['cli who-may'],
    help: 'Check access to the cluster itself.',
  }),
  available({
    name: 'confirm-delete-all-acls',
    type: bool(),
    default: false,
    commands: ['cli delete-acls'],
    help: 'Confirm that delete-acls without a filter deletes all ACLs.',
  }),
];
