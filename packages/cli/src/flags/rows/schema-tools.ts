import { compatibilityLevels } from '@weir/core';
/** The flags of the `cli` tools of a schema registry. */

import { bool } from '../../values/bool.ts';
import { list } from '../../values/list.ts';
import { int } from '../../values/numbers.ts';
import { schemaReference } from '../../values/schema-reference.ts';
import { schemaVersion } from '../../values/schema-version.ts';
import { oneOf, path, text } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available } from '../row.ts';
import { decoders, registryTools } from './takers.ts';

export const schemaToolFlags = [
  available({
    name: 'schemaRegistryURL',
    type: url(),
    default: 'http://localhost:9094',
    commands: [...registryTools, ...decoders, 'cli produce'],
    help: 'The URL of the schema registry.',
    rule: 'A path is prepended to requests: /contexts/.name selects another context.',
  }),
  available({
    name: 'decode',
    type: oneOf('none', 'auto', 'avro', 'protobuf', 'json'),
    default: 'none',
    commands: decoders,
    help: 'Decode keys and values with their schema and print JSON: all, or one schema type.',
    rule: 'Schemas are read from -schemaRegistryURL. Undecodable data is printed raw, with the reason.',
  }),
  available({
    name: 'schemaRegistryUsername',
    type: text('name'),
    commands: [...decoders, 'cli produce'],
    help: 'The user name for -schemaRegistryURL; -username is for the cluster.',
  }),
  available({
    name: 'schemaRegistryPassword',
    type: text('password'),
    secret: true,
    commands: [...decoders, 'cli produce'],
    help: 'The password for -schemaRegistryURL; -password is for the cluster.',
    rule: 'Other users of the machine can see flags; use the variable instead.',
  }),
  available({
    name: 'subject',
    type: text('subject'),
    commands: [
      'cli describe-schema',
      'cli register-schema',
      'cli check-schema',
      'cli delete-schema',
      'cli schema-config',
    ],
    help: 'The subject; :.context:name selects one in another context.',
    rule: 'Default for schema-config: the whole registry.',
  }),
  available({
    name: 'schema-version',
    type: schemaVersion(),
    commands: ['cli describe-schema', 'cli check-schema', 'cli delete-schema'],
    help: 'The version of the subject.',
    rule: 'Default: describe the latest version, check against the versions that the level requires, delete all versions.',
  }),
  available({
    name: 'schema-id',
    type: int({ min: 0, max: 2_147_483_647 }),
    commands: ['cli describe-schema', 'cli produce'],
    help: 'The schema id, as in records.',
    rule: 'cli produce encodes JSON values with the schema.',
  }),
  available({
    name: 'schema-guid',
    type: text('GUID'),
    commands: ['cli describe-schema'],
    help: 'The GUID of a schema.',
  }),
  available({
    name: 'schema-file',
    type: path(),
    commands: ['cli register-schema', 'cli check-schema', 'cli produce'],
    help: 'The file with the schema; - is standard input.',
    rule: 'cli produce registers it as <topic>-value and encodes JSON values with it.',
  }),
  available({
    name: 'schema-type',
    type: oneOf('AVRO', 'PROTOBUF', 'JSON'),
    commands: ['cli register-schema', 'cli check-schema', 'cli produce'],
    help: 'The schema type.',
    rule: 'Default: by file extension: .avsc, .proto or .json.',
  }),
  available({
    name: 'schema-message',
    type: text('message'),
    commands: ['cli produce'],
    help: 'The full name of the Protobuf message to encode.',
    rule: 'Default: the first message.',
  }),
  available({
    name: 'reference',
    type: list(schemaReference()),
    default: [],
    isRepeatable: true,
    commands: ['cli register-schema', 'cli check-schema', 'cli produce'],
    help: 'The schemas that this one references.',
    rule: 'Can be repeated.',
  }),
  available({
    name: 'normalize',
    type: bool(),
    default: false,
    commands: ['cli register-schema', 'cli check-schema'],
    help: 'Normalize the schema, so that equivalent schemas are equal.',
  }),
  available({
    name: 'subject-prefix',
    type: text('prefix'),
    commands: ['cli list-subjects'],
    help: 'List only subjects with this prefix.',
  }),
  available({
    name: 'include-deleted',
    type: bool(),
    default: false,
    commands: ['cli list-subjects', 'cli describe-schema'],
    help: 'Include soft-deleted subjects and versions.',
  }),
  available({
    name: 'permanent',
    type: bool(),
    default: false,
    commands: ['cli delete-schema'],
    help: 'Delete permanently (hard delete) what was deleted before.',
  }),
  available({
    name: 'compatibility',
    type: oneOf(...compatibilityLevels, 'INHERITED'),
    commands: ['cli schema-config'],
    help: 'The compatibility level to set on a subject or the registry; INHERITED removes it.',
  }),
  available({
    name: 'schema-mode',
    type: oneOf('READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD', 'INHERITED'),
    commands: ['cli schema-config'],
    help: 'The mode to set on a subject or the registry; INHERITED removes it.',
  }),
  available({
    name: 'force',
    type: bool(),
    default: false,
    commands: ['cli schema-config'],
    help: 'Set the mode IMPORT even if subjects exist.',
  }),
];
