import { bool } from '../../values/bool.ts';
import { port } from '../../values/numbers.ts';
import { planned } from '../row.ts';
import { brokers } from './takers.ts';

export const registryFlags = [
  planned({
    name: 'schemaRegistryPort',
    type: port(),
    default: 9094,
    commands: brokers,
    help: 'The port of the schema registry.',
    rule: 'An agent opens it only for a cluster whose id starts with vci_sr_. 0 takes any free port.',
  }),
  planned({
    name: 'schemaRegistryTLSEnabled',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve the schema registry over TLS, with the certificate of the server.',
  }),
  planned({
    name: 'schemaRegistryBasicAuthEnabled',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Require HTTP Basic credentials for the schema registry.',
  }),
  planned({
    name: 'schemaRegistryEnableLogRequest',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Log every request to the schema registry.',
  }),
];
