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
    help: 'The schema registry to work on.',
    rule: 'A path goes before those of the registry: /contexts/.name works on another context.',
  }),
  available({
    name: 'decode',
    type: oneOf('none', 'auto', 'avro', 'protobuf', 'json'),
    default: 'none',
    commands: decoders,
    help: 'Show keys and values that name a schema as JSON: all of them, or those of one type.',
    rule: 'The schemas come from -schemaRegistryURL. What cannot be decoded is shown as it is, with the reason.',
  }),
  available({
    name: 'schemaRegistryUsername',
    type: text('name'),
    commands: [...decoders, 'cli produce'],
    help: 'The user name for -schemaRegistryURL, where -username is for the cluster.',
  }),
  available({
    name: 'schemaRegistryPassword',
    type: text('password'),
    secret: true,
    commands: [...decoders, 'cli produce'],
    help: 'The password for -schemaRegistryURL, where -password is for the cluster.',
    rule: 'Other users of the machine can see the flags of a command; the variable is hidden from them.',
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
    help: 'The subject to work on; :.context:name is one of another context.',
    rule: 'Not set, schema-config works on the whole registry.',
  }),
  available({
    name: 'schema-version',
    type: schemaVersion(),
    commands: ['cli describe-schema', 'cli check-schema', 'cli delete-schema'],
    help: 'The version of the subject.',
    rule: 'Not set, the last one is described, all that the level demands are checked, and all are deleted.',
  }),
  available({
    name: 'schema-id',
    type: int({ min: 0, max: 2_147_483_647 }),
    commands: ['cli describe-schema', 'cli produce'],
    help: 'The id of a schema, as it is in records.',
    rule: 'cli produce encodes values, which are then JSON, with the schema.',
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
    rule: 'cli produce registers it under <topic>-value, and encodes values with it, which are then JSON.',
  }),
  available({
    name: 'schema-type',
    type: oneOf('AVRO', 'PROTOBUF', 'JSON'),
    commands: ['cli register-schema', 'cli check-schema', 'cli produce'],
    help: 'The language of the schema.',
    rule: 'Not set, it follows from the end of the file name: .avsc, .proto or .json.',
  }),
  available({
    name: 'schema-message',
    type: text('message'),
    commands: ['cli produce'],
    help: 'The full name of the message to encode, of a Protobuf schema with several.',
    rule: 'Not set, it is the first one.',
  }),
  available({
    name: 'reference',
    type: list(schemaReference()),
    default: [],
    isRepeatable: true,
    commands: ['cli register-schema', 'cli check-schema', 'cli produce'],
    help: 'The schemas that this one refers to.',
    rule: 'It may be given several times.',
  }),
  available({
    name: 'normalize',
    type: bool(),
    default: false,
    commands: ['cli register-schema', 'cli check-schema'],
    help: 'Normalize the schema, so that spellings that mean the same are the same schema.',
  }),
  available({
    name: 'subject-prefix',
    type: text('prefix'),
    commands: ['cli list-subjects'],
    help: 'List only subjects that begin with this.',
  }),
  available({
    name: 'include-deleted',
    type: bool(),
    default: false,
    commands: ['cli list-subjects', 'cli describe-schema'],
    help: 'Show what is deleted, but not for good, too.',
  }),
  available({
    name: 'permanent',
    type: bool(),
    default: false,
    commands: ['cli delete-schema'],
    help: 'Remove for good what was deleted before.',
  }),
  available({
    name: 'compatibility',
    type: oneOf(...compatibilityLevels, 'INHERITED'),
    commands: ['cli schema-config'],
    help: 'The compatibility level to set, of a subject or of the registry; INHERITED removes it.',
  }),
  available({
    name: 'schema-mode',
    type: oneOf('READWRITE', 'READONLY', 'READONLY_OVERRIDE', 'IMPORT', 'FORWARD', 'INHERITED'),
    commands: ['cli schema-config'],
    help: 'The mode to set, of a subject or of the registry; INHERITED removes it.',
  }),
  available({
    name: 'force',
    type: bool(),
    default: false,
    commands: ['cli schema-config'],
    help: 'Set the mode IMPORT though there are subjects.',
  }),
];
