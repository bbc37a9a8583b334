import { list } from '../../values/list.ts';
import { path, text } from '../../values/text.ts';
import { url } from '../../values/url.ts';
import { available } from '../row.ts';

/** The registry by which agents validate records. */
export const schemaValidationFlags = [
  available({
    name: 'externalSchemaRegistryURL',
    type: list(url()),
    default: [],
    commands: ['agent'],
    help: 'The schema registry that validates records and encodes and decodes them over HTTP.',
    rule:
      'A registry with the API of Confluent Schema Registry, of this product or another; AWS Glue is not supported. ' +
      'Several addresses are of the same registry: if one fails, the next is used.',
  }),
  available({
    name: 'externalSchemaRegistryUsername',
    type: text('name'),
    commands: ['agent'],
    help: 'The user name for -externalSchemaRegistryURL.',
  }),
  available({
    name: 'externalSchemaRegistryPassword',
    type: text('password'),
    secret: true,
    commands: ['agent'],
    help: 'The password for -externalSchemaRegistryURL.',
    rule: 'Other users of the machine can see flags; use the variable instead.',
  }),
  available({
    name: 'externalSchemaRegistryPasswordFile',
    type: path(),
    commands: ['agent'],
    help: 'A file with the password for -externalSchemaRegistryURL.',
    rule: 'Read once at startup; a trailing line break is ignored.',
  }),
  available({
    name: 'externalSchemaRegistryCACertFile',
    type: path(),
    commands: ['agent'],
    help: 'The file with the certificate authority of -externalSchemaRegistryURL.',
    rule: 'Default: the certificate authorities of the runtime.',
  }),
];
