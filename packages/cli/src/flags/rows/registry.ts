import { bool } from '../../values/bool.ts';
import { port } from '../../values/numbers.ts';
import { available } from '../row.ts';
import { brokers } from './takers.ts';

export const registryFlags = [
  available({
    name: 'schemaRegistryPort',
    type: port(),
    default: 9094,
    commands: brokers,
    help: 'The port of the schema registry.',
    rule: 'Used only for clusters whose id starts with vci_sr_, which have no Kafka port. 0 chooses a free port.',
  }),
  available({
    name: 'schemaRegistryTLSEnabled',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve the schema registry over TLS, with the server certificate.',
  }),
  available({
    name: 'schemaRegistryBasicAuthEnabled',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Require clients of the schema registry to authenticate.',
    rule: 'With HTTP Basic and a credential of the cluster, a token of -saslOAuthIssuerURL, or a client certificate.',
  }),
  available({
    name: 'schemaRegistryEnableLogRequest',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Log every request to the schema registry.',
  }),
];
