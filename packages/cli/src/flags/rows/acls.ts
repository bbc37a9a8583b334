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
    help: 'The kind of resource.',
    rule: 'ANY is for filters.',
  }),
  available({
    name: 'resource-name',
    type: text('name'),
    commands: aclTools,
    help: 'The name of the resource; kafka-cluster for the cluster itself.',
    rule: '* stands for every name when the pattern is LITERAL.',
  }),
  available({
    name: 'pattern-type',
    type: oneOf('LITERAL', 'PREFIXED', 'MATCH', 'ANY'),
    commands: aclTools,
    help: 'Whether the name is a whole name or the start of one.',
    rule:
      'A new ACL is LITERAL unless it is said otherwise. MATCH is for filters and finds everything that holds for a resource of ' +
      'the name, ANY finds both kinds.',
  }),
  available({
    name: 'principal',
    type: list(principal(), { itemsBegin: 'User:' }),
    commands: aclToolsAndWhoMay,
    help: 'Whom the ACL is about.',
    rule: 'User:* is every user. who-may shows all principals unless some are named.',
  }),
  available({
    name: 'host',
    type: text('host'),
    commands: aclToolsAndWhoMay,
    help: 'The address from which the principal connects; * for every one.',
    rule: 'A new ACL holds for every address unless it is said otherwise; who-may means addresses that no rule names.',
  }),
  available({
    name: 'operation',
    type: list(oneOf(...operations)),
    commands: aclToolsAndWhoMay,
    help: 'What the ACL is about.',
    rule: 'who-may shows all operations of the resource unless some are named.',
  }),
  available({
    name: 'permission',
    type: oneOf('ALLOW', 'DENY'),
    commands: aclTools,
    help: 'Whether the ACL allows or denies.',
    rule: 'A new ACL allows unless it is said otherwise.',
  }),
  available({
    name: 'transactional-id',
    type: text('id'),
    commands: ['cli who-may'],
    help: 'The transactional id that is meant.',
  }),
  available({
    name: 'whole-cluster',
    type: bool(),
    default: false,
    commands: ['cli who-may'],
    help: 'The cluster itself is meant.',
  }),
  available({
    name: 'confirm-delete-all-acls',
    type: bool(),
    default: false,
    commands: ['cli delete-acls'],
    help: 'Says once more that every ACL is to be deleted, which takes a delete-acls without a filter.',
  }),
];
