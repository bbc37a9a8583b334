import { bool } from '../../values/bool.ts';
import { bucketUrl } from '../../values/bucket-url.ts';
import { principalMappingRules } from '../../values/principal-mapping.ts';
import { oneOf, path, text } from '../../values/text.ts';
import { available } from '../row.ts';
import { brokers } from './takers.ts';

export const tlsFlags = [
  available({
    name: 'kafkaTLS',
    env: 'SERVICE_TLS_ENABLED',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve Kafka clients over TLS.',
  }),
  available({
    name: 'httpTLS',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Serve the HTTP port over TLS.',
  }),
  available({
    name: 'tlsServerCertFile',
    type: path(),
    commands: brokers,
    help: 'A file with the server certificate.',
    rule: 'Reloaded when it changes.',
  }),
  available({
    name: 'tlsServerPrivateKeyFile',
    type: path(),
    commands: brokers,
    help: 'A file with the private key of the server.',
    rule: 'Reloaded when it changes.',
  }),
  available({
    name: 'tlsClientCACertFile',
    type: path(),
    commands: brokers,
    help: 'A file with the certificate authorities of client certificates.',
    rule:
      'Default: the authorities of the system. If set, listeners request a client certificate and take the principal from it, ' +
      'also where none is required. Reloaded when it changes.',
  }),
  available({
    name: 'tlsBlobURL',
    type: bucketUrl(),
    commands: brokers,
    help: 'A bucket with the TLS files, instead of files on disk.',
    rule: 'It contains server.crt, server.key and, for client certificates, client-ca.crt. Reloaded when they change.',
  }),
  available({
    name: 'tlsProfile',
    type: oneOf('golang-default', 'old', 'intermediate', 'modern'),
    default: 'golang-default',
    commands: brokers,
    help: 'The accepted TLS versions, curves and ciphers.',
    rule: 'old starts at TLS 1.0, intermediate at 1.2, modern at 1.3; golang-default takes those of the runtime.',
  }),
  available({
    name: 'requireMTLSAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Require client certificates of Kafka clients, and take the principal from them.',
    rule: 'HTTP fetch is then refused.',
  }),
  available({
    name: 'mtlsPrincipalMappingRules',
    type: principalMappingRules(),
    default: [{ kind: 'default' }],
    commands: brokers,
    help: 'The rules that map the subject of a client certificate to a user name.',
  }),
  available({
    name: 'enableSpiffeAuthentication',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Use the SPIFFE id of a client certificate as user name.',
    rule: 'The principal is User:spiffe://<trust domain>/<workload id>. Certificates without a SPIFFE id use their subject.',
  }),
  available({
    name: 'logMTLSCertificateInfo',
    type: bool(),
    default: false,
    commands: brokers,
    help: 'Log the serial number and the validity of client certificates.',
  }),
  available({
    name: 'internalSpiffeTrustDomain',
    type: text('domain'),
    commands: ['agent'],
    help: 'The required SPIFFE trust domain of the certificates of other agents.',
  }),
  available({
    name: 'internalSpiffeWorkloadID',
    type: text('id'),
    commands: ['agent'],
    help: 'The required SPIFFE workload id of the certificates of other agents.',
  }),
];
