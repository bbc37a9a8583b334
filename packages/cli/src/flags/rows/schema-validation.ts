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
    help: 'The schema registry by which records are validated, and decoded and encoded over HTTP.',
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
    rule: 'Other users of the machine can see the flags of a command; the variable is hidden from them.',
  }),
  available({
    name: 'externalSchemaRegistryPasswordFile',
    type: path(),
    commands: ['agent'],
    help: 'A file that holds the password for -externalSchemaRegistryURL.',
    rule: 'It is read once, when the agent starts; a line break at its end does not count.',
  }),
  available({
    name: 'externalSchemaRegistryCACertFile',
    type: path(),
    commands: ['agent'],
    help: 'The file with the certificate authority of -externalSchemaRegistryURL.',
    rule: 'Not set, the authorities of the runtime are trusted.',
  }),
];
