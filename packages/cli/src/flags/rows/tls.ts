import { bool } from '../../values/bool.ts';
import { bucketUrl } from '../../values/bucket-url.ts';
import { principalMappingRules } from '../../values/principal-mapping.ts';
import { oneOf, path, text } from '../../values/text.ts';
import { planned } from '../row.ts';
import { brokers } from './takers.ts';

export const tlsFlags = [
  planned({
    name: 'kafkaTLS',
    env: 'SERVICE_TLS_ENABLED',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve Kafka clients over TLS.',
  }),
  planned({
    name: 'tlsServerCertFile',
    type: path(),
    commands: brokers,
    help: 'The file with the certificate of the server.',
    rule: 'Read again when it changes.',
  }),
  planned({
    name: 'tlsServerPrivateKeyFile',
    type: path(),
    commands: brokers,
    help: 'The file with the private key of the server.',
  }),
  planned({
    name: 'tlsClientCACertFile',
    type: path(),
    commands: brokers,
    help: 'The file with the certificate authorities that may sign client certificates.',
    rule: 'Without it the authorities of the system are trusted.',
  }),
  planned({
    name: 'tlsBlobURL',
    type: bucketUrl(),
    commands: brokers,
    help: 'A bucket from which the TLS files are read, instead of from disk.',
    rule: 'The certificate of the server is read again when it changes.',
  }),
  planned({
    name: 'tlsProfile',
    type: oneOf('golang-default', 'old', 'intermediate', 'modern'),
    default: 'golang-default',
    commands: brokers,
    help: 'The oldest TLS version, the curves and the ciphers that are accepted.',
    rule: 'old starts at TLS 1.0, intermediate at 1.2, modern at 1.3; golang-default takes those of the runtime.',
  }),
  planned({
    name: 'requireMTLSAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Refuse Kafka clients without a valid certificate, and take the principal from it.',
    rule: 'HTTP fetch is refused with it.',
  }),
  planned({
    name: 'mtlsPrincipalMappingRules',
    type: principalMappingRules(),
    default: [{ kind: 'default' }],
    commands: brokers,
    help: 'How the subject of a client certificate becomes a user name.',
  }),
  planned({
    name: 'logMTLSCertificateInfo',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Log the serial number and the validity of client certificates.',
  }),
  planned({
    name: 'internalSpiffeTrustDomain',
    type: text('domain'),
    commands: ['agent'],
    help: 'The SPIFFE trust domain that the certificates of other agents must carry.',
  }),
  planned({
    name: 'internalSpiffeWorkloadID',
    type: text('id'),
    commands: ['agent'],
    help: 'The SPIFFE workload id that the certificates of other agents must carry.',
  }),
];
